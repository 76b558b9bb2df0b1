"""Checks that the code in the pages is code that is compiled and run.

    snippets.py ROOT [--fix]

A block of C or C++ in docs/ follows a comment that says where it is from, a whole file or a part of it:

    <!-- code: examples/docs/rules.cpp#locks -->

where the part stands between "// snippet: locks" and "// end snippet". A block of another library's code, which is not
run, follows <!-- not ours -->, and a line or two of ours that mean nothing alone <!-- in passing -->. In the README, whose
readers should not meet such comments, each paragraph of a block is to be found in a program of examples/. --fix writes
the blocks anew.
"""

import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"(?P<mark>^<!-- (?P<what>[^>]*) -->\n)?^```(?P<language>c|cpp|c\+\+)\n(?P<code>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
LONGEST_IN_PASSING = 8


def part_of(root, reference):
    name, _, part = reference.partition("#")
    text = (root / name).read_text()
    if not part:
        return text.rstrip("\n") + "\n"
    match = re.search(rf"^ *(?://|/\*) snippet: {re.escape(part)}(?: \*/)?\n(.*?)^ *(?://|/\*) end snippet", text,
                      re.MULTILINE | re.DOTALL)
    if not match:
        raise KeyError(f"{name} has no part '{part}'")
    return textwrap.dedent(match[1])


def check_page(root, path, fix):
    """The faults of one page, and how many blocks it has."""
    text, faults, count = path.read_text(), [], 0

    def one(match):
        nonlocal count
        count += 1
        line = text.count("\n", 0, match.start()) + 1
        where, what, code = f"{path.relative_to(root)}:{line}", match["what"] or "", match["code"]
        if what == "not ours":
            return match[0]
        if what == "in passing":
            if code.count("\n") > LONGEST_IN_PASSING:
                faults.append(f"{where}: too long not to be run")
            return match[0]
        if not what.startswith("code: "):
            faults.append(f"{where}: says not where it is from")
            return match[0]
        try:
            wanted = part_of(root, what.removeprefix("code: "))
        except (KeyError, OSError) as e:
            faults.append(f"{where}: {e}")
            return match[0]
        if code != wanted and not fix:
            faults.append(f"{where}: differs from {what.removeprefix('code: ')}")
        return f"{match['mark']}```{match['language']}\n{wanted}```"

    fixed = BLOCK.sub(one, text)
    if fix and fixed != text:
        path.write_text(fixed)
    return faults, count


def words(code):
    return " ".join(code.split())


def check_readme(root):
    programs = [words(source.read_text()) for source in (root / "examples").rglob("*.c*")]
    faults, count = [], 0
    for match in BLOCK.finditer((root / "README.md").read_text()):
        count += 1
        for paragraph in match["code"].split("\n\n"):
            if not any(words(paragraph) in program for program in programs):
                faults.append(f"README.md: in no example: {paragraph.strip().splitlines()[0]}")
    return faults, count


def main():
    root, fix = pathlib.Path(sys.argv[1]).resolve(), "--fix" in sys.argv[2:]
    results = [check_page(root, page, fix) for page in sorted((root / "docs").rglob("*.md"))] + [check_readme(root)]
    faults = [fault for found, _ in results for fault in found]
    print("\n".join(faults + [f"{sum(count for _, count in results)} blocks of code, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
