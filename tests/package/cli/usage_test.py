"""Help, version, and what bad usage says."""

import unittest

from command import CommandTest


class Help(CommandTest):
    def test_help_lists_subcommands(self):
        for flag in ("--help", "-h"):
            text = self.succeeds(flag).stdout
            for name in ("bench", "demo", "doctor"):
                self.assertIn(name, text)
            self.assertNotIn("bench-one", text)

    def test_help_of_subcommands(self):
        self.assertIn("--workers", self.succeeds("bench", "--help").stdout)
        self.assertIn("--limit", self.succeeds("demo", "--help").stdout)

    def test_help_is_a_word_as_well(self):
        self.assertEqual(self.succeeds("help").stdout, self.succeeds("--help").stdout)
        self.assertEqual(self.succeeds("help", "demo").stdout, self.succeeds("demo", "--help").stdout)
        self.is_bad_usage("help", "bogus", says="unknown subcommand 'bogus'")
        self.is_bad_usage("help", "demo", "bench", says="help takes one subcommand, not 'bench'")

    def test_words_behind_help_and_version(self):
        self.is_bad_usage("--version", "extra", says="--version takes nothing behind it, not 'extra'")
        self.is_bad_usage("--help", "extra", says="--help takes nothing behind it, not 'extra'")

    def test_version(self):
        self.assertRegex(self.succeeds("--version").stdout, r"^nopal \d+\.\d+\.\d+\n$")


class BadUsage(CommandTest):
    def test_no_subcommand(self):
        self.is_bad_usage(says="accepted: bench, check, cilk, cilk++, demo")

    def test_unknown_subcommand(self):
        self.is_bad_usage("bnech", says="unknown subcommand 'bnech'")

    def test_unknown_option(self):
        self.is_bad_usage("bench", "--bogus", says="--bogus; accepted: --help, --workers")
        self.is_bad_usage("demo", "--bogus", says="--bogus; accepted: --help, --workers")

    def test_unknown_program_lists_the_known(self):
        self.is_bad_usage("bench", "fob", says="unknown program 'fob'; known: fib, fibx")

    def test_bad_worker_lists(self):
        for bad in ("0", "x", "1,,2", "1,", "", "-1", "1.5", "99999", "1 2"):
            with self.subTest(bad):
                self.is_bad_usage("bench", "fib", "--workers", bad, says="such as 1,2")

    def test_bad_sizes(self):
        for bad in ("x", "-1", "1e3", "", "99999999999999999999"):
            with self.subTest(bad):
                self.is_bad_usage("bench", "fib", "--size", bad, says="--size takes a whole number")
        self.is_bad_usage("bench", "fib", "--size", says="--size")
        self.is_bad_usage("bench", "nqueens", "--size", "40", says="from 0 to 16")

    def test_size_and_grain_need_one_program(self):
        self.is_bad_usage("bench", "--size", "5", says="exactly one PROGRAM")
        self.is_bad_usage("bench", "fib", "loop", "--grain", "5", says="exactly one PROGRAM")
        self.is_bad_usage("bench", "fib", "--grain", "5", says="takes no --grain")

    def test_contradictions(self):
        self.is_bad_usage("bench", "--quick", "--paper", says="only one of")
        self.is_bad_usage("bench", "fib", "--quick", "--size", "5", says="only one of")
        self.is_bad_usage("bench", "--quick", "--suite", says="only one of")
        self.is_bad_usage("bench", "fib", "--suite", "--size", "5", says="only one of")
        self.is_bad_usage("bench", "fib", "lu", "--suite", says="--suite: lu is none of its programs")

    def test_unwritable_json(self):
        self.is_bad_usage("bench", "fib", "--json", "/nonexistent/file", says="cannot write '/nonexistent/file'")

    def test_bad_environment(self):
        self.is_bad_usage("bench", "fib", says="NOPAL_WORKERS", NOPAL_WORKERS="many")
        self.is_bad_usage("demo", says="NOPAL_WORKERS", NOPAL_WORKERS="0")

    def test_control_characters_stay_out_of_the_message(self):
        self.is_bad_usage("bench", "fib", "--size", "1\n2", says="not '1 2'")
        self.is_bad_usage("bn\n\x1b[2Jech", says="unknown subcommand 'bn ?[2Jech'")
        self.is_bad_usage("demo", "/nonexistent\n", says="'/nonexistent '")


if __name__ == "__main__":
    unittest.main()
