#!/usr/bin/env python3
"""What users call: one command and two, options, exit statuses, the command, and what is refused.

Usage: users_test.py COMPILER INCLUDE LIBRARY_FLAGS COMMAND WORK FLAG...   (COMMAND may be none)
"""
import os
import signal
import subprocess
import sys
import time

RACY = """#include <nopal/scope.hpp>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
int shared_variable, first_file = dup(0);
static void write_it() { shared_variable = 1; }
int main(int argc, char** argv) { if (argc > 1 && std::strcmp(argv[1], "close") == 0) for (int i = 3; i < 100; ++i) close(i);
  int* block = new int[10];
  nopal::scope s;
  s.fork([block] { write_it(); block[3] = 1; });
  shared_variable = 2;
  block[3] = 2;
  s.join();
  delete[] block;
  if (argc > 1 && std::strcmp(argv[1], "first") == 0) return first_file;
  if (argc > 1 && std::strcmp(argv[1], "start") == 0) return std::system(argv[0]);
  if (argc > 1 && std::strcmp(argv[1], "exit") == 0) std::exit(7);
  if (argc > 1 && std::strcmp(argv[1], "_exit") == 0) _exit(7);
  if (argc > 1 && std::strcmp(argv[1], "abort") == 0) std::abort();
  if (argc > 1 && std::strcmp(argv[1], "pause") == 0) pause();
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
"""
CLEAN = RACY.replace("  shared_variable = 2;", "  s.join(); shared_variable = 2;")
wrong = []


def expect(what, holds, seen=""):
    if not holds:
        wrong.append(f"{what}: {seen}")


def run(words, **settings):
    environment = {key: value for key, value in os.environ.items() if key != "NOPAL_CHECK"}
    environment.update(settings)
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def compile_both(compiler, flags, link):
    for name, text in (("racy", RACY), ("clean", CLEAN)):
        with open(name + ".cpp", "w", encoding="utf-8") as file:
            file.write(text)
        status, _, error = run([compiler, "-std=c++20", "-O1", *flags, name + ".cpp", "-o", name, *link])
        expect("one command", status == 0, error)
        status, _, error = run([compiler, "-std=c++20", "-O1", *flags, "-c", name + ".cpp", "-o", name + ".o"])
        expect("two commands, the first", status == 0, error)
        status, _, error = run([compiler, name + ".o", "-o", name + "2", *link])
        expect("two commands, the second", status == 0, error)


def check_statuses():
    for name in ("./racy", "./racy2"):
        for how in ([], ["exit"], ["_exit"], ["3"]):
            status, _, error = run([name, *how])
            expect(f"{name} {how}", status == 66 and "nopal: race: write at racy.cpp:6 and write at racy.cpp:11 of 4 bytes of "
                   "'shared_variable'" in error, (status, error))
    status, _, error = run(["./racy", "abort"])
    expect("abort", status == -signal.SIGABRT and "nopal: race: " in error, (status, error))
    for how, expected in ([], 0), (["exit"], 7), (["_exit"], 7), (["3"], 3):
        status, _, error = run(["./clean", *how])
        expect(f"clean {how}", status == expected and error == "", (status, error))


def check_report():
    _, _, error = run(["./racy"])
    for part in ("'shared_variable'", "in a block of the heap", "byte 12 of a block of 40 bytes", "allocated by main, racy.cpp:8",
                 "write by write_it", "called by main, racy.cpp:10", "parallel by the fork at racy.cpp:10", "nopal: check: 2 races\n"):
        expect("report", part in error, (part, error))


def check_stripped():
    status, _, error = run(["strip", "-o", "bare", "racy"])
    expect("strip", status == 0, error)
    status, _, error = run(["./bare"])
    lines = [line for line in error.split("\n") if line.startswith("nopal: race: ")]
    expect("stripped", status == 66 and len(lines) == 2 and all(line.count(" at ./bare+0x") == 2 for line in lines), (status, error))


def places_of_races(error):
    return [line.split(" of ")[0].removeprefix("nopal: race: write at ").split(" and write at ")
            for line in error.split("\n") if line.startswith("nopal: race: ")]


