"""What `nopal bench` measures and reports, and how it ends when disturbed."""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time
import unittest

from command import NOPAL, CommandTest, clean_environment, run

PROGRAMS = ["fib", "fibx", "nqueens", "integrate", "knapsack", "matmul", "rectmul", "strassen", "lu", "cholesky", "fft", "heat",
            "quicksort", "cilksort", "textsort", "blockedmul", "notempmul", "barnes-hut", "knary", "uts", "loop", "skynet",
            "intmul",            "pbfs", "pbfs-rmat"]


class Report(CommandTest):
    def report(self, *arguments):
        return self.reported("bench", *arguments)

    def test_every_program_is_right_and_in_the_table(self):
        result, report = self.report("--quick", "--repeats", "1", "--workers", "1,2")
        self.assertEqual([p["name"] for p in report["programs"]], PROGRAMS)
        rows = result.stdout.splitlines()
        self.assertEqual([row.split()[0] for row in rows[1 : 1 + len(PROGRAMS)]], PROGRAMS)
        for column in ("T1", "T1/Ts", "T2", "Ts/T2", "steals", "suspensions", "stacks", "pages"):
            self.assertIn(column, rows[0].split())
        for program in report["programs"]:
            self.assertTrue(all(sample["verified"] for sample in program["samples"]))

    def test_json_has_every_sample(self):
        _, report = self.report("fib", "--quick", "--repeats", "2", "--workers", "1,2")
        (fib,) = report["programs"]
        taken = [(s["round"], s["variant"], s["workers"]) for s in fib["samples"]]
        columns = [("elided", 0), ("plain", 0), ("parallel", 1), ("parallel", 2)]
        columns.append(("space", 2))
        self.assertCountEqual(taken, [(r, *column) for r in (1, 2) for column in columns])
        self.assertTrue(all(s["seconds"] > 0 for s in fib["samples"]))
        # The mean of two is rounded here and there.
        self.assertAlmostEqual(fib["serial_seconds"],
                               statistics.median(s["seconds"] for s in fib["samples"] if s["variant"] == "plain"), places=12)
        self.assertGreaterEqual(report["machine"]["cores"], 1)
        for key in ("version", "commit", "compiler", "flags"):
            self.assertIn(key, report["build"])

    def test_space_measured_serially(self):
        _, report = self.report("fib", "--size", "20", "--repeats", "1", "--workers", "1")
        (fib,) = report["programs"]
        self.assertEqual(fib["fork_depth"], 19)  # fib(20) to fib(2) have forked at once
        self.assertGreaterEqual(fib["serial_stack_pages"], 1)

    def test_stack_pages_counted_while_running(self):
        _, report = self.report("fib", "--size", "20", "--repeats", "2", "--workers", "1")
        (fib,) = report["programs"]
        counted = [s["stack_pages_most"] for s in fib["samples"] if s["variant"] == "space"]
        self.assertEqual(fib["most_stack_pages"], max(counted))
        # Nobody steals, so the root's stack is all there is.
        self.assertGreaterEqual(min(counted), 1)
        self.assertLessEqual(max(counted), fib["page_bound"])

    def test_sizes_and_grains_at_the_edge(self):
        for program, sizes in {"fib": (0, 1), "fibx": (0, 1, 2, 41), "nqueens": (0, 1, 2), "integrate": (0, 1),
                               "knapsack": (0, 1, 2), "matmul": (0, 1, 7), "rectmul": (0, 1, 101), "strassen": (0, 1, 2, 131),
                               "lu": (0, 1, 2, 77), "cholesky": (0, 1, 2, 99), "fft": (0, 1, 2, 13), "heat": (0, 1, 2, 33),
                               "quicksort": (0, 1, 2, 1001), "cilksort": (0, 1, 2, 5, 9001), "textsort": (0, 1, 2, 5, 3001),
                               "blockedmul": (0, 1, 2, 67), "notempmul": (0, 1, 2, 67), "barnes-hut": (0, 1, 2, 9, 100),
                               "knary": (0, 1, 2, 100, 120, 333, 344), "uts": (0,), "loop": (0, 1), "skynet": (0, 1),
                               "intmul": (0, 1, 7, 33, 131),
                               "pbfs": (0, 1, 2, 9), "pbfs-rmat": (0, 1, 2, 8)}.items():
            for size in sizes:
                with self.subTest(program=program, size=size):
                    self.succeeds("bench", program, "--size", size, "--repeats", "1", "--workers", "1,2")
        for program, size in {"quicksort": 5000, "cilksort": 300, "textsort": 300, "barnes-hut": 300, "matmul": 33, "rectmul": 33,
                              "strassen": 33, "lu": 33, "cholesky": 99, "fft": 9, "heat": 33, "blockedmul": 33,
                              "notempmul": 33, "intmul": 33, "pbfs": 5, "pbfs-rmat": 7}.items():
            with self.subTest(program=program, grain=1):
                self.succeeds("bench", program, "--size", size, "--grain", "1", "--repeats", "1")

    def test_repeated_names_count_once(self):
        result = self.succeeds("bench", "fib", "fib", "--size", "5", "--repeats", "1", "--workers", "1,1")
        self.assertEqual(sum(row.startswith("fib") for row in result.stdout.splitlines()), 1)
        self.assertEqual(result.stdout.splitlines()[0].split().count("T1"), 1)

    def test_the_suite_has_its_programs_alone(self):
        rows = [line.split() for line in self.succeeds("bench", "--list").stdout.splitlines()]
        suite = rows[0].index("suite")
        sizes = {row[0]: row[suite] for row in rows[1:] if row[suite] != "-"}
        self.assertEqual(sizes, {"fib": "39", "nqueens": "14", "skynet": "8", "intmul": "2048"})
        _, report = self.report("fib", "--suite", "--repeats", "1", "--workers", "2")
        self.assertEqual([(p["name"], p["size"]) for p in report["programs"]], [("fib", 39)])

    def test_list(self):
        text = self.succeeds("bench", "--list").stdout
        for name in PROGRAMS:
            self.assertIn(name, text)


