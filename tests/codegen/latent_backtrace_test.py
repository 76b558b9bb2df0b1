"""A debugger and backtrace() in a leaf under latent forks, before and after these were promoted: both must show the chain of calls.

Usage: latent_backtrace_test.py --compiler CXX --library libnopal.a --include DIR [unittest options]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIMIZATIONS = (("-O0",), ("-O2",), ("-O2", "-fno-omit-frame-pointer"))
LEVELS = 5
ENVIRONMENT = {**os.environ, "NOPAL_WORKERS": "2"}
for name in ("NOPAL_FORKS", "NOPAL_SIGNAL"):
    ENVIRONMENT.pop(name, None)
REPETITIONS = 3
given = {}


def expected(bottom):
    """What is to be found, in this order; the library's own functions lie between."""
    return ["chain_marker", "chain_leaf", *(f"chain_level<{level}>" for level in range(LEVELS, 0, -1)),
            "chain_thread_entry", *bottom]


def readable(symbol):
    mangled = re.match(r"_Z11chain_levelILi(\d+)E", symbol)
    return f"chain_level<{mangled.group(1)}>" if mangled else symbol


def of_the_program(names):
    found = [name for name in names if re.fullmatch(r"chain_\w+(<\d>)?|main", name)]
    return [name for i, name in enumerate(found) if i == 0 or name != found[i - 1]]


class LatentBacktrace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.programs = []
        for options in OPTIMIZATIONS:
            program = os.path.join(cls.place.name, "latent_chain" + "".join(options))
            # Exported, for dladdr sees dynamic symbols alone.
            subprocess.run([given["compiler"], "-std=c++20", *options, "-g", "-rdynamic", "-I",
                            given["include"], os.path.join(HERE, "latent_chain.cpp"), given["library"], "-pthread", "-o",
                            program], check=True)
            cls.programs.append(program)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def each(self):
        return [(program, *start) for program in self.programs for start in (("main", ["main"]), ("thread", []))]

    def check_chain(self, names, bottom, whole):
        self.assertEqual(of_the_program(names), expected(bottom), whole)

    def test_backtrace_function(self):
        for program, start, bottom in self.each():
            for _ in range(REPETITIONS):
                done = subprocess.run([program, start], capture_output=True, text=True, timeout=60, env=ENVIRONMENT,
                                      check=True)
                before, after = done.stdout.split("promoted\n")
                for lines in (before, after):
                    self.check_chain([readable(line) for line in lines.splitlines()], bottom, done.stdout)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_debugger(self):
        for program, start, bottom in self.each():
            done = subprocess.run(
                ["gdb", "-nx", "-batch", "-ex", "set width 0", "-ex", "handle SIGURG nostop noprint pass",
                 "-ex", "break chain_marker", "-ex", f"run {start}", "-ex", "bt", "-ex", "echo next stop\\n",
                 "-ex", "continue", "-ex", "bt", program],
                capture_output=True, text=True, timeout=120, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
            whole = done.stdout + done.stderr
            self.assertNotIn("inner to this frame", whole)
            self.assertNotIn("corrupt stack", whole)
            stops = done.stdout.split("next stop\n")
            self.assertEqual(len(stops), 2, whole)
            for stop in stops:
                frames = [re.sub(r"^#\d+\s+(0x[0-9a-f]+ in )?", "", line).split(" (")[0]
                          for line in stop.splitlines() if re.match(r"^#\d", line)]
                self.check_chain(frames, bottom, whole)


if __name__ == "__main__":
    while len(sys.argv) > 2 and sys.argv[1] in ("--compiler", "--library", "--include"):
        given[sys.argv[1][2:]] = sys.argv[2]
        del sys.argv[1:3]
    unittest.main()
