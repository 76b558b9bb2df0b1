"""Prints which lines and branches of src/ the tests reached, and which of the slow paths they did not.

usage: report.py LCOV JSON UNREACHED [--check]

LCOV and JSON are what `llvm-cov export` writes. UNREACHED lists what no test can reach, and why: a line
"FILE: reason", then, indented, lines "FUNCTION: code as it stands in the file". It holds for them and their branches.
With --check the exit code is 1 if the slow paths have an unreached line or branch that is not listed, or the list
names code that is not there. What the list names and this run reached is counted only: races are reached at times.
"""

import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLOW_PATHS = ("src/scheduler/", "src/deque/", "src/stack/")


def name_in_repository(path):
    return os.path.relpath(path, ROOT)


def is_ours(name):
    return name.startswith("src/")


def read_lines(lcov):
    """{file: {line: count}}"""
    lines = collections.defaultdict(dict)
    name = None
    for record in open(lcov):
        kind, _, value = record.strip().partition(":")
        if kind == "SF":
            name = name_in_repository(value)
        elif kind == "DA" and is_ours(name):
            number, count = map(int, value.split(",")[:2])
            lines[name][number] = lines[name].get(number, 0) + count
    return lines


def read_branches(exported):
    """{file: {(line, column): [times true, times false]}}"""
    branches = collections.defaultdict(dict)
    for file in json.load(open(exported))["data"][0]["files"]:
        name = name_in_repository(file["filename"])
        if not is_ours(name):
            continue
        for line, column, _, _, true, false, *_ in file.get("branches", []):
            counts = branches[name].setdefault((line, column), [0, 0])
            counts[0] += true
            counts[1] += false
    return branches


def simple_names(mangled):
    """{mangled: name without scope and parameters}"""
    mangled = list(mangled)
    # Of a function of one file only, the file's name comes first.
    text = "\n".join(name.rpartition(":")[2] for name in mangled)
    plain = subprocess.run(["c++filt", "-p"], input=text, capture_output=True, text=True, check=True).stdout
    for detail in (r"\[abi:\w+\]", r"<[^<>]*>", r"<[^<>]*>"):
        plain = re.sub(detail, "", plain)
    return {name: line.rpartition("::")[2] for name, line in zip(mangled, plain.splitlines())}


def read_functions(exported):
    """{file: {line: name of the outermost function that holds it}}"""
    functions = json.load(open(exported))["data"][0]["functions"]
    names = simple_names({function["name"] for function in functions})
    spans = collections.defaultdict(set)
    for function in functions:
        first, _, last, _, _, file, *_ = function["regions"][0]
        spans[name_in_repository(function["filenames"][file])].add((first, -last, names[function["name"]]))
    holders = collections.defaultdict(dict)
    for name, found in spans.items():
        for first, last, function in sorted(found):
            for line in range(first, 1 - last):
                holders[name].setdefault(line, function)
    return holders


def read_unreached(path):
    """{file: {"function: code": reason}}"""
    listed = collections.defaultdict(dict)
    name = reason = None
    for number, text in enumerate(open(path), 1):
        if not text.strip() or text.startswith("#"):
            continue
        if text.startswith(" "):
            if name is None:
                sys.exit(f"{path}:{number}: code before the first file")
            listed[name][text.strip()] = reason
            continue
        head = re.fullmatch(r"(\S+): (.+)\n", text)
        if not head:
            sys.exit(f"{path}:{number}: neither 'FILE: reason' nor indented code")
        name, reason = head.groups()
    return listed


def sources(names, functions):
    """{file: {line: "function: code"}}"""
    return {name: {number: f"{functions[name].get(number, '-')}: {line.strip()}"
                   for number, line in enumerate(open(os.path.join(ROOT, name)), 1)} for name in names}


def percent(part, whole):
    return f"{100 * part / whole:6.1f}%" if whole else "      -"


def print_table(lines, branches):
    print(f"{'file':<40} {'lines':>11} {'':>7} {'branches':>11} {'':>7}")
    totals = [0, 0, 0, 0]
    for name in sorted(lines):
        counts = [count for both in branches[name].values() for count in both]
        row = [sum(c > 0 for c in lines[name].values()), len(lines[name]), sum(c > 0 for c in counts), len(counts)]
        totals = [a + b for a, b in zip(totals, row)]
        print_row(name, row)
    print_row("together", totals)


def print_row(name, row):
    print(f"{name:<40} {row[0]:>5}/{row[1]:>5} {percent(*row[:2])} {row[2]:>5}/{row[3]:>5} {percent(*row[2:])}")


def unreached(lines, branches, code):
    """(file, line, what) in order."""
    found = []
    for name in sorted(lines):
        missed = {number for number, count in lines[name].items() if count == 0}
        # A bracket alone says nothing that the lines before it do not.
        found += [(name, number, "never run") for number in missed if code[name][number].partition(": ")[2].strip("{}();")]
        for (number, column), (true, false) in branches[name].items():
            # Where neither happened the line says so already.
            if number not in missed and (true == 0 or false == 0):
                what = "never decided" if true == false else "never true" if true == 0 else "never false"
                found.append((name, number, f"column {column} {what}"))
    return sorted(found)


def main():
    lcov, exported, unreached_file, *options = sys.argv[1:]
    lines, branches, listed = read_lines(lcov), read_branches(exported), read_unreached(unreached_file)
    if not lines:
        sys.exit("report.py: no line of src/ is in the report")
    code = sources(set(lines) | set(listed), read_functions(exported))
    print_table(lines, branches)

    excused, surprising = set(), []
    for name, number, what in unreached(lines, branches, code):
        if not name.startswith(SLOW_PATHS):
            continue
        text = code[name][number]
        if text in listed[name]:
            excused.add((name, text))
        else:
            surprising.append(f"{name}:{number}: {what}: {text}")
    stale = [f"{name}: not in the file any more: {text}"
             for name in listed for text in listed[name] if text not in code[name].values()]
    entries = sum(len(texts) for texts in listed.values())
    print(f"\nNot reached in the slow paths: {len(excused)} of the {entries} lines of "
          f"{name_in_repository(unreached_file)}, and {len(surprising)} lines and branches that it does not list")
    print("\n".join(surprising + stale))
    return 1 if "--check" in options and (surprising or stale) else 0


if __name__ == "__main__":
    sys.exit(main())
