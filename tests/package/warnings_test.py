"""The headers, found by -I and not as a system's, cause no warning, whatever a program asks for.

Usage: warnings_test.py CC CXX INCLUDE_DIRECTORY TBB_INCLUDE_DIRECTORY [unittest options]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import flags_test

compilers, include, tbb_include = {}, pathlib.Path(), ""

BOTH = ("-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-align -Wcast-qual -Wdouble-promotion"
        " -Wformat=2 -Wswitch-enum -Wfloat-equal -Wredundant-decls -Wmissing-declarations").split()
BOTH_CXX = ("-Wold-style-cast -Wzero-as-null-pointer-constant -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi").split()
GCC = "-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wnull-dereference".split()
GCC_C = "-Wc++-compat -Wjump-misses-init".split()
GCC_CXX = "-Wuseless-cast -Wsuggest-override".split()
# Everything but matters of taste: what older standards lack, where padding goes and vtables, what the interface of C and of one
# entry for all children is made of.
CLANG = ["-Weverything"] + ["-Wno-" + name for name in (
    "c++98-compat c++98-compat-pedantic c++20-compat pre-c2x-compat pre-c11-compat declaration-after-statement padded unsafe-buffer-usage"
    " ctad-maybe-unsupported weak-vtables reserved-identifier reserved-macro-identifier exit-time-destructors cast-function-type-strict"
    " gnu-auto-type gnu-statement-expression gnu-statement-expression-from-macro-expansion switch-default used-but-marked-unused unknown-warning-option").split()]

TBB_PROGRAM = """
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
int main() {
  tbb::enumerable_thread_specific<int> counts(1);
  tbb::parallel_for(0, 100, [&](int) { ++counts.local(); });
  const int sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 100), 0, [](const tbb::blocked_range<int>& r, int s) { return s + r.end() - r.begin(); },
      [](int a, int b) { return a + b; });
  tbb::task_arena arena(2);
  tbb::task_group group;
  arena.execute([&] { group.run([&] { ++counts.local(); }); });
  arena.enqueue([] {});
  group.wait();
  return sum == 100 ? 0 : 1;
}
"""

# What a fork in C passes in each of its ways. Compilers say of what macros make that it is the program's.
KINDS_IN_C = """
#include <nopal/nopal.h>
typedef struct { char bytes[3]; } three;
typedef struct { long values[20]; } many;
NOPAL_FORKABLE(int, words, (int, a), (const char*, b), (_Bool, c))
NOPAL_FORKABLE(double, numbers, (double, a), (long, b), (double, c))
NOPAL_FORKABLE(float, parts, (float, a), (const three, b), (volatile int, c), (long double, d))
NOPAL_FORKABLE(many, copied, (many, a), (int[4], table), (long double, b), (int, c))
NOPAL_FORKABLE(three, stored)
NOPAL_FORKABLE_VOID(nothing, (unsigned char, a))
void untyped(void* argument);
int forks(many* m, int* table);
int forks(many* m, int* table) {
  int a;
  double b;
  float c;
  three d;
  many e;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_words(&s, &a, 1, "text", 1);
  nopal_fork_numbers(&s, &b, 1.0, 2, 3.0);
  nopal_fork_stored(&s, &d);
  nopal_join(&s);
  nopal_fork_parts(&s, &c, 1.0F, d, 2, 3.0L);
  nopal_fork_copied(&s, &e, *m, table, 1.0L, 2);
  nopal_fork_nothing(&s, 7);
  nopal_fork(&s, untyped, m);
  nopal_join(&s);
  return a + (int)b + (int)c + (int)e.values[0];
}
"""

# Static functions, declared before; arguments and results of many bytes; and a function that compilers take for cold.
LARGE_IN_C = """
#include <nopal/nopal.h>
struct odd { unsigned char bytes[17]; };
struct page { long words[512]; };
struct bits { unsigned a : 3; int b : 17; unsigned long c : 40; long d[3]; };
union either { int a; double b; char c[30]; };
struct tailed { int n; long x[3]; char tail[]; };
static long sum(struct odd a, const struct page b, volatile int c);
NOPAL_FORKABLE(long, sum, (struct odd, a), (const struct page, b), (volatile int, c))
static long sum(struct odd a, const struct page b, volatile int c) { return a.bytes[0] + b.words[3] + c; }
static struct page make(struct bits a, union either b, struct tailed c, _Bool d);
NOPAL_FORKABLE(struct page, make, (struct bits, a), (union either, b), (struct tailed, c), (_Bool, d))
static struct page make(struct bits a, union either b, struct tailed c, _Bool d) {
  struct page made = {{0}};
  made.words[0] = a.d[1] + b.a + c.n + (d ? 1 : 0);
  return made;
}
static void decay(const int[4], int[2][3], int (*)(int), struct odd, long double, float, signed char, unsigned short);
NOPAL_FORKABLE_VOID(decay, (const int[4], a), (int[2][3], b), (int (*)(int), c), (struct odd, d), (long double, e), (float, f),
                    (signed char, g), (unsigned short, h))
