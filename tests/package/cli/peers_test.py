"""Peers: those that are built, and made-up ones."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from command import NOPAL, CommandTest, clean_environment

BUILT = pathlib.Path(NOPAL).parent


def ask(peer, *arguments):
    result = subprocess.run([peer, *map(str, arguments)], capture_output=True, text=True, timeout=100,
                            stdin=subprocess.DEVNULL, env=clean_environment())
    return result.returncode, result.stdout, result.stderr


SMALL = {"fib": 18, "fibx": 60, "nqueens": 7, "integrate": 30, "knapsack": 12, "fft": 8, "heat": 20, "knary": 333, "uts": 0,
         "skynet": 3, "cilksort": 5000, "pbfs": 9, "pbfs-rmat": 8, "intmul": 50, "textsort": 3000, "quicksort": 5000}


class Built(CommandTest):
    """Whatever this build has."""

    def setUp(self):
        if not any(self.executables()):
            self.skipTest("built without peers and variants")

    def executables(self):
        for folder in ("peers", "variants"):
            for path in sorted(BUILT.joinpath(folder).glob("*")):
                if path.is_file() and os.access(path, os.X_OK):
                    yield path

    def test_each_describes_itself(self):
        for path in self.executables():
            with self.subTest(path.name):
                code, output, errors = ask(path, "describe")
                self.assertEqual((code, errors), (0, ""))
                described = json.loads(output)
                self.assertEqual(described["name"], path.name)
                for key in ("title", "version", "idiom", "compiler"):
                    self.assertTrue(described[key], key)
                # What differs in reducers only has the programs with reducers; another library has the others.
                self.assertTrue({"fib", "pbfs"} & set(described["programs"]))
                self.assertTrue(path.parent.name == "variants" or "pbfs" not in described["programs"])

    def test_every_program_is_right(self):
        for path in self.executables():
            for program in json.loads(ask(path, "describe")[1])["programs"]:
                for workers in (1, 2):
                    with self.subTest(path.name, program=program, workers=workers):
                        code, output, errors = ask(path, "bench-one", program, f"--workers={workers}", "--grain=4", "--seed=3",
                                                   f"--size={SMALL.get(program, 100)}")
                        self.assertEqual((code, errors), (0, ""))
                        self.assertTrue(json.loads(output)["verified"])

    def test_eager_forks_stand_beside_latent_ones(self):
        if not (BUILT / "variants" / "eager").exists():
            self.skipTest("built without variants")
        result, report = self.reported("bench", "fib", "--size", 18, "--repeats", 1, "--workers", "1,2", "--variants", "eager")
        (heading,) = [line for line in result.stdout.splitlines() if line.startswith("time / Ts")]
        self.assertEqual(heading.split()[3:], ["nopal", "1", "eager", "1", "nopal", "2", "eager", "2"])
        self.assertEqual([(peer["name"], peer["is_variant"]) for peer in report["peers"]], [("eager", True)])

    def test_bad_orders_are_refused(self):
        for path in self.executables():
            with self.subTest(path.name):
                for arguments in ([], ["bench-one"], ["bench-one", "fob"], ["bench-one", "fib", "--workers=0"]):
                    code, output, _ = ask(path, *arguments)
                    self.assertEqual((code, output), (2, ""), arguments)


SOUND = {"name": "echo", "title": "Echo", "version": "1", "idiom": "none", "compiler": "sh", "programs": ["fib"]}


class MadeUp(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def peer(self, name, description, answer):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\nif [ \"$1\" = describe ]; then echo '{description}'; else echo '{answer}'; fi\n")
        path.chmod(0o755)

    def bench(self, peers, check=None):
        arguments = ("bench", "fib", "nqueens", "--quick", "--repeats", 1, "--workers", 1, "--peers", peers,
                     "--peer-directory", self.folder)
        return self.succeeds(*arguments) if check is None else check(*arguments)

    def test_one_that_answers_is_in_the_table(self):
        self.peer("echo", json.dumps(SOUND), '{"seconds": 1.0, "verified": true}')
        lines = self.bench("echo").stdout.splitlines()
        (heading,) = [line for line in lines if line.startswith("time / Ts")]
        self.assertTrue(heading.endswith("echo 1"))
        row = lines[lines.index(heading) + 2]
        self.assertEqual((row.split()[0], row.split()[-1]), ("nqueens", "-"))  # it has no such program

    def test_a_variant_of_the_library_shows_its_counts(self):
        counted = {"seconds": 1.0, "verified": True, "steals": 7, "pages_reclaimed": 5, "page_faults": 3}
        self.peer("echo", json.dumps(SOUND | {"is_variant": True}), json.dumps(counted))
        lines = self.bench("echo").stdout.splitlines()
        (heading,) = [line for line in lines if line.startswith("counts")]
        self.assertEqual(heading.split(), ["counts", "nopal", "echo"])
        rows = [line.split() for line in lines[lines.index(heading) + 1 :][:2]]
        self.assertEqual([(row[0], row[-1]) for row in rows], [("fib", "7/5/3"), ("nqueens", "-")])

    def test_a_broken_one_is_left_out_with_a_line(self):
        self.peer("echo", json.dumps(SOUND), '{"seconds": 1.0, "verified": true}')
        self.peer("babble", "no JSON", "")
        self.peer("terse", '{"name": "terse"}', "")
        (self.folder / "crash").write_text("#!/bin/sh\nkill -9 $$\n")
        (self.folder / "crash").chmod(0o755)
        (self.folder / "notes").write_text("not executable, so not looked at")
        result = self.bench("all")
        left_out = [line for line in result.stderr.splitlines() if "left out" in line]
        self.assertEqual(sorted(line.split()[2] for line in left_out), ["babble", "crash", "terse"])
        self.assertIn("echo 1", result.stdout)

    def test_an_unknown_name_is_refused_with_those_there_are(self):
        self.peer("echo", json.dumps(SOUND), "")
        said = f"--peers: no peer 'ehco'; in {self.folder} there are: echo; accepted too: all, none"
        self.bench("ehco", lambda *arguments: self.is_bad_usage(*arguments, says=said))
        self.is_bad_usage("bench", "fib", "--peers", "tbb", "--peer-directory", self.folder / "none",
                          says="there are: none, until `./dev bench --peers=all` builds them;")
        self.is_bad_usage("bench", "fib", "--variants", "ehco", says="--variants: no variant 'ehco'; in ")

    def test_a_wrong_result_ends_the_measurement(self):
        self.peer("echo", json.dumps(SOUND), '{"seconds": 1.0, "verified": false}')
        result = subprocess.run([NOPAL, "bench", "fib", "--quick", "--repeats", "1", "--workers", "1", "--peers", "echo",
                                 "--peer-directory", self.folder], capture_output=True, text=True, timeout=60,
                                env=clean_environment())
        self.assertEqual(result.returncode, 1)
        self.assertIn("fib, echo 1: the result is wrong", result.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
