"""`nopal profile` from outside. Usage: profile_test.py NOPAL_BINARY [unittest options]"""

import csv
import html.parser
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
COLUMNS = ["tag", "work", "span", "parallelism", "burdened_span", "burdened_parallelism"]
# A program that forks: this one's own benchmark, in a process of its own.
PROGRAM = ["bench", "nqueens", "--quick", "--repeats", "1", "--workers", "2"]


def ones(*names):
    return dict.fromkeys(names, 1)


# The lines of a file that the library leaves.
LENGTHS = ones("work_ns", "span_ns", "burdened_span_ns")
WHOLE = {"nopal_profile": 1, "program": "p", "workers": 2, "complete": True, **LENGTHS,
         **ones("seen_work_ns", "outside_ns", "wall_ns", "regions", "regions_wall_ns", "forks", "unobserved_ns",
                "preempted_ns", "turned_out_long", "roots", "burden_ns", "steal_ns", "wake_ns", "cold_stack_ns")}
SITE = {"site": 2, "object": "", "offset": 3, "symbol": "f",
        **ones("forks", "unobserved", "work_ns", "own_work_ns", "all_work_ns", "path_ns", "sampled_forks",
               "sampled_work_ns")}
PATH = {"path": [2, 3], "ns": 5}
INTERVAL = {"interval": "i", "count": 1, **LENGTHS}


