"""What `nopal bench --reducers` measures and reports."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from command import NOPAL, CommandTest, clean_environment, run

PLACES = [4, 16, 64, 256, 1024]
KINDS = ["array", "atomic", "lock", "add", "min", "max"]
ALTERNATIVES = pathlib.Path(NOPAL).parent / "reducers"


class Updates(CommandTest):
    """Single runs, as the measurement orders them."""

    def test_every_kind_leaves_what_the_serial_program_does(self):
        for kind in KINDS:
            for places in PLACES:
                for updates in (1, 100, 50_000):
                    for workers in (1, 2) if kind in ("add", "min", "max") else (1,):
                        with self.subTest(kind=kind, places=places, updates=updates, workers=workers):
                            result = self.succeeds("bench-reducers", "--kind", kind, "--places", places, "--updates", updates,
                                                   "--passes", 3, "--workers", workers)
                            self.assertTrue(json.loads(result.stdout)["verified"])

    def test_those_of_other_libraries_do_too(self):
        names = [name for name in ("hashed", "slots_timed", "hashed_timed") if (ALTERNATIVES / name).exists()]
        if not names:
            self.skipTest("built without variants")
        for name in names:
            for kind in ("add", "min", "max"):
                with self.subTest(name, kind=kind):
                    result = subprocess.run([ALTERNATIVES / name, "--kind", kind, "--places", "64", "--updates", "200000",
                                             "--passes", "20", "--workers", "2"], capture_output=True, text=True, timeout=60,
                                            env=clean_environment(), check=True)
                    reported = json.loads(result.stdout)
                    self.assertTrue(reported["verified"])
                    self.assertEqual("view_times" in reported, name.endswith("_timed"))
                    if "view_times" not in reported:
                        continue
                    counts = {each["name"]: each["count"] for each in reported["view_times"]}
                    self.assertEqual(list(counts), ["creation", "insertion", "transfer", "merge"])
                    # Each steal leaves one set to be merged, with a view for each reducer the thief used.
                    self.assertLessEqual(counts["creation"], 64 * reported["steals"])
                    self.assertLessEqual(counts["merge"], reported["steals"])

    def test_bad_orders_are_refused(self):
        for arguments in (["--kind", "sub", "--places", "4"], ["--kind", "add", "--places", "5"], ["--kind", "add"],
                          ["--kind", "add", "--places", "4", "--updates", "0"]):
            self.assertEqual(run("bench-reducers", *arguments).returncode, 2)


class Report(CommandTest):
    def test_all_of_it_is_in_the_tables_and_in_json(self):
        with tempfile.TemporaryDirectory() as directory:
            graph, page = pathlib.Path(directory, "tiny.mtx"), pathlib.Path(directory, "page.html")
            graph.write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n")
            result, report = self.reported("bench", "--reducers", "--quick", "--repeats", "1", "--workers", "2",
                                           "--graph", graph, "--report", page)
            self.assertIn('"reducers"', page.read_text())
        self.assertEqual(report["programs"], [])
        reducers = report["reducers"]
        self.assertEqual(reducers["workers"], [1, 2])
        self.check_updates(reducers)
        # Whether they hold depends on the machine.
        self.assertEqual(len(reducers["bars"]), 4 if reducers["has_hashed"] else 3)
        self.check_searches(reducers["searches"])
        rows = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual([row[0] for row in rows[1:6]], [str(n) for n in PLACES])

    def check_updates(self, reducers):
        views = ["slots", "hashed"] if reducers["has_hashed"] else ["slots"]
        series = {(one["views"], one["kind"], one["places"], one["workers"]) for one in reducers["updates"]}
        expected = {("slots", "atomic", 4, 1), ("slots", "lock", 4, 1)} | {("slots", "array", n, 1) for n in PLACES}
        expected |= {(view, kind, n, workers) for view in views for kind in ("add", "min", "max") for n in PLACES
                     for workers in (1, 2)}
        self.assertEqual(series, expected)
        self.assertTrue(all(one["median_ns"] > 0 and len(one["samples_ns"]) == 1 for one in reducers["updates"]))
        self.assertEqual([(one["views"], one["places"]) for one in reducers["overheads"]],
                         [(view, n) for n in PLACES for view in views] if reducers["has_hashed"] else [])

    def check_searches(self, searches):
        self.assertEqual([one["graph"] for one in searches], ["grid3d40", "tiny.mtx", "rmat13"])
        grid, tiny, rmat = searches
        # From (1, 1, 1) to (39, 39, 39); each way along each edge.
        self.assertEqual([grid[key] for key in ("vertices", "edges", "reached", "layers")],
                         [40**3, 6 * 40**2 * 39, 40**3, 3 * 38 + 1])
        self.assertEqual([tiny[key] for key in ("vertices", "edges", "reached", "layers", "lookups")], [3, 2, 3, 3, 6])
        self.assertEqual([rmat[key] for key in ("vertices", "edges")], [2**13, 2 * 16 * 2**13])
        for one in searches:
            self.assertLessEqual({1, 2}, {time["workers"] for time in one["times"] if time["views"] == "slots"})


class Usage(CommandTest):
    def test_what_is_about_programs_does_not_go_with_it(self):
        self.is_bad_usage("bench", "--reducers", "fib", says="--reducers takes no PROGRAM")
        for option in (["--size", "5"], ["--grain", "5"], ["--matrix", "file"], ["--peers", "all"], ["--peer-directory", "."],
                       ["--paper"], ["--list"], ["--compare", "file"],
                       ["--variants", "all"], ["--suite"], ["--promotion"]):
            self.is_bad_usage("bench", "--reducers", *option, says=f"--reducers does not go with {option[0]}; accepted beside it")

    def test_a_graph_is_for_what_searches_it(self):
        self.is_bad_usage("bench", "--graph", "file", says="--graph needs --reducers or --report")

    def test_help_tells_of_it(self):
        text = self.succeeds("bench", "--help").stdout
        for option in ("--reducers", "--graph"):
            self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
