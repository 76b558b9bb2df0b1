"""What a profile is after odd ends and names. Usage: profile_ends_test.py NOPAL_BINARY PROGRAM [unittest options]"""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
PROGRAM = ""


# Where programs sleep, NOPAL_SIGNAL is off: a late question would wake them.
def environment(**variables):
    return {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")} | variables


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.raw = str(self.folder / "raw")

    def profiled(self, *arguments, **variables):
        file = self.folder / "json"
        ran = subprocess.run([BINARY, "profile", "--json", file, "--", PROGRAM, *arguments], capture_output=True,
                             timeout=100, env=environment(TMPDIR=str(self.folder), **variables))
        whole = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
        return ran, whole

    def with_file(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=100,
                              env=environment(NOPAL_PROFILE=self.raw))


class Ends(Case):
    def test_a_program_that_closes_every_descriptor_keeps_its_files(self):
        own = self.folder / "own"
        ran, whole = self.profiled("close", str(own))
        self.assertEqual(ran.returncode, 0, ran)
        self.assertEqual(own.read_bytes(), b"mine\n")
        self.assertGreater(whole["regions"]["work_s"], 0)

    @unittest.skipUnless(os.environ.get("LIBRARY") == "STATIC_LIBRARY", "a shared library is one for both")
    def test_of_two_copies_of_the_library_the_first_is_profiled(self):
        for what, lines in ("plugin", 1), ("reload", 3):
            ran = self.with_file(what, os.environ["PLUGIN"])
            self.assertEqual(ran.returncode, 0, ran)
            self.assertEqual(ran.stderr.decode(), lines * (f"nopal: NOPAL_PROFILE={self.raw}: another copy of the library in this "
                                                           "process writes it; accepted: one library for program and plug-ins\n"))
            with open(self.raw, encoding="utf-8") as text:
                self.assertIn('{"nopal_profile"', text.read())

    def test_processes_that_run_at_once_leave_a_file_each(self):
        names = os.fspath(self.folder / "of %p" / "raw.%p.txt")
        os.mkdir(self.folder / "of %p")
        running = [subprocess.Popen([PROGRAM, "close", os.devnull], env=environment(NOPAL_PROFILE=names)) for _ in range(3)]
        self.assertEqual([one.wait(100) for one in running], 3 * [0])
        files = {f"raw.{one.pid}.txt": one.pid for one in running}
        self.assertEqual(set(os.listdir(self.folder / "of %p")), set(files))
        for name, number in files.items():
            self.assertIn(f'"process":{number},', (self.folder / "of %p" / name).read_text(encoding="utf-8"))

    def test_a_name_that_is_too_long_is_refused(self):
        self.raw = "x" * 4200
        ran = self.with_file("close", os.devnull)
        self.assertEqual(ran.returncode, 0, ran)
        self.assertEqual(ran.stderr.decode(), f"nopal: NOPAL_PROFILE={'x' * 200}: File name too long; accepted: the path of a file "
                                              "that can be written; the program runs without a profile\n")

    def test_a_program_ends_with_its_last_thread(self):
        for workers in "1", "3":
            for what in "thread", "stopped":
                ran, whole = self.profiled(what, NOPAL_WORKERS=workers)
                self.assertEqual(ran.returncode, 0, ran)
                self.assertGreater(whole["regions"]["work_s"], 0)

    def test_a_signal_ends_a_child_of_fork_as_ever(self):
        self.assertEqual(self.with_file("child").returncode, 0)

    def test_a_program_does_not_go_on_after_a_signal(self):
        for what in "sleep", "thread_goes_on":
            with self.subTest(what):
                self.is_ended_by_a_signal(what)

    def is_ended_by_a_signal(self, what):
        with subprocess.Popen([PROGRAM, what], stdout=subprocess.PIPE,
                              env=environment(NOPAL_PROFILE=self.raw, NOPAL_SIGNAL="off")) as running:
            running.stdout.readline()
            # As long as the first thread may need to end.
            for _ in range(100 if what == "thread_goes_on" else 0):
                if "State:\tZ" in pathlib.Path(f"/proc/{running.pid}/status").read_text(encoding="utf-8"):
                    break
                time.sleep(0.01)
            time.sleep(0.1 if what == "thread_goes_on" else 0)  # the watcher looks each millisecond
            running.send_signal(signal.SIGTERM)
            self.assertEqual(running.stdout.read(), b"")
            self.assertEqual(running.wait(timeout=60), -signal.SIGTERM)
        with open(self.raw, encoding="utf-8") as text:
            lines = text.read().splitlines()
        whole, *sites = [json.loads(line) for line in lines if line.startswith("{")]
        self.assertFalse(whole["complete"])
        self.assertGreater(len(sites), 0)

    def test_what_ends_the_command_ends_the_program_and_results_are_kept(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number), subprocess.Popen(
                    [BINARY, "profile", "--", PROGRAM, "sleep"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    env=environment(TMPDIR=str(self.folder), NOPAL_SIGNAL="off")) as running:
                self.assertEqual(running.stdout.readline(), b"begun\n")
                running.send_signal(number)
                text, errors = running.communicate(timeout=60)
                self.assertIn(b"of the regions that were over", text)
                self.assertNotIn(b"went on", text)
                self.assertIn(f"was ended by signal {int(number)}".encode(), errors)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_relative_folder_for_temporary_files_is_found_when_the_program_has_gone_elsewhere(self):
        for tool, option in (("profile", "--json"), ("trace", "--output")):
            with self.subTest(tool):
                ran = subprocess.run([BINARY, tool, option, "result", "--", PROGRAM, "away"], capture_output=True, timeout=100,
                                     cwd=self.folder, env=environment(TMPDIR="."))
                self.assertEqual(ran.returncode, 0, ran)
                self.assertGreater((self.folder / "result").stat().st_size, 0)

    def test_exit_in_a_region_is_said(self):
        ran, whole = self.profiled("exit")
        self.assertEqual(ran.returncode, 0, ran)
        self.assertFalse(whole["complete"])

    def test_processes_that_end_at_once_leave_one_whole_profile(self):
        for _ in range(3):
            script = "; ".join(["$0 name $1 &"] * 4).replace("&;", "&") + " wait"
            subprocess.run(["sh", "-c", script, PROGRAM, "x" * 90], env=environment(NOPAL_PROFILE=self.raw), check=True,
                           timeout=100)
            with open(self.raw, encoding="utf-8") as text:
                found = [json.loads(line) for line in text if line.startswith("{")]
            self.assertEqual(sum("nopal_profile" in each for each in found), 1)
            self.assertEqual(sum("interval" in each for each in found), 1)


class Names(Case):
    def test_bytes_that_are_no_text_lose_nothing(self):
        for name, shown in ((b"a\xffb", "a\ufffdb"), (b"x" * 94 + "é".encode(), "x" * 94), ("né".encode(), "né"),
                            (b"\xe2\x82", "\ufffd\ufffd"), (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd")):
            with self.subTest(name):
                ran, whole = self.profiled("name", name)
                self.assertEqual(ran.returncode, 0, ran)
                self.assertIn(shown, [each["tag"] for each in whole["intervals"]])

    def test_the_programs_variables_are_not_the_commands(self):
        raw = str(self.folder / "trace")
        ran, _ = self.profiled("name", "a", NOPAL_TRACE=raw)
        self.assertEqual(ran.returncode, 0, ran)
        with open(raw, "rb") as trace:
            self.assertIn(os.path.basename(PROGRAM).encode(), trace.read())


class Places(Case):
    def test_are_named_where_a_program_was_called_from_its_folder_and_has_left_it(self):
        folder, name = os.path.split(PROGRAM)
        raw = self.folder / "raw"
        subprocess.run([f"./{name}", "away"], cwd=folder, env=environment(NOPAL_PROFILE=str(raw)), check=True, timeout=100)
        found = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines() if line.startswith("{")]
        objects = {each["object"] for each in found if each.get("site", 0) > 1}
        self.assertEqual(objects, {os.path.realpath(PROGRAM)})


class ManySites(Case):
    def test_a_second_scope_of_a_function_that_was_stolen_is_joined(self):
        ran, whole = self.profiled("second", NOPAL_WORKERS="4", NOPAL_STEAL="always")
        self.assertEqual(ran.returncode, 0, ran)
        self.assertGreater(whole["regions"]["work_s"], 0)

    def test_children_that_turn_out_long_while_several_strands_are_in_them_are_right(self):
        ran, whole = self.profiled("long", NOPAL_WORKERS="4")
        self.assertEqual(ran.returncode, 0, ran)
        self.assertGreater(whole["regions"]["work_s"], 0)

    def test_a_fork_in_c_is_where_the_function_is_forked(self):
        ran, whole = self.profiled("c")
        self.assertEqual(ran.returncode, 0, ran)
        functions = [each["function"] for each in whole["sites"]]
        self.assertFalse([each for each in functions if each.startswith("nopal_fork_")], functions)
        self.assertTrue([each for each in functions if each.startswith("region_in_c")], functions)

    def test_have_their_own_work_and_their_part_of_the_path(self):
        ran, whole = self.profiled("sites", NOPAL_WORKERS="1")
        self.assertEqual(ran.returncode, 0, ran)
        works = [each["work_s"] for each in whole["sites"]]
        # The first region's, the small ones, and three of which one is in another in another.
        self.assertEqual(len([work for work in works if work > 0.0001]), 1 + 70 + 3, works)
        self.assertGreaterEqual(len([work for work in works if work >= 0.02]), 3, works)
        self.assertGreater(max(each["path_s"] for each in whole["sites"] if each["file"] is not None), 0.02)


class Processors(Case):
    def work_of_workers_on_one(self, what):
        """To what the program has measured by the clock of one thread."""
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        try:
            ran, whole = self.profiled(what, NOPAL_WORKERS="8")
        finally:
            os.sched_setaffinity(0, allowed)
        self.assertEqual(ran.returncode, 0, ran)
        return whole["regions"]["work_s"] * 1e3 / float(ran.stderr)

    def test_an_interval_leaves_out_what_others_had(self):
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3)]
        try:
            runs = [self.profiled("interval", NOPAL_WORKERS="1") for _ in range(4)]
        finally:
            for each in others:
                each.kill()
                each.wait()
            os.sched_setaffinity(0, allowed)
        works = [whole["intervals"][0]["work_s"] for _, whole in runs]
        self.assertGreater(min(works), 0.055)
        self.assertLess(min(works), 0.1)

    # The middle of some runs: others may disturb one of them by little in each of many pieces.
    def test_workers_that_share_one_take_nothing_from_each_others_work(self):
        self.assertGreater(statistics.median(self.work_of_workers_on_one("tree") for _ in range(5)), 0.75)

    @unittest.skipUnless(os.access("/proc/self/schedstat", os.R_OK), "the kernel does not say how long threads are ready")
    def test_what_others_had_is_left_out_of_children_that_wait_of_themselves_too(self):
        self.assertLess(min(self.work_of_workers_on_one("waits") for _ in range(4)), 4)


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
