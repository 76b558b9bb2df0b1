"""Draws the plots of docs/results.md from its tables, so that they show what the tables say: results.svg of the first, and
peers.svg and peers-dark.svg, for light and dark pages, of the one beside other libraries.

    plot.py ROOT [--fix]

Without --fix it says whether the drawings are those of the tables.
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


# Beside other libraries: a program of each kind of work, those where Nopal is behind among them, and other schedulers.
PEER_PROGRAMS = ["barnes-hut", "quicksort", "loop", "nqueens", "heat", "matmul", "uts", "cholesky", "fib"]
PEERS = ["Nopal", "Rayon", "oneTBB", "libgomp", "chili"]
COLORS = ["#2e7d32", "#d08770", "#5b8fd1", "#a07cc5", "#b59a3a"]
PEER_TOP, BAR, GROUP, PEER_UNIT, PEER_LARGEST = 64, 8, 52, 150, 3.5


def peer_rows(page):
    """For each program the speed of each library on two workers, as a multiple of the serial program's."""
    heads = next(line for line in page.splitlines() if line.startswith("| program | Nopal |"))
    libraries = [cell.strip() for cell in heads.strip("|").split("|")][1:]
    speeds = {}
    for name, cells in re.findall(r"^\| ([\w-]+) \|((?: [\d.]+ / [\d.]+ \|)+)$", page, re.MULTILINE):
        times = [float(cell.split("/")[1]) for cell in cells.strip("|").split("|")]
        speeds[name] = {library: 1 / time for library, time in zip(libraries, times)}
    return [(name, [speeds[name][library] for library in PEERS]) for name in PEER_PROGRAMS]


def peer_x(speed):
    return round(LEFT + speed * PEER_UNIT, 1)


def peer_drawing(programs, color):
    height = PEER_TOP + GROUP * len(programs) + 4
    what = "Speed of nine programs on two workers, beside other libraries, as a multiple of the serial program's"
    lines = [f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {peer_x(PEER_LARGEST):.0f} {height}" '
             f'role="img" aria-label="{what}">', "<style>", f".drawing {{ color: {color}; }}",
             ".drawing text { font: 13px sans-serif; fill: currentColor; stroke: none; }",
             ".drawing .small { font-size: 12px; }", ".drawing .middle { text-anchor: middle; }",
             ".drawing .end { text-anchor: end; }",
             ".drawing .line { fill: none; stroke: currentColor; stroke-width: 1; stroke-opacity: .4; }",
             ".drawing .base { stroke-opacity: .9; }"]
    lines += [f".drawing .peer-{place} {{ fill: {fill}; }}" for place, fill in enumerate(COLORS)] + ["</style>"]
    for place, library in enumerate(PEERS):
        at = LEFT + 100 * place
        lines.append(f'<rect class="peer-{place}" x="{at}" y="10" width="14" height="12"/>')
        lines.append(f'<text x="{at + 20}" y="21">{library}</text>')
    for speed in (0, 0.5, 1, 1.5, 2, 2.5, 3):
        kind = "line base" if speed == 1 else "line"
        lines.append(f'<path class="{kind}" d="M{peer_x(speed)} {PEER_TOP - 8}V{height - 4}"/>')
        lines.append(f'<text class="small middle" x="{peer_x(speed)}" y="{PEER_TOP - 14}">{speed:g}</text>')
    for place, (name, speeds) in enumerate(programs):
        y = PEER_TOP + GROUP * place
        lines.append(f'<text class="end" x="{LEFT - 8}" y="{y + 25}">{name}</text>')
        for each, speed in enumerate(speeds):
            lines.append(f'<rect class="peer-{each}" x="{LEFT}" y="{y + BAR * each}" '
                         f'width="{max(peer_x(speed) - LEFT, 1):.1f}" height="{BAR - 1}"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main():
    docs = pathlib.Path(sys.argv[1]) / "docs"
    page = (docs / "results.md").read_text()
    programs, beside = rows(page), peer_rows(page)
    wanted = {"results.svg": drawing(programs), "peers.svg": peer_drawing(beside, "#222"),
              "peers-dark.svg": peer_drawing(beside, "#ddd")}
    faults = [] if len(programs) >= 10 else ["docs/results.md has no table of programs"]
    for name, text in wanted.items():
        target = docs / "drawings" / name
        if "--fix" in sys.argv[2:]:
            target.write_text(text)
        if not target.exists() or target.read_text() != text:
            faults.append(f"docs/drawings/{name} does not show the tables of docs/results.md; scripts/site/plot.py . --fix draws it")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(programs)} programs, {len(beside)} beside other libraries")


if __name__ == "__main__":
    main()
