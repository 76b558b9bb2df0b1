"""What `nopal bench --compare` says of two reports."""

import copy
import json
import pathlib
import tempfile
import unittest

from command import CommandTest


class Compare(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)

    def new_file(self, text):
        with tempfile.NamedTemporaryFile("w", dir=self.directory.name, suffix=".json", delete=False) as file:
            file.write(text)
        return pathlib.Path(file.name)

    def measure(self, *arguments):
        file = self.new_file("")
        self.succeeds("bench", *arguments, "--repeats", "2", "--json", file)
        return json.loads(file.read_text())

    def compare(self, report, *arguments):
        """The rows of the table by program and column, and the lines below it."""
        file = self.new_file(json.dumps(report))
        text = self.succeeds("bench", *arguments, "--repeats", "2", "--compare", file).stdout
        table, _, rest = text.partition("\nprogram  ")[2].partition("\n\n")
        rows = [line.split() for line in table.splitlines()[1:]]
        return {(row[0], row[1]): row for row in rows}, rest

    @staticmethod
    def scaled(report, factor):
        report = copy.deepcopy(report)
        for program in report["programs"]:
            for sample in program["samples"]:
                sample["seconds"] *= factor
        return report

    def test_each_column_has_its_change_and_verdict(self):
        fib = ("fib", "--size", "18", "--workers", "1,2")
        report = self.measure(*fib)
        # Factors beyond any noise.
        for factor, verdict in ((1e6, "faster"), (1e-6, "slower")):
            rows, rest = self.compare(self.scaled(report, factor), *fib)
            self.assertEqual(sorted(rows), [("fib", column) for column in ("T1", "T2", "elided", "plain")])
            for row in rows.values():
                self.assertEqual(row[-1], verdict)
                self.assertEqual(row[-3][0], "-" if verdict == "faster" else "+")
            self.assertNotIn("left out", rest)
            self.assertNotIn("differs", rest)

    def test_overlapping_samples_have_no_verdict(self):
        fib = ("fib", "--size", "10", "--workers", "1")
        report = self.measure(*fib)
        (program,) = report["programs"]
        program["samples"] = [sample | {"seconds": seconds} for sample in program["samples"] for seconds in (1e-12, 1e3)]
        rows, _ = self.compare(report, *fib)
        self.assertTrue(all(row[-1].endswith("%") for row in rows.values()), rows)

    def test_other_inputs_are_left_out(self):
        given = {"--size": 100, "--seed": 1, "--grain": 10}
        report = self.measure("quicksort", *sum(given.items(), ()), "--workers", "1")
        for option, value in given.items():
            with self.subTest(option):
                differs = sum((given | {option: value + 1}).items(), ())
                rows, rest = self.compare(report, "quicksort", *differs, "--workers", "1")
                self.assertEqual(rows, {})
                self.assertIn("quicksort left out: its input differs.", rest)

    def test_programs_of_one_report_alone_are_passed_over(self):
        report = self.measure("fib", "--size", "10", "--workers", "1")
        rows, rest = self.compare(report, "nqueens", "--size", "5", "--workers", "1")
        self.assertEqual(rows, {})
        self.assertNotIn("left out", rest)

    def test_a_calibrated_grain_is_the_same_input(self):
        report = self.measure("loop", "--size", "10", "--workers", "1")
        (program,) = report["programs"]
        self.assertTrue(program["grain_is_calibrated"])
        program["grain"] += 7
        self.assertIn(("loop", "T1"), self.compare(report, "loop", "--size", "10", "--workers", "1")[0])
        chosen = ("loop", "--size", "10", "--grain", "9", "--workers", "1")
        self.assertIn("loop left out", self.compare(report, *chosen)[1])

    def test_what_else_differs_is_told(self):
        report = self.measure("fib", "--size", "10", "--workers", "1")
        report["machine"]["cpu"] = "Abacus"
        report["build"]["compiler"] = "Ada 1843"
        _, rest = self.compare(report, "fib", "--size", "10", "--workers", "1")
        self.assertIn("cpu differs: 'Abacus' before", rest)
        self.assertIn("compiler differs: 'Ada 1843' before", rest)
        self.assertNotIn("kernel differs", rest)

    def test_what_is_no_report_is_refused(self):
        self.is_bad_usage("bench", "fib", "--compare", "/nonexistent", says="cannot read '/nonexistent'")
        for text in ("", "{", "[]", "3", "{}", '{"programs": 1}', '{"programs": [{"name": "fib"}], "machine": {}, "build": {}}'):
            with self.subTest(text):
                self.is_bad_usage("bench", "fib", "--compare", self.new_file(text), says="is no report of nopal bench --json")


class NearlyRight(CommandTest):
    """Reports with one thing wrong."""

    RUN = ("bench", "fib", "--size", "5", "--repeats", "1", "--workers", "1")

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name, "report")
        self.succeeds(*self.RUN, "--json", self.file)
        self.report = json.loads(self.file.read_text())

    def write(self):
        self.file.write_text(json.dumps(self.report))

    def test_what_is_no_report_is_refused_before_any_run(self):
        (program,) = self.report["programs"]
        places = [(self.report, "programs"), (self.report, "machine"), (self.report["machine"], "kernel"),
                  (self.report["build"], "commit"), (program, "name"), (program, "size"), (program, "matrix"),
                  (program, "grain_is_calibrated"), (program, "samples"), (program["samples"][0], "workers"),
                  (program["samples"][0], "seconds")]
        for place, name in places:
            right = place[name]
            for wrong in (None, [1]) if name == "seconds" else (None, [1], 0.5):
                with self.subTest(name=name, value=wrong):
                    place[name] = wrong
                    self.write()
                    self.is_bad_usage(*self.RUN, "--compare", self.file, says="is no report of nopal bench --json")
            place[name] = right

    def test_differences_are_told_without_control_characters(self):
        self.report["machine"]["kernel"] = "old\n\x1b[2J"
        self.report["programs"][0]["seed"] = 7
        self.write()
        text = self.succeeds(*self.RUN, "--compare", self.file).stdout
        self.assertIn("kernel differs: 'old ?[2J' before", text)
        self.assertIn("fib left out: its input differs.", text)


if __name__ == "__main__":
    unittest.main()
