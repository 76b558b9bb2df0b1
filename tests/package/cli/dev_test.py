"""What ./dev says of a command line that it does not accept: one line, before it builds anything; and of --help after a command.
Usage: dev_test.py ROOT"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()

# The command line, and what the line begins with.
REFUSED = {
    "frob": "dev: frob: not a command; accepted: setup ",
    "help extra": "dev: extra: not an option of help; accepted: ",
    "build --compiler x": "dev: --compiler 'x': not known; accepted: gcc clang",
    "build --compiler": "dev: --compiler: not without a value; accepted: ",
    "build --preset x": "dev: --preset 'x': not known; accepted: release ",
    "test --kinds x": "dev: --kinds 'x': not known; accepted: c check cilk cli ",
    "test --filter": "dev: --filter: not without a value; accepted: ",
    "test --changed=no-such-commit": "dev: --changed 'no-such-commit': not known; accepted: a commit",
    "test --quick --kinds stress,x": "dev: --kinds 'x': not known; accepted: c check cilk cli ",
    "stress --minutes x": "dev: --minutes 'x': not understood; accepted: a whole number from 1 up",
    "stress --minutes 0": "dev: --minutes '0': not understood; accepted: a whole number from 1 up",
    "stress --seed x": "dev: --seed 'x': not understood; accepted: a whole number from 0 up",
    "fuzz --seconds 1x": "dev: --seconds '1x': not understood; accepted: a whole number from 1 up",
    "fuzz --programs --seed -1": "dev: --seed '-1': not understood; accepted: a whole number from 0 up",
    "fuzz --seed 1": "dev: --seed: not without --programs; accepted: ",
    "fuzz --programs --target text_file": "dev: --target: not with --programs; accepted: ",
    "fuzz --target x": "dev: --target 'x': not known; accepted: ",
    "test --one-in 0": "dev: --one-in '0': not accepted; accepted: 1 to 99",
    "test --one-in 2 --changed": "dev: --one-in and --changed: one of them",
    "test --processor x": "dev: --processor 'x': not known; accepted: aarch64",
    "test --processor aarch64 --preset asan": "dev: --processor: not with --preset or another compiler; accepted: ",
    "lint --one-in": "dev: --one-in: not without a value; accepted: ",
    "lint --fix extra": "dev: extra: not an option of lint; accepted: ",
    "bench --reducers --variants": "dev: --variants: not with --reducers; accepted: ",
}
for command in ("setup", "build", "test", "stress", "fuzz", "coverage", "lint", "docs"):
    REFUSED[f"{command} --frob"] = f"dev: --frob: not an option of {command}; accepted: "


class Refusals(unittest.TestCase):
    def test_one_line_of_one_form(self):
        for arguments, beginning in REFUSED.items():
            with self.subTest(arguments):
                ran = subprocess.run([ROOT / "dev", "--no-install", *arguments.split()], capture_output=True, text=True,
                                     timeout=60, check=False)
                self.assertEqual(ran.returncode, 2)
                self.assertEqual(ran.stdout, "")
                self.assertTrue(ran.stderr.startswith(beginning), ran.stderr)
                self.assertEqual(ran.stderr.count("\n"), 1)


class ReadOnly(unittest.TestCase):
    def test_sources_that_cannot_be_written_to_are_one_line(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory, "nopal")
            root.mkdir()
            shutil.copy(ROOT / "dev", root)
            shutil.copytree(ROOT / "scripts", root / "scripts")
            os.chmod(directory, 0o755)
            os.chmod(root, 0o555)
            # Root may write anywhere.
            another = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
            if another and shutil.which("setpriv") is None:
                self.skipTest("setpriv is missing")
            for command in ("build", "test", "stress", "fuzz", "coverage", "demo", "bench", "lint", "docs"):
                with self.subTest(command):
                    ran = subprocess.run([*another, root / "dev", command], capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual((ran.returncode, ran.stdout), (2, ""), ran.stderr)
                    self.assertTrue(ran.stderr.startswith(f"dev: cannot write to {root}/build; accepted: "), ran.stderr)
                    self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
            os.chmod(root, 0o755)


class Help(unittest.TestCase):
    def test_help_after_a_command_is_that_commands(self):
        for command in ("setup", "build", "test", "stress", "fuzz", "coverage", "lint", "docs"):
            for option in ("--help", "-h"):
                with self.subTest(command, option=option):
                    ran = subprocess.run([ROOT / "dev", command, option], capture_output=True, text=True, timeout=60,
                                         check=False)
                    self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                    usage, described, *_ = ran.stdout.splitlines()
                    self.assertEqual(usage, f"usage: ./dev [--no-install] {command} [OPTION...]")
                    self.assertTrue(described.startswith(f"  {command} "), described)

    def test_the_help_of_test_says_what_each_length_has(self):
        shown = subprocess.run([ROOT / "dev", "test", "--help"], capture_output=True, text=True, timeout=60, check=False).stdout
        for option in ("--compiler", "--kinds", "--filter", "--quick", "--changed", "--all"):
            self.assertIn(option, shown)


class Variants(unittest.TestCase):
    # What follows `bench`, and what `nopal bench` is called with.
    SPLIT = {
        "--variants": "--variants=all",
        "--variants fib": "--variants=all fib",
        "--variants --quick fib": "--variants=all --quick fib",
        "--variants eager fib": "--variants=eager fib",
        "fib --variants the_deque,eager": "fib --variants=the_deque,eager",
        "--variants none --variants reclaim_never": "--variants=none --variants=reclaim_never",
        "--variants=eager fib nqueens": "--variants=eager fib nqueens",
        "fib eager": "fib eager",
    }

    def test_names_may_follow_the_option(self):
        for given, passed in self.SPLIT.items():
            with self.subTest(given):
                script = f"set -eu; . {ROOT}/scripts/bench.sh; parts=''; " \
                         f"tool() {{ printf '%s\\n' \"$*\" \"$parts\"; }}; bench {given}"
                ran = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                called, parts = ran.stdout.splitlines()
                self.assertEqual(called, f"bench {passed}")
                self.assertEqual("VARIANTS=ON" in parts, "--variants" in given)


class Reports(unittest.TestCase):
    def test_the_slowest_tests_come_last_but_for_the_counts(self):
        with tempfile.TemporaryDirectory() as place:
            junit = pathlib.Path(place, "junit.xml")
            junit.write_text("".join(f'\t<testcase name="unit.a/{seconds}" classname="c" time="{seconds}" status="run">\n'
                                     for seconds in (0.5, 2.25, 31.125, 4)))
            script = f". {ROOT}/scripts/test.sh; say() {{ printf '%s\\n' \"$*\"; }}; passed=4; " \
                     f"note_slowest gcc-release {junit}; close_with_counts"
            ran = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertEqual(ran.stdout.splitlines(), ["The slowest tests:", "    31.1 s  gcc-release: unit.a/31.125",
                             "     4.0 s  gcc-release: unit.a/4", "     2.2 s  gcc-release: unit.a/2.25", "4 passed, 0 failed"])


if __name__ == "__main__":
    unittest.main()
