#!/usr/bin/env python3
"""Runs the corpus under ThreadSanitizer too, in parallel, and counts the cases with races that each finds.

Usage: beside_tsan.py COMPILER ROOT LIBRARY CHECKED_CORPUS WORK   (LIBRARY is libnopal.a, CHECKED_CORPUS a program of the tests)
"""
import os
import subprocess
import sys

import corpus_test


def build(compiler, root, library, work):
    folder = os.path.join(root, "tests/check/corpus")
    sources = ["corpus.cpp", "c_cases.cpp", "forks.cpp", "tasks.cpp", "memory.cpp", "heap.cpp", "library.cpp", "synchronization.cpp", "speculation.cpp",
               "patterns.cpp", "tbb.cpp"]
    flags = ["-O1", "-g", "-fsanitize=thread", "-DNOPAL_STATIC", "-I" + root + "/include", "-I" + root + "/include/nopal/compat"]
    objects = []
    for source in sources + ["c_interface.c"]:
        objects.append(os.path.join(work, source + ".o"))
        language = [compiler.replace("g++", "gcc").replace("clang++", "clang"), "-std=gnu11"] if source.endswith(".c") else [compiler, "-std=c++20"]
        subprocess.run([*language, *flags, "-c", os.path.join(folder, source), "-o", objects[-1]], check=True)
    program = os.path.join(work, "corpus_tsan")
    subprocess.run([compiler, "-fsanitize=thread", *objects, library, "-o", program, "-pthread"], check=True)
    return program, [os.path.join(folder, source) for source in sources[2:] + ["c_interface.c"]]


def finds(program, case, report):
    environment = dict(os.environ, TSAN_OPTIONS="exitcode=66", NOPAL_WORKERS="4")
    try:
        done = subprocess.run([program, case], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30)
    except subprocess.TimeoutExpired:
        return False
    return report in done.stderr


def main():
    compiler, root, library, checked, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    watched, sources = build(compiler, root, library, work)
    cases = corpus_test.read_cases(sources, None, set())
    for kind, chosen in (("with a race", [c for c in cases if cases[c]]), ("without one", [c for c in cases if not cases[c]])):
        found = sum(finds(watched, case, b"WARNING: ThreadSanitizer: data race") for case in chosen)
        ours = sum(finds(checked, case, b"nopal: race: ") for case in chosen)
        print(f"{len(chosen)} cases {kind}: ThreadSanitizer reports {found}, nopal check {ours}", flush=True)


if __name__ == "__main__":
    main()
