"""`nopal trace` asked about runs of known programs. Usage: trace_test.py NOPAL_BINARY TRACED_PROGRAM [unittest options]"""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command import NOPAL, CommandTest, clean_environment, run
from track_events import Trace

PROGRAM = os.path.abspath(sys.argv.pop(1))
MANY = {"NOPAL_STEAL": "always", "NOPAL_WORKERS": "4"}


class TraceTest(CommandTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def traced(self, *program, options=(), exit_code=0, **variables):
        """What the command says of a run of PROGRAM, and the trace."""
        output = self.root / "trace.pftrace"
        result = run("trace", "--output", output, *options, "--", PROGRAM, *program, **variables)
        self.assertEqual(result.returncode, exit_code, result.stderr)
        return result, Trace(output.read_bytes())

    def raw(self, *program, size="1M", **variables):
        """The file that PROGRAM leaves by itself, and how it ended."""
        raw = self.root / "left.raw"
        ended = subprocess.run([PROGRAM, *program], env=clean_environment(NOPAL_TRACE=f"{raw},size={size}", **variables),
                               capture_output=True, text=True, timeout=60)
        return raw, ended

    def read(self, raw):
        output = self.root / "read.pftrace"
        result = self.succeeds("trace", "--output", output, "--read", raw)
        return result, Trace(output.read_bytes())

    def is_consistent(self, trace, complete=True, lives=1):
        """What holds of every trace."""
        for track, slices in trace.lanes().items():
            outer = [each for each in slices if each.depth == 0]
            inner = [each for each in slices if each.depth == 1]
            self.assertEqual(len(outer) + len(inner), len(slices))
            # One thing at a time, and always one: times idle and busy add up to the worker's life.
            pauses = 0
            for before, after in zip(outer, outer[1:]):
                self.assertLessEqual(before.end, after.begin)
                pauses += before.end != after.begin
            self.assertLess(pauses, lives, trace.tracks[track])
            for each in inner:
                self.assertEqual(each.name, "sleeps")
            for before, after in zip(inner, inner[1:]):
                self.assertLessEqual(before.end, after.begin)
        begun = {each.flow_out: each for each in trace.moments if each.flow_out}
        ended = {}
        for each in trace.slices:
            for flow in each.flows_in:
                self.assertNotIn(flow, ended)
                ended[flow] = each
        for flow, to in ended.items():
            self.assertLessEqual(begun[flow].ns, to.begin)
        steals = trace.named("stolen from")
        self.assertEqual(len(steals), len({each.flow_out for each in steals}))
        for steal in steals:
            if complete or steal.flow_out in ended:
                self.assertTrue(ended[steal.flow_out].name.startswith("stolen strand"), steal)
                self.assertNotEqual(ended[steal.flow_out].track, steal.track)
        for wait in trace.named("strand waits"):
            if complete or wait.flow_out in ended:
                self.assertEqual(ended[wait.flow_out].name, "strand after its join or wait")
        if complete:
            self.assertEqual(len(trace.named("stolen strand")), len(steals))
            self.assertEqual(len(trace.named("strand waits")), len(trace.named("strand after its join")))


class Questions(TraceTest):
    def test_many_steals_each_have_two_ends_and_each_join_one_resumption(self):
        result, trace = self.traced("loop", "300", **MANY)
        self.is_consistent(trace)
        self.assertEqual(len(trace.tracks), 4)
        self.assertGreater(len(trace.named("stolen from")), 20)
        self.assertGreater(len(trace.named("strand waits")), 0)
        self.assertRegex(result.stderr, r"4 workers for .*: strands \d+%, looking for work \d+%, asleep \d+%; [\d,]+ steals")
        self.assertIn("stolen strand: (anonymous namespace)::forks_in_a_loop", {each.name for each in trace.named("stolen strand")})

    def test_a_usual_run_is_consistent(self):
        for workers in "2", "3", "7":
            _, trace = self.traced("fib", "24", NOPAL_WORKERS=workers)
            self.is_consistent(trace)

    def test_eager_forks_are_traced_alike(self):
        _, trace = self.traced("loop", "300", NOPAL_FORKS="eager", **MANY)
        self.is_consistent(trace)
        self.assertGreater(len(trace.named("stolen from")), 20)
        self.assertEqual(trace.named("promotes"), [])

    def test_one_worker_steals_nothing_and_is_never_idle(self):
        result, trace = self.traced("fib", "20", NOPAL_WORKERS="1")
        self.is_consistent(trace)
        self.assertEqual(len(trace.tracks), 1)
        self.assertEqual(trace.named("stolen from"), [])
        self.assertEqual([each.name for each in trace.slices], ["the program's own strand"])
        self.assertIn("there was one worker", result.stderr)

    def test_forks_are_noted_at_regular_times(self):
        for workers in "1", "3":
            for forks in "eager", "latent":
                with self.subTest(workers=workers, forks=forks):
                    _, trace = self.traced("fib_for", "200", NOPAL_WORKERS=workers, NOPAL_FORKS=forks)
                    self.is_consistent(trace)
                    noted = trace.named("forks")
                    self.assertGreater(len(noted), 10)  # every 2 ms, and less often where the machine is busy
                    self.assertLess(len(noted), 1_000)
                    self.assertGreater(sum(each.name == "forks: (anonymous namespace)::fib" for each in noted), len(noted) / 2)

    def test_a_traced_program_ends_with_its_last_thread(self):
        # With a pool one that never forked would have to stop it.
        for what, workers in ("thread", "1"), ("thread", "3"), ("stopped", "1"), ("stopped", "3"), ("helper", "1"):
            self.is_consistent(self.traced(what, "20", NOPAL_WORKERS=workers)[1])

    def test_sleeps_end_by_wake_ups(self):
        _, trace = self.traced("sleepy", "22", NOPAL_WORKERS="3")
        self.is_consistent(trace)
        self.assertGreater(len(trace.named("sleeps")), 1)
        for each in trace.named("sleeps"):
            self.assertGreater(each.end, each.begin)
        woken = [each for each in trace.named("is woken")]
        self.assertGreater(len(woken), 0)
        wakers = {each.flow_out: each for each in trace.named("wakes a sleeper")}
        for each in woken:
            self.assertLessEqual(wakers[each.flow_in].ns, each.ns)

    def test_seats_are_taken_and_given_back_by_turns(self):
        _, trace = self.traced("arena", "14", **MANY)
        self.is_consistent(trace)
        taken = trace.named("takes a seat")
        self.assertGreater(len(taken), 0)
        for track in trace.tracks:
            turns = [each.name for each in sorted(trace.moments, key=lambda m: m.ns)
                     if each.track == track and "a seat" in each.name]
            for before, after in zip(turns, turns[1:]):
                self.assertNotEqual(before, after)

    def test_waits_for_events_resume_once(self):
        _, trace = self.traced("events", "200", **MANY)
        self.is_consistent(trace)

    def test_a_runtime_that_starts_again_goes_on_in_the_same_trace(self):
        _, trace = self.traced("again", "16", **MANY)
        self.is_consistent(trace, lives=2)

    def test_a_full_ring_says_what_it_lost(self):
        result, trace = self.traced("events", "5000", options=("--size", "64K"), **MANY)
        self.is_consistent(trace, complete=False)
        lost = trace.named("earlier records are lost")
        self.assertGreater(len(lost), 0)
        total = sum(each.annotations["records"] for each in lost)
        self.assertIn(f"{total:,} records of its beginning were overwritten", result.stderr)

    def test_published_descriptors_read_it(self):
        try:
            from google.protobuf.unknown_fields import UnknownFieldSet
            from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as descriptors
        except ImportError as missing:
            self.skipTest(f"the package 'perfetto' has the descriptors: {missing}")
        _, trace = self.traced("fib", "14", **MANY)
        read = descriptors.Trace()
        read.ParseFromString((self.root / "trace.pftrace").read_bytes())
        self.assertEqual(len(read.packet), len(trace.packets))
        unknown = [packet for packet in read.packet for part in (packet, packet.track_event, packet.track_descriptor)
                   if len(UnknownFieldSet(part)) != 0]
        self.assertEqual(unknown, [])
        steals = [packet for packet in read.packet if packet.track_event.flow_ids]
        self.assertGreaterEqual(len(steals), len(trace.named("stolen from")))
        begins = [packet for packet in read.packet if packet.track_event.type == 1]
        self.assertEqual(len(begins), len(trace.slices))


class Ends(TraceTest):
    def test_a_killed_program_leaves_a_readable_trace(self):
        for how, number in ("kill", signal.SIGKILL), ("abort", signal.SIGABRT):
            raw, ended = self.raw(how, "20", **MANY)
            self.assertEqual(ended.returncode, -number)
            result, trace = self.read(raw)
            self.is_consistent(trace, complete=False)
            self.assertGreater(len(trace.named("stolen from")), 0)
            self.assertIn("it did not come to its end", result.stderr)

    def test_an_interrupted_command_keeps_what_there_is(self):
        output = self.root / "trace.pftrace"
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGQUIT:
            with subprocess.Popen([NOPAL, "trace", "--output", output, "--", PROGRAM, "for_ever"], text=True,
                                  env=clean_environment(**MANY), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
                self.assertEqual(command.stdout.readline(), "runs\n")
                time.sleep(0.2)
                command.send_signal(number)
                _, said = command.communicate(timeout=60)
            self.assertEqual(command.returncode, 128 + number, said)
            self.is_consistent(Trace(output.read_bytes()), complete=False)

    def test_the_programs_exit_code_is_the_commands(self):
        self.traced("fails", "12", exit_code=7)
        self.assertIn("was ended by signal 9 (Killed)\n", self.traced("kill", "20", exit_code=128 + signal.SIGKILL)[0].stderr)

    def test_a_child_of_fork_writes_nothing(self):
        raw, ended = self.raw("split", "14", **MANY)
        self.assertEqual((ended.returncode, ended.stderr, os.listdir(self.root)), (0, "", [raw.name]))
        _, trace = self.read(raw)
        self.is_consistent(trace)
        self.assertEqual(len(trace.tracks), 4)

    def test_programs_of_a_script_are_processes_of_one_trace(self):
        output = self.root / "trace.pftrace"
        self.succeeds("trace", "--output", output, "--", "sh", "-c", f"'{PROGRAM}' fib 12; '{PROGRAM}' fib 13", **MANY)
        trace = Trace(output.read_bytes())
        self.is_consistent(trace)
        self.assertEqual(len(trace.processes), 2)

    def test_one_of_several_that_cannot_be_read_is_left_out(self):
        first, _ = self.raw("fib", "12", **MANY)
        bad = self.root / "bad\n.raw"
        bad.write_text("nothing")
        output = self.root / "read.pftrace"
        result = run("trace", "--output", output, "--read", bad, "--read", first)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(len([line for line in result.stderr.splitlines() if "bad .raw' is no trace; " in line
                              and line.endswith("; the trace is without it")]), 1, result.stderr)
        self.is_consistent(Trace(output.read_bytes()))

    def test_what_a_program_did_before_it_executed_another_is_kept(self):
        result, trace = self.traced("execute", "16", **MANY)
        self.assertEqual(result.stderr.count("from its first fork"), 2, result.stderr)
        self.is_consistent(trace, complete=False)
        raw, ended = self.raw("execute", "16", **MANY)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.root)), ["left.raw", "left.raw.1", "trace.pftrace"])
        raw, ended = self.raw("execute", "16", **MANY)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_the_time_before_the_first_fork_is_said(self):
        result, _ = self.traced("late", "12", **MANY)
        self.assertRegex(result.stderr, r" from its first fork, \d[\d.,]* m?s after the program's start: 4 workers")


