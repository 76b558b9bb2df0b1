"""Runs the `nopal` command that the environment variable NOPAL names."""

import os
import subprocess
import unittest

NOPAL = os.environ["NOPAL"]


def clean_environment(**variables):
    """The environment without settings of the runtime, plus the given ones."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NOPAL")}
    return kept | variables


def run(*arguments, **variables):
    return subprocess.run(
        [NOPAL, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
        env=clean_environment(**variables),
    )


class CommandTest(unittest.TestCase):
    def succeeds(self, *arguments, **variables):
        result = run(*arguments, **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def is_bad_usage(self, *arguments, says, **variables):
        """Exit code 2, nothing on standard output, and one line on standard error."""
        result = run(*arguments, **variables)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.endswith("\n"))
        self.assertIn(says, result.stderr)
