"""What the linker and the loader are told by the library's objects: stacks that do not execute, nothing both writable and
executable, tables that are read-only after start-up, control-flow marks where they were asked for. Skipped (77) without
readelf and objdump."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
#include <nopal/nopal.hpp>
long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}
int main() { return fib(20) == 6765 ? 0 : 1; }
"""

OPTIONS = argparse.Namespace()


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, **options)


def segments(path):
    """(type, flags) of each segment."""
    text = run("readelf", "--program-headers", "--wide", path).stdout
    found = re.findall(r"^  ([A-Z_]+) +0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ ([R ][W ][E ])",
                       text, re.MULTILINE)
    assert any(kind == "LOAD" for kind, _ in found), text
    return found


class Linked(unittest.TestCase):
    """The library as a shared object, programs with it in every mode, each linked with warnings as errors."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.source = os.path.join(cls.directory.name, "program.cpp")
        with open(cls.source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        cls.is_shared = not OPTIONS.library.endswith(".a")

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def link(self, name, *arguments):
        output = self.path(name)
        made = run(OPTIONS.compiler, "-std=c++20", "-O2", "-pthread", "-Wl,--fatal-warnings", *arguments, "-o", output)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        return output

    def shared(self):
        """As the build makes one, from the static library if that is what it made; with every symbol bound at start-up."""
        if self.is_shared:
            return OPTIONS.library
        version_script = os.path.join(OPTIONS.project, "src", "nopal.map")
        return self.link("libnopal.so", "-shared", "-Wl,--whole-archive", OPTIONS.library, "-Wl,--no-whole-archive",
                         "-Wl,-z,now,-z,text,--no-undefined", f"-Wl,--version-script={version_script}")

    def check(self, path):
        found = segments(path)
        self.assertIn("GNU_RELRO", [kind for kind, _ in found])
        for kind, flags in found:
            if kind == "GNU_STACK":
                self.assertNotIn("E", flags)
            self.assertFalse("W" in flags and "E" in flags, f"{kind} {flags}")
        self.assertIn("GNU_STACK", [kind for kind, _ in found])
        dynamic = run("readelf", "--dynamic", "--wide", path).stdout
        self.assertNotIn("TEXTREL", dynamic)
        return dynamic

    def test_shared_object(self):
        dynamic = self.check(self.shared())
        if not self.is_shared:
            self.assertRegex(dynamic, r"FLAGS.*NOW")

    def test_programs(self):
        include = f"-I{OPTIONS.project}/include"
        library = [OPTIONS.library, *([f"-Wl,-rpath,{os.path.dirname(OPTIONS.library)}"] if self.is_shared else [])]
        modes = {"pie": ["-fPIE", "-pie"], "fixed": ["-fno-pie", "-no-pie"], "now": ["-fPIE", "-pie", "-Wl,-z,now"]}
        if not self.is_shared:
            modes["static"] = ["-static"]
        for name, flags in modes.items():
            with self.subTest(name):
                program = self.link(name, *flags, include, self.source, *library)
                self.check(program)
                self.assertEqual(run(program, env={"NOPAL_WORKERS": "3", "LD_BIND_NOW": "1"}).returncode, 0)


LATENT = """
#include <nopal/nopal.hpp>
#include <atomic>
#include <chrono>
using clock_of_test = std::chrono::steady_clock;
std::atomic<int> taken{0};
void long_leaf() {
  const auto begin = clock_of_test::now();
  while (taken.load() < 3 && clock_of_test::now() - begin < std::chrono::seconds(20)) {
  }
}
void below(int n) {
  if (n == 0) return long_leaf();
  nopal::scope s;
  s.fork(below, n - 1);
  taken.fetch_add(1);  // by thieves, while the leaf runs
  s.join();
}
int main() {
  const auto begin = clock_of_test::now();
  below(3);
  return clock_of_test::now() - begin < std::chrono::seconds(20) ? 0 : 1;
}
"""


class Static(unittest.TestCase):
    """GCC links -static without the index of unwind tables: forks are eager there, and thieves get them."""

    def test_thieves_get_forks(self):
        if not OPTIONS.library.endswith(".a"):
            self.skipTest("the library is not an archive")
        with tempfile.TemporaryDirectory() as directory:
            source = os.path.join(directory, "program.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(LATENT)
            for flags in ([], ["-Wl,--eh-frame-hdr"]):
                with self.subTest(f"-static {flags}"):
                    program = os.path.join(directory, "program")
                    made = run(OPTIONS.compiler, "-std=c++20", "-O2", "-pthread", "-static", *flags,
                               f"-I{OPTIONS.project}/include", source, OPTIONS.library, "-o", program)
                    self.assertEqual((made.returncode, made.stderr), (0, ""))
                    self.assertEqual(run(program, env={"NOPAL_WORKERS": "4"}).returncode, 0)


class Objects(unittest.TestCase):
    def test_each_says_that_its_stack_does_not_execute(self):
        if not OPTIONS.library.endswith(".a"):
            self.skipTest("the library is not an archive")
        text = run("readelf", "--sections", "--wide", OPTIONS.library).stdout
        members = re.split(r"^File: ", text, flags=re.MULTILINE)[1:]
        self.assertGreater(len(members), 10)
        for member in members:
            note = re.search(r"\.note\.GNU-stack +PROGBITS +\S+ +\S+ +\S+ +\S+ +([A-Z]*) +\d+ +\d+ +\d+", member)
            self.assertIsNotNone(note, member.splitlines()[0])
            self.assertNotIn("X", note.group(1), member.splitlines()[0])


class ControlFlow(unittest.TestCase):
    """Assembly under -fcf-protection: marked for indirect branch tracking, never for shadow stacks."""

    def assemble(self, name, *flags):
        with tempfile.TemporaryDirectory() as directory:
            output = os.path.join(directory, "object.o")
            made = run(OPTIONS.compiler, *flags, f"-I{OPTIONS.project}/src", f"-I{OPTIONS.project}/include", "-c",
                       os.path.join(OPTIONS.project, "src", "arch", "x86_64", name), "-o", output)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            return (run("readelf", "--notes", output).stdout, run("readelf", "--symbols", "--wide", output).stdout,
                    run("objdump", "--disassemble", "--no-show-raw-insn", output).stdout)

    def test_notes(self):
        for name in ("continuation.S", "fibril.S"):
            for flags, expected in ((["-fcf-protection=none"], None), (["-fcf-protection=full"], "IBT"),
                                    (["-fcf-protection=branch"], "IBT"), (["-fcf-protection=return"], None)):
                with self.subTest(f"{name} {flags}"):
                    notes, _, _ = self.assemble(name, *flags)
                    found = re.search(r"x86 feature: (.*)", notes)
                    self.assertEqual(found.group(1).strip() if found else None, expected)

    def test_entries(self):
        """What other objects may reach through a pointer starts with endbr64."""
        checked = 0
        for name in ("continuation.S", "fibril.S"):
            _, symbols, code = self.assemble(name)
            for symbol in re.findall(r"FUNC +GLOBAL +DEFAULT +\d+ (\w+)", symbols):
                first = re.search(rf"<{symbol}>:\n +[0-9a-f]+:\s+(\w+)", code)
                self.assertEqual(first and first.group(1), "endbr64", symbol)
                checked += 1
        self.assertGreater(checked, 4)

    def test_jumps(self):
        """Continuations are in the middle of functions: every jump to one says that it is not to be tracked."""
        _, _, code = self.assemble("continuation.S")
        tail_call = "jmp *%rsi"  # to a function, which starts as it must
        jumps = [" ".join(found.split()) for found in re.findall(r"(?:notrack )?jmp +\*%\w+", code)]
        self.assertEqual(sorted(jumps), sorted([tail_call, "notrack jmp *%rcx"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--compiler", "--library", "--project"):
        parser.add_argument(option, required=True)
    OPTIONS, rest = parser.parse_known_args()
    if not shutil.which("readelf") or not shutil.which("objdump"):
        print("readelf or objdump is missing")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