class Names(TraceTest):
    def test_a_program_whose_name_is_no_text(self):
        program = os.fsencode(self.root) + b"/n\xffm\xe2\x82"
        shutil.copy(PROGRAM, program)
        output, page = self.root / "trace.pftrace", self.root / "page.html"
        ended = subprocess.run([NOPAL, "trace", "--output", output, "--html", page, "--", program, "fib", "12"],
                               env=clean_environment(**MANY), capture_output=True, timeout=60)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("n\ufffdm\ufffd".encode(), output.read_bytes())
        self.assertNotIn(b"n\xffm", output.read_bytes())
        self.assertIn("n\ufffdm\ufffd", page.read_text(encoding="utf-8"))
        report = self.root / "report.json"
        ended = subprocess.run([NOPAL, "profile", "--json", report, "--html", page, "--", program, "fib", "12"],
                               env=clean_environment(), capture_output=True, timeout=60)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("n\ufffdm\ufffd", json.loads(report.read_text(encoding="utf-8"))["program"])
        self.assertIn("n\ufffdm\ufffd", page.read_text(encoding="utf-8"))


class Files(TraceTest):
    def test_a_file_that_is_no_trace_is_left_alone(self):
        precious = self.root / "left.raw"
        precious.write_text("precious")
        _, ended = self.raw("fib", "12")
        self.assertEqual(ended.returncode, 0)
        self.assertEqual(precious.read_text(), "precious")
        self.assertRegex(ended.stderr, r"^nopal: NOPAL_TRACE=.*: there is a file of that name which is no trace; accepted: "
                                       r"another name; the program runs without a trace\n$")

    def test_an_old_trace_is_replaced(self):
        self.raw("fib", "12", **MANY)
        raw, ended = self.raw("kill", "12", **MANY)
        raw, ended = self.raw("fib", "12", **MANY)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.is_consistent(self.read(raw)[1])

    def test_the_folder_of_temporary_files_may_have_any_name(self):
        for name in ("with %p", "a,size=64K", "two  spaces"):
            folder = self.root / name
            folder.mkdir()
            _, trace = self.traced("fib", "12", TMPDIR=str(folder))
            self.is_consistent(trace)
            self.assertEqual(os.listdir(folder), [])

    def test_where_nothing_can_be_written_the_program_runs_all_the_same(self):
        for name, why in ("/nonexistent/trace", "No such file or directory"), ("/dev/null", "Operation not supported"):
            ended = subprocess.run([PROGRAM, "fib", "12"], env=clean_environment(NOPAL_TRACE=name), capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0)
            self.assertEqual(ended.stderr, f"nopal: NOPAL_TRACE={name}: cannot be written: {why}; the program runs without a trace\n")

    def test_damaged_files_are_refused_or_read_in_part(self):
        raw, _ = self.raw("fib", "14", size="64K", **MANY)
        whole = raw.read_bytes()
        output = self.root / "read.pftrace"
        for damaged in b"", b"NopalTr1", b"x" * 5000, whole[:8] + b"\xff" * 4088 + whole[4096:]:
            raw.write_bytes(damaged)
            result = run("trace", "--output", output, "--read", raw)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertFalse(output.exists())
        few = 1 << 30  # bytes: a device without an end is not read until there is no memory
        result = subprocess.run([NOPAL, "trace", "--read", "/dev/zero"], capture_output=True, text=True, timeout=60,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (few, few)))
        self.assertIn("'/dev/zero' is no trace", result.stderr)
        raw.write_bytes(whole[:4096 + 100])
        result = run("trace", "--output", output, "--read", raw)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("is cut: it has its first page and no worker whole", result.stderr)
        raw.write_bytes(whole[:-100])
        result = run("trace", "--output", output, "--read", raw)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("is cut: 1 of its workers are not whole; the trace is without them", result.stderr)
        Trace(output.read_bytes())
        seed = int.from_bytes(os.urandom(4), "little")
        print(f"seed {seed}")
        random.seed(seed)
        for _ in range(30):
            bad = bytearray(whole[:random.randrange(4096, len(whole))])
            for _ in range(random.randrange(1, 40)):
                bad[random.randrange(1200, len(bad))] = random.randrange(256)
            raw.write_bytes(bad)
            result = run("trace", "--output", output, "--read", raw)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            if result.returncode == 0:
                Trace(output.read_bytes())


