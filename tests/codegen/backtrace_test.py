"""A debugger and backtrace() inside stolen continuations: both must show the logical chain of calls.

Usage: backtrace_test.py --compiler CXX --library libnopal.a --include DIR [unittest options]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIMIZATIONS = ("-O0", "-O2")
LEVELS = 5
# The child waits in a function of its own while the continuation runs, so each level needs a worker of its own.
ENVIRONMENT = {**os.environ, "NOPAL_WORKERS": str(LEVELS + 3)}
REPETITIONS = 5
given = {}


def expected(entry):
    return ["chain_marker", *(f"chain_level<{level}>" for level in range(LEVELS, 0, -1)), entry]


def readable(symbol):
    mangled = re.match(r"_Z11chain_levelILi(\d+)E", symbol)
    return f"chain_level<{mangled.group(1)}>" if mangled else symbol


class Backtrace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.programs = {}
        for level in OPTIMIZATIONS:
            cls.programs[level] = os.path.join(cls.place.name, "chain" + level)
            # Exported, for dladdr sees dynamic symbols alone.
            subprocess.run([given["compiler"], "-std=c++20", level, "-g", "-rdynamic", "-I", given["include"],
                            os.path.join(HERE, "chain.cpp"), given["library"], "-pthread", "-o",
                            cls.programs[level]], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def each(self):
        return [(program, *start) for program in self.programs.values()
                for start in (("main", "main"), ("thread", "chain_thread_entry"))]

    def check_chain(self, found, entry, whole):
        wanted = expected(entry)
        self.assertIn("chain_marker", found, whole)
        first = found.index("chain_marker")
        self.assertEqual(found[first:first + len(wanted)], wanted, whole)

    def test_backtrace_function(self):
        for program, start, entry in self.each():
            for _ in range(REPETITIONS):
                done = subprocess.run([program, start], capture_output=True, text=True, timeout=60, env=ENVIRONMENT,
                                      check=True)
                *lines, last = done.stdout.splitlines()
                self.assertEqual(last, "done")
                self.check_chain([readable(line) for line in lines], entry, done.stdout)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_debugger(self):
        for program, start, entry in self.each():
            done = subprocess.run(
                ["gdb", "-nx", "-batch", "-ex", "set width 0", "-ex", "break chain_marker", "-ex", f"run {start}",
                 "-ex", "bt", program],
                capture_output=True, text=True, timeout=120, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
            frames = [re.sub(r"^#\d+\s+(0x[0-9a-f]+ in )?", "", line).split(" (")[0]
                      for line in done.stdout.splitlines() if re.match(r"^#\d", line)]
            whole = done.stdout + done.stderr
            self.assertNotIn("inner to this frame", whole)
            self.assertNotIn("corrupt stack", whole)
            self.check_chain(frames, entry, whole)


if __name__ == "__main__":
    while len(sys.argv) > 2 and sys.argv[1] in ("--compiler", "--library", "--include"):
        given[sys.argv[1][2:]] = sys.argv[2]
        del sys.argv[1:3]
    unittest.main()
