"""Builds the corpus with one set of flags, checks its machine code, and runs it under steals.

Usage: corpus_test.py --compiler CXX --library libnopal.a --include DIR --work DIR [--objdump OBJDUMP] FLAG...

NOPAL_TEST_EMULATOR runs programs of another processor, NOPAL_TEST_TRIPLE names it to compilers. What LEFT_OUT names is not asked of
it, and its machine code is read if it is AArch64's.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import frame_rules
import frame_rules_aarch64
import machine_code

HERE = os.path.dirname(os.path.abspath(__file__))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-Wno-psabi"]
WORKERS = (2, 4, 7)
RUN_SECONDS = 200
# A checker that finds nothing to check must not pass.
LEAST_FORKING_FUNCTIONS = 80
EMULATOR = os.environ.get("NOPAL_TEST_EMULATOR", "").split()
TRIPLE = os.environ.get("NOPAL_TEST_TRIPLE", "")
# Emulated programs take ten times as long.
EMULATED_REPETITIONS = "30"
# What the emulator can be besides: larger pages, and a processor without the newer atomic instructions, signed return addresses
# and branch targets.
OTHER_MACHINES = (["-p", "16384"], ["-p", "65536"], ["-cpu", "cortex-a53"]) if TRIPLE.startswith("aarch64") else ()
# On the other processors GCC does not align what it passes by value to more than 16 bytes, with a fork or without.
LEFT_OUT = {"sources": ("vectors.cpp",), "gcc_cases": ("aligned_32", "aligned_64", "aligned_128", "aligned_256", "aligned_heap_result")}


def options():
    parser = argparse.ArgumentParser()
    for name in ("compiler", "library", "include", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--repetitions", default="300")
    parser.add_argument("flags", nargs=argparse.REMAINDER)
    return parser.parse_args()


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(given, flags):
    """The linked program and the objects."""
    corpus = os.path.join(HERE, "corpus")
    sources = sorted(name for name in os.listdir(corpus) if name.endswith((".cpp", ".c")))
    if EMULATOR:
        sources = [name for name in sources if name not in LEFT_OUT["sources"]]
        if "clang" in os.path.basename(given.compiler):
            flags = ["--target=" + TRIPLE, *flags]
    definitions = ["-D" + name for name in given.define if name]

    def compile_one(name):
        source = os.path.join(corpus, name)
        target = os.path.join(given.work, name + ".o")
        language = ["-x", "c", "-std=c11"] if name.endswith(".c") else ["-std=c++20"]
        run([given.compiler, *language, *WARNINGS, *definitions, *flags, *flags_of_file(source), "-I", given.include,
             "-c", source, "-o", target])
        return target

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, sources))
    program = os.path.join(given.work, "corpus")
    found_at_run_time = ["-Wl,-rpath," + os.path.dirname(given.library)] if ".so" in given.library else []
    # The library that GCC builds for RISC-V calls another one for operations on single bytes, which GCC links by itself.
    atomic = ["-latomic"] if TRIPLE.startswith("riscv64") else []
    run([given.compiler, *flags, *linker_of(given.compiler, flags), *objects, given.library, *atomic,
         *found_at_run_time, "-pthread", "-o", program])
    return program, objects


def flags_of_file(source):
    """What the file's first line asks for."""
    with open(source, encoding="utf-8") as file:
        found = re.match(r"// flags: (.*)$", file.readline())
    return found.group(1).split() if found else []


def linker_of(compiler, flags):
    """Clang's link-time optimization takes its own linker, or the plugin of the system's."""
    if "-flto" not in flags or "clang" not in os.path.basename(compiler):
        return []
    major = re.search(r"clang version (\d+)", run([compiler, "--version"]))
    for name in (f"ld.lld-{major.group(1)}", "ld.lld"):
        if shutil.which(name):
            return ["-fuse-ld=" + shutil.which(name)]
    return []


def check_machine_code(given, program, objects, flags):
    functions = machine_code.disassemble(program, given.objdump)
    # The other deques exist to be measured, and pay the fence.
    fenced = any(name.startswith("NOPAL_DEQUE_") for name in given.define)
    complaints, forking, fast = frame_rules.check_program(functions, check_unstolen=not fenced)
    print(f"{forking} forking functions, {fast} functions of the unstolen path")
    # Linking hides what a shared library would call: an address of a thread-local variable may be a call there.
    if "-flto" not in flags:
        for name in objects:
            for function, call in calls_in_object(name, given.objdump):
                if frame_rules.WRAPPER.search(function) and frame_rules.FORBIDDEN_CALLS.match(call):
                    complaints.append(f"{function}: a call of {call} on the unstolen path")
    if forking < LEAST_FORKING_FUNCTIONS or fast < LEAST_FORKING_FUNCTIONS:
        complaints.append("too few functions found: the checker does not see the code")
    return [str(complaint) for complaint in complaints]


def check_machine_code_of_aarch64(program):
    complaints, forking = frame_rules_aarch64.check_program(program, TRIPLE + "-objdump")
    print(f"{forking} forking functions")
    if forking < LEAST_FORKING_FUNCTIONS:
        complaints.append("too few functions found: the checker does not see the code")
    return [str(complaint) for complaint in complaints]


def calls_in_object(path, objdump):
    function = ""
    for line in run([objdump, "-dr", "--no-show-raw-insn", path]).splitlines():
        heading = machine_code.HEADING.match(line)
        if heading:
            function = heading.group(2)
        relocation = re.match(r"^\s+[0-9a-f]+: R_X86_64_PLT32\s+([\w.]+)", line)
        if relocation:
            yield function, relocation.group(1)


def left_out_cases(given):
    """Arguments of the corpus."""
    if not EMULATOR or "clang" in os.path.basename(given.compiler):
        return []
    return ["--without", *LEFT_OUT["gcc_cases"]]


def check_answers(given, program):
    complaints = []
    for workers, machine in [(workers, []) for workers in WORKERS] + [(WORKERS[1], machine) for machine in OTHER_MACHINES]:
        emulator = [*EMULATOR[:1], *machine, *EMULATOR[1:]]
        which = " ".join([f"{workers} workers", *machine])
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
        environment.update(NOPAL_WORKERS=str(workers), CORPUS_REPETITIONS=EMULATED_REPETITIONS if EMULATOR else given.repetitions)
        try:
            done = subprocess.run([*emulator, program, *left_out_cases(given)], capture_output=True, text=True, timeout=RUN_SECONDS, env=environment)
        except subprocess.TimeoutExpired as late:
            complaints.append(f"{which}: no end after {RUN_SECONDS} s: {late.stdout}")
            continue
        print(f"{which}: {done.stdout.strip()}")
        if done.returncode != 0:
            complaints.append(f"{which}: exit code {done.returncode}: {done.stdout}"
                              + "at the end of:\n" + "\n".join(done.stderr.splitlines()[-5:]))
    return complaints


def main():
    given = options()
    flags = [flag for flag in given.flags if flag != "--"]
    os.makedirs(given.work, exist_ok=True)
    program, objects = build(given, flags)
    complaints = []
    if TRIPLE.startswith("aarch64"):
        complaints += check_machine_code_of_aarch64(program)
    elif EMULATOR:
        print("The machine code was not read: the rules are those of other processors.")
    elif "NOPAL_ELIDE" not in given.define:
        complaints += check_machine_code(given, program, objects, flags)
    complaints += check_answers(given, program)
    print("\n".join(complaints))
    # Dozens of configurations of several megabytes each; what failed is worth keeping.
    if not complaints:
        shutil.rmtree(given.work)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
