"""`nopal doctor` from outside. Usage: doctor_test.py NOPAL_BINARY [unittest options]"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
VERDICTS = {"ok", "note", "problem"}


def doctor(*arguments, environment=None, **options):
    """Runs the command with no NOPAL_* variable but those of `environment`."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
    return subprocess.run([BINARY, "doctor", *arguments], capture_output=True, timeout=60,
                          env={**inherited, **(environment or {})}, **options)


def report(**options):
    ran = doctor("--json", **options)
    return ran, json.loads(ran.stdout)["sections"]


class Output(unittest.TestCase):
    def test_each_line_has_a_verdict_and_the_last_sums_them_up(self):
        ran = doctor()
        self.assertEqual(ran.returncode, 0, ran)
        *lines, summary = ran.stdout.decode().splitlines()
        for line in lines:
            if line.startswith("  "):
                self.assertRegex(line, r"^  \S.*\S\s+(ok|note: .+)$")
        headings = [line for line in lines if line and not line.startswith(" ")]
        self.assertEqual(headings, ["Runtime", "CPUs", "Threads that meet", "Memory", "System", "Compilers"])
        self.assertRegex(summary, r"^The runtime can start: 0 problems, \d+ notes?\.$")

    def test_json_says_the_same(self):
        ran = doctor("--json")
        self.assertEqual(ran.returncode, 0, ran)
        whole = json.loads(ran.stdout)
        self.assertTrue(whole["able_to_start"])
        for section in whole["sections"].values():
            for finding in section.values():
                self.assertEqual(set(finding), {"value", "text", "verdict", "advice"})
                self.assertIn(finding["verdict"], VERDICTS)
                self.assertEqual(finding["verdict"] == "ok", finding["advice"] == "", finding)
        self.assertEqual(whole["sections"]["memory"]["page_size"]["value"], resource.getpagesize())
        self.assertEqual(whole["sections"]["runtime"]["version"]["value"], whole["version"])

    def test_a_variable_of_any_bytes_takes_one_line(self):
        plain = doctor(environment={"NOPAL_THING": "ab"}).stdout
        ran = doctor(environment={"NOPAL_THING": "a\nb\x1b[2J"})
        self.assertEqual(ran.stdout.count(b"\n"), plain.count(b"\n"), ran)
        self.assertNotIn(b"\x1b", ran.stdout)

    def test_help(self):
        ran = doctor("--help")
        self.assertEqual(ran.returncode, 0)
        self.assertIn(b"--json", ran.stdout)

    def test_bad_usage_is_one_line(self):
        for arguments in (["--jsn"], ["extra"], ["--json=maybe"]):
            with self.subTest(arguments):
                ran = doctor(*arguments)
                self.assertEqual(ran.returncode, 2)
                self.assertEqual(ran.stdout, b"")
                self.assertEqual(ran.stderr.count(b"\n"), 1, ran.stderr)


class Workers(unittest.TestCase):
    def test_are_no_more_than_the_affinity_mask_allows(self):
        _, sections = report()
        cpus = sections["cpus"]
        self.assertEqual(cpus["affinity_mask"]["value"], len(os.sched_getaffinity(0)))
        self.assertLessEqual(cpus["workers"]["value"], cpus["affinity_mask"]["value"])

    def test_one_cpu_leaves_one(self):
        one = {min(os.sched_getaffinity(0))}
        _, sections = report(preexec_fn=lambda: os.sched_setaffinity(0, one))
        self.assertEqual(sections["cpus"]["workers"]["value"], 1)
        self.assertEqual(sections["cpus"]["workers"]["verdict"], "note")

    def test_follow_the_variable(self):
        _, sections = report(environment={"NOPAL_WORKERS": "3"})
        self.assertEqual(sections["cpus"]["workers"]["value"], 3)
        self.assertIn("NOPAL_WORKERS", sections["cpus"]["workers"]["text"])
        self.assertEqual(sections["system"]["threads_started_on_trial"]["value"], 2)



