"""Which tests ./dev test --filter, --changed and --one-in choose, in a small project of its own.
Usage: select_test.py ROOT"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()

# Two programs with cases, a command that runs a program of the build, and scripts. An object includes a header, as its log says.
NINJA = """
rule OBJECT
  command = cp $in $out && echo "$out: $in $header" > $out.d
  deps = gcc
  depfile = $out.d
rule CXX_EXECUTABLE_LINKER
  command = cat $objects > $out
build lib.o: OBJECT SOURCE/src/lib.cpp
  header = SOURCE/include/lib.hpp
build deque.o: OBJECT SOURCE/tests/unit/deque_test.cpp
  header = SOURCE/tests/unit/deque.hpp
build bag.o: OBJECT SOURCE/tests/unit/bag_test.cpp
  header = SOURCE/include/lib.hpp
build tool.o: OBJECT SOURCE/tests/interfaces/c/tool.cpp
  header = SOURCE/include/lib.hpp
build tests/unit/deque: CXX_EXECUTABLE_LINKER deque.o | lib.o || tests/c/tool
  objects = deque.o lib.o
build tests/unit/bag: CXX_EXECUTABLE_LINKER bag.o
  objects = bag.o
build tests/c/tool: CXX_EXECUTABLE_LINKER tool.o
  objects = tool.o
build tools/nopal: CXX_EXECUTABLE_LINKER lib.o
  objects = lib.o
