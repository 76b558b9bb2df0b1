"""Builds oneTBB's own examples with Nopal's headers found first, and with oneTBB, and compares what they say, draw and write.

Usage: onetbb_examples.py --include DIRECTORY... --archive LIBNOPAL.A [options] SOURCES

SOURCES is a checkout of oneTBB; NOPAL_TEST_ONETBB names it where the command does not. oneTBB is that which is installed, unless
--onetbb-library names another, of the version of SOURCES. The examples run without windows, and with LAPACK in place of MKL. What they draw is compared by a sum of the picture when the window would be closed, which is put
into the copy of the one file that stands for the window. Lines with times, and what depends on who is first, are not compared.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# In programs' output: times, speeds, and how often something was done in a time.
TIMED = re.compile(r"elapsed|seconds| sec |fps|speedup|iterations count|time *[:=]|^\s*[\d.e+-]+\s*$", re.IGNORECASE)

IN_PLACE = "Nopal in place"

Example = collections.namedtuple("Example", "folder sources arguments keep sort written libraries")


def example(folder, arguments="", sources="*.cpp", keep=None, sort=False, written=None, libraries=""):
    """`keep`: what of each line is compared. `sort`: in no order. `written`: a file that the program writes."""
    return Example(folder, sources, arguments.split(), keep, sort, written, libraries.split())


WINDOW = "common/gui/convideo.cpp"
EXAMPLES = {
    "sudoku": example("task_group/sudoku", "{threads} {folder}/input1 verbose", keep="find all \\d+ solutions"),
    "fractal": example("task_arena/fractal", "{threads} 1 200", f"*.cpp {WINDOW}", keep="picture.*"),
    "tachyon": example("parallel_for/tachyon", "{folder}/dat/teapot.dat", "src/[!t]*.cpp src/ta*.cpp src/te*.cpp src/tg*.cpp "
                       f"src/tri*.cpp src/trace_rest.cpp src/trace.tbb.cpp {WINDOW}", keep="picture.*"),
    "seismic": example("parallel_for/seismic", "{threads} 300", f"*.cpp {WINDOW}", keep="picture.*"),
    "polygon_overlay": example("parallel_for/polygon_overlay", "{threads} --polys 2000 --size 300x300 --seed 7",
                               f"*.cpp {WINDOW}", keep="picture.*|.*rror.*"),
    "game_of_life": example("parallel_for/game_of_life", "{threads}:{threads} -t 1", keep="Starting game"),
    "convex_hull": example("parallel_reduce/convex_hull", "{threads} 2000000", "convex_hull_sample.cpp", keep="Points in .*"),
    "primes": example("parallel_reduce/primes", "{threads} 30000000 1000 1", keep="#primes.* = \\d+"),
    "count_strings": example("concurrent_hash_map/count_strings", "{threads} 500000 verbose", sort=True),
    "pi": example("parallel_reduce/pi", "{threads} 20000000", keep="pi = [\\d.]+"),
    "shortpath": example("concurrent_priority_queue/shortpath", "{threads} N=1000 start=0 end=999 verbose", keep="Total distance = .*"),
    "preorder": example("parallel_for_each/parallel_preorder", "{threads} 2000 20", keep="\\d+ nodes in root_set"),
    "square": example("parallel_pipeline/square", "{threads} input.txt output.txt", written="output.txt"),
    "fibonacci": example("test_all/fibonacci", "300 {threads} 3", keep="Fibonacci number #.*|TEST.*"),
    "recursive_fibonacci": example("migration/recursive_fibonacci", "27 12 3 1", keep=".* impl N = \\d+"),
    "cholesky": example("graph/cholesky", "size=400 blocksize=50 num_tbb_threads={threads}", keep="ERROR.*|^\\w+( \\d+){4}",
                        libraries="-llapack -lblas"),
    "binpack": example("graph/binpack", "{threads} elements_num=1000", keep="running with .* items"),
    "dining_philosophers": example("graph/dining_philosophers", "{threads} 3 verbose", keep=".* has left the building", sort=True),
    "logic_sim": example("graph/logic_sim", "{threads}", sort=True),
    "som": example("graph/som", "{threads}", keep=".*rror.*|done$"),
    "fgbzip2": example("graph/fgbzip2", "-b=9 -async input.txt", written="input.txt.bz2"),
    "sub_string_finder": example("getting_started/sub_string_finder", "", "sub_string_finder.cpp"),
    "sub_string_finder_extended": example("getting_started/sub_string_finder", "", "sub_string_finder_extended.cpp"),
    "sub_string_finder_pretty": example("getting_started/sub_string_finder", "", "sub_string_finder_pretty.cpp"),
}

PICTURE = """
    if (g_pImg != nullptr) {
        unsigned long long sum = 14695981039346656037ULL;
        for (int at = 0; at != g_sizex * g_sizey; ++at) sum = (sum ^ g_pImg[at]) * 1099511628211ULL;
        printf("picture of %d x %d: %016llx\\n", g_sizex, g_sizey, sum);
    }
    delete[] g_pImg;"""


# What the one example that wants MKL calls of it, over the LAPACK and BLAS that there are.
LINEAR_ALGEBRA = """#pragma once
#include <cstring>
#include <istream>
#include <string>
#define dgemm dgemm_
#define dpotrf dpotrf_
#define dpotf2 dpotf2_
#define dsyrk dsyrk_
#define dtrsm dtrsm_
extern "C" {
void dgemm(char*, char*, int*, int*, int*, double*, double*, int*, double*, int*, double*, double*, int*);
void dpotrf(char*, int*, double*, int*, int*);
void dpotf2(char*, int*, double*, int*, int*);
void dsyrk(char*, char*, int*, int*, double*, double*, int*, double*, double*, int*);
void dtrsm(char*, char*, char*, char*, int*, int*, double*, double*, int*, double*, int*);
}
enum { CblasColMajor, CblasNoTrans };
inline void cblas_dgemm(int, int, int, int m, int n, int k, double alpha, double* a, int lda, double* b, int ldb, double beta,
                        double* c, int ldc) {
  char as_is = 'n';
  dgemm(&as_is, &as_is, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
namespace std {  // which C++20 has no more
inline istream& operator>>(istream& in, char*& to) {
  string word;
  if (in >> word) to = strdup(word.c_str());
  return in;
}
}
"""


def write_stand_ins(examples, folder):
    """Headers for MKL's, and a copy of the file for programs without windows that says what was drawn, and begins with an empty
    picture."""
    text = (examples / WINDOW).read_text()
    for old, new in (("delete[] g_pImg;", PICTURE), ("new unsigned int[x * y]", "new unsigned int[x * y]()")):
        assert old in text, f"{WINDOW} is another one: it has no {old}"
        text = text.replace(old, new)
    for name in ("mkl.h", "mkl_lapack.h", "mkl_cblas.h"):
        (folder / name).write_text(LINEAR_ALGEBRA)
    copy = folder / "window.cpp"
    copy.write_text(text.replace('"video.hpp"', '"common/gui/video.hpp"'))


def build(name, library, options, folder):
    """The program, or why there is none."""
    one = EXAMPLES[name]
    examples = options.sources / "examples"
    sources = []
    for pattern in one.sources.split():
        sources += [folder / "window.cpp"] if pattern == WINDOW else sorted((examples / one.folder).glob(pattern))
    program = folder / f"{name}-{'Nopal' if library == 'Nopal' else 'oneTBB'}"
    if program.exists():
        return program, ""
    command = [options.compiler, "-std=c++20", "-O2", "-w", "-D_CONSOLE"]
    if library == "Nopal":
        for include in options.include:
            command += ["-I", include]
    if options.onetbb_library:
        command += ["-I", options.sources / "include"]
    command += ["-I", examples, "-I", examples / "common", "-I", folder, *sources, "-o", program]
    # The allocator of oneTBB's is the program's with Nopal.
    if library == "Nopal":
        command.append(options.archive)
    elif options.onetbb_library:
        command += ["-L", options.onetbb_library.parent, options.onetbb_library, "-ltbbmalloc"]
    else:
        command += ["-ltbb", "-ltbbmalloc"]
    built = subprocess.run([*command, *one.libraries, "-pthread"], capture_output=True, text=True, check=False)
    if built.returncode == 0:
        return program, ""
    why = re.search(r"(error:|undefined reference to) .*", built.stderr)
    return None, (why.group(0) if why else built.stderr.strip().splitlines()[-1])[:160]


def run(program, name, library, threads, options, folder):
    """What is to be the same, and seconds; or how it ended instead."""
    one = EXAMPLES[name]
    # Words of the examples' own texts, of which one is compressed and the other squared.
    (folder / "input.txt").write_text("".join(f"{7919 * at % 10007} \n" for at in range(20000)))
    arguments = [argument.format(threads=threads, folder=options.sources / "examples" / one.folder) for argument in one.arguments]
    environment = dict(os.environ, NOPAL_WORKERS=str(threads), OPENBLAS_NUM_THREADS="1")
    below = [one for one in (library == IN_PLACE and options.in_place, library != "Nopal" and options.onetbb_library) if one]
    if below:
        environment["LD_LIBRARY_PATH"] = ":".join(str(one.resolve().parent) for one in below)
    began = time.monotonic()
    try:
        ended = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace", timeout=options.limit,
                               check=False, cwd=folder, env=environment)
    except subprocess.TimeoutExpired:
        return "", f"time limit of {options.limit:.0f} s"
    seconds = time.monotonic() - began
    if ended.returncode != 0:
        return "", f"failed ({ended.returncode})"
    said = ended.stdout.splitlines()
    if one.keep:
        lines = [part.group(0) for line in said for part in re.finditer(one.keep, line)]
    else:
        lines = [line for line in said if not TIMED.search(line)]
    if one.sort:
        lines.sort()
    if one.written:
        lines.append((folder / one.written).read_bytes().hex())
    return "\n".join(lines), seconds


def try_example(name, options, folder):
    """The row of the table, and whether all is right."""
    row, right, answers = [name], True, {}
    for library in options.libraries:
        program, why = build(name, library, options, folder)
        for threads in options.threads:
            if program is None:
                answers[library, threads], seconds = "", f"does not build: {why}"
            else:
                answers[library, threads], seconds = run(program, name, library, threads, options, folder)
            row.append(f"{seconds:.2f} s" if isinstance(seconds, float) else seconds)
            right = right and isinstance(seconds, float)
    compared = len(next(iter(answers.values())).splitlines())
    same = all(answer == answers["oneTBB", threads] for (_, threads), answer in answers.items())
    row.append("same" if same and compared else "nothing to compare" if same else "not the same")
    if options.show or not same:
        for (library, threads), answer in answers.items():
            print(f"  {name}, {library}, {threads}: {answer[:300]!r}")
    return row, right and same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="?", type=pathlib.Path, default=os.environ.get("NOPAL_TEST_ONETBB") or None)
    parser.add_argument("--include", action="append", required=True, help="Nopal's headers, those of this interface first")
    parser.add_argument("--archive", required=True)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--examples", default="", metavar="REGEX", help="only those whose names match")
    parser.add_argument("--threads", default="1,2,4", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--limit", default=120.0, type=float, metavar="SECONDS", help="for one run")
    parser.add_argument("--show", action="store_true", help="what was compared")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="builds there what is not there yet, and leaves it")
    parser.add_argument("--onetbb-library", type=pathlib.Path, metavar="LIBTBB.SO", help="with tbbmalloc beside it")
    parser.add_argument("--in-place", type=pathlib.Path, metavar="LIBTBB.SO.12", help="Nopal's, below what is built with oneTBB")
    options = parser.parse_args()
    if options.sources is None:
        print("skipped: NOPAL_TEST_ONETBB names no checkout of oneTBB")
        return 77
    options.sources = pathlib.Path(options.sources).resolve()
    options.libraries = ["oneTBB", "Nopal"] + [IN_PLACE] * bool(options.in_place)
    names = [name for name in EXAMPLES if re.search(options.examples, name)]
    print("| example | " + " | ".join(f"{library}, {threads}" for library in options.libraries for threads in options.threads)
          + " | answers |\n" + "|---" * (2 + len(options.libraries) * len(options.threads)) + "|", flush=True)
    wrong = []
    folder = pathlib.Path(options.keep or tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    try:
        write_stand_ins(options.sources / "examples", folder)
        for name in names:
            row, right = try_example(name, options, folder)
            print("| " + " | ".join(row) + " |", flush=True)
            wrong += [] if right else [name]
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    print(f"{len(names) - len(wrong)} of {len(names)} right" + (f"; not {', '.join(wrong)}" if wrong else "") + ".")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