class Environment(unittest.TestCase):
    def test_variables_that_are_not_understood_are_problems_and_all_else_is_reported(self):
        senseless = {"NOPAL_WORKERS": "several", "NOPAL_PIN": "maybe\n", "NOPAL_FORKS": ""}
        ran, sections = report(environment=senseless)
        self.assertEqual(ran.returncode, 1, ran)
        self.assertEqual(ran.stderr, b"")
        for name in ("NOPAL_WORKERS", "NOPAL_PIN"):
            found = sections["runtime"][name]
            self.assertEqual(found["verdict"], "problem", found)
            self.assertRegex(found["advice"], "^not understood; accepted: .*; programs .* exit code 2$")
        self.assertEqual(sections["runtime"]["NOPAL_FORKS"]["verdict"], "ok")
        self.assertEqual(list(sections), list(report()[1]))

    def test_variables_that_are_taken_as_unset_are_notes(self):
        ran, sections = report(environment={"NOPAL_WORKERS": "0", "NOPAL_ON_BAD_SETTING": "default"})
        self.assertEqual(ran.returncode, 0, ran)
        found = sections["runtime"]["NOPAL_WORKERS"]
        self.assertEqual(found["verdict"], "note", found)
        self.assertRegex(found["advice"], "^not understood; accepted: .*; taken as unset$")

    def test_the_tools_variables_are_known(self):
        _, sections = report(environment={"NOPAL_PROFILE": "", "NOPAL_CHECK": "exitcode=3"})
        self.assertEqual(sections["runtime"]["NOPAL_CHECK"]["verdict"], "ok")
        self.assertEqual(sections["runtime"]["NOPAL_PROFILE"]["verdict"], "ok")

    def test_an_unknown_variable_is_noted(self):
        _, sections = report(environment={"NOPAL_WROKERS": "3"})
        self.assertEqual(sections["runtime"]["NOPAL_WROKERS"]["verdict"], "note")
        self.assertIn("NOPAL_WORKERS", sections["runtime"]["NOPAL_WROKERS"]["advice"])

    def test_bytes_that_are_no_text_still_give_json(self):
        ran, sections = report(environment={"NOPAL_NOISE": b"\xff\xfe"})
        self.assertEqual(ran.returncode, 0)
        self.assertIn("NOPAL_NOISE", sections["runtime"])

    def test_latent_forks_and_their_signal(self):
        found = report()[1]["system"]["latent_forks"]
        if not found["value"]["possible"]:
            self.assertEqual(found["verdict"], "note")
            self.skipTest("this C library does not find unwind tables")
        self.assertEqual(found["value"]["signal"], signal.SIGURG)
        self.assertIn("SIGURG", found["text"])
        for variables, number, words, verdict in (
                ({"NOPAL_SIGNAL": "USR1"}, signal.SIGUSR1, "SIGUSR1", "ok"),
                ({"NOPAL_SIGNAL": "SIGUSR2"}, signal.SIGUSR2, "SIGUSR2", "ok"),
                ({"NOPAL_SIGNAL": "40"}, 40, "signal 40", "ok"),
                ({"NOPAL_SIGNAL": ""}, signal.SIGURG, "SIGURG", "ok"),
                ({"NOPAL_SIGNAL": "no", "NOPAL_ON_BAD_SETTING": "default"}, signal.SIGURG, "SIGURG", "ok"),
                ({"NOPAL_SIGNAL": "off"}, None, "without a signal", "note"),
                ({"NOPAL_FORKS": "eager"}, None, "turned off by NOPAL_FORKS", "ok")):
            with self.subTest(variables):
                found = report(environment=variables)[1]["system"]["latent_forks"]
                self.assertEqual(found["value"]["signal"], number)
                self.assertIn(words, found["text"])
                self.assertEqual(found["verdict"], verdict)

    def test_too_little_address_space_is_a_problem(self):
        limit_bytes = 400 << 20
        ran = doctor(environment={"NOPAL_WORKERS": "500"},
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes)))
        if b"Sanitizer" in ran.stderr:
            self.skipTest("a sanitizer's runtime needs more address space itself")
        self.assertEqual(ran.returncode, 1, ran)
        lines = [line for line in ran.stdout.decode().splitlines() if line.startswith("  stacks mapped on trial ")]
        self.assertIn("problem: 1000 are needed for 500 workers", "\n".join(lines))


class Compilers(unittest.TestCase):
    @staticmethod
    def fake(directory, name, version):
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\necho {version}\n")
        os.chmod(path, 0o755)
        return path

    def test_are_judged_by_their_version(self):
        with tempfile.TemporaryDirectory(prefix="it's a path ") as directory:
            old = self.fake(directory, "g++-9", "9.4.0")
            recent = self.fake(directory, "clang++-18", "18.1.3")
            silent = self.fake(directory, "clang++", "")
            self.fake(directory, "g++-mapper-server", "12.0.0")
            os.symlink(recent, os.path.join(directory, "clang++-99"))
            _, sections = report(environment={"PATH": directory + "::/nonexistent"})
        found = sections["compilers"]
        self.assertEqual(set(found), {"built_by", old, recent, silent})
        self.assertEqual(found[old]["verdict"], "note")
        self.assertEqual(found[recent]["verdict"], "ok")
        self.assertEqual(found[recent]["text"], "Clang 18.1.3")
        self.assertEqual(found[silent]["verdict"], "note")

    def test_none_is_noted(self):
        ran, sections = report(environment={"PATH": ""})
        self.assertEqual(ran.returncode, 0)
        self.assertEqual(sections["compilers"]["in_path"]["verdict"], "note")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: doctor_test.py NOPAL_BINARY [unittest options]")
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
