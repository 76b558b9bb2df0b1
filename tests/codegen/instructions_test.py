"""Instructions that a fork and its join add where nothing is stolen, counted by callgrind, or by an emulator (NOPAL_TEST_EMULATOR,
QEMU's) that tells each instruction it runs.

Usage: instructions_test.py --compiler CXX --library libnopal.a --include DIR [--update]

The figure is the difference between fib and its serial elision, per fork; two sizes take out the start of the
runtime. It fails when it grows beyond the record of this compiler; without a record it is only reported.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDS = os.path.join(HERE, "records.json")
EMULATOR, TRIPLE = os.environ.get("NOPAL_TEST_EMULATOR", "").split(), os.environ.get("NOPAL_TEST_TRIPLE", "")
SMALL, LARGE = (8, 12) if EMULATOR else (12, 18)
# The counts are exact; what differs from run to run is the runtime's own threads.
TOLERANCE = 0.05
SKIPPED = 77


def options():
    parser = argparse.ArgumentParser()
    for name in ("compiler", "library", "include"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--update", action="store_true", help="write the figure into records.json")
    return parser.parse_args()


def name_and_version(compiler):
    text = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    clang = re.search(r"clang version (\d+\.\d+\.\d+)", text)
    if clang:
        return of_machine("clang-" + clang.group(1))
    number = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout
    return of_machine("gcc-" + number.strip())


def of_machine(compiler):
    return f"{TRIPLE.split('-')[0]}-{compiler}" if EMULATOR else compiler


def forks_of_fib(n):
    return 0 if n < 2 else 1 + forks_of_fib(n - 1) + forks_of_fib(n - 2)


def build(given, place, *flags):
    program = os.path.join(place, "program" + "".join(flags))
    if EMULATOR and "clang" in os.path.basename(given.compiler):
        flags = ["--target=" + TRIPLE, *flags]
    subprocess.run([given.compiler, "-std=c++20", "-O2", *flags, "-I", given.include,
                    os.path.join(HERE, "count_fib.cpp"), given.library, "-pthread", "-o", program],
                   check=True)
    return program


def emulated_instructions(program, n):
    """The program has one thread: each line of the emulator's log is an instruction of it."""
    output = program + ".log"
    told = ["-singlestep", "-d", "nochain,exec", "-D", output]
    subprocess.run([EMULATOR[0], *told, *EMULATOR[1:], program, str(n)], check=True, capture_output=True, timeout=300,
                   env={**os.environ, "NOPAL_WORKERS": "1"})
    with open(output, encoding="utf-8", errors="replace") as file:
        return sum(line.startswith("Trace ") for line in file)


def instructions(program, n):
    if EMULATOR:
        return emulated_instructions(program, n)
    output = program + ".callgrind"
    subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + output, program, str(n)], check=True,
                   capture_output=True, timeout=300, env={**os.environ, "NOPAL_WORKERS": "1", "NOPAL_FORKS": "latent"})
    with open(output, encoding="utf-8") as file:
        return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE).group(1))


def growth(program):
    return instructions(program, LARGE) - instructions(program, SMALL)


def instructions_per_fork(given):
    with tempfile.TemporaryDirectory() as place:
        added = growth(build(given, place)) - growth(build(given, place, "-DNOPAL_ELIDE"))
    return added / (forks_of_fib(LARGE) - forks_of_fib(SMALL))


def main():
    given = options()
    if shutil.which("valgrind") is None and not EMULATOR:
        print("valgrind is not installed")
        return SKIPPED
    key = name_and_version(given.compiler)
    measured = round(instructions_per_fork(given), 2)
    with open(RECORDS, encoding="utf-8") as file:
        records = json.load(file)
    record = records.get(key)
    print(f"{key}: {measured} instructions per fork and join; record: {record}")
    if given.update:
        records[key] = measured
        with open(RECORDS, "w", encoding="utf-8") as file:
            json.dump(records, file, indent=2, sort_keys=True)
            file.write("\n")
        return 0
    if record is None:
        return 0
    if measured < record - TOLERANCE:
        print("Fewer than the record: run with --update.")
    return 1 if measured > record + TOLERANCE else 0


if __name__ == "__main__":
    sys.exit(main())
