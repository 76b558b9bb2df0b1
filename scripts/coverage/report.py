"""Prints which lines and branches of src/ the tests reached, and which of the slow paths they did not.

usage: report.py LCOV JSON UNREACHED [--check]

LCOV and JSON are what `llvm-cov export` writes. What no test can reach has a label in the sources, in a comment that ends with
"unreached: LABEL", at the end of its line or alone above it, or with "unreached below: LABEL" alone above a statement or a
definition, to whose end it holds. It holds for branches too. UNREACHED has a reason for each label, "LABEL: REASON". With
--check the exit code is 1 if the slow paths have an unreached line or branch without a label, a label has no reason, or a
reason no label. What has a label and was reached by this run is counted only: races are reached at times.
"""

import collections
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLOW_PATHS = ("src/scheduler/", "src/strand/", "src/deque/", "src/stack/",
              "src/view/current.", "src/view/process.", "src/view/reducers.", "src/view/segments.", "src/view/strand_merge.",
              "src/view/task_views.", "src/view/views.")
MARK = re.compile(r"//(.*\W)?unreached( below)?: (\S+)$")


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


def read_reasons(path):
    """{label: reason}"""
    reasons = {}
    for number, text in enumerate(open(path), 1):
        if not text.strip() or text.startswith("#"):
            continue
        both = re.fullmatch(r"(\S+): (.+)\n", text)
        if not both or both.group(1) in reasons:
            sys.exit(f"{path}:{number}: " + ("a second reason for the label" if both else "not 'LABEL: REASON'"))
        reasons[both.group(1)] = both.group(2)
    return reasons


def end_of_statement(code, first):
    """The index of the last line of what begins in line `first`."""
    depth = 0
    for number in range(first, len(code)):
        line = re.sub(r'//.*|"(\\.|[^"\\])*"', "", code[number]).rstrip()
        depth += len(re.findall(r"[(\[{]", line)) - len(re.findall(r"[)\]}]", line))
        if depth <= 0 and line.endswith((";", "}")):
            return number
    return len(code) - 1


def labels_of(code):
    """{line: label}, both counted from 1"""
    labels = {}
    for index, text in enumerate(code):
        mark = MARK.search(text)
        if not mark:
            continue
        first = index + 1 if text.lstrip().startswith("//") else index
        last = end_of_statement(code, first) if mark.group(2) else first
        labels.update({number + 1: mark.group(3) for number in range(first, last + 1)})
    return labels


def slow_sources():
    return {os.path.join(folder, name) for folder in SLOW_PATHS for name in os.listdir(os.path.join(ROOT, folder))
            if name.endswith((".cpp", ".hpp"))}


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
        found += [(name, number, "never run") for number in missed
                  if code[name][number - 1].partition("//")[0].strip("{}(); ")]
        for (number, column), (true, false) in branches[name].items():
            # Where neither happened the line says so already. A fault is never made here.
            is_fault = re.match(r"!?NOPAL_FAULT\(", code[name][number - 1][column - 1:])
            if number not in missed and not is_fault and (true == 0 or false == 0):
                what = "never decided" if true == false else "never true" if true == 0 else "never false"
                found.append((name, number, f"column {column} {what}"))
    return sorted(found)


def main():
    lcov, exported, reasons_file, *options = sys.argv[1:]
    lines, branches, reasons = read_lines(lcov), read_branches(exported), read_reasons(reasons_file)
    if not lines:
        sys.exit("report.py: no line of src/ is in the report")
    code = {name: open(os.path.join(ROOT, name)).read().splitlines() for name in set(lines) | slow_sources()}
    labels = {name: labels_of(text) for name, text in code.items()}
    print_table(lines, branches)

    excused, wrong = set(), []
    for name, number, what in unreached(lines, branches, code):
        if not name.startswith(SLOW_PATHS):
            continue
        if number in labels[name]:
            excused.add((name, number))
        else:
            wrong.append(f"{name}:{number}: {what}: {code[name][number - 1].strip()}")
    used = set()
    for name in sorted(labels):
        used.update(labels[name].values())
        wrong += [f"{name}:{number}: no reason for the label {label}"
                  for number, label in labels[name].items() if label not in reasons]
    wrong += [f"{name_in_repository(reasons_file)}: no code has the label {label}" for label in reasons if label not in used]
    entries = sum(len(of_file) for of_file in labels.values())
    print(f"\nNot reached in the slow paths: {len(excused)} of the {entries} lines that have a label; wrong: {len(wrong)}")
    print("\n".join(wrong))
    return 1 if "--check" in options and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
