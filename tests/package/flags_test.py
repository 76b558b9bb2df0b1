"""Code that forks, compiled with flags that change calls, frames or assembly: it works, or is refused in one line.

Usage: flags_test.py CC CXX INCLUDE_DIRECTORY LIBRARY [unittest options]
"""

import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from sampling import some_of  # noqa: E402

compilers, include, library = {}, "", ""

CXX_PROGRAM = """
#include <nopal/nopal.hpp>
#include <nopal/reducer.hpp>
#include <atomic>
#include <thread>
static int fib(int n) {
  if (n < 2) return n;
  int x, y;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  y = fib(n - 2);
  s.join();
  return x + y;
}
static long mix(long a, int b, long c, long d, long e, long f, long g, long h) {
  return a + b + c + d + e + f + g + h;
}
int main() {
  nopal::reducer<nopal::op_add<long>> sum;
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> went_on{false};
    long d = 0;
    alignas(64) long local[8] = {1, 2, 3};
    nopal::scope s;
    s.fork([&] {
      *sum += 1;
      while (!went_on) std::this_thread::yield();
    });
    local[3] = i;
    *sum += 2;
    const long e = mix(1, i, 2, 3, 4, 5, 6, 7);
    went_on = true;
    s.fork_into(d, mix, 1L, i, 2L, 3L, 4L, 5L, 6L, 7L);
    s.join();
    if (e != 28 + i || d != e || local[3] != i || local[0] != 1) return 1;
  }
  return fib(16) == 987 && *sum == 60 ? 0 : 2;
}
"""

C_PROGRAM = """
#include <nopal/nopal.h>
#include <nopal/compat/fibril.h>
#include <sched.h>
static volatile int went_on;
static void child(void* argument) {
  (void)argument;
  while (!went_on) sched_yield();
}
static int fib(int n);
NOPAL_FORKABLE(int, fib, (int, n))
static int fib(int n) {
  int x, y;
  nopal_scope s;
  if (n < 2) return n;
  nopal_scope_init(&s);
  nopal_fork_fib(&s, &x, n - 1);
  y = fib(n - 2);
  nopal_join(&s);
  return x + y;
}
fibril static int fibril_fib(int n) {
  fibril_t fr;
  int x, y;
  if (n < 2) return n;
  fibril_init(&fr);
  fibril_fork(&fr, &x, fibril_fib, (n - 1));
  y = fibril_fib(n - 2);
  fibril_join(&fr);
  return x + y;
}
int main(void) {
  for (int i = 0; i < 20; ++i) {
    nopal_scope s;
    nopal_scope_init(&s);
    went_on = 0;
    nopal_fork(&s, child, 0);
    if (fib(8) != 21) return 1;
    went_on = 1;
    nopal_join(&s);
  }
  return fib(15) == 610 && fibril_fib(15) == 610 ? 0 : 2;
}
"""

WORKING = [
    "-masm=intel", "-masm=intel -O0 -fPIC", "-mno-red-zone", "-fcf-protection=full", "-mshstk", "-fomit-frame-pointer",
    "-fno-plt -fPIC", "-mcmodel=medium", "-mcmodel=large", "-fstack-clash-protection", "-fno-asynchronous-unwind-tables",
    "-fvisibility=hidden", "-fstack-protector-all", "-ftrivial-auto-var-init=pattern", "-fnon-call-exceptions",
    "-mstackrealign", "-finstrument-functions", "-fsanitize=undefined", "-save-temps=obj",
]
WORKING_GCC = [
    "-fharden-compares -fharden-conditional-branches", "-fipa-ra", "-mforce-drap", "-maccumulate-outgoing-args",
    "-mno-push-args", "-mindirect-branch=thunk -mfunction-return=thunk -fcf-protection=none",
    "-mpreferred-stack-boundary=6", "-fzero-call-used-regs=all",
]
WORKING_CLANG = ["-mretpoline", "-fzero-call-used-regs=all"]
# Those of calls through pointers, in both languages. They need an optimizing linker.
INTEGRITY = ["-flto -fvisibility=hidden -fsanitize=cfi", "-flto -fvisibility=hidden -fsanitize=cfi-icall -fno-sanitize-trap=cfi-icall",
             "-fsanitize=kcfi", "-O0 -fsanitize=kcfi"]
