"""Builds the tests that oneTBB has of its own with Nopal's headers in the place of oneTBB's, and with oneTBB itself, runs
both with several numbers of threads, and writes a table.

Usage: onetbb_tests.py --include DIRECTORY... --archive LIBNOPAL.A [options] SOURCES

SOURCES is a checkout of oneTBB; NOPAL_TEST_ONETBB names it where the command does not. Its containers and flow graphs come
from there too. Tests of its inside (whitebox, and those of parts that no program sees) are left out. oneTBB is that which is
installed, unless --onetbb-library names another; where it is of another version than SOURCES, say --no-onetbb. With --in-place
what was built with oneTBB also runs on the libtbb.so.12 that it names.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# What tests the inside of oneTBB's library, its build, or the machine.
INSIDE = re.compile(
    r"whitebox|stub_|dynamic_link|environment|tbbbind|hwloc|intrusive_list|handle_perror|semaphore|concurrent_monitor|"
    r"implicit_linkage|header_module|cgroup|numa_dist|numa_allocation|fuzzing|tbb_fork|hw_concurrency|test_utils|malloc")
# What a unit test says where it counts or calls what is inside.
INSIDE_TEXT = re.compile(r"__TBB_TEST_FILTER_NODE_COUNT|debug_wait_until_empty|segmented_iterator|r1::")


def needs_inside(source):
    if INSIDE.search(source.name):
        return True
    return source.name.startswith("test_") and bool(INSIDE_TEXT.search(source.read_text(errors="replace")))


IN_PLACE = "Nopal in place"


class Case:
    def __init__(self, source):
        self.source = source
        self.name = source.stem
        self.results = {}  # by library: "does not build: ..." or {threads: (status, assertions, seconds)}


def build(case, library, options, folder):
    """The program, or why there is none."""
    program = folder / f"{case.name}-{library}"
    command = [options.compiler, "-std=c++20", "-O1", "-w"]
    if library == "Nopal":
        # Memory nodes are known without another library.
        command += ["-D__TBB_SELF_CONTAINED_TBBBIND"]
        for include in options.include:
            command += ["-I", include]
    # Below what is searched first, for the containers; and for tests the headers of tests.
    if library == "Nopal" or options.onetbb_library:
        command += ["-I", options.sources / "include"]
    command += ["-I", options.sources, "-I", options.sources / "test", case.source, "-o", program]
    command += [options.archive] if library == "Nopal" else [options.onetbb_library or "-ltbb"]
    built = subprocess.run([*command, "-ldl", "-pthread"], capture_output=True, text=True, check=False)
    if built.returncode == 0:
        return program, ""
    why = re.search(r"(error:|undefined reference to) .*", built.stderr)
    return None, (why.group(0) if why else built.stderr.strip().splitlines()[-1])[:160]


def run(program, library, threads, options):
    """How it ended, its assertions, and seconds."""
    limit = options.limit
    environment = dict(os.environ, NOPAL_WORKERS=str(threads))
    if library == IN_PLACE:
        environment["LD_LIBRARY_PATH"] = str(options.in_place.parent)
    elif library == "oneTBB" and options.onetbb_library:
        environment["LD_LIBRARY_PATH"] = str(options.onetbb_library.parent)
    command = [program]
    if library == "oneTBB" and threads < (os.cpu_count() or 1):
        command = ["taskset", "-c", f"0-{threads - 1}", program]
    began = time.monotonic()
    try:
        ended = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit, env=environment,
                               check=False)
    except subprocess.TimeoutExpired:
        return "time limit", 0, limit
    counted = re.search(r"assertions:\s*(\d+)", ended.stdout)
    how = "passed" if ended.returncode == 0 else f"failed ({ended.returncode})"
    return how, int(counted.group(1)) if counted else 0, time.monotonic() - began


def try_case(case, options, folder):
    programs = {library: build(case, library, options, folder) for library in options.libraries if library != IN_PLACE}
    for library in options.libraries:
        program, why = programs["oneTBB" if library == IN_PLACE else library]
        if program is None:
            case.results[library] = f"does not build: {why}"
        else:
            case.results[library] = {threads: run(program, library, threads, options) for threads in options.threads}
    for program, _ in programs.values():
        if program:
            program.unlink()
    told = "; ".join(f"{library}: {summary(result)}" for library, result in case.results.items())
    print(f"{case.name}: {told}", flush=True)
    return case


def summary(result):
    if isinstance(result, str):
        return result
    return ", ".join(f"{threads}: {how} {seconds:.1f} s" for threads, (how, _, seconds) in result.items())


def has_passed(result):
    return not isinstance(result, str) and all(how == "passed" for how, _, _ in result.values())


def table(cases, options):
    head = ["test"]
    for library in options.libraries:
        head += [f"{library}, {threads}" for threads in options.threads] + [f"{library}, assertions"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for case in cases:
        row = [case.name]
        for library in options.libraries:
            result = case.results[library]
            if isinstance(result, str):
                row += ["does not build"] * len(options.threads) + [""]
            else:
                row += [f"{seconds:.2f} s" if how == "passed" else how for how, _, seconds in result.values()]
                row.append(str(max(assertions for _, assertions, _ in result.values())))
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="?", type=pathlib.Path, default=os.environ.get("NOPAL_TEST_ONETBB") or None)
    parser.add_argument("--include", action="append", required=True, help="Nopal's headers, those of this interface first")
    parser.add_argument("--archive", required=True)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--tests", default="", metavar="REGEX", help="only those whose names match")
    parser.add_argument("--threads", default="1,2,4", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--limit", default=120.0, type=float, metavar="SECONDS", help="for one run")
    parser.add_argument("--jobs", default=1, type=int, help="tests at a time; their times mean nothing if more than 1")
    parser.add_argument("--no-onetbb", action="store_true", help="Nopal alone")
    parser.add_argument("--onetbb-library", type=pathlib.Path)
    parser.add_argument("--in-place", type=pathlib.Path, metavar="LIBTBB.SO.12", help="Nopal's, below what is built with oneTBB")
    parser.add_argument("--output", type=pathlib.Path, help="the table, as Markdown")
    options = parser.parse_args()
    if options.sources is None:
        print("skipped: NOPAL_TEST_ONETBB names no checkout of oneTBB")
        return 77
    options.sources = pathlib.Path(options.sources).resolve()
    options.libraries = ["Nopal"] if options.no_onetbb else ["Nopal", "oneTBB"] + [IN_PLACE] * bool(options.in_place)
    sources = sorted([*options.sources.glob("test/conformance/conformance_*.cpp"), *options.sources.glob("test/tbb/test_*.cpp")])
    if not sources:
        print(f"nopal: no tests of oneTBB's in {options.sources}/test: a checkout of its sources is asked for", file=sys.stderr)
        return 2
    cases = [Case(one) for one in sources if re.search(options.tests, one.stem) and not needs_inside(one)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as several:
        cases = list(several.map(lambda case: try_case(case, options, pathlib.Path(folder)), cases))
    if options.output:
        options.output.write_text(table(cases, options))
    passed = {library: {case.name for case in cases if has_passed(case.results[library])} for library in options.libraries}
    print(f"Of {len(cases)} passed " + ", ".join(f"{len(names)} with {library}" for library, names in passed.items()), end="")
    to_pass = passed.get("oneTBB", {case.name for case in cases})
    lost = sorted({f"{name} ({library})" for library in options.libraries for name in to_pass - passed[library]})
    print("." if not lost else f"; lost: {', '.join(lost)}.")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