def check_symbols_alone(compiler, flags, link):
    """Functions are known, and lines are not."""
    status, _, error = run(["strip", "-g", "-o", "symbols", "racy"])
    expect("strip -g", status == 0, error)
    status, _, error = run([compiler, "-std=c++20", "-O1", *flags, "racy.cpp", "-o", "exported", "-rdynamic", "-s", *link])
    expect("-rdynamic", status == 0, error)
    for name in "symbols", "exported":
        status, _, error = run(["./" + name])
        places = places_of_races(error)
        expect(name, status == 66 and len(places) == 2 and all(place.startswith(f"./{name}+0x") for pair in places for place in pair),
               (status, error))
        expect(f"{name}: functions", f"called by main, ./{name}+0x" in error or f"write by main, ./{name}+0x" in error, error)
    with open("known.txt", "w", encoding="utf-8") as file:
        file.write("main\n")
    status, _, error = run(["./symbols"], NOPAL_CHECK="suppressions=known.txt")
    expect("a function without lines is suppressed", status == 0 and "2 suppressed" in error, (status, error))


PARTS = """#include <nopal/scope.hpp>
struct box { int a, b; };
static box boxes[4];
int main() {
  nopal::scope s;
  s.fork([] { boxes[1].b = 1; });
  boxes[1].b = 2;
  s.join();
  return boxes[1].b - 2;
}
"""


def check_parts_of_variables(compiler, flags, link):
    """Compilers have a variable for the members that are used."""
    with open("parts.cpp", "w", encoding="utf-8") as file:
        file.write(PARTS)
    status, _, error = run([compiler, "-std=c++20", "-O2", *flags, "parts.cpp", "-o", "parts", *link])
    expect("parts", status == 0, error)
    status, _, error = run(["./parts"])
    expect("a variable's parts", status == 66 and " of 4 bytes of 'boxes'\n" in error, (status, error))


def check_name_with_quotes():
    """A shell is told of the program where its lines are not known."""
    os.makedirs("it's", exist_ok=True)
    os.replace("bare", "it's/bare")
    status, _, error = run(["it's/bare"])
    expect("a name with a quote", status == 66 and "Syntax error" not in error and "sh: " not in error, (status, error))


def check_options():
    status, _, error = run(["./racy"], NOPAL_CHECK="log=log.txt")
    with open("log.txt", encoding="utf-8") as log:
        text = log.read()
    expect("log", status == 66 and error == "" and text.startswith("nopal: race: ") and "2 races" in text, (status, error, text))
    status, _, error = run(["./racy"], NOPAL_CHECK="log=/dev/full")
    expect("log without room", status == 66 and error == "nopal: NOPAL_CHECK: log='/dev/full' cannot be written: No space left on "
           "device\n", (status, error))
    status, _, error = run(["./racy", "start"], NOPAL_CHECK="log=log.txt")
    with open("log.txt", encoding="utf-8") as log:
        text = log.read()
    expect("log of two", status == 66 and error == "" and "\0" not in text and text.endswith("2 races\n") and
           text.count("nopal: race: ") == 4, (status, error, text))
    status, _, error = run(["./racy", "close"], NOPAL_CHECK="log=log.txt")
    with open("log.txt", encoding="utf-8") as log:
        text = log.read()
    expect("log of a program that closes its files", status == 66 and error == "" and text.count("nopal: race: ") == 2, (status, error, text))
    status, _, error = run(["./clean", "first"])
    expect("the program's first file", run(["./clean", "first"], NOPAL_CHECK="log=log.txt")[0] == status, (status, error))
    status, _, error = run(["./racy"], NOPAL_CHECK="exitcode=5")
    expect("exit code", status == 5, status)
    with open("known.txt", "w", encoding="utf-8") as file:
        file.write("# all of them\nracy.cpp:1*\n")
    status, _, error = run(["./racy"], NOPAL_CHECK="suppressions=known.txt")
    expect("suppressed", status == 0 and "nopal: race" not in error and "2 suppressed" in error, (status, error))
    with open("known.txt", "w", encoding="utf-8") as file:
        file.write("write_it\n")
    status, _, error = run(["./racy"], NOPAL_CHECK="suppressions=known.txt:exitcode=9")
    expect("one suppressed", status == 9 and error.count("nopal: race") == 1 and "1 suppressed" in error, (status, error))
    status, out, _ = run(["./racy"], NOPAL_CHECK="help")
    expect("help", status == 0 and "suppressions=FILE" in out, (status, out))
    for bad in ("nothing", "log=", "exitcode=x", "exitcode=256", "log=/no/such/folder/x", "suppressions=/no/such/file"):
        status, _, error = run(["./racy"], NOPAL_CHECK=bad)
        expect(f"bad option {bad}", status == 2 and error.startswith("nopal: NOPAL_CHECK") and error.count("\n") == 1, (status, error))


