"""Which tests a run of ./dev test is about, and what has to be built for them.

  select_tests.py before BUILD SOURCE [--kinds KIND,...] [--filter REGEX] [--since COMMIT | --one-in N --draw NUMBER]
      prints what to build; `all` where that cannot be told, nothing where no test is chosen
  select_tests.py after BUILD SOURCE [--filter REGEX] [--leave-out LABEL|...]
      writes the numbers of the tests that `--since` or `--one-in` chose, for ctest's -I, and prints the file's name

A test belongs to a program of the build or is a command. With --since those are chosen that what changed since that commit, in the
work tree too, can affect. Ninja's graph and its log of headers tell for programs. A command is affected by what it names: a program
that is, a file or a folder with a change in it; by changes of files of its folder that are not compiled; and by what READS says.
What cannot be told runs: programs that were never built or are older than their sources, and all of it after a change of how things
are built. --one-in takes every Nth program and every Nth command by name, from number NUMBER modulo N on; it has the models built
whatever it takes, since each links some of the runtime's sources and stands in for the rest."""

import argparse
import functools
import itertools
import json
import pathlib
import re
import subprocess
import sys

import ninja_graph

# What commands read that are given the whole project. Of other kinds, with None, it may be anything.
READS = {
    "package": ("include", "src", "cmake", "packaging", "docs/man", "CMakeLists.txt", "CMakePresets.json"),
    "cli": ("dev", "scripts"),
    "tbb": ("include", "src", "cmake"),
    "runtime": ("include", "src", "cmake", "CMakeLists.txt"),
    "security": ("include", "src"),
}
CHOSEN = "chosen_tests.json"


