#!/usr/bin/env python3
"""What the parallel detector says: calls of continuations that were stolen, refusals, also in a log, exceptions of C's children,
scopes that overlap, and large arguments.

Usage: parallel_test.py PROGRAM   (of parallel_calls.cpp)
"""
import os
import signal
import subprocess
import sys
import tempfile

wrong = []


def expect(what, holds, seen):
    if not holds:
        wrong.append(f"{what}: {seen}")


def run(program, *arguments, **settings):
    done = subprocess.run([program, *arguments], env=dict(os.environ, **settings), stderr=subprocess.PIPE, timeout=100)
    return done.returncode, done.stderr.decode()


def calls_of(report, place):
    """The functions of an access that was made at the place, the innermost first."""
    names, takes = [], False
    for line in report.split("\n"):
        if line.startswith("    write by ") or line.startswith("    read by "):
            takes = place in line
        elif not line.startswith("      called by "):
            takes = False
        if takes:
            names.append(line.split(" by ")[1].split("(")[0].split(",")[0])
    return names


def main():
    program = sys.argv[1]
    for round in range(20):
        status, report = run(program, NOPAL_WORKERS="3", NOPAL_STEAL="always" if round % 2 == 0 else "usual")
        expect("status", status == 66, (status, report))
        calls = calls_of(report, "innermost")
        expect("calls", calls[:5] == ["innermost", "between", "forks", "outer", "main"], report)
    with tempfile.NamedTemporaryFile("r") as log:
        status, error = run(program, "waits", NOPAL_CHECK="log=" + log.name)
        logged = log.read()
        expect("refusal", status == 2 and error.count("\n") == 1 and "is not checked in parallel" in error, (status, error))
        expect("refusal in the log", logged == error, logged)
    for settings in ({"NOPAL_WORKERS": "1"}, {"NOPAL_WORKERS": "2"}, {"NOPAL_WORKERS": "3", "NOPAL_STEAL": "always"}):
        status, error = run(program, "throws", **settings)
        expect(f"an exception of C's child, {settings}", status == -signal.SIGABRT and error.count("\n") == 1 and
               "an exception leaves a child of code compiled without exceptions" in error, (status, error))
        status, error = run(program, "result", **settings)
        expect(f"a large result, {settings}", status == 66 and "write by nopal_child_make" in error, (status, error))
        for clean in ("overlap", "pass"):
            status, error = run(program, clean, **settings)
            expect(f"{clean}, {settings}", status == 0 and error == "", (status, error))
    print("\n".join(wrong) or "all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
