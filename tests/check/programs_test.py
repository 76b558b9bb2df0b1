#!/usr/bin/env python3
"""Whole programs that the corpus has no place for: threads, locks, ends of processes, builds that lose the hooks.

Usage: programs_test.py COMPILER INCLUDE LIBRARY_FLAGS WORK FLAG...
"""
import os
import subprocess
import sys

from number_programs import NUMBER_PROGRAMS
from order_programs import ORDER_PROGRAMS
from system_programs import SYSTEM_PROGRAMS, TWO

FORK = "nopal::scope s; s.fork([] { x = 1; }); x = 2; s.join();"
# Name: source, level, arguments, exit status, parts of what is reported
PROGRAMS = {
    "thread_local_destructors": ("""
#include <mutex>
#include <string>
#include <thread>
std::mutex m;
std::size_t n;
struct holder {
  std::string text;
  [[gnu::noinline]] void end() { n += text.size(); }
  ~holder() { end(); }
};
thread_local holder h;
int main() { std::thread t([] { std::lock_guard g(m); h.text = "of more than a few bytes"; }); t.join(); return n == 0; }
""", "-O1", [], 0, []),
    "many_locks": ("""
#include <mutex>
#include <nopal/scope.hpp>
int x;
""" + TWO + """
int main() {
  static std::mutex locks[200];
  two([] { for (auto& each : locks) each.lock(); ++x; for (auto& each : locks) each.unlock(); });
  two([] { x = 1; });
}
""", "-O1", [], 66, ["nopal: check: 1 race, 1 order that depends on the schedule\n"]),
    "lock_over_forks": ("""
#include <mutex>
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int sum, other;
nopal::mutex m;
int main() {
  nopal::scope outer;
  outer.fork([] { std::lock_guard g(m); other = 1; });
  std::lock_guard g(m);
  nopal::scope s;
  for (int i = 0; i < 4; ++i) s.fork([] { sum = sum + 1; });
  s.fork([] { other = 2; });
  s.join();
  outer.join();
}
""", "-O1", [], 66, ["byte 0 of 'sum'", "nopal: check: 1 race, 1 order"]),
    "recursive_lock_over_forks": ("""
#include <mutex>
#include <nopal/scope.hpp>
int sum;
std::recursive_mutex m;
int main() {
  nopal::scope s;
  m.lock();
  s.fork([] { std::lock_guard g(m); ++sum; });
  ++sum;
  s.join();
  m.unlock();
}
""", "-O1", [], 66, ["byte 0 of 'sum'"]),
    "lock_over_many_forks": ("""
#include <mutex>
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int sum;
nopal::mutex m;
int main() {
  nopal::scope outer;
  for (int i = 0; i < 140000; ++i) {
    outer.fork([] { std::lock_guard g(m); nopal::scope s; s.fork([] { ++sum; }); s.join(); });
  }
  outer.join();
}
""", "-O1", [], 0, ["nopal: check: 0 races, 1 order"]),
    "threads_alone": ("#include <nopal/scope.hpp>\n#include <thread>\nint x;\n"
                      "int main() { std::thread t([] { " + FORK + " }); t.join(); }\n", "-O1", [], 66, ["1 race\n"]),
    "collection_in_a_fork": ("""
#include <cstdlib>
#include <nopal/scope.hpp>
int x[2000000];
[[gnu::noinline]] void empty_children(int n) {
  nopal::scope s;
  for (int i = 0; i < n; ++i) s.fork([] {});
  s.join();
}
[[gnu::noinline]] void b(int n) {
  nopal::scope s;
  for (int i = 0; i < n; ++i) s.fork([](int j) { x[j] = 1; }, i);
  s.join();
}
[[gnu::noinline]] void q(int n) {
  empty_children(n);
  nopal::scope s;
  s.fork([] { b(2000); });
  s.join();
}
int main() {
  for (int more = -3; more <= 3; ++more) {
    const int first = 1000, limit = 1 << 19;
    empty_children(first);
    nopal::scope s;
    s.fork([=] { q(limit - first - 3 + more); });
    for (int i = 0; i < 600000; ++i) s.fork([] {});
    s.join();
  }
}
""", "-O1", [], 0, []),
    "shared_functions": ("""
#include <algorithm>
#include <nopal/scope.hpp>
#include <vector>
std::vector<int> a(100), b(1);
template <class T> void fill(T& all) {
  nopal::scope s;
  s.fork([&all] { std::fill(all.begin(), all.end(), 1); });
  std::fill(all.begin(), all.end(), 2);
  s.join();
}
void first() { fill(a); }
void second() {
  nopal::scope s;
  s.fork([] { std::fill(b.begin(), b.end(), 1); });
  std::fill(b.begin(), b.end(), 2);
  s.join();
}
int main() { first(); second(); }
""", "-O0", [], 66, ["write at shared_functions.cpp:15 ", "nopal: check: 2 races\n"]),
    "signal_stacks": ("""
#include <csignal>
#include <nopal/scope.hpp>
#include <thread>
int x, y;
[[gnu::noinline]] void writes(int* to) { *to = 1; }
void handler(int) {
  int of_the_handler = 0;
  writes(&of_the_handler);
}
void racy_handler(int) { x = 1; }
void forking_handler(int) {
  volatile int room[100];
  nopal::scope s;
  s.fork([&room] { room[50] = 1; });
  room[50] = 2;
  s.join();
}
void raise_in_children(void (*run)(int), void* memory) {
  const stack_t stack{memory, 0, 65536};
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = run;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  nopal::scope s;
  s.fork([] { std::raise(SIGUSR1); });
  s.fork([] { std::raise(SIGUSR1); });
  std::raise(SIGUSR1);
  s.join();
}
int main(int count, char**) {
  static char memory[65536];
  raise_in_children(handler, memory);
  std::thread([] { raise_in_children(handler, new char[65536]); }).join();
  if (count > 1) raise_in_children(racy_handler, memory);
  if (count > 2) raise_in_children(forking_handler, memory);
}
""", "-O1", [["racy"]], 66, ["nopal: race: write at signal_stacks.cpp:10 and write at signal_stacks.cpp:10 of 4 bytes of 'x'",
                            "nopal: check: 1 race\n"]),
    "timed_locks": ("""
#include <chrono>
#include <mutex>
#include <nopal/scope.hpp>
#include <pthread.h>
#include <threads.h>
int a, b, c, d;
""" + TWO + """
int main() {
  static const timespec far{1L << 40, 0};
  static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static std::timed_mutex timed;
  static mtx_t of_c;
  mtx_init(&of_c, mtx_plain);
  two([] { pthread_rwlock_timedwrlock(&rw, &far); ++a; pthread_rwlock_unlock(&rw); });
  two([] { pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &far); ++a; pthread_rwlock_unlock(&rw); });
  two([] { pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &far); ++b; pthread_mutex_unlock(&m); });
  two([] { if (timed.try_lock_for(std::chrono::hours(1))) { ++c; timed.unlock(); } });
  two([] { mtx_lock(&of_c); ++d; mtx_unlock(&of_c); });
}
""", "-O1", [], 0, ["nopal: check: 0 races, "]),
    "ends": ("""
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <nopal/scope.hpp>
#include <sys/wait.h>
#include <unistd.h>
int x;
int main(int, char** argv) {
  const int own = open("own", O_CREAT | O_TRUNC | O_WRONLY, 0666);
  """ + FORK + """
  if (std::strcmp(argv[1], "own") == 0) return own == 2 ? 0 : 1;
  if (std::strcmp(argv[1], "quick") == 0) std::quick_exit(3);
  const pid_t child = std::strcmp(argv[1], "vfork") == 0 ? vfork() : fork();
  if (child == 0) _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) != 7) abort();
}
""", "-O1", [["quick"], ["fork"], ["vfork"]], 66, ["nopal: check: 1 race\n"]),
    "threads_of_c": ("#include <nopal/scope.hpp>\n#include <threads.h>\nint x;\nint run(void*) { " + FORK + " return 5; }\n"
                     "int main() { thrd_t t; int end = 0; thrd_create(&t, run, nullptr); thrd_join(t, &end); return end != 5; }\n",
                     "-O1", [], 66, ["called by run(void*)", "nopal: check: 1 race\n"]),
    "clean": ("#include <nopal/scope.hpp>\nint x;\nint main() { nopal::scope s; s.fork([] { x = 1; }); s.join(); x = 2; }\n",
              "-O1", [], 0, []),
}
wrong = []


