#!/usr/bin/env python3
"""Runs every case of the corpus and compares the races that are reported with those that its source names.

Usage: corpus_test.py PROGRAM SOURCE... [--optional PREFIX]... [--only CASE] [--workers N,...] [--alone CASE,...]
       [--refused TEXT]

Pairs whose label begins with PREFIX may be missed. With --workers each case is run with each number of them, as 3:always with NOPAL_STEAL, those
of --alone with one, and with --refused a case may end with status 2 and a line that has TEXT.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

CASE = re.compile(r"^(?:CASE|C_CASE)\((\w+)\)")
MARK = re.compile(r"\b(race|with): (\w+)")
REPORT = re.compile(r"^nopal: race: .* at (\S+):(\d+) and .* at (\S+):(\d+)")


def read_cases(sources, optional, may_miss):
    """The pairs of lines of each case, the lines before a case belonging to it back to the case before."""
    cases = {}
    for path in sources:
        name = os.path.basename(path)
        marks = collections.defaultdict(lambda: {"race": [], "with": []})
        pending = []
        with open(path, encoding="utf-8") as text:
            lines = text.read().split("\n")
        starts = [i for i, line in enumerate(lines) if CASE.match(line)]
        for order, start in enumerate(starts):
            end = starts[order + 1] if order + 1 < len(starts) else len(lines)
            begin = start
            # Functions before a case are its own: back to the end of the last case.
            while begin > 0 and not (lines[begin - 1] == "}" and is_case_end(lines, begin - 1)) and begin - 1 not in starts:
                begin -= 1
            stop = next((i for i in range(start, end) if lines[i] == "}" or (i == start and lines[i].endswith("}"))), end)
            marks = collections.defaultdict(lambda: {"race": [], "with": []})
            for i in range(begin, stop + 1):
                if "//" in lines[i] or "/*" in lines[i]:
                    for kind, label in MARK.findall(lines[i]):
                        marks[label][kind].append(i + 1)
            pairs = set()
            for label, both in marks.items():
                for a in both["race"]:
                    for b in both["with"]:
                        pair = tuple(sorted([f"{name}:{a}", f"{name}:{b}"]))
                        pairs.add(pair)
                        if label.startswith(tuple(optional)):
                            may_miss.add(pair)
            cases[CASE.match(lines[start]).group(1)] = pairs
    return cases


def is_case_end(lines, i):
    for j in range(i - 1, -1, -1):
        if CASE.match(lines[j]):
            return True
        if lines[j] == "}":
            return False
        if lines[j] and not lines[j][0].isspace() and "{" in lines[j]:
            return False
    return False


def run_case(program, case, settings):
    with tempfile.NamedTemporaryFile("r") as log:
        environment = dict(os.environ, NOPAL_CHECK="log=" + log.name, **settings)
        done = subprocess.run([program, case], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        found = set()
        for line in log.read().split("\n"):
            match = REPORT.match(line)
            if match:
                ends = [f"{os.path.basename(match[i])}:{match[i + 1]}" for i in (1, 3)]
                found.add(tuple(sorted(ends)))
    return done.returncode, found, done.stderr.decode(errors="replace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--only")
    parser.add_argument("--optional", action="append", default=[])
    parser.add_argument("--workers", default="")
    parser.add_argument("--alone", default="")
    parser.add_argument("--refused")
    given = parser.parse_args()
    may_miss = set()
    expected = read_cases(given.sources, given.optional, may_miss)
    known = subprocess.run([given.program], stdout=subprocess.PIPE, check=True).stdout.decode().split()
    wrong = [f"{case}: in the sources and not in the program" for case in set(expected) - set(known)]
    wrong += [f"{case}: in the program and not in the sources" for case in set(known) - set(expected)]
    refused = set()
    for case in sorted(expected):
        if case not in known or (given.only and case != given.only):
            continue
        for workers in ["1"] if case in given.alone.split(",") else given.workers.split(","):
            settings = dict(zip(("NOPAL_WORKERS", "NOPAL_STEAL"), workers.split(":"))) if workers else {}
            status, found, error = run_case(given.program, case, settings)
            with_workers = f"{case} ({workers} workers)" if workers else case
            if given.refused and status == 2 and error.startswith("nopal: ") and given.refused in error and error.count("\n") == 1:
                refused.add(case)
                continue
            needed = expected[case] - may_miss
            if status != (66 if needed or found else 0):
                wrong.append(f"{with_workers}: exit status {status} {error[-200:]!r}")
            for pair in sorted(needed - found):
                wrong.append(f"{with_workers}: missed {pair[0]} with {pair[1]}")
            for pair in sorted(found - expected[case]):
                wrong.append(f"{with_workers}: no race is {pair[0]} with {pair[1]}")
    if given.refused and not 0 < len(refused) < len(expected) / 10:
        wrong.append(f"refused: {', '.join(sorted(refused))}")
    racy = sum(1 for pairs in expected.values() if pairs)
    print("\n".join(wrong + [f"{len(expected)} cases, {racy} of them with races, {len(wrong)} wrong"]))
    return 1 if wrong or not expected else 0


if __name__ == "__main__":
    sys.exit(main())