def check_signal():
    program = subprocess.Popen(["./racy", "pause"], stderr=subprocess.PIPE)
    first = program.stderr.readline().decode()
    time.sleep(0.2)
    program.terminate()
    expect("signal", "nopal: race: " in first and program.wait() == -signal.SIGTERM, (first, program.returncode))
    program.stderr.close()


def check_command(command):
    status, _, error = run([command, "check", "--", "./racy", "3"])
    expect("command", status == 66 and "nopal: race" in error, (status, error))
    status, _, error = run([command, "check", "--", "./clean", "3"])
    expect("command, clean", status == 3 and error == "", (status, error))
    status, _, error = run([command, "check", "--log", "log2.txt", "--exit-code", "4", "--", "./racy"])
    expect("command, options", status == 4 and error == "" and os.path.getsize("log2.txt") > 0, (status, error))
    # An empty entry is the folder that the command is called in.
    status, _, error = run([command, "check", "--", "clean", "3"], PATH=":/usr/bin:/bin")
    expect("command, in the folder by PATH", status == 3 and error == "", (status, error))
    for words in (["/bin/true"], ["true"], ["./no_such_program"], ["no_such_program"], []):
        status, _, error = run([command, "check", "--", *words])
        expect(f"command, {words}", status == 2 and error.startswith("nopal check: ") and error.count("\n") == 1, (status, error))
    status, _, error = run([command, "check"])
    expect("command, no program", status == 2 and "accepted: -- PROGRAM ARGUMENT..., as in 'nopal check -- ./program 10'" in error,
           (status, error))
    for words in (["--log=", "--"], ["--log", "--"], ["--suppressions=", "--"], ["--log", "", "--"]):
        status, _, error = run([command, "check", *words, "./clean", "3"])
        expect(f"command, {words}", status == 2 and "takes the name of a file, not '" in error and error.count("\n") == 1,
               (status, error))
    # A folder of that name is no program, and neither is no name.
    os.makedirs("folders/clean", exist_ok=True)
    status, _, error = run([command, "check", "--", "clean", "3"], PATH="folders::/usr/bin:/bin")
    expect("command, after a folder in PATH", status == 3 and error == "", (status, error))
    status, _, error = run([command, "check", "--", ""])
    expect("command, an empty name", status == 2 and "'' is not found in PATH" in error, (status, error))
    status, out, _ = run([command, "check", "--help"])
    expect("command, help", status == 0 and "--suppressions" in out, (status, out))


def main():
    compiler, include, libraries, command, work, *flags = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    compile_both(compiler, [*flags, "-I", include], libraries.split(";"))
    if not wrong:
        check_statuses()
        check_report()
        check_stripped()
        compilation = compiler, [*flags, "-I", include], libraries.split(";")
        check_symbols_alone(*compilation)
        check_parts_of_variables(*compilation)
        check_name_with_quotes()
        check_options()
        check_signal()
        if command != "none":
            check_command(command)
        status, _, error = run([compiler, "-std=c++20", *flags, "-I", include, "-fsanitize=thread", "racy.cpp", "-o", "both",
                                *libraries.split(";")])
        if status == 0:
            status, _, error = run(["./both"])
            expect("the sanitizer's runtime", status == 2 and error.startswith("nopal: check: the program is linked with"), (status, error))
    print("\n".join(wrong) or "all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