def all_tests(build):
    """Those ctest knows; a program that was never built is one test, named after its target."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    # ctest shows no command whose program is not there yet.
    commands = {}
    places = "tests/*/CTestTestfile.cmake", "tests/*/*/CTestTestfile.cmake", "examples/CTestTestfile.cmake"
    for file in itertools.chain(*map(build.glob, places)):
        for name, words in re.findall(r"^add_test\((?:\[=\[)?([^\]\s]+)(?:\]=\])? (.*)\)$", file.read_text(), re.MULTILINE):
            commands[name] = re.findall(r'"((?:[^"\\]|\\.)*)"', words)
    tests = json.loads(shown.stdout)["tests"]
    for test in tests:
        test.setdefault("command", commands.get(test["name"], []))
    return tests


def kinds_of_folders(source):
    """The kinds in each folder of tests, as tests/CMakeLists.txt has them."""
    lines = re.findall(r"^nopal_test_folder\((\w+) KINDS ([\w ]+)\)$", (source / "tests/CMakeLists.txt").read_text(), re.MULTILINE)
    return {folder: kinds.split() for folder, kinds in lines}


class Selection:
    def __init__(self, build, source):
        self.build, self.source = build.resolve(), source.resolve()
        self.folders = kinds_of_folders(self.source)
        # Where the sources of each kind are: a folder, or the sub-folder that is named after the kind.
        self.homes = {"examples": "examples"}
        for folder, kinds in self.folders.items():
            for kind in kinds:
                has_its_own = (self.source / "tests" / folder / kind / "CMakeLists.txt").exists()
                self.homes[kind] = f"tests/{folder}/{kind}" if has_its_own else f"tests/{folder}"
        self.graph = ninja_graph.Graph(self.build)
        self.tests = all_tests(self.build)

    def program_of(self, test):
        """The program whose cases are tests of their own, or None of a command."""
        name = test["name"]
        if name.endswith("_NOT_BUILT"):
            return self.graph.program(name.removesuffix("_NOT_BUILT"))
        # The program may be an emulator's argument.
        for program, argument in itertools.pairwise(test["command"]):
            if argument.startswith("--gtest_filter="):
                return self.graph.output(program)
        return None

    def kind_of(self, test):
        program = self.program_of(test)
        return program.split("/")[1] if program else test["name"].split(".")[0]

    def home_of(self, path):
        """The innermost home of a kind that a file is in."""
        return max((home for home in self.homes.values() if path.startswith(home + "/")), key=len, default=None)

    def outputs_of(self, test):
        """What the build makes of what a command names."""
        found = []
        for word in words_of(test):
            output = self.graph.output(word)
            if output:
                found.append(output)
        return found

    @functools.cache
    def needs_of(self, kind):
        """What the commands of a kind may start without naming it: what its target depends on that is no test."""
        found, waiting = set(), [f"tests_{kind}"]
        while waiting:
            name = waiting.pop()
            if self.graph.rules.get(name) == "phony":
                waiting += self.graph.inputs[name]
            elif "LINKER" in self.graph.rules.get(name, "") and not name.startswith("tests/"):
                found.add(name)
        return found

    def cases_of(self, program):
        """Names of the program's tests as its sources have them. The values of parameters are guessed."""
        names = []
        for source in self.graph.sources(program):
            try:
                text = pathlib.Path(self.build, source).read_text(errors="replace")
            except OSError:
                continue
            tests = re.findall(r"^(TYPED_TEST|TEST|TEST_F|TEST_P)\(\s*(\w+),\s*(\w+)\)", text, re.MULTILINE)
            values = [*map(str, range(10)), *set(re.findall(r"\w+", " ".join(re.findall(r"INSTANTIATE_\w+\(([^;]*);", text))))]
            for macro, suite, case in tests:
                if macro == "TYPED_TEST":
                    names += [f"{suite}/{value}.{case}" for value in values]
                elif macro == "TEST_P":
                    for prefix in re.findall(rf"INSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*{suite},", text):
                        names += [f"{prefix}/{suite}.{case}/{value}" for value in values]
                else:
                    names.append(f"{suite}.{case}")
        return [f"{program.removeprefix('tests/').replace('/', '.')}.{name}" for name in names]

    # --- a filter ---------------------------------------------------------------------------------

    def matching(self, tests, regex):
        pattern = re.compile(regex)
        cases = functools.cache(self.cases_of)

        def matches(test):
            program = self.program_of(test)
            return pattern.search(test["name"]) or (program and any(map(pattern.search, cases(program))))

        return [test for test in tests if matches(test)]

    # --- changes ----------------------------------------------------------------------------------

    def changed_since(self, commit):
        def git(*arguments):
            ran = subprocess.run(["git", "-c", f"safe.directory={self.source}", *arguments], cwd=self.source,
                                 capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                sys.exit(f"dev: --changed '{commit}': git says: {ran.stderr.strip().splitlines()[-1]}")
            return set(filter(None, ran.stdout.split("\0")))

        return git("diff", "--name-only", "--no-renames", "-z", commit, "--") | git(
            "ls-files", "--others", "--exclude-standard", "-z")

    def affected_by(self, changed, tests):
        """The affected tests, or None for all of them, and a line that says what was found."""
        described = ("CMakeLists.txt", "CMakePresets.json", ".cmake", ".cmake.in")
        building = [file for file in changed if file.endswith(described) and not file.startswith("tests/package/consumer/")]
        homes = {file.removesuffix("/CMakeLists.txt") for file in building} & set(self.homes.values())
        everywhere = [file for file in building if file.removesuffix("/CMakeLists.txt") not in homes]
        if everywhere:
            return None, f"{everywhere[0]} changed, which decides how all is built"
        kinds = {kind for kind, home in self.homes.items() if home in homes}

        def is_built_there(output):
            return self.home_of(output) in homes or any(output.startswith(f"tests/{kind}/") for kind in kinds)

        outputs = self.graph.affected({self.source / file for file in changed}, is_built_there)
        chosen = [test for test in tests if self.kind_of(test) in kinds or self.is_affected(test, changed, outputs)]
        return chosen, f"{len(changed)} changed files"

    def is_affected(self, test, changed, outputs):
        program = self.program_of(test)
        if program:
            return program in outputs
        if not test["command"]:
            return True
        named = self.outputs_of(test)
        if any(output in outputs for output in named):
            return True
        kind = self.kind_of(test)
        home = self.homes[kind]
        read = {home}
        for word in words_of(test):
            path = pathlib.Path(word)
            if path == self.source:
                read.update(READS.get(kind, [""]))
            elif path.is_relative_to(self.source) and not path.is_relative_to(self.build):
                read.add(str(path.relative_to(self.source)))
        runs_script = read != {home}
        if kind == "docs" and runs_script:
            return bool(changed)
        for file in changed:
            for folder in read:
                if folder == home and (not runs_script or self.graph.knows(self.source / file) or self.home_of(file) != home):
                    continue
                if folder == "" or file == folder or file.startswith(folder + "/"):
                    return True
        return False


def words_of(test):
    """The paths in a command and its environment."""
    words = list(test["command"])
    for entry in test.get("properties", []):
        if entry["name"] == "ENVIRONMENT":
            words += entry["value"]
    return [part for word in words for part in re.split(r"[=,;:]", word) if part.startswith("/")]


def named(selection, tests):
    """The programs and the commands among these tests, by name."""
    programs = {selection.program_of(test) for test in tests} - {None}
    return sorted(programs), sorted(test["name"] for test in tests if not selection.program_of(test))


def before(selection, options):
    tests = selection.tests
    (selection.build / CHOSEN).unlink(missing_ok=True)
    if options.kinds:
        kinds = [kind for name in options.kinds.split(",") for kind in ([name] if name in selection.homes else selection.folders[name])]
        tests = [test for test in tests if selection.kind_of(test) in kinds]
    if options.filter:
        try:
            tests = selection.matching(tests, options.filter)
        except re.error:
            tests = []
        if not tests and not options.since and options.one_in == 1:
            return ["all"]  # ctest may read the expression in another way
    if options.since:
        changed = selection.changed_since(options.since)
        chosen, reason = selection.affected_by(changed, tests)
        tests = tests if chosen is None else chosen
    models = []
    if options.since or options.one_in > 1:
        programs, commands = named(selection, tests)
        if options.since:
            print(f"--changed: {reason}, which {len(programs)} test programs and {len(commands)} commands may feel", file=sys.stderr)
        else:
            first = options.draw % options.one_in
            models = sorted({selection.program_of(test) for test in tests if selection.kind_of(test) == "explore"} - {None})
            drawn = {*programs[first::options.one_in], *commands[first::options.one_in]}
            tests = [test for test in tests if (selection.program_of(test) or test["name"]) in drawn]
            programs, commands = named(selection, tests)
        (selection.build / CHOSEN).write_text(json.dumps({"programs": programs, "commands": commands}))
    targets = set(models)
    for test in tests:
        program = selection.program_of(test)
        outputs = [program] if program else selection.outputs_of(test)
        kind = selection.kind_of(test)
        if not program:
            targets.update(selection.needs_of(kind))
        targets.update(outputs or ["examples/all" if kind == "examples" else f"tests_{kind}"])
    return sorted(targets)


def labels_of(test):
    return {label for entry in test.get("properties", []) if entry["name"] == "LABELS" for label in entry["value"]}


def after(selection, options):
    chosen = json.loads((selection.build / CHOSEN).read_text())
    programs, commands = set(chosen["programs"]), set(chosen["commands"])
    left_out = set((options.leave_out or "").split("|"))
    numbers = [str(number) for number, test in enumerate(selection.tests, 1)
               if (test["name"] in commands or selection.program_of(test) in programs) and not labels_of(test) & left_out
               and re.search(options.filter or "", test["name"])]
    file = selection.build / "chosen_tests.txt"
    # ctest leaves out the last character of the file.
    file.write_text("0,0,0," + ",".join(numbers or ["0"]) + "\n")
    return [str(file)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("when", choices=["before", "after"])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    for option in ("--kinds", "--filter", "--since", "--leave-out"):
        parser.add_argument(option)
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--draw", type=int, default=0)
    options = parser.parse_args()
    selection = Selection(options.build, options.source)
    print("\n".join(before(selection, options) if options.when == "before" else after(selection, options)))


if __name__ == "__main__":
    main()
