"""What Ninja knows of a build: which file is made of which, and which headers each object was last compiled with."""

import collections
import functools
import os
import pathlib
import re
import subprocess

# `$` quotes in Ninja's files.
TOKEN = re.compile(r"(?:\$[ :$]|[^ ])+")


class Graph:
    def __init__(self, build):
        self.build = pathlib.Path(build)
        self.paths = {}
        self.inputs = {}  # of each output: what it is made of
        self.rules = {}
        self.aliases = {}
        self.configured_from = set()
        self.read_build_file()
        self.headers = {}
        self.is_stale = set()
        self.read_log()

    def path(self, name):
        """As the graph writes it: relative if it lies in the build directory."""
        name = str(name)
        if name not in self.paths:
            self.paths[name] = os.path.normpath(os.path.join(self.build, name)).removeprefix(f"{self.build}/")
        return self.paths[name]

    @functools.cache
    def time(self, name):
        try:
            return (self.build / name).stat().st_mtime_ns
        except OSError:
            return None

    def read_build_file(self):
        text = (self.build / "build.ninja").read_text().replace("$\n", "")
        for line in text.splitlines():
            if not line.startswith("build "):
                continue
            left, right = re.split(r"(?<!\$): ", line[len("build "):].replace("${cmake_ninja_workdir}", ""), maxsplit=1)
            tokens = {}
            for side, words in (("out", left), ("in", right)):
                tokens[side] = [re.sub(r"\$([ :$])", r"\1", word) for word in TOKEN.findall(words)]
            rule, *inputs = tokens["in"]
            if rule == "RERUN_CMAKE":
                self.configured_from.update(map(self.path, inputs))
                continue
            # What comes after `||` is only to be there, except for what is linked: programs may start others that are named there.
            if "||" in inputs:
                place = inputs.index("||")
                inputs = inputs[:place] + (inputs[place + 1:] if "LINKER" in rule or rule == "phony" else [])
            inputs = [self.path(name) for name in inputs if name != "|"]
            for name in tokens["out"]:
                if name != "|":
                    self.inputs[self.path(name)] = inputs
                    self.rules[self.path(name)] = rule
            if rule == "phony" and len(inputs) == 1:
                self.aliases[tokens["out"][0]] = inputs[0]

    def read_log(self):
        shown = subprocess.run(["ninja", "-C", self.build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
        output = None
        for line in shown.splitlines():
            if line.startswith("    "):
                self.headers[output].append(self.path(line.strip()))
            elif ": #deps " in line:
                output = self.path(line.split(": #deps ")[0])
                self.headers[output] = []
                if not line.endswith("(VALID)"):
                    self.is_stale.add(output)

    def output(self, path):
        """The output of the build that a path means, or None."""
        name = self.path(path)
        return name if self.rules.get(name, "phony") != "phony" else None

    def program(self, target):
        """The file that a target of CMake's is."""
        return self.aliases.get(target)

    def sources(self, program):
        objects = [name for name in self.inputs.get(program, []) if name.endswith(".o")]
        return [name for each in objects for name in self.inputs.get(each, [])[:1]]

    def knows(self, path):
        return self.path(path) in self.readers

    @functools.cached_property
    def readers(self):
        """Of each file, the outputs that are made of it."""
        readers = collections.defaultdict(list)
        for output, inputs in self.inputs.items():
            for name in inputs + self.headers.get(output, []):
                readers[name].append(output)
        return dict(readers)

    def is_out_of_date(self, output):
        """By its times, and also where nothing is known: it was never made, or the log has no headers of an object."""
        if self.rules[output] == "phony" or "UTILITY" in self.rules[output] or self.rules[output] == "CUSTOM_COMMAND":
            return False
        if output in self.is_stale or (output.endswith(".o") and output not in self.headers):
            return True
        made = self.time(output)
        if made is None:
            return True
        for name in self.inputs[output] + self.headers.get(output, []):
            # Of what the build makes, files alone have a time.
            if name not in self.rules or name.endswith((".o", ".a", ".so", ".gch", ".pch")):
                time = self.time(name)
                if time is None or time > made:
                    return True
        return False

    def affected(self, changed, is_too):
        """All outputs that these changed files are part of, those that are out of date already, and those for whose name is_too is
        true."""
        waiting = [self.path(path) for path in changed]
        if any(path in self.configured_from and not path.endswith("CMakeLists.txt") for path in waiting):
            # Texts that configuring writes may have come of it, but for CMake's own.
            waiting += [name for name in self.readers if not name.startswith("/") and name not in self.rules
                        and "/cmake_pch." not in name]
        waiting += [output for output in self.rules if self.is_out_of_date(output) or is_too(output)]
        found = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.readers.get(name, [])
        return found
