"""Compiles public programs written in Cilk by `nopal cilk`, and compares what they print on several numbers of workers with
what their serial elision prints.

Usage: public_programs.py --nopal COMMAND --include DIRECTORY --archive LIBNOPAL.A [options] SOURCES

SOURCES is a folder with checkouts of neboat/cilkbench, OpenCilk/tutorial and iu-parfunc/cilk_tests, each under its own
name; NOPAL_TEST_CILK names it where the command does not. A checkout that is not there is left out. Times and rates are no
part of what is compared.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Sources, arguments, and what goes with the compiler. The tutorial's nqueens.c has one board for all children, a race for
# learners to find.
PROGRAMS = [
    ("cilkbench/cilk5/cholesky.c cilkbench/cilk5/getoptions.c", "-n 300 -z 1500 -c"),
    ("cilkbench/cilk5/cilksort.c cilkbench/cilk5/getoptions.c", "-n 300000 -c"),
    ("cilkbench/cilk5/fft.c cilkbench/cilk5/getoptions.c", "-n 16384 -c"),
    ("cilkbench/cilk5/fib.c cilkbench/cilk5/getoptions.c", "25"),
    ("cilkbench/cilk5/fibred.c cilkbench/cilk5/getoptions.c", "22"),
    ("cilkbench/cilk5/heat.c cilkbench/cilk5/getoptions.c", "-nx 256 -ny 64 -nt 20 -c"),
    ("cilkbench/cilk5/lu.c cilkbench/cilk5/getoptions.c", "-n 256 -c"),
    ("cilkbench/cilk5/matmul.c cilkbench/cilk5/getoptions.c", "-n 128 -c"),
    ("cilkbench/cilk5/nqueens.c cilkbench/cilk5/getoptions.c", "9"),
    ("cilkbench/cilk5/qsort.cpp", "-n 100000 -c"),
    ("cilkbench/cilk5/rectmul.c cilkbench/cilk5/getoptions.c", "-x 128 -y 128 -z 128 -c"),
    ("cilkbench/cilk5/rectmulred.c cilkbench/cilk5/getoptions.c", "-x 128 -y 128 -z 128 -c"),
    ("cilkbench/cilk5/strassen.c cilkbench/cilk5/getoptions.c", "-n 256 -c"),
    ("tutorial/fib.c", "25"),
    ("tutorial/qsort.c", "100000"),
    ("tutorial/qsort_wsp.c", "100000"),
    ("cilk_tests/regression/black-scholes/black_scholes.cpp", ""),
    ("cilk_tests/regression/jacobi-heat/heat.c", "-nx 256 -ny 64 -nt 20 -c"),
]
TIMES = re.compile(r"[-+]?\d+\.\d+(e[-+]?\d+)?|\b\d+ ?(ms|us|ns|seconds|sec)\b|.*(?i:time|second|speed|flops|workers).*")


def build(sources, command, options, program, libraries=()):
    words = [*command, "-O1", "-w", *sources, "-o", program, *libraries, "-lm"]
    if options.verbose:
        print(*words)
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    return built.returncode == 0, (built.stderr.strip().splitlines() or ["?"])[0]


def output_of(program, arguments, workers):
    environment = dict(os.environ, NOPAL_WORKERS=str(workers), CILK_NWORKERS=str(workers))
    try:
        ended = subprocess.run(["./program", *arguments], cwd=program.parent, capture_output=True, text=True, errors="replace", timeout=300,
                               env=environment, check=False)
    except subprocess.TimeoutExpired:
        return "time limit"
    return f"exit {ended.returncode}\n" + TIMES.sub("#", ended.stdout + ended.stderr)


def try_program(sources, arguments, options, folder):
    """What happened, or nothing where all is well."""
    is_cxx = sources[0].suffix == ".cpp" or "cilk::" in sources[0].read_text(errors="replace")
    plain, translated = folder / "plain" / "program", folder / "translated" / "program"
    plain.parent.mkdir()
    translated.parent.mkdir()
    serial = ["c++" if is_cxx else "cc", "-I", options.include / "nopal" / "compat", "-I", options.include]
    if is_cxx:
        serial.append("-std=gnu++20")
    done, why = build(sources, [*serial, "-DNOPAL_ELIDE", "-DNOPAL_STATIC"], options, plain,
                      [options.archive, "-pthread", "-ldl", "-lstdc++"])
    if not done:
        return f"the serial elision does not build: {why}"
    wrapper = [options.nopal, "cilk++"] if is_cxx else [options.nopal, "cilk", "cc"]
    done, why = build(sources, wrapper, options, translated)
    if not done:
        return f"does not build: {why}"
    expected = output_of(plain, arguments, 1)
    for workers in options.workers:
        for _ in range(options.runs):
            found = output_of(translated, arguments, workers)
            if found != expected:
                return f"differs on {workers} workers:\n--- serial\n{expected}\n--- parallel\n{found}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nopal", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("--archive", required=True, type=pathlib.Path)
    parser.add_argument("--workers", default="1,2,7", type=lambda text: [int(each) for each in text.split(",")])
    parser.add_argument("--runs", default=3, type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("sources", nargs="?", type=pathlib.Path, default=os.environ.get("NOPAL_TEST_CILK"))
    options = parser.parse_args()
    if options.sources is None:
        print("public programs in Cilk are not here: NOPAL_TEST_CILK names none")
        return 77
    failed = tried = 0
    for names, arguments in PROGRAMS:
        sources = [pathlib.Path(options.sources) / name for name in names.split()]
        if options.only not in names or not all(each.exists() for each in sources):
            continue
        tried += 1
        with tempfile.TemporaryDirectory() as folder:
            why = try_program(sources, arguments.format(folder=sources[0].parent).split(), options, pathlib.Path(folder))
        print(f"{sources[0].relative_to(options.sources)}: {why or 'as the serial elision'}", flush=True)
        failed += why != ""
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