IN_C = ["-save-temps=obj", "-masm=intel", "-mcmodel=large", "-fno-plt -fPIC", "-mno-red-zone", "-fcf-protection=full"]
# Their tables are for debuggers alone.
LATENT_IN_C = ["-fno-asynchronous-unwind-tables -g", "-fno-asynchronous-unwind-tables -g -O3 -fPIC", "-fexceptions", "-O0 -fPIC"]
REFUSED_GCC = {"-mabi=ms": "nopal: -mabi=ms"}
REFUSED_CLANG = {"-fsanitize=safe-stack": "nopal: -fsanitize=safe-stack", "-fsanitize=memory": "nopal: -fsanitize=memory",
                 "-fsanitize=dataflow": "nopal: -fsanitize=dataflow",
                 "-mspeculative-load-hardening": "nopal: -mspeculative-load-hardening"}


def is_clang():
    return "clang" in subprocess.run([compilers["c++"], "--version"], capture_output=True, text=True,
                                     check=True).stdout


def command_of(language, flags, *more):
    standard = "-std=c11" if language == "c" else "-std=c++20"
    return [compilers[language], standard, "-O1", *flags.split(), "-I", include, *more]


def built(language, flags, place):
    """The program, or what the compiler said."""
    source = os.path.join(place, "program." + {"c": "c", "c++": "cpp"}[language])
    program = os.path.join(place, language + flags.replace(" ", "").replace("/", ""))
    with open(source, "w", encoding="ascii") as file:
        file.write({"c": "#define _GNU_SOURCE\n" + C_PROGRAM, "c++": CXX_PROGRAM}[language])
    rest = [source, library, "-o", program, "-pthread", "-lstdc++", "-lm"]
    if ".so" in library:
        rest.append("-Wl,-rpath," + os.path.dirname(library))
    done = subprocess.run(command_of(language, flags, *rest), capture_output=True, text=True, check=False)
    return (program, "") if done.returncode == 0 else (None, done.stderr)


def ended(program):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
    return subprocess.run([program], capture_output=True, text=True, timeout=60, check=False,
                          env={**environment, "NOPAL_WORKERS": "3"})