class Page(TraceTest):
    def test_has_all_that_it_shows(self):
        page = self.root / "trace.html"
        self.traced("loop", "300", options=("--html", page), **MANY)
        text = page.read_text()
        self.assertNotRegex(text, r"(src|href)\s*=\s*[\"']?(https?:)?//")
        process, = json.loads(re.search(r'<script id="trace" type="application/json">(.*?)</script>', text, re.DOTALL)[1])
        self.assertEqual(len(process["lanes"]), 4)
        self.assertGreater(len(process["arcs"]), 20)
        for lane in process["lanes"]:
            totals = lane["totals"]
            self.assertAlmostEqual(totals["strand"] + totals["search"] + totals["sleep"], totals["life"], delta=0.001)
            for begin, end, kind, name in lane["slices"]:
                self.assertLessEqual(begin, end)
                self.assertIn(kind, (0, 1, 2))
                self.assertLess(name, len(process["names"]))
        for part in zip(*process["utilization"]):
            self.assertLessEqual(sum(part), 4.01)
        self.assertNotEqual(process["advice"], "")


class Usage(TraceTest):
    def test_what_is_wrong_is_one_line(self):
        self.is_bad_usage("trace", "--output", self.root / "t", says="a program is missing")
        self.is_bad_usage("trace", says="a program is missing; accepted: -- PROGRAM ARGUMENT...")
        self.is_bad_usage("trace", "--output", self.root / "t", "--read", "r", "--", PROGRAM, says="exclude each other")
        self.is_bad_usage("trace", "--output", self.root / "t", "--size", "1K", "--", PROGRAM, says="accepted: 64K to 1G")
        self.is_bad_usage("trace", "--output", "/nonexistent/t", "--", PROGRAM, says="cannot write '/nonexistent/t'")
        self.is_bad_usage("trace", "--output", self.root / "t", "--", "/nonexistent/p", says="cannot run '/nonexistent/p'")
        for option in ("--output", "--html"):
            self.is_bad_usage("trace", option, "--", PROGRAM, says=f"{option} takes the name of a file, not '--'")
        self.assertEqual(os.listdir(self.root), [])

    def test_a_file_without_room_is_said_so(self):
        for option in ("--output", "--html"):
            result = run("trace", option, "/dev/full", "--", PROGRAM, "fib", "12")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("cannot write '/dev/full': No space left on device", result.stderr)

    def test_a_program_without_forks_is_said_so(self):
        result = run("trace", "--output", self.root / "t", "--", PROGRAM, "nothing")
        self.assertEqual((result.returncode, os.listdir(self.root)), (1, []), result.stderr)
        self.assertIn("left no trace: it forked nothing", result.stderr)
        self.assertIn("'sh' was ended by signal 9 (Killed), and left no", run("trace", "--", "sh", "-c", "kill -9 $$").stderr)

    def test_without_a_file_there_is_a_summary_alone(self):
        result = self.succeeds("trace", "--", PROGRAM, "fib", "12", **MANY)
        self.assertRegex(result.stderr, "(?s)4 workers for.*add --html FILE")
        self.assertEqual(result.stdout, "")
        (self.root / "t").write_bytes(b"NopalTr1")
        self.is_bad_usage("trace", self.root / "t", says="it is a trace, which --read reads")

    def test_help(self):
        self.assertIn("--html", self.succeeds("trace", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