def expect(what, holds, seen=""):
    if not holds:
        wrong.append(f"{what}: {seen}")


def run(words, **options):
    environment = {key: value for key, value in os.environ.items() if key != "NOPAL_CHECK"}
    environment.update(options.pop("settings", {}))
    try:
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, **options)
    except subprocess.TimeoutExpired:
        return "no end", ""
    return done.returncode, done.stderr.decode()


def build(compiler, name, source, flags, link, *parts):
    with open(name + ".cpp", "w", encoding="utf-8") as file:
        file.write(source)
    status, error = run([*compiler, *flags, name + ".cpp", *parts, "-o", name, *link])
    expect(f"{name} is compiled", status == 0, error)
    return status == 0


def main():
    compiler, include, libraries, work, *flags = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    plain, link = [compiler, "-std=c++20", "-I", include], libraries.split(";")
    for name, (source, level, calls, expected, parts) in (PROGRAMS | SYSTEM_PROGRAMS | ORDER_PROGRAMS | NUMBER_PROGRAMS).items():
        if not build(plain, name, source.lstrip("\n"), [level, *flags], link):
            continue
        for arguments in calls or [[]]:
            status, error = run(["./" + name, *arguments])
            expect(f"{name} {arguments}", status == expected, (status, error))
            for part in parts:
                expect(f"{name} {arguments} says {part!r} once", error.count(part) == 1, error)
    for what, line, name in (("event", 13, "an event"), ("future", 17, "a future"), ("mutex", 22, "a nopal::mutex to be let go"),
                             ("lock", 27, "a mutex to be let go"), ("shared", 32, "a read-write lock to be let go"),
                             ("spin", 38, "a spin lock to be let go")):
        status, error = run(["./waits", what])
        expect(f"waits {what}", status == 2 and error.count("\n") == 1 and
               error.startswith(f"nopal: check: waits.cpp:{line}: a strand waits for {name}, which"), (status, error))
    status, error = run(["./signal_stacks"])
    expect("signal stacks", status == 0, (status, error))
    status, error = run(["./signal_stacks", "racy", "forks"])
    expect("a signal's handler that forks", status == 66 and "signal_stacks.cpp:14 and write at signal_stacks.cpp:15 " in error and
           "nopal: check: 2 races\n" in error, (status, error))
    for words in (["./blocks", "grows"], ["./blocks", "frees"], ["./counted", "before"]):
        status, error = run(words)
        expect(f"{words}", status == 66 and "nopal: check: 1 race\n" in error, (status, error))
    # The program's own file has the number of a closed standard error.
    run(["./ends", "own"], preexec_fn=lambda: os.close(2))
    expect("a file in place of standard error", os.path.getsize("own") == 0)
    for bad in ("/", "/no/such/file"):
        status, error = run(["./ends", "quick"], settings={"NOPAL_CHECK": "suppressions=" + bad})
        expect(f"suppressions={bad}", status == 2 and "cannot be read" in error and error.count("\n") == 1, (status, error))
    status, error = run(["./ends", "quick"], settings={"NOPAL_CHECK": "suppressions=./ends"})
    expect("a program as suppressions", status == 2 and "'./ends' is no text" in error and error.count("\n") == 1, (status, error))
    with open("long.txt", "w", encoding="utf-8") as file:
        file.write("#" + "-" * 4094 + "ends.cpp\n")
    status, error = run(["./ends", "quick"], settings={"NOPAL_CHECK": "suppressions=long.txt"})
    expect("a long comment", status == 66, (status, error))
    # Builds in which nothing, or not all, is looked at.
    racy = "#include <nopal/scope.hpp>\nint x;\nint main() { " + FORK + " }\n"
    if build(plain, "lost", racy, ["-O1", "-save-temps=obj", *flags], link):
        status, error = run(["./lost"])
        expect("lost hooks", status == 2 and "no hooks" in error or status == 66, (status, error))
    half = "#include <nopal/scope.hpp>\nextern int x;\nvoid half() { " + FORK + " }\n"
    with open("half.cpp", "w", encoding="utf-8") as file:
        file.write(half)
    status, error = run([*plain, "-O1", *[flag for flag in flags if flag == "-DNOPAL_STATIC"], "-c", "half.cpp"])
    expect("half is compiled", status == 0, error)
    if build(plain, "mixed", "int x;\nvoid half();\nint main() { half(); }\n", ["-O1", *flags], link, "half.o"):
        status, error = run(["./mixed"])
        expect("mixed flags", status == 2 and "without the flags" in error, (status, error))
    print("\n".join(wrong) or "all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