def profile(*arguments, environment=None, **options):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
    return subprocess.run([BINARY, "profile", *arguments], capture_output=True, timeout=100, text=True,
                          env={**inherited, **(environment or {})}, **options)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.loads = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        self.loads += [value for name, value in attributes if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        at = pathlib.Path(cls.folder.name)
        cls.ran = profile("--csv", at / "c", "--json", at / "j", "--html", at / "h", "--", BINARY, *PROGRAM)
        cls.csv, cls.json, cls.html = ((at / name).read_text() for name in "cjh")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_words_end_with_what_to_do_next(self):
        self.assertEqual(self.ran.returncode, 0, self.ran)
        self.assertIn("parallelism", self.ran.stdout)
        self.assertRegex(self.ran.stdout.splitlines()[-1], r"^Next: .+\.$")

    def test_csv_has_the_columns_of_cilkscale(self):
        head, *rows = csv.reader(self.csv.splitlines())
        self.assertEqual(head, COLUMNS)
        self.assertEqual(rows[-1][0], "")
        for row in rows:
            work, span, parallelism, burdened, _ = map(float, row[1:])
            self.assertLessEqual(span, work)
            self.assertLessEqual(span, burdened)
            self.assertAlmostEqual(parallelism, work / span, delta=0.001 * parallelism)

    def test_json_agrees_with_itself(self):
        whole = json.loads(self.json)
        regions = whole["regions"]
        self.assertGreater(regions["work_s"], 0)
        self.assertEqual([each["workers"] for each in whole["speedup"]], list(range(1, 257)))
        for each in whole["speedup"]:
            self.assertLessEqual(each["at_least"], each["at_most"] * 1.000001)
            self.assertLessEqual(each["at_most"], min(each["workers"], regions["parallelism"]) * 1.000001)
        of_sites = sum(site["own_work_s"] for site in whole["sites"])
        self.assertAlmostEqual(of_sites, regions["work_s"] + whole["outside_s"], delta=0.05 * of_sites)
        path = sum(site["path_s"] for site in whole["sites"])
        self.assertAlmostEqual(path, regions["span_s"], delta=0.05 * path)
        self.assertGreater(whole["record_s"], 1e-8)  # measured: no machine records a fork faster
        self.assertLess(whole["record_s"], 1e-4)
        self.assertTrue(any(site["forks"] > 100 for site in whole["sites"]))
        self.assertAlmostEqual(path, sum(part["path_s"] for part in whole["path"]), delta=1e-6)
        functions = {site["function"] for site in whole["sites"]}
        self.assertTrue(all(set(part["functions"]) <= functions for part in whole["path"]))

    def test_the_page_is_whole_and_loads_nothing(self):
        page = Page()
        page.feed(self.html)
        self.assertEqual(page.open, [])
        self.assertEqual(page.loads, [])
        self.assertEqual(page.seen.count("polyline"), 3)
        ends = re.findall(r'points="48.0,352.0 .*?([\d.]+),[\d.]+ "', self.html)
        self.assertEqual(ends, ["592.0"] * 3)  # where 256 workers are
        self.assertEqual(page.seen.count("circle"), 1)


class Paths(unittest.TestCase):
    def page(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "p").write_text("".join(json.dumps(line) + "\n" for line in (WHOLE, *lines)), encoding="utf-8")
            ran = profile("--html", at / "h", "--read", at / "p")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            return (at / "h").read_text(encoding="utf-8")

    def test_what_lies_in_a_site_is_drawn_below_it_and_as_long_as_it_takes(self):
        sites = [SITE | {"site": number, "symbol": f"function{number}"} for number in (2, 3, 4)]
        page = self.page(*sites, {"path": [2], "ns": 10}, {"path": [2, 3], "ns": 30}, {"path": [4], "ns": 40})
        bars = re.findall(r'<title>function(\d): .*? x="([\d.]+)" y="(\d+)" width="([\d.]+)"', page)
        self.assertEqual(bars, [("2", "0.0", "28", "320.0"), ("3", "0.0", "56", "240.0"), ("4", "320.0", "28", "320.0")])

    def test_a_file_without_paths_has_its_sites_in_a_row(self):
        page = self.page(*(SITE | {"site": number, "symbol": f"function{number}"} for number in (2, 3)))
        self.assertEqual(re.findall(r'<title>function\d: .*? y="(\d+)" width="([\d.]+)"', page), [("28", "320.0")] * 2)

    def test_a_name_that_is_cut_has_whole_characters(self):
        sites = [SITE | {"site": number, "symbol": "x" * number + "\u00e9" * 200} for number in (2, 3)]
        for one in (1, 2):  # reading the page fails where a half is left
            self.assertIn("\u00e9</text>", self.page(*sites, {"path": [one + 1], "ns": 10}))

    def test_a_path_that_takes_nothing_is_not_drawn(self):
        self.assertNotIn("critical path, ", self.page({"path": [2], "ns": 0}))


class Names(unittest.TestCase):
    SOURCE = """struct thing { bool operator<(int) const; int operator()(int) const; template <class T> T operator<<(T) const; };
        bool thing::operator<(int n) const { return n > 2; }
        int thing::operator()(int n) const { return n + 2; }
        template <class T> T thing::operator<<(T n) const { return n + 3; }
        template int thing::operator<<(int) const;
        int my_operator(int n) { return n + 4; }
        auto make() { return [](int n) { return n + 5; }; }
        int call(int n) { return make()(n); }
        """
    EXPECTED = {"_ZNK5thingltEi": "thing::operator<", "_ZNK5thingclEi": "thing::operator()",
                "_ZNK5thinglsIiEET_S1_": "thing::operator<<", "_Z11my_operatori": "my_operator",
                "_ZZ4makevENKUliE_clEi": "lambda in make"}

    @unittest.skipUnless(shutil.which("c++") and shutil.which("nm") and shutil.which("addr2line"), "no compiler")
    def test_operators_and_lambdas_have_their_names(self):
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "names.cpp").write_text(self.SOURCE, encoding="utf-8")
            subprocess.run(["c++", "-g", "-O0", "-shared", "-fPIC", at / "names.cpp", "-o", at / "names.so"], check=True)
            symbols = subprocess.run(["nm", at / "names.so"], stdout=subprocess.PIPE, text=True, check=True).stdout
            offsets = {line.split()[-1]: int(line.split()[0], 16) for line in symbols.splitlines() if line[0] != " "}
            sites = [SITE | {"site": 2 + i, "object": str(at / "names.so"), "offset": offsets[name] + 1, "path_ns": 9 - i}
                     for i, name in enumerate(self.EXPECTED)]
            (at / "p").write_text("".join(json.dumps(line) + "\n" for line in (WHOLE, *sites)), encoding="utf-8")
            self.assertEqual(profile("--json", at / "j", "--read", at / "p").returncode, 0)
            read = json.loads((at / "j").read_text(encoding="utf-8"))
        self.assertEqual([site["function"].rsplit(" (", 1)[0] for site in read["sites"]], list(self.EXPECTED.values()))


