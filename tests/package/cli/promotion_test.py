"""What `nopal bench --promotion` measures and reports."""

import json
import pathlib
import tempfile
import unittest

from command import CommandTest, run

DEPTHS = [10, 100, 1000, 10000, 100000]


class Runs(CommandTest):
    """Single runs, as the measurement orders them."""

    def take(self, kind, *arguments):
        return json.loads(self.succeeds("bench-promotion", "--kind", kind, *arguments).stdout)

    def test_a_walk_promotes_all_that_is_latent(self):
        for depth in (0, 1, 10, 5000):
            with self.subTest(depth):
                walks = self.take("walk", "--depth", depth, "--times", 3)
                self.assertEqual(len(walks["ns"]), 3)
                self.assertTrue(all(ns > 0 for ns in walks["ns"]))
                self.assertIn(walks["fewest_promoted"], (0, depth))  # none where forks are eager

    def test_eager_forks_are_not_promoted(self):
        self.assertEqual(self.take("walk", "--way", "eager", "--depth", 10, "--times", 2)["fewest_promoted"], 0)

    def test_each_wish_comes_true(self):
        for way in ("signal", "poll", "eager"):
            with self.subTest(way):
                wishes = self.take("wish", "--way", way, "--times", 2, "--ms", 5)
                for first, last, stolen in zip(wishes["first_ns"], wishes["all_ns"], wishes["stolen"]):
                    self.assertLessEqual(first, last)
                    self.assertLessEqual(stolen, 20)

    def test_demand_and_quiet_work(self):
        self.assertGreater(len(self.take("demand", "--times", 50)["steal_ns"]), 0)
        for kind in ("quiet", "quiet-cut"):
            with self.subTest(kind):
                self.assertEqual(self.take(kind, "--way", "poll", "--ms", 20)["signals"], 0)

    def test_bad_orders_are_refused(self):
        for arguments in ([], ["--kind", "wlak"], ["--kind", "walk", "--depth", "-1"], ["--kind", "walk", "--way", "lazy"]):
            self.assertEqual(run("bench-promotion", *arguments).returncode, 2)


class Report(CommandTest):
    def test_all_of_it_is_in_the_tables_and_in_json(self):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory, "page.html")
            result, report = self.reported("bench", "--promotion", "--quick", "--repeats", "1", "--report", page)
            self.assertIn('"promotion"', page.read_text())
        self.assertEqual(report["programs"], [])
        promotion = report["promotion"]
        self.assertEqual([walk["depth"] for walk in promotion["walks"]], DEPTHS)
        self.assertTrue(all(walk["first_us"] > 0 and walk["ns_per_frame"] > 0 for walk in promotion["walks"]))
        self.assertEqual([wish["way"] for wish in promotion["wishes"]], ["signal", "poll", "eager"])
        self.assertEqual([demand["way"] for demand in promotion["demand"]], ["signal", "eager"])
        self.assertEqual([(quiet["cut"], quiet["way"]) for quiet in promotion["quiet"]],
                         [(False, "signal"), (False, "poll"), (True, "signal"), (True, "poll")])
        # Whether they hold depends on the machine.
        self.assertEqual(len(promotion["bars"]), 4 if promotion["forks_are_latent"] else 0)
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()[1:6]], [str(depth) for depth in DEPTHS])


class Usage(CommandTest):
    def test_what_is_about_programs_does_not_go_with_it(self):
        self.is_bad_usage("bench", "--promotion", "fib", says="--promotion takes no PROGRAM")
        for option in (["--size", "5"], ["--workers", "2"], ["--peers", "all"], ["--variants", "all"], ["--paper"], ["--suite"],
                       ["--list"], ["--compare", "file"]):
            self.is_bad_usage("bench", "--promotion", *option, says=f"--promotion does not go with {option[0]}; accepted beside it")

    def test_help_tells_of_it(self):
        self.assertIn("--promotion", self.succeeds("bench", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
