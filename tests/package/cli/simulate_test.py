"""What `nopal simulate` predicts and reports."""

import unittest

from command import CommandTest, run


class Simulation(CommandTest):
    def simulate(self, *arguments):
        return self.reported("simulate", *arguments)

    def test_predictions_keep_to_the_bounds(self):
        result, report = self.simulate("fib", "nqueens", "--quick", "--workers", "1,2,64", "--seeds", "3")
        self.assertIn("predictions, not measurements", result.stdout)
        simulation = report["simulation"]
        self.assertEqual([p["program"] for p in simulation["programs"]], ["fib", "nqueens"])
        self.assertTrue(all(cost >= 0 for cost in simulation["costs_ns"].values()))
        for program in simulation["programs"]:
            self.assertGreater(program["parallelism"], 10)
            self.assertLessEqual(program["events"], 100_000)
            self.assertEqual([p["workers"] for p in program["predictions"]], [1, 2, 64])
            for point in program["predictions"]:
                self.assertTrue(point["predicted"])
                self.assertLessEqual(point["speedup_low"], point["speedup_median"])
                self.assertLessEqual(point["speedup_median"], point["speedup_high"])
                self.assertLessEqual(point["speedup_high"], min(point["workers"], program["parallelism"]))

    def test_measured_runs_stand_beside(self):
        _, report = self.simulate("fib", "--size", "20", "--repeats", "1", "--workers", "1,4")
        (row,) = report["simulation"]["validations"]
        self.assertEqual((row["program"], row["workers"]), ("fib", 1))
        self.assertGreater(row["measured_seconds"], 0)

    def test_a_program_without_a_fork(self):
        _, report = self.simulate("fib", "--size", "1", "--repeats", "1", "--workers", "1,2")
        (program,) = report["simulation"]["programs"]
        self.assertEqual((program["events"], program["forks"]), (1, 0))

    def test_too_many_events_are_refused_in_a_line(self):
        result = run("simulate", "fib", "--size", "25", "--events", "1000")
        self.assertEqual(result.returncode, 1)
        self.assertIn("has more than 1000 forks", result.stderr)

    def test_bad_usage(self):
        self.is_bad_usage("simulate", "fob", says="unknown program 'fob'")
        self.is_bad_usage("simulate", "--size", "3", says="exactly one PROGRAM")
        self.is_bad_usage("simulate", "fib", "--events", "20000001", says="--events takes a whole number")
        self.is_bad_usage("simulate", "fib", "--workers", "0", says="--workers")
        self.is_bad_usage("simulate", "fib", "--json", "/nonexistent/file", says="cannot write")
        self.is_bad_usage("simulate", "fib", "--knary", says="--knary takes no PROGRAM")

    def test_knary(self):
        result = run("simulate", "--knary", "--quick", "--workers", "1,2,64", "--repeats", "1")
        if "no program knary" in result.stderr:
            self.skipTest("no program knary in this build")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Measured: T_P =", result.stdout)
        self.assertIn("Predicted: T_P =", result.stdout)


if __name__ == "__main__":
    unittest.main()