class Flags(unittest.TestCase):
    def complaint(self, case):
        language, flags = case
        with tempfile.TemporaryDirectory() as place:
            program, said = built(language, flags, place)
            if program is None:
                return f"{language} {flags}: {said}"
            result = ended(program)
            return "" if result.returncode == 0 else f"{language} {flags}: {result.returncode} {result.stderr}"

    def test_odd_flags_work(self):
        flags = WORKING + (WORKING_CLANG if is_clang() else WORKING_GCC)
        with ThreadPoolExecutor(2) as pool:
            complaints = pool.map(self.complaint, some_of(
                [("c++", one) for one in flags] + [("c", one) for one in dict.fromkeys(flags + IN_C + LATENT_IN_C)] +
                [("c++", "-DNOPAL_FORKS_EAGER " + one) for one in flags] +
                [("c", "-DNOPAL_FORKS_EAGER " + one) for one in IN_C], 3))
        self.assertEqual([one for one in complaints if one], [])

    def test_forks_pass_the_checks_of_calls_through_pointers(self):
        if not is_clang():
            self.skipTest("Clang's")
        linker = next((one for one in ("lld", "gold") if self.links("-flto -fuse-ld=" + one)), None)
        if linker is None:
            self.skipTest("no linker for -flto")
        for language in ("c", "c++"):
            for flags in INTEGRITY:
                with self.subTest(language + " " + flags):
                    self.assertEqual(self.complaint((language, f"{flags} -fuse-ld={linker}")), "")

    def links(self, flags):
        with tempfile.TemporaryDirectory() as place:
            return built("c", flags, place)[0] is not None

    def test_what_cannot_work_is_one_error(self):
        for flags, says in (REFUSED_CLANG if is_clang() else REFUSED_GCC).items():
            with self.subTest(flags):
                done = subprocess.run(command_of("c", flags, "-fsyntax-only", "-x", "c", "-"), input=C_PROGRAM,
                                      capture_output=True, text=True, check=False)
                errors = [line for line in done.stderr.splitlines() if " error: " in line]
                self.assertEqual(len(errors), 1, done.stderr)
                self.assertIn(says, errors[0])

    def test_a_file_can_ask_whether_its_forks_are_latent(self):
        for flags, latent in some_of((("", 1), ("-O0 -fPIC", 1), ("-DNOPAL_FORKS_EAGER", 0), ("-fsanitize=address", 0),
                                      ("-fsanitize=thread", 0), ("-mcmodel=large", 0), ("-DNOPAL_ELIDE", 0)), 3):
            with self.subTest(flags):
                for language, header, check in (("c++", "nopal.hpp", "static_assert"), ("c", "nopal.h", "_Static_assert")):
                    source = f"#include <nopal/{header}>\n{check}(NOPAL_HAS_LATENT_FORKS == {latent}, \"\");\n"
                    done = subprocess.run(command_of(language, flags, "-fsyntax-only", "-x", language, "-"), input=source,
                                          capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_result_in_a_thread_local_variable_by_its_name_is_refused_by_gcc(self):
        in_cpp = ("#include <nopal/nopal.hpp>\nthread_local int r;\nint next(int);\nvoid forks() {\n  nopal::scope s;\n"
                  "  s.fork_into(r, next, 1);\n  s.join();\n}\n")
        in_c = ("#include <nopal/nopal.h>\nextern _Thread_local int r;\nNOPAL_FORKABLE(int, next, (int, i))\nvoid forks(void);\n"
                "void forks(void) {\n  nopal_scope s;\n  nopal_scope_init(&s);\n  nopal_fork_next(&s, &r, 1);\n  nopal_join(&s);\n}\n")
        for flags in some_of(("", "-O2 -fPIC", "-O2", "-O2 -masm=intel", "-O2 -fno-pie"), 2):
            for language, source in (("c++", in_cpp), ("c", in_c)):
                with self.subTest(language + " " + flags):
                    self.is_refused(command_of(language, flags, "-c", "-x", language, "-", "-o", os.devnull),
                                    source)

    def is_refused(self, command, source):
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        errors = [line for line in done.stderr.splitlines() if "Error: " in line]
        if is_clang() or done.returncode == 0:
            self.assertEqual(done.stderr, "")
        else:
            self.assertEqual(len(errors), 1, done.stderr)
            self.assertIn("nopal: the result of a latent fork goes to a thread-local variable by its name", errors[0])

    def test_a_debugger_finds_what_prints_the_workers(self):
        for flags in ("-g", "-ffunction-sections -fdata-sections -Wl,--gc-sections"):
            with self.subTest(flags), tempfile.TemporaryDirectory() as place:
                program, said = built("c++", flags, place)
                self.assertIsNotNone(program, said)
                holder = library if ".so" in library else program
                names = subprocess.run(["nm", "--defined-only", holder], capture_output=True, text=True, check=True).stdout
                self.assertIn(" T nopal_print_workers", names)

    def test_split_stacks_are_refused_by_the_linker(self):
        says = "nopal: code compiled with -fsplit-stack cannot run on other stacks: compile without it"
        if is_clang():
            says = "nopal.code_compiled_with_fsplit_stack_cannot_run_on_other_stacks.compile_without_it"
        for language in ("c", "c++"):
            for flags in some_of(("-fsplit-stack", "-fsplit-stack -O0", "-fsplit-stack -O2 -fPIC", "-fsplit-stack -masm=intel",
                                  "-fsplit-stack -mcmodel=large", "-fsplit-stack -fuse-ld=gold"), 3):
                with self.subTest(language + " " + flags), tempfile.TemporaryDirectory() as place:
                    program, said = built(language, flags, place)
                    if program is None and "gold" in flags and says not in said:
                        continue  # there is none
                    self.assertIsNone(program)
                    missing = [line for line in said.splitlines() if "undefined reference" in line]
                    self.assertTrue(missing)
                    self.assertEqual([line for line in missing if says not in line], [])

    def test_nothing_of_the_refusal_stays_in_other_code(self):
        for language in ("c", "c++"):
            for flags in some_of(("", "-O0", "-fPIC"), 3):
                with self.subTest(language + " " + flags), tempfile.TemporaryDirectory() as place:
                    program, said = built(language, flags + " -r -nostdlib", place)
                    self.assertIsNotNone(program, said)
                    names = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
                    self.assertNotRegex(names, "nopal[:.]")
                    self.assertNotIn("morestack", names)

    def test_split_stacks_are_refused_at_the_first_fork_of_other_code(self):
        with tempfile.TemporaryDirectory() as place:
            main, forks, program = (os.path.join(place, name) for name in ("main.c", "forks.o", "program"))
            with open(main, "w", encoding="ascii") as file:
                file.write("int forks(void);\nint main(void) { return forks(); }\n")
            subprocess.run(command_of("c", "-Dmain=forks", "-c", "-x", "c", "-", "-o", forks),
                           input="#define _GNU_SOURCE\n" + C_PROGRAM, text=True, check=True)
            done = subprocess.run(command_of("c", "-fsplit-stack", main, forks, library, "-o", program, "-pthread", "-lstdc++", "-lm",
                                             "-Wl,-rpath," + os.path.dirname(library)), capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.skipTest("no linker for -fsplit-stack: " + done.stderr)
            result = ended(program)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(result.stderr, "nopal: code compiled with -fsplit-stack cannot run on other stacks: "
                                            "compile without it\n")


if __name__ == "__main__":
    compilers["c"], compilers["c++"], include, library = sys.argv[1:5]
    del sys.argv[1:5]
    unittest.main()