build tests/tests_c: phony tests/c/tool tools/nopal
build tests_c: phony tests/tests_c
build test_unit_deque: phony tests/unit/deque
build test_unit_bag: phony tests/unit/bag
build all: phony tests/unit/deque tests/unit/bag tests/c/tool
"""
# One folder is that of its kind; one has a sub-folder for its kind, one for one of two.
FOLDERS = """nopal_test_folder(unit KINDS unit)
nopal_test_folder(interfaces KINDS c)
nopal_test_folder(package KINDS package cli)
"""
TESTS = {
    "unit": "add_test(test_unit_deque_NOT_BUILT test_unit_deque_NOT_BUILT)\nadd_test(test_unit_bag_NOT_BUILT test_unit_bag_NOT_BUILT)\n",
    "interfaces/c": 'add_test([=[c.tool]=] "BUILD/tests/c/tool" "1")\nadd_test([=[c.script]=] "/bin/sh" "SOURCE/tests/interfaces/c/script.sh")\n',
    "package": 'add_test([=[package.whole]=] "/bin/sh" "SOURCE/tests/package/whole.sh" "SOURCE")\n',
    "package/cli": 'add_test([=[cli.usage]=] "/bin/sh" "SOURCE/tests/package/cli/usage.sh")\n',
}
FILES = {
    "src/lib.cpp": "", "include/lib.hpp": "", "tests/unit/deque.hpp": "", "tests/interfaces/c/tool.cpp": "",
    "tests/interfaces/c/CMakeLists.txt": "", "tests/interfaces/c/script.sh": "", "tests/CMakeLists.txt": FOLDERS,
    "tests/package/whole.sh": "", "tests/package/cli/usage.sh": "", "tests/package/cli/CMakeLists.txt": "",
    "README.md": "", "tests/unit/CMakeLists.txt": "", "src/CMakeLists.txt": "",
    "tests/unit/deque_test.cpp": 'TEST(ends, meet) {}\nTEST_P(sizes, are_kept) {}\nINSTANTIATE_TEST_SUITE_P(at, sizes, Values(1, 64));\n',
    "tests/unit/bag_test.cpp": "TEST(bag, keeps) {}\n",
}
EVERYTHING = {"tests/unit/deque", "tests/unit/bag", "tests/c/tool", "tools/nopal", "tests_c", "tests_package", "tests_cli"}


class Selection(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.source = pathlib.Path(self.place.name).resolve() / "source"
        self.build = self.source.parent / "build"
        self.write(self.source, FILES)
        subdirectories = "".join(f"subdirs(tests/{kind})\n" for kind in TESTS)
        self.write(self.build, {"build.ninja": self.placed(NINJA), "CTestTestfile.cmake": subdirectories})
        self.write(self.build, {f"tests/{kind}/CTestTestfile.cmake": self.placed(text) for kind, text in TESTS.items()})
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false", "commit", "-qm", "All")

    def placed(self, text):
        return text.replace("SOURCE", str(self.source)).replace("BUILD", str(self.build))

    def write(self, folder, texts):
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.source, check=True)

    def build_all(self):
        subprocess.run(["ninja", "-C", self.build, "all"], check=True, stdout=subprocess.DEVNULL)
        # What CMake writes once a program is there.
        self.write(self.build, {"tests/unit/CTestTestfile.cmake": "".join(
            f'add_test([=[unit.{name}.{case}]=] "{self.build}/tests/unit/{name}" "--gtest_filter={case}")\n'
            for name, case in (("deque", "ends.meet"), ("deque", "at/sizes.are_kept/64"), ("bag", "bag.keeps")))})
        for path in (self.build / "tests").glob("*/*"):
            path.chmod(0o755)

    def chosen(self, *options):
        ran = subprocess.run([sys.executable, "-B", ROOT / "scripts/select_tests.py", "before", self.build, self.source, *options],
                             capture_output=True, text=True, check=True)
        return set(ran.stdout.split())

    def chosen_after_change(self, *files):
        """What is built after a change of these, the build having been up to date."""
        for file in files:
            self.write(self.source, {file: FILES.get(file, "") + "// another line\n"})
        chosen = self.chosen("--since", "HEAD")
        self.git("checkout", "-q", ".")
        self.build_all()
        return chosen

    def test_a_filter_builds_the_program_that_has_the_case(self):
        for regex, target in (("deque", "tests/unit/deque"), (r"^unit\.bag\.", "tests/unit/bag"), ("keeps", "tests/unit/bag"),
                              (r"at/sizes\.are_kept/64$", "tests/unit/deque"), (r"^c\.tool", "tests/c/tool")):
            with self.subTest(regex):
                self.assertEqual(self.chosen("--filter", regex) - {"tools/nopal"}, {target})

    def test_a_filter_that_nothing_seems_to_match_builds_all(self):
        self.assertEqual(self.chosen("--filter", "no such test"), {"all"})

    def test_a_filter_stays_within_the_kinds(self):
        self.assertEqual(self.chosen("--filter", "deque|tool", "--kinds", "unit"), {"tests/unit/deque"})

    def test_a_folder_stands_for_its_kinds(self):
        self.assertEqual(self.chosen("--filter", "deque|tool", "--kinds", "interfaces"), {"tests/c/tool", "tools/nopal"})
        self.assertEqual(self.chosen("--filter", "whole|usage", "--kinds", "package"), {"tests_package"})

    def test_what_was_never_built_is_chosen(self):
        self.assertEqual(self.chosen("--since", "HEAD"), {"tests/unit/deque", "tests/unit/bag", "tests/c/tool", "tools/nopal"})

    def test_without_a_change_nothing_is_chosen(self):
        self.build_all()
        self.assertEqual(self.chosen("--since", "HEAD"), set())

    def test_a_change_chooses_what_is_made_of_it(self):
        self.build_all()
        for file, targets in (
                ("tests/unit/bag_test.cpp", {"tests/unit/bag"}),
                ("tests/unit/deque.hpp", {"tests/unit/deque"}),
                ("src/lib.cpp", {"tests/unit/deque", "tests_package"}),
                # A program that another starts: it is named among what must be there.
                ("tests/interfaces/c/tool.cpp", {"tests/unit/deque", "tests/c/tool", "tools/nopal"}),
                ("include/lib.hpp", {"tests/unit/deque", "tests/unit/bag", "tests/c/tool", "tools/nopal", "tests_package"}),
                ("README.md", set())):
            with self.subTest(file):
                self.assertEqual(self.chosen_after_change(file), targets)

    def test_a_change_of_a_script_chooses_the_commands_of_its_kind(self):
        self.build_all()
        self.assertEqual(self.chosen_after_change("tests/interfaces/c/script.sh"), {"tools/nopal", "tests_c"})
        self.assertEqual(self.chosen_after_change("tests/package/whole.sh"), {"tests_package"})
        self.assertEqual(self.chosen_after_change("tests/package/cli/usage.sh"), {"tests_cli"})

    def test_a_change_of_how_things_are_built_chooses_its_kind_or_all(self):
        self.build_all()
        self.assertEqual(self.chosen_after_change("tests/unit/CMakeLists.txt"), {"tests/unit/deque", "tests/unit/bag"})
        self.assertEqual(self.chosen_after_change("tests/interfaces/c/CMakeLists.txt"), {"tests/unit/deque", "tests/c/tool", "tools/nopal", "tests_c"})
        self.assertEqual(self.chosen_after_change("tests/package/cli/CMakeLists.txt"), {"tests_cli"})
        self.assertEqual(self.chosen_after_change("src/CMakeLists.txt"), EVERYTHING)

    def test_a_new_file_of_git_is_a_change(self):
        self.build_all()
        self.write(self.source, {"src/new.cpp": ""})
        self.assertEqual(self.chosen("--since", "HEAD"), {"tests_package"})

    def test_what_is_out_of_date_is_chosen_without_a_change(self):
        self.build_all()
        self.write(self.source, {"tests/unit/bag_test.cpp": FILES["tests/unit/bag_test.cpp"]})  # the same, later
        self.assertEqual(self.chosen("--since", "HEAD"), {"tests/unit/bag"})

    def test_a_commit_that_went_before_counts_its_changes(self):
        self.build_all()
        self.write(self.source, {"tests/unit/bag_test.cpp": "TEST(bag, keeps) {} // all\n"})
        self.git("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false", "commit", "-qam", "Change")
        self.build_all()
        self.assertEqual(self.chosen("--since", "HEAD"), set())
        self.assertEqual(self.chosen("--since", "HEAD~1"), {"tests/unit/bag"})

    def test_the_cases_of_the_chosen_run_and_no_others(self):
        self.build_all()
        self.write(self.source, {"tests/unit/deque.hpp": "// another line\n"})
        self.chosen("--since", "HEAD")
        self.build_all()
        self.assertEqual(self.cases(), {"unit.deque.ends.meet", "unit.deque.at/sizes.are_kept/64"})

    def test_a_draw_takes_every_nth_program_and_command(self):
        first, second = self.chosen("--one-in", "2", "--draw", "0"), self.chosen("--one-in", "2", "--draw", "1")
        # By name: tests/unit/bag and deque; c.script, c.tool, cli.usage and package.whole.
        self.assertEqual(first, {"tests/unit/bag", "tools/nopal", "tests_c", "tests_cli"})
        self.assertEqual(second, {"tests/unit/deque", "tests/c/tool", "tools/nopal", "tests_package"})
        self.build_all()
        self.assertEqual(self.cases(), {"unit.deque.ends.meet", "unit.deque.at/sizes.are_kept/64", "c.tool", "package.whole"})

    def test_a_program_may_be_run_by_an_emulator(self):
        self.build_all()
        file = self.build / "tests/unit/CTestTestfile.cmake"
        file.write_text(re.sub(r"\"([^ ]*)\" \"--gtest", r'"/usr/bin/env" "-i" "\1" "--gtest', file.read_text()))
        self.chosen("--one-in", "2", "--draw", "1")
        self.assertEqual(self.cases(), {"unit.deque.ends.meet", "unit.deque.at/sizes.are_kept/64", "c.tool", "package.whole"})

    def test_a_draw_builds_all_models(self):
        names = "deque", "join", "pool"
        self.write(self.source, {"tests/CMakeLists.txt": FOLDERS + "nopal_test_folder(models KINDS explore)\n"})
        self.write(self.build, {
            "build.ninja": self.placed(NINJA) + "".join(
                f"build tests/explore/{name}: CXX_EXECUTABLE_LINKER lib.o\nbuild test_explore_{name}: phony tests/explore/{name}\n" for name in names),
            "CTestTestfile.cmake": (self.build / "CTestTestfile.cmake").read_text() + "subdirs(tests/models)\n",
            "tests/models/CTestTestfile.cmake": "".join(f"add_test(test_explore_{name}_NOT_BUILT test_explore_{name}_NOT_BUILT)\n" for name in names)})
        models = {f"tests/explore/{name}" for name in names}
        for draw in "0", "1":
            self.assertEqual(self.chosen("--one-in", "2", "--draw", draw) & models, models)
            kept = (self.build / "chosen_tests.json").read_text()
            self.assertTrue(0 < sum(model in kept for model in models) < len(models), kept)
        self.assertEqual(self.chosen("--one-in", "2", "--kinds", "unit") & models, set())

    def test_a_draw_stays_within_the_filter(self):
        self.assertEqual(self.chosen("--one-in", "2", "--draw", "4", "--filter", "deque|tool"), {"tests/unit/deque", "tests/c/tool", "tools/nopal"})
        self.assertEqual(self.chosen("--one-in", "2", "--draw", "5", "--filter", "deque|tool"), set())
        self.assertEqual(self.chosen("--one-in", "2", "--filter", "no such test"), set())

    def cases(self):
        """What ctest is told to run of the last choice."""
        after = subprocess.run([sys.executable, "-B", ROOT / "scripts/select_tests.py", "after", self.build, self.source],
                               capture_output=True, text=True, check=True).stdout.strip()
        listed = subprocess.run(["ctest", "--test-dir", self.build, "-N", "-I", after], capture_output=True, text=True, check=True)
        return {line.split(": ")[1] for line in listed.stdout.splitlines() if " Test " in line}


if __name__ == "__main__":
    unittest.main()