class ShortChildren(unittest.TestCase):
    def test_forks_in_them_are_not_recorded_and_their_work_is_counted(self):
        # Samples are recorded in full, and on a busy machine these take the longer.
        for _ in range(10):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "j")
                ran = profile("--json", file, "--", BINARY, "bench-one", "fib", "--variant", "parallel", "--workers", "1",
                              "--size", "30")
                self.assertEqual(ran.returncode, 0, ran)
                with open(file, encoding="utf-8") as text:
                    whole = json.load(text)
            if whole["unobserved_s"] > 0.1 * whole["regions"]["work_s"]:
                break
        self.assertLess(whole["recorded_forks"], 1346268 / 4)  # of so many
        self.assertGreater(whole["unobserved_s"], 0.1 * whole["regions"]["work_s"])
        self.assertLess(whole["unobserved_s"], 1.001 * whole["regions"]["work_s"])
        self.assertGreater(whole["regions"]["parallelism"], 2)


class Files(unittest.TestCase):
    def test_a_file_made_without_the_command_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "p")
            inherited = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
            subprocess.run([BINARY, *PROGRAM], env={**inherited, "NOPAL_PROFILE": file}, capture_output=True,
                           check=True, timeout=100)
            with open(file, encoding="utf-8") as text:
                self.assertRegex(text.readlines()[1], r"^# work [\d.]+ s, span [\d.]+ s, parallelism [\d.]+; ")
            ran = profile("--read", file)
            self.assertEqual(ran.returncode, 0, ran)
            self.assertIn("Next: ", ran.stdout)

    def test_a_signal_leaves_a_file_that_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "p")
            inherited = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
            with subprocess.Popen([BINARY, "bench-one", "fib", "--variant", "parallel", "--size", "48",
                                   "--workers", "1"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env={**inherited, "NOPAL_PROFILE": file}) as running:
                for _ in range(200):
                    if os.path.exists(file):
                        break
                    if running.poll() is not None:
                        self.skipTest(f"the program ended: {running.stderr.read()}")
                    signal.sigtimedwait([], 0.05)
                signal.sigtimedwait([], 0.3)
                running.send_signal(signal.SIGTERM)
                self.assertEqual(running.wait(30), -signal.SIGTERM)
            with open(file, encoding="utf-8") as text:
                self.assertIn('"complete":false', text.read())


class Refusals(unittest.TestCase):
    def one_line(self, ran, code, *parts):
        self.assertEqual(ran.returncode, code, ran)
        self.assertEqual(ran.stderr.count("\n"), 1, ran)
        for part in ("nopal profile: ", *parts):
            self.assertIn(part, ran.stderr)

    def test_no_program(self):
        self.one_line(profile(), 2, "a program is missing", "accepted: ")
        self.one_line(profile("--read", "file", "--", "/bin/true"), 2, "--read and a program exclude each other")

    def test_no_such_program(self):
        self.one_line(profile("--", "/no/such/program"), 2, "cannot run")

    def test_a_program_that_knows_nothing_of_this(self):
        self.one_line(profile("--", "/bin/true"), 1, "has left no profile", "accepted: ", "ends by exit")

    def test_a_folder_for_temporary_files_that_is_not_there(self):
        for tool in "profile", "trace":
            with self.subTest(tool):
                ran = subprocess.run([BINARY, tool, "--", "/bin/true"], text=True, capture_output=True, timeout=60,
                                     env={**os.environ, "TMPDIR": "/no/such/folder"})
                self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1), ran)
                self.assertIn("TMPDIR: '/no/such/folder' is no folder", ran.stderr)

    def test_a_file_that_is_no_profile(self):
        self.one_line(profile("--read", __file__), 2, "is no profile", "accepted: ")
        few = 1 << 30  # bytes: a device without an end is not read until there is no memory
        endless = profile("--read", "/dev/zero", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (few, few)))
        self.one_line(endless, 2, "'/dev/zero' is no profile", "accepted: ")
        self.one_line(profile("--read", "/no/such/file"), 2, "cannot read")

    def read(self, lines, *options, **streams):
        """What --read says of a file with these lines."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as text:
            text.writelines(json.dumps(line) + "\n" for line in lines)
            text.flush()
            return subprocess.run([BINARY, "profile", "--read", text.name, *options], timeout=100, text=True,
                                  stderr=subprocess.PIPE, **({"stdout": subprocess.PIPE} | streams))

    def test_lines_whose_members_are_wrong_are_named(self):
        self.assertEqual(self.read([WHOLE, SITE, PATH, INTERVAL]).returncode, 0)
        for sites in ([], "x", None, 3, [-1], ["x"], [2.5], [1 << 40], [2] * 65):
            with self.subTest(sites):
                self.one_line(self.read([PATH | {"path": sites}, WHOLE]), 2, "'path' is no list of 1 to 64 sites")
        for line in (WHOLE, SITE, PATH, INTERVAL):
            for name in list(line)[1:]:
                less = {key: value for key, value in line.items() if key != name}
                for changed in (less, *(less | {name: value} for value in (None, [], -5, 1e300))):
                    with self.subTest(changed):
                        self.one_line(self.read([changed, WHOLE]), 2, f"'{name}' is ", "line 1", "accepted: ")
        self.one_line(self.read([SITE | {"site": "x"}, WHOLE]), 2, "'site' is no whole number")
        self.one_line(self.read([INTERVAL | {"interval": 5}, WHOLE]), 2, "'interval' is no string")

    def test_the_work_of_tasks_is_said_to_be_in_no_region(self):
        self.assertIn(", in tasks outside of regions\n", self.read([WHOLE | {"regions": 0}]).stdout)
        self.assertIn(", in 1 region\n", self.read([WHOLE]).stdout)
        self.assertIn(", in 0 regions\n", self.read([WHOLE | {"regions": 0, "work_ns": 0}]).stdout)

    def test_output_that_finds_no_room(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.one_line(self.read([WHOLE], stdout=full), 1, "cannot write the output: No space left on device")
        for option in ("--csv", "--json", "--html"):
            with self.subTest(option):
                self.one_line(self.read([WHOLE], option, "/dev/full"), 1, "cannot write '/dev/full': No space left on device")

    def test_an_option_without_its_name_takes_no_other_word_for_it(self):
        for option in ("--csv", "--json", "--html"):
            with self.subTest(option):
                self.one_line(profile(option, "--", "/bin/true"), 2, f"{option} takes the name of a file, not '--'")

    def test_a_file_that_cannot_be_written_is_one_line_of_the_library(self):
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
        ran = subprocess.run([BINARY, "demo", "--limit", "64K", __file__], text=True, capture_output=True,
                             env={**inherited, "NOPAL_PROFILE": "/no/such/folder/p"}, timeout=60)
        self.assertEqual(ran.returncode, 0, ran)
        self.assertEqual([line for line in ran.stderr.splitlines() if "NOPAL_PROFILE" in line],
                         ["nopal: NOPAL_PROFILE=/no/such/folder/p: No such file or directory; accepted: the path of a "
                          "file that can be written; the program runs without a profile"])


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
