"""Draws docs/drawings/results.svg from the first table of docs/results.md, so that the plot shows what the table says.

    plot.py ROOT [--fix]

Without --fix it says whether the drawing is that of the table.
"""

import pathlib
import re
import sys

TOP, ROW, LEFT, UNIT, LARGEST = 64, 20, 110, 200, 2.75
STYLE = """<style>
.drawing { color: #222; --drawing-one: #1565c0; --drawing-two: #b35900; }
@media (prefers-color-scheme: dark) { .drawing { color: #ddd; --drawing-one: #6fb7ff; --drawing-two: #ffb45c; } }
.drawing text { font: 13px sans-serif; fill: currentColor; stroke: none; }
.drawing .small { font-size: 12px; }
.drawing .middle { text-anchor: middle; }
.drawing .end { text-anchor: end; }
.drawing .line { fill: none; stroke: currentColor; stroke-width: 1; stroke-opacity: .5; }
.drawing .one { fill: var(--drawing-one); fill-opacity: .3; stroke: var(--drawing-one); stroke-width: 1.2; }
.drawing .mark { fill: none; stroke: var(--drawing-two); stroke-width: 3; }
</style>"""


def rows(page):
    """Program, Ts/T1 and Ts/T2 of each line of the table."""
    line = r"^\| ([\w-]+) \| [\d,]+ \| [\d]+ ms \| [\d]+ ms \| ([\d.]+) \| [\d]+ ms \| ([\d.]+) \|"
    return [(name, 1 / float(overhead), float(speed)) for name, overhead, speed in re.findall(line, page, re.MULTILINE)]


def x(speed):
    return LEFT + round(speed * UNIT, 1)


def drawing(programs):
    height = TOP + ROW * len(programs) + 12
    what = "Speed of each program on one and on two workers, as a multiple of its serial elision's"
    lines = [f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {x(LARGEST):.0f} {height}" role="img" '
             f'aria-label="{what}">', STYLE,
             f'<rect class="one" x="{LEFT}" y="10" width="26" height="12"/>',
             f'<text x="{LEFT + 34}" y="21">two workers</text>',
             f'<path class="mark" d="M{LEFT + 150} 8v16"/>', f'<text x="{LEFT + 158}" y="21">one worker</text>',
             f'<text x="{LEFT + 260}" y="21">1 = the serial elision</text>']
    for speed in (0, 0.5, 1, 1.5, 2, 2.5):
        lines.append(f'<path class="line" d="M{x(speed)} {TOP - 8}V{height - 8}"/>')
        lines.append(f'<text class="small middle" x="{x(speed)}" y="{TOP - 14}">{speed:g}</text>')
    for place, (name, alone, together) in enumerate(programs):
        y = TOP + ROW * place
        lines.append(f'<text class="end" x="{LEFT - 8}" y="{y + 12}">{name}</text>')
        lines.append(f'<rect class="one" x="{LEFT}" y="{y + 2}" width="{x(together) - LEFT:.1f}" height="12"/>')
        lines.append(f'<path class="mark" d="M{x(alone)} {y}v16"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main():
    docs = pathlib.Path(sys.argv[1]) / "docs"
    programs = rows((docs / "results.md").read_text())
    target, wanted = docs / "drawings" / "results.svg", drawing(programs)
    if "--fix" in sys.argv[2:]:
        target.write_text(wanted)
    if len(programs) < 10 or not target.exists() or target.read_text() != wanted:
        sys.exit("docs/drawings/results.svg does not show the first table of docs/results.md; scripts/site/plot.py . --fix draws it")
    print(f"{len(programs)} programs")


if __name__ == "__main__":
    main()
