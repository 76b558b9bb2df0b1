#!/usr/bin/env python3
"""Plug-ins: the program opens and closes libraries, of which the next has the addresses of the last.

Usage: plugins_test.py COMPILER INCLUDE LIBRARY_FLAGS WORK FLAG...
"""
import os
import subprocess
import sys

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <nopal/scope.hpp>
int shared, other;
struct plugin {
  void* handle;
  void (*work)(int*);
  explicit plugin(const char* file) : handle(dlopen(file, RTLD_NOW)) {
    if (handle == nullptr) { std::puts(dlerror()); std::exit(9); }
    work = reinterpret_cast<void (*)(int*)>(dlsym(handle, "work"));
  }
  ~plugin() { dlclose(handle); }
};
const void* code[2];
void use(const char* file, int at) { plugin p(file); code[at] = reinterpret_cast<const void*>(p.work); p.work(&shared); }
void use_alone(const char* file) { int mine = 0; plugin p(file); p.work(&mine); }
void in_turn() {
  nopal::scope s;
  s.fork([] { use("./first.so", 0); });
  s.fork([] { use("./second.so", 1); });
  s.join();
}
void one_after_the_other() {
  for (const char* file : {"./first.so", "./second.so"}) {
    plugin p(file);
    nopal::scope s;
    s.fork([&p] { p.work(&shared); });
    p.work(&shared);
    s.join();
  }
}
void data() {
  nopal::scope s;
  s.fork([] { use_alone("./first.so"); });
  use_alone("./second.so");
  s.join();
}
void late() {
  nopal::scope s;
  s.fork([] { other = 1; });
  other = 2;
  s.join();
  plugin p("./forks.so");
  p.work(&shared);
}
void at_its_end() {
  nopal::scope s;
  s.fork([] { use("./last.so", 0); });
  shared = 1;
  s.join();
}
void often() {
  for (int i = 0; i < 400; ++i) use_alone(i % 2 == 0 ? "./first.so" : "./second.so");
}
int main(int, char** argv) {
  struct { const char* name; void (*run)(); } all[] = {
    {"in_turn", in_turn}, {"one_after_the_other", one_after_the_other}, {"data", data},
    {"late", late}, {"at_its_end", at_its_end}, {"often", often}};
  for (const auto& each : all) {
    if (std::strcmp(argv[1], each.name) == 0) each.run();
  }
  if (code[0] != nullptr && code[0] == code[1]) std::puts("same addresses");
}
"""
WORK = "int calls[4];\nextern \"C\" void work(int* x) { *x = 1; ++calls[1]; }\n"
PLUGINS = {
    "first": WORK,
    "second": "\n\n\n" + WORK,
    "last": "static int* at;\nstruct last { ~last() { *at = 7; } } l;\nextern \"C\" void work(int* x) { at = x; }\n",
    "forks": """#include <atomic>
#include <nopal/scope.hpp>
std::atomic<int> count;
extern "C" void work(int* x) {
  nopal::scope s;
  s.fork([x] { ++count; *x = 1; });
  ++count;
  *x = 2;
  s.join();
}
""",
}
FIRST, SECOND = "first.cpp:2", "second.cpp:5"


def line(text):
    return f"program.cpp:{PROGRAM.lstrip().split(text)[0].count(chr(10)) + 1}"


CASES = {  # the races' places, in their order
    "in_turn": [(FIRST, SECOND)],
    "one_after_the_other": [(FIRST, FIRST), (SECOND, SECOND)],
    "data": [],
    "late": [(line("other = 1"), line("other = 2")), ("forks.cpp:6", "forks.cpp:8")],
    "at_its_end": [("./last.so+0x", line("shared = 1"))],
    "often": [],
}
wrong = []


def expect(what, holds, seen=""):
    if not holds:
        wrong.append(f"{what}: {seen}")


def run(words, **options):
    environment = {key: value for key, value in os.environ.items() if key != "NOPAL_CHECK"}
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def build(words, name, source):
    with open(name + ".cpp", "w", encoding="utf-8") as file:
        file.write(source)
    status, _, error = run([*words[0], name + ".cpp", *words[1]])
    expect(f"{name} is compiled", status == 0, error)


def main():
    compiler, include, libraries, work, *flags = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    plain = [compiler, "-std=c++20", "-O1", "-I", include, *flags]
    build((plain, ["-o", "program", *libraries.split(";")]), "program", PROGRAM.lstrip("\n"))
    for name, source in PLUGINS.items():
        build(([*plain, "-fPIC", "-shared"], ["-o", name + ".so"]), name, source)
    if wrong:
        print("\n".join(wrong))
        return 1
    for name, races in CASES.items():
        status, out, error = run(["./program", name])
        expect(name, status == (66 if races else 0), (status, out, error))
        lines = [line for line in error.split("\n") if line.startswith("nopal: race: ")]
        expect(f"{name}: races", len(lines) == len(races) and all(f" at {a}" in line and f" at {b}" in line
                                                                  for line, (a, b) in zip(lines, races)), lines)
        if name == "in_turn":
            expect("the test's libraries have the same addresses", "same addresses" in out, out)
    print("\n".join(wrong) or "all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