static void decay(const int a[4], int b[2][3], int (*c)(int), struct odd d, long double e, float f, signed char g,
                  unsigned short h) {
  b[0][0] = a[0] + b[1][1] + c(3) + d.bytes[0] + (int)e + (int)f + g + h;
}
static int plus_one(int x) { return x + 1; }
static struct odd nothing(void);
NOPAL_FORKABLE(struct odd, nothing)
static struct odd nothing(void) {
  struct odd made = {{0}};
  return made;
}
int main(void) {
  struct odd a = {{0}};
  struct odd out;
  struct page page = {{0}};
  struct bits bits = {1, 2, 3, {4, 5, 6}};
  union either either = {3};
  struct tailed tailed = {1, {2, 3, 4}};
  int row[4] = {0};
  int table[2][3] = {{0}};
  long x;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_sum(&s, &x, a, page, 3);
  nopal_fork_make(&s, &page, bits, either, tailed, 1);
  nopal_fork_decay(&s, row, table, plus_one, a, 2.0L, 3.0F, 'c', 4);
  nopal_fork_nothing(&s, &out);
  nopal_join(&s);
  return x + page.words[0] + table[0][0] + out.bytes[0] == 12345;
}
"""

SPECULATION_IN_C = """
#include <nopal/speculate.h>
void child(void* argument);
void inlet(void* context, void* argument);
int stops(int* values, int n);
int stops(int* values, int n) {
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_serial_order);
  for (int i = 0; i < n; ++i) nopal_fork_inlet(&s, child, &values[i], inlet, &s);
  nopal_join(&s.scope);
  if (!nopal_stop_requested() && nopal_cancel_scope_stop(&s) == 0) nopal_shield(child, values);
  nopal_cancel_scope_destroy(&s);
  return values[0];
}
"""

SPECULATION_PROGRAM = """
#include <nopal/nopal.hpp>
#include <nopal/speculate.hpp>
int main() {
  nopal::cancel_scope s{nopal::on_stop::unwind, nopal::inlet_order::serial};
  const std::stop_token token = s.token();
  int sum = 0;
  s.fork_inlet([&sum](int x) { sum += x; }, [](int x) { return x; }, 1);
  s.fork([&s] { s.request_stop(); nopal::poll(); });
  s.fork_into(sum, [] { return 2; });
  s.join();
  return token.stop_requested() && nopal::shield([] { return !nopal::stop_requested(); }) ? 0 : sum;
}
"""

PATTERNS_PROGRAM = """
#include <nopal/nopal.hpp>
#include <string>
#include <vector>
int main() {
  std::vector<int> numbers(1000, 1);
  std::vector<std::string> words(10, "word");
  nopal::parallel_for(0, 1000, [&](int i) { numbers[static_cast<std::size_t>(i)] = 1000 - i; });
  nopal::parallel_sort(numbers);
  nopal::parallel_stable_sort(words);
  nopal::parallel_inclusive_scan(numbers.begin(), numbers.end(), numbers.begin());
  nopal::reducer<nopal::op_string_append> text;
  nopal::parallel_for_each(words, [&](const std::string& word) { *text += word; });
  nopal::parallel_invoke([] {}, [] {});
  const bool found = nopal::parallel_any_of(numbers.begin(), numbers.end(), [](int n) { return n == 3; });
  const long sum = nopal::parallel_reduce(0, 10, 0L, [](int i) { return long{i}; }, [](long a, long b) { return a + b; });
  return found && sum == 45 ? 0 : 1;
}
"""


# Copies that are not passed in registers, with a result and without.
COPIES_PROGRAM = """
#include <nopal/nopal.hpp>
#include <string>
int main() {
  std::string text("text");
  std::string out;
  nopal::scope s;
  s.fork([](const std::string& of) { return of.size(); }, text);
  s.fork([](const std::string& of) { static_cast<void>(of); }, text);
  s.fork_into(out, [](const std::string& of) { return of + of; }, text);
  s.join();
  return static_cast<int>(out.size());
}
"""


def public_headers(under, *patterns):
    """Without those that include what not every system has."""
    return sorted(path for pattern in patterns for path in (include / under).glob(pattern) if path.name not in ("mpi.hpp", "execution.hpp"))


def including(headers, root):
    return "".join(f"#include <{path.relative_to(root)}>\n" for path in headers)


def cases():
    """Language, mode, source."""
    ours = including(public_headers("nopal", "*.h", "*.hpp"), include)
    of_tbb = including(public_headers("nopal/compat/oneapi", "tbb.h", "tbb/*.h"), include / "nopal/compat")
    fibril = "#include <nopal/compat/fibril.h>\n"
    of_cilk = including(public_headers("nopal/compat/cilk", "*.h"), include)
    in_c = "#include <nopal/nopal.h>\n#include <nopal/speculate.h>\n"
    for mode in ("", "-DNOPAL_ELIDE"):
        yield from (("c", mode, source) for source in (
            in_c, fibril, "#define _GNU_SOURCE\n" + flags_test.C_PROGRAM, SPECULATION_IN_C))
        yield from (("c++", mode, source) for source in (
            in_c, SPECULATION_IN_C, SPECULATION_PROGRAM, fibril, ours, of_tbb, flags_test.CXX_PROGRAM, PATTERNS_PROGRAM, TBB_PROGRAM))
    yield "c++", f"-I{include}/nopal/compat", of_cilk
    yield "c", "", "#include <nopal/compat/cilk/cilk_api.h>\n#include <nopal/compat/cilk/cilkscale.h>\n#include <nopal/compat/cilk/cilksan.h>\n"
    yield "c++", "-fno-exceptions", ours + of_tbb
    for mode in ("-fsanitize=thread", "-fsanitize=thread -DNOPAL_CHECKED -mno-avx"):
        yield "c++", mode, SPECULATION_PROGRAM
        yield "c", mode, SPECULATION_IN_C
    parallel = "-fsanitize=thread -DNOPAL_CHECKED_PARALLEL -mno-avx"
    for level in ("", " -O2"):
        yield from (("c", parallel + level, source) for source in (KINDS_IN_C, LARGE_IN_C))
        yield from (("c++", parallel + level, source) for source in (COPIES_PROGRAM, PATTERNS_PROGRAM))
    yield "c++", "-DNOPAL_TBB_STEAL_BODIES", of_tbb + TBB_PROGRAM
    yield "c++", "-DNOPAL_STATIC", ours
    for source in (ours + in_c, flags_test.CXX_PROGRAM, PATTERNS_PROGRAM):
        yield "c++", "-DNOPAL_FORKS_EAGER", source
    yield "c", "", KINDS_IN_C
    yield from (("c", mode, source) for mode in ("-DNOPAL_ELIDE", "-DNOPAL_ELIDE -O2") for source in (KINDS_IN_C, LARGE_IN_C))
    for mode in ("-DNOPAL_FORKS_EAGER", "-O0", "-O2"):
        yield from (("c", mode, source) for source in (in_c, fibril, "#define _GNU_SOURCE\n" + flags_test.C_PROGRAM, KINDS_IN_C,
                                                     LARGE_IN_C))


def is_clang():
    return "clang" in subprocess.run([compilers["c++"], "--version"], capture_output=True, text=True,
                                     check=True).stdout


def warned_about(case):
    """Warnings that have to do with our headers; a program's own are its own."""
    language, mode, source = case
    flags = CLANG if is_clang() else BOTH + GCC + ((BOTH_CXX + GCC_CXX) if language == "c++" else GCC_C)
    standard = "-std=c11" if language == "c" else "-std=c++20"
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "program." + {"c": "c", "c++": "cpp"}[language])
        with open(path, "w", encoding="ascii") as file:
            file.write(source)
        done = subprocess.run([compilers[language], standard, "-O1", *flags, *mode.split(), "-I", include, "-I",
                               tbb_include, "-c", "-o", os.devnull, path], capture_output=True, text=True,
                              check=False)
    lines = done.stderr.splitlines()
    all_are_ours = source in (KINDS_IN_C, LARGE_IN_C)
    ours = [line for line in lines if "warning: " in line and (all_are_ours or line.startswith(str(include)))]
    return ours if done.returncode == 0 else lines


class Warnings(unittest.TestCase):
    def test_there_are_none(self):
        with ThreadPoolExecutor(2) as pool:
            found = sorted({line for lines in pool.map(warned_about, cases()) for line in lines})
        self.assertEqual(found, [], "\n".join(found))

    def test_one_would_be_seen(self):
        source = f"#line 1 \"{include}/nopal/nopal.hpp\"\nint* wrong();\nint* wrong() {{ return (int*)0; }}\n"
        self.assertNotEqual(warned_about(("c++", "", source)), [])


if __name__ == "__main__":
    compilers["c"], compilers["c++"] = sys.argv[1:3]
    include, tbb_include = pathlib.Path(sys.argv[3]), sys.argv[4]
    del sys.argv[1:5]
    unittest.main()
