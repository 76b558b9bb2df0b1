"""A program and its plug-in that each have a library: they work, or one line says how to link them.

Usage: copies_test.py CXX INCLUDE_DIRECTORY LIBRARY... [unittest options]
LIBRARY: an archive, a shared library, or one of each.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

# Inline functions and templates' instances that both parts have, with objects of one passed to code of either.
SHARED = """
#include <nopal/monoids.hpp>
#include <nopal/parallel.hpp>
#include <nopal/reducer.hpp>
#include <nopal/runtime.hpp>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

inline long fib(int n) {
  if (n < 2) return n;
  long a, b;
  nopal::scope s;
  s.fork_into(a, fib, n - 1);
  b = fib(n - 2);
  s.join();
  return a + b;
}

using sum = nopal::reducer<nopal::op_add<long>>;

inline void add(sum& to, long value) { *to += value; }

/// 0, or the number of what was wrong.
inline int compute(int n) {
  auto total = std::make_unique<sum>();
  nopal::reducer<nopal::op_string_append> text;
  nopal::parallel_for(0, n, [&](int i) {
    add(*total, i);
    *text += static_cast<char>('a' + i % 26);
  });
  if (**total != static_cast<long>(n) * (n - 1) / 2) return 1;
  for (int i = 0; i < n; ++i) {
    if ((*text)[static_cast<std::size_t>(i)] != 'a' + i % 26) return 2;
  }
  if (fib(16) != 987) return 3;
  std::atomic<bool> went_on{false};
  int caught = 0;
  try {
    nopal::scope s;
    s.fork([&] {
      while (!went_on && nopal::workers() > 1) std::this_thread::yield();
      throw 5;
    });
    went_on = true;
    s.join();
  } catch (int thrown) {
    caught = thrown;
  }
  if (caught != 5) return 4;
  return nopal::stats().workers == nopal::workers() ? 0 : 5;
}
"""

PLUGIN = """
#include "shared.hpp"
static sum calls;
extern "C" __attribute__((visibility("default"))) int plugin(int n) {
  *calls += 1;
  return compute(n);
}
extern "C" __attribute__((visibility("default"))) long plugin_workers() { return nopal::workers(); }
"""

# Argument 2 says whether the program itself uses the library before, after, or never.
PROGRAM = """
#include "shared.hpp"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
static int failed(const char* where, int code) {
  std::fprintf(stderr, "%s: %d\\n", where, code);
  return 1;
}
int main(int, char** argv) {
  alarm(60);
  const bool before = std::strcmp(argv[2], "before") == 0;
  const bool never = std::strcmp(argv[2], "never") == 0;
  for (int i = 0; i < 5; ++i) {
    if (before) {
      if (const int code = compute(1000)) return failed("before", code);
    }
    void* const handle = dlopen(argv[1], RTLD_NOW);
    if (handle == nullptr) return failed(dlerror(), 0);
    const auto plugin = reinterpret_cast<int (*)(int)>(dlsym(handle, "plugin"));
    if (const int code = plugin(1000)) return failed("plug-in", code);
    if (const int code = never ? 0 : compute(1000)) return failed("program", code);
    const pid_t child = fork();
    if (child == 0) _exit(plugin(100) + (never ? 0 : compute(100)));
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return failed("child process", status);
    if (i < 4 && dlclose(handle) != 0) return failed("dlclose", 0);
  }
  if (argv[3] != nullptr) {  // has either a runtime of its own?
    nopal::configuration other;
    other.workers = 2;
    nopal::shutdown();
    nopal::configure(other);
    void* const handle = dlopen(argv[1], RTLD_NOW);
    const long seen = reinterpret_cast<long (*)()>(dlsym(handle, "plugin_workers"))();
    std::printf("%s\\n", seen == 2 ? "one" : "two");
  }
  return 0;
}
"""

# Options of the program, of the plug-in, and how many runtimes there are; None: refused.
CASES = [
    ("", "", 2),
    ("-rdynamic", "", 1),
    ("-rdynamic -fno-pie -no-pie", "", 1),
    ("-rdynamic -O0", "-O0", 1),
    ("-rdynamic", "-fvisibility=hidden", 1),
    ("-rdynamic", "-Wl,-Bsymbolic", 2),
    ("-rdynamic", "-fvisibility=hidden -Wl,--exclude-libs,ALL", 2),
    ("-rdynamic", "-Wl,--exclude-libs,ALL", None),
    ("-rdynamic", "-Wl,-Bsymbolic-functions", None),
    ("-rdynamic -Wl,--exclude-libs,ALL", "", None),
]

compiler, include, libraries = "", "", []
environment = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}


def build(place, name, source, flags, library, *after):
    path = os.path.join(place, name)
    command = [compiler, "-std=c++20", "-O2", *flags.split(), "-I", include, "-I", place, os.path.join(place, source), "-o", path,
               library, *after, "-pthread", "-ldl"]
    if ".so" in library:
        command.append("-Wl,-rpath," + os.path.dirname(library))
    else:
        command.append("-DNOPAL_STATIC")
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


class Copies(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        for name, text in (("shared.hpp", SHARED), ("plugin.cpp", PLUGIN), ("program.cpp", PROGRAM)):
            with open(os.path.join(self.place, name), "w", encoding="ascii") as file:
                file.write(text)

    def parts_of(self, cases):
        """Programs and plug-ins of the cases, by their flags and libraries."""
        wanted = {("program", case[0], case[2]) for case in cases} | {("plugin", case[1], case[3]) for case in cases}
        def made(number_and_part):
            number, (kind, flags, library) = number_and_part
            rest = "" if kind == "program" else " -fPIC -shared"
            return build(self.place, f"{kind}{number}", kind + ".cpp", flags + rest, library)
        wanted = sorted(wanted)
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(wanted, pool.map(made, enumerate(wanted))))

    def run_program(self, program, plugin, *arguments, workers=3):
        return subprocess.run([program, plugin, *arguments], capture_output=True, text=True, check=False,
                              env={**environment, "NOPAL_WORKERS": str(workers)})

    def check(self, cases):
        """Each case: flags of the program and the plug-in, their libraries, and the number of runtimes."""
        parts = self.parts_of(cases)
        for program_flags, plugin_flags, first, second, runtimes in cases:
            program, plugin = parts["program", program_flags, first], parts["plugin", plugin_flags, second]
            with self.subTest(f"[{program_flags}] [{plugin_flags}] {os.path.basename(first)} {os.path.basename(second)}"):
                if runtimes is None:
                    result = self.run_program(program, plugin, "after")
                    self.assertNotEqual(result.returncode, 0)
                    self.assertRegex(result.stderr, r"^nopal: .*/plugin\d+ shares inline functions or variables with another part "
                                                    r"of the program, .*: link it with -Wl,-Bsymbolic, or all parts with "
                                                    r"libnopal.so\n$")
                    continue
                for when, workers in itertools.product(("before", "after", "never"), (1, 3)):
                    result = self.run_program(program, plugin, when, workers=workers)
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""), (when, workers))
                result = self.run_program(program, plugin, "after", "count")
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "one\n" if runtimes == 1 else "two\n", ""))

    def test_an_archive_in_each_is_one_runtime_or_two_or_refused(self):
        archive = [one for one in libraries if one.endswith(".a")]
        if not archive:
            self.skipTest("no archive")
        self.check([(program, plugin, archive[0], archive[0], runtimes) for program, plugin, runtimes in CASES])

    def test_an_archive_beside_a_shared_library_is_one_runtime_or_two(self):
        if len(libraries) < 2:
            self.skipTest("not both libraries")
        archive, shared = sorted(libraries, key=lambda one: ".so" in one)
        self.check([("", "", archive, shared, 2), ("-rdynamic", "", archive, shared, 1), ("-rdynamic", "", shared, archive, 1)])

    def test_a_plugin_on_the_programs_link_line_shares_its_runtime(self):
        archive = [one for one in libraries if one.endswith(".a")]
        if not archive:
            self.skipTest("no archive")
        library = build(self.place, "libplugin.so", "plugin.cpp", "-fPIC -shared", archive[0])
        # The archive comes first: the linker takes names from where it meets them.
        linked = build(self.place, "linked", "program.cpp", "-Wl,-rpath," + self.place, archive[0], "-Wl,--no-as-needed", library)
        result = self.run_program(linked, library, "after", "count")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "one\n", ""))

    def test_another_build_of_the_library_cannot_stand_in(self):
        archive = [one for one in libraries if one.endswith(".a")]
        if not archive:
            self.skipTest("no archive")
        with open(os.path.join(include, "nopal", "version.hpp"), encoding="ascii") as file:
            version = re.search(r'VERSION_STRING "(.*)"', file.read()).group(1)
        with open(archive[0], "rb") as file:
            ours = file.read()
        earlier = os.path.join(self.place, "libearlier.a")
        with open(earlier, "wb") as file:
            file.write(ours.replace(version.encode() + b"\0", b"x" * len(version) + b"\0"))
        program = build(self.place, "program", "program.cpp", "-rdynamic", earlier)
        plugin = build(self.place, "plugin", "plugin.cpp", "-fPIC -shared", archive[0])
        result = self.run_program(program, plugin, "after")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, rf"^nopal: {plugin} has version {version} of the library, and another part of the program, "
                                        r"whose names stand before it, x+: link it with -Wl,-Bsymbolic, or all parts with one "
                                        r"libnopal.so\n$")


if __name__ == "__main__":
    compiler, include = sys.argv[1:3]
    del sys.argv[1:3]
    while len(sys.argv) > 1 and sys.argv[1].endswith((".a", ".so")):
        libraries.append(sys.argv.pop(1))
    unittest.main()
