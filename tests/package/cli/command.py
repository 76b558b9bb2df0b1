"""Runs the `nopal` command that the first argument of a test names."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 2:
    sys.exit(f"usage: {sys.argv[0]} NOPAL_BINARY [unittest options]")
NOPAL = os.path.abspath(sys.argv.pop(1))


def clean_environment(**variables):
    """The environment without settings of the runtime, plus the given ones."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NOPAL")}
    return kept | variables


def run(*arguments, timeout=100, **variables):
    return subprocess.run(
        [NOPAL, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        env=clean_environment(**variables),
    )


class CommandTest(unittest.TestCase):
    def succeeds(self, *arguments, **variables):
        result = run(*arguments, **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def reported(self, *arguments):
        """The result of a command that takes --json, and what it wrote there."""
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory, "report.json")
            result = self.succeeds(*arguments, "--json", file)
            return result, json.loads(file.read_text())

    def is_bad_usage(self, *arguments, says, **variables):
        """Exit code 2, nothing on standard output, and one line on standard error."""
        result = run(*arguments, **variables)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.endswith("\n"))
        self.assertIn(says, result.stderr)
