#!/usr/bin/env python3
"""Flags of the serial and of the parallel library that are mixed, and what the parallel one does not check, have one clear line.

Usage: wrong_flags_test.py COMPILER INCLUDE SERIAL_LIBRARIES PARALLEL_LIBRARIES COMMAND WORK FLAG...   (COMMAND may be none)
"""
import os
import subprocess
import sys

FORKS = """#include <nopal/scope.hpp>
int shared_variable;
int main() {
  nopal::scope s;
  s.fork([] { shared_variable = 1; });
  shared_variable = 2;
  s.join();
}
"""
STOPS = """#include <nopal/speculate.hpp>
int main() {
  nopal::cancel_scope s;
  s.fork([] {});
  s.join();
}
"""
C_FORKS = """#include <nopal/nopal.h>
static void nothing(void*) {}
int main() {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, nothing, nullptr);
  nopal_join(&s);
}
"""
GROUP = """#include <oneapi/tbb/task_group.h>
int main() {
  tbb::task_group g;
  g.run([] {});
  g.wait();
}
"""
PARALLEL = ["-DNOPAL_CHECKED_PARALLEL"]
wrong = []


def expect(what, holds, seen):
    if not holds:
        wrong.append(f"{what}: {seen}")


def run(words):
    environment = {key: value for key, value in os.environ.items() if key != "NOPAL_CHECK"}
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return done.returncode, done.stderr.decode()


def main():
    compiler, include, serial, parallel, command, work, *flags = sys.argv[1:]
    serial, parallel = serial.split(";"), parallel.split(";")
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    for name, text in (("forks", FORKS), ("stops", STOPS), ("c_forks", C_FORKS), ("group", GROUP),
                       ("fibril", "#include <nopal/compat/fibril.h>\n")):
        with open(name + ".cpp", "w", encoding="utf-8") as file:
            file.write(text)
    compilation = [compiler, "-std=c++20", "-O1", "-I", include, "-I", os.path.join(include, "nopal/compat")]

    def lines_of(name, macros, libraries):
        status, error = run([*compilation, *flags, *macros, name + ".cpp", "-o", name, *libraries])
        expect(f"{name} {macros} is linked", status == 0, error)
        return run(["./" + name]) if status == 0 else (status, error)

    of_other = "nopal: check: the program was compiled with NOPAL_CHECKED_PARALLEL and linked with nopal_check: "
    of_serial = "nopal: check: a file was compiled without NOPAL_CHECKED_PARALLEL and linked with nopal_check_parallel: "
    by_other = " is not checked in parallel: "
    for what, name, macros, libraries, line in (
            ("parallel flags, serial library", "forks", PARALLEL, serial, of_other),
            ("parallel flags, both libraries", "forks", PARALLEL, serial[:1] + parallel, of_other),
            ("serial flags, parallel library", "forks", [], parallel, of_serial),
            ("serial flags, C's interface", "c_forks", [], parallel, of_serial),
            ("a scope that nobody stops", "stops", PARALLEL, parallel, by_other),
            ("a task of oneTBB's interface", "group", PARALLEL, parallel, by_other)):
        status, error = lines_of(name, macros, libraries)
        expect(what, status == 2 and line in error and error.count("\n") == 1, (status, error))
    status, error = lines_of("c_forks", PARALLEL, parallel)
    expect("C's interface", status == 0, (status, error))
    status, error = run([*compilation, *flags, *PARALLEL, "-c", "fibril.cpp", "-o", "fibril.o"])
    expect("Fibril", status != 0 and "not checked in parallel" in error, (status, error))
    _, error = run([*compilation, *PARALLEL, "-c", "forks.cpp", "-o", "forks.o"])
    expect("the macro alone", "take the flags of pkg-config --cflags nopal-check-parallel" in error, error)
    if command != "none":
        lines_of("forks", PARALLEL, parallel)
        status, error = run([command, "check", "--", "./forks"])
        expect("the command", status == 66 and "nopal: race: " in error, (status, error))
    print("\n".join(wrong) or "all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