class Matrix(CommandTest):
    FORM = "%%MatrixMarket matrix coordinate real symmetric\n"

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name, "matrix.mtx")

    def write(self, rows, entries, form=FORM):
        lines = [f"{rows} {rows} {len(entries)}"] + [f"{i} {j} {value}" for i, j, value in entries]
        self.file.write_text(form + "\n".join(lines) + "\n")

    def test_a_file_takes_the_place_of_a_random_matrix(self):
        entries = [(i, i, 4) for i in range(1, 51)] + [(i, i - 1, -1.5) for i in range(2, 51)]
        self.write(50, entries)
        report = self.file.with_suffix(".json")
        result = self.succeeds("bench", "cholesky", "--matrix", self.file, "--repeats", "1", "--workers", "1,2",
                               "--json", report)
        self.assertEqual(result.stdout.splitlines()[1].split()[:2], ["cholesky", "50"])
        (program,) = json.loads(report.read_text())["programs"]
        self.assertEqual((program["size"], program["matrix"]), (50, str(self.file)))

    def test_what_is_not_positive_definite_is_told(self):
        self.write(2, [(1, 1, 1), (2, 1, 2), (2, 2, 1)])
        result = run("bench", "cholesky", "--matrix", self.file, "--repeats", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not positive definite", result.stderr)

    def test_what_cannot_be_read_is_refused(self):
        self.is_bad_usage("bench", "cholesky", "--matrix", "/nonexistent", says="No such file")
        self.is_bad_usage("bench", "cholesky", "--matrix", "/", says="not a regular file")
        for kind in ("coordinate pattern symmetric", "coordinate real general", "array real symmetric"):
            self.write(1, [(1, 1, 1)], f"%%MatrixMarket matrix {kind}\n")
            self.is_bad_usage("bench", "cholesky", "--matrix", self.file,
                              says="accepted: matrix coordinate real symmetric")

    def test_only_programs_that_read_matrices_take_one(self):
        self.write(1, [(1, 1, 1)])
        self.is_bad_usage("bench", "lu", "--matrix", self.file, says="lu takes no --matrix")
        self.is_bad_usage("bench", "--matrix", self.file, says="exactly one PROGRAM")
        for chosen in (("--size", "5"), ("--quick",), ("--paper",)):
            self.is_bad_usage("bench", "cholesky", "--matrix", self.file, *chosen, says="only one of")
        self.is_bad_usage("bench-one", "fib", "--variant", "elided", "--matrix", self.file, says="fib takes no --matrix")
        self.is_bad_usage("bench", "pbfs-rmat", "--matrix", self.file, says="pbfs-rmat takes no --matrix")

    def test_a_graph_takes_the_place_of_a_grid(self):
        path = [(i, i + 1) for i in range(1, 300)]
        for kind, edges in (("pattern general", path), ("pattern symmetric", [(b, a) for a, b in path])):
            lines = [f"%%MatrixMarket matrix coordinate {kind}", f"300 300 {len(edges)}"] + [f"{a} {b}" for a, b in edges]
            self.file.write_text("\n".join(lines) + "\n")
            result = self.succeeds("bench", "pbfs", "--matrix", self.file, "--repeats", "1", "--workers", "1,2")
            self.assertEqual(result.stdout.splitlines()[1].split()[:2], ["pbfs", "300"])

    def test_a_graph_that_cannot_be_read_is_refused(self):
        self.write(1, [(1, 1, 1)], "%%MatrixMarket matrix array real general\n")
        self.is_bad_usage("bench", "pbfs", "--matrix", self.file, says="then pattern, integer or real")
        self.is_bad_usage("bench", "--reducers", "--graph", self.file, says="--graph: ")
        self.is_bad_usage("bench", "--reducers", "--graph", "/nonexistent", says="No such file")


def children_of(process):
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except FileNotFoundError:
        return []


def is_alive(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


class Disturbed(CommandTest):
    """A run that would take minutes, and what happens to it and its child."""

    def setUp(self):
        self.bench = subprocess.Popen(
            [NOPAL, "bench", "fib", "--size", "55", "--workers", "1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment())
        self.child = self.wait_for_child()

    def tearDown(self):
        self.bench.kill()
        self.bench.communicate()

    def wait_for_child(self):
        for _ in range(500):
            for child in children_of(self.bench.pid):
                if b"bench-one" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                    return child
            time.sleep(0.01)
        self.fail("no child appeared")

    def child_ends(self):
        for _ in range(500):
            if not is_alive(self.child):
                return True
            time.sleep(0.01)
        return False

    def test_signals_leave_no_child(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number):
                self.bench.send_signal(number)
                self.assertEqual(self.bench.wait(10), code)
                self.assertFalse(is_alive(self.child))
            self.tearDown()
            self.setUp()

    def test_killed_bench_leaves_no_child(self):
        self.bench.kill()
        self.bench.wait(10)
        self.assertTrue(self.child_ends())

    def test_killed_child_is_reported(self):
        os.kill(self.child, signal.SIGKILL)
        _, stderr = self.bench.communicate(timeout=10)
        self.assertEqual(self.bench.returncode, 1)
        self.assertIn("signal 9", stderr.splitlines()[-1])


class Ended(CommandTest):
    """A signal in the middle of the runs: the rounds that were finished are reported, and no empty file is left."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.json = pathlib.Path(directory.name, "report.json")
        self.page = pathlib.Path(directory.name, "report.html")

    def end(self, number, after, *arguments):
        """Sends the signal when `after` begins a line of progress, or at once; the output that there is in the end."""
        bench = subprocess.Popen([NOPAL, "bench", *arguments, "--json", self.json], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env=clean_environment())
        told = []
        if after is None:
            while not any(b"-one" in pathlib.Path(f"/proc/{c}/cmdline").read_bytes() or b"bench-reducers" in
                          pathlib.Path(f"/proc/{c}/cmdline").read_bytes() for c in children_of(bench.pid)):
                time.sleep(0.01)
        else:
            for line in bench.stderr:
                told.append(line)
                if line.startswith(after):
                    break
        bench.send_signal(number)
        stdout, stderr = bench.communicate(timeout=60)
        self.assertEqual(bench.returncode, 128 + number, stderr)
        said = [line for line in (*told, *stderr.splitlines(True)) if line.startswith("nopal bench:")]
        self.assertEqual(len(said), 1, stderr)
        return stdout, said[0]

    def test_finished_rounds_are_printed_and_kept(self):
        for number, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            with self.subTest(name):
                stdout, said = self.end(number, "fib: round 2 ", "fib", "loop", "--quick", "--workers", "1,2", "--repeats", "1000")
                self.assertIn("ended by " + name, said)
                report = json.loads(self.json.read_text())
                self.assertEqual(report["interrupted_by"], name)
                rounds = {p["name"]: p["rounds"] for p in report["programs"]}
                self.assertEqual(list(rounds), ["fib"])
                self.assertLess(rounds["fib"], 1000)
                self.assertIn(f"after {rounds['fib']} of 1000 rounds of fib", said)
                self.assertTrue(stdout.splitlines()[1].startswith("fib "), stdout)

    def test_rounds_of_reducers_are_kept(self):
        stdout, said = self.end(signal.SIGTERM, "updates of reducers: round 1 ", "--reducers", "--quick", "--workers", "1")
        self.assertIn("what was finished is reported", said)
        reducers = json.loads(self.json.read_text())["reducers"]
        self.assertEqual({len(u["samples_ns"]) for u in reducers["updates"]}, {reducers["repeats"]})
        self.assertIn("add / array", stdout)

    def test_a_page_lacks_only_what_was_not_measured(self):
        self.end(signal.SIGINT, "updates of reducers: round 1 ", "fib", "--quick", "--repeats", "1", "--workers", "1",
                 "--peers", "none", "--report", self.page)
        self.assertEqual([p["name"] for p in json.loads(self.json.read_text())["programs"]], ["fib"])
        self.assertIn("SIGINT", self.page.read_text())

    def test_without_a_finished_round_files_are_as_before(self):
        slow = ("fib", "--size", "55", "--workers", "1")
        stdout, said = self.end(signal.SIGINT, None, *slow)
        self.assertIn("before a round was finished", said)
        self.assertEqual(stdout, "")
        self.assertFalse(self.json.exists())
        self.json.write_text("{}")
        self.end(signal.SIGTERM, None, *slow)
        self.assertEqual(self.json.read_text(), "{}")


class TimeLimit(CommandTest):
    def test_slow_run_is_stopped(self):
        bench = subprocess.run([NOPAL, "bench", "fib", "--size", "55", "--workers", "1", "--time-limit", "1"],
                               capture_output=True, text=True, timeout=60, env=clean_environment())
        self.assertEqual(bench.returncode, 1)
        self.assertIn("took more than 1 s", bench.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
