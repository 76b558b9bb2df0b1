"""Programs under a tool that watches them: correct ones without a report, wrong ones with the right report.

Usage: sanitizers_test.py --tool address|undefined|thread|valgrind --compiler CXX --c-compiler CC --library FILE
       --include DIR --tbb-include DIR --work DIR [--define NAME]... [unittest options]

Exits with 77 if the tool is not there. Wrong programs do what they do wrong in a stolen strand, on a stack of the pool.
"""

import argparse
import os
import shutil
import subprocess
import sys
import unittest

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
TIMEOUT = 300
SKIPPED = 77
WATCHED_BY_VALGRIND = ["valgrind", "--quiet", "--fair-sched=yes", "--leak-check=full", "--error-exitcode=9"]

# tool: compiler flags, environments to run in, {wrong program: what its report says, all of it}
TOOLS = {
    "address": (
        ["-fsanitize=address"],
        [{"ASAN_OPTIONS": "detect_stack_use_after_return=0"}, {"ASAN_OPTIONS": "detect_stack_use_after_return=1"}],
        {
            "heap_overflow": ["heap-buffer-overflow", "in (anonymous namespace)::read_past_end", "heap_overflow.cpp:",
                              "in main"],
            "stack_overflow": ["stack-buffer-overflow", "stack_overflow.cpp:", "in main"],
            "leak": ["detected memory leaks", "in (anonymous namespace)::lose_some", "leak.cpp:"],
        },
    ),
    "undefined": (["-fsanitize=undefined", "-fno-sanitize-recover=undefined"], [{}],
                  {"undefined": ["undefined.cpp:", "signed integer overflow"]}),
    "thread": (["-fsanitize=thread"], [{}], {
        "race": ["data race", "in (anonymous namespace)::count_up", "race.cpp:"],
        "race_beside_reducer": ["data race", "in (anonymous namespace)::count_up", "race_beside_reducer.cpp:"],
        "early_read": ["data race", "early_read.cpp:"],
        "held_mutex": ["by a wrong thread", "held_mutex.cpp:"],
    }),
    "valgrind": ([], [{}], {
        "heap_overflow": ["Invalid read", "read_past_end", "heap_overflow.cpp:"],
        "uninitialized": ["depends on uninitialised value", "decide", "uninitialized.cpp:"],
    }),
}
# The first not under Valgrind, to which a thread that still waits for tasks has lost its variables.
CORRECT = ("clean_arenas", "clean", "clean_c")
given = argparse.Namespace()


class Program:
    """A program, built with the flags of the tool."""

    def __init__(self, name, level):
        source = next(path for path in (os.path.join(PROGRAMS, name + end) for end in (".cpp", ".c"))
                      if os.path.exists(path))
        self.path = os.path.join(given.work, f"{name}{level}")
        language = [given.c_compiler, "-std=gnu11", "-c"] if source.endswith(".c") else [given.compiler, "-std=c++20", "-c"]
        # Valgrind does not know all that Clang writes in version 5.
        flags = [level, "-gdwarf-4", "-Wall", "-Wextra", "-Werror", "-I", given.include,
                 "-I", given.tbb_include, *TOOLS[given.tool][0],
                 *("-D" + name for name in given.define)]
        run_checked([*language, *flags, "-o", self.path + ".o", source])
        run_checked([given.compiler, *flags, "-o", self.path, self.path + ".o", given.library,
                     "-Wl,-rpath," + os.path.dirname(given.library), "-pthread"])

    def run(self, environment, workers=3):
        prefix = WATCHED_BY_VALGRIND if given.tool == "valgrind" else given.prefix
        return subprocess.run([*prefix, self.path], capture_output=True, text=True, timeout=TIMEOUT, check=False,
                              env={**os.environ, **environment, "NOPAL_WORKERS": str(workers)})


def run_checked(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}:\n{done.stderr}")


def find_tool():
    """How to start a program under the tool; None if the tool is not there."""
    if given.tool == "valgrind":
        return [] if shutil.which("valgrind") else None
    source, program = os.path.join(given.work, "empty.c"), os.path.join(given.work, "empty")
    with open(source, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    built = subprocess.run([given.c_compiler, *TOOLS[given.tool][0], "-o", program, source], capture_output=True,
                           check=False)
    if built.returncode != 0:
        return None
    # Some kernels place programs where ThreadSanitizer has its own memory, unless told not to choose at random.
    for prefix in [["setarch", "-R"], []]:
        if shutil.which((prefix or [program])[0]) and subprocess.run([*prefix, program], capture_output=True,
                                                                    check=False).returncode == 0:
            return prefix
    return None


class Sanitizers(unittest.TestCase):
    def test_correct_programs_are_not_reported(self):
        for name in CORRECT[given.tool == "valgrind":]:
            for level in ("-O0", "-O2"):
                program = Program(name, level)
                for environment in TOOLS[given.tool][1]:
                    for workers in (2, 7):
                        with self.subTest(name=name, level=level, workers=workers, **environment):
                            done = program.run(environment, workers)
                            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                            self.assertEqual(done.stderr, "")

    def test_steals_leave_nothing_behind(self):
        if given.tool not in ("address", "thread"):
            self.skipTest("keeps nothing per steal")
        done = Program("many", "-O0").run({}, 2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def check_reported(self, name, expected, *environments):
        program = Program(name, "-O1")
        for environment in environments:
            self.check_report(program, name, expected, environment)

    def check_report(self, program, name, expected, environment):
        with self.subTest(name=name, **environment):
            done = program.run(environment)
            self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
            for text in expected:
                self.assertIn(text.replace("(anonymous namespace)::", ""),
                              done.stderr.replace("(anonymous namespace)::", ""))

    def test_wrong_programs_are_reported(self):
        for name, expected in TOOLS[given.tool][2].items():
            self.check_reported(name, expected, *TOOLS[given.tool][1])

    def test_use_after_return_is_reported(self):
        if given.tool != "address":
            self.skipTest("AddressSanitizer's")
        self.check_reported("use_after_return", ["stack-use-after-return", "use_after_return.cpp:"],
                            {"ASAN_OPTIONS": "detect_stack_use_after_return=1"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", choices=sorted(TOOLS), required=True)
    parser.add_argument("--define", action="append", default=[], help="of the library's variant")
    for option in ("--compiler", "--c-compiler", "--library", "--include", "--tbb-include", "--work"):
        parser.add_argument(option, required=True)
    given, rest = parser.parse_known_args()
    os.makedirs(given.work, exist_ok=True)
    given.prefix = find_tool()
    if given.prefix is None:
        print(f"no {given.tool} for {given.compiler}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest])
