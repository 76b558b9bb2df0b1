"""Programs that are linked with oneTBB's library run on Nopal's in its place, and no entry point that oneTBB's has is missing.

Usage: in_place_test.py COMPILER LIBTBB.SO.12 PROGRAM.CPP...
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def entry_points(library):
    listed = subprocess.run(["nm", "-D", "-C", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split(maxsplit=2)[2] for line in listed.stdout.splitlines() if re.search(r" T (tbb::detail::r1::|TBB_)", line)}


def theirs():
    """oneTBB's own library, if the machine has it."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"libtbb\.so\.12 .*=> (\S+)", known)
    return found.group(1) if found else None


def run_all(compiler, library, source):
    """What failed."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        # Linked with the file itself, so its name alone is in the program, as it is with oneTBB's.
        subprocess.run([compiler, "-std=c++17", "-O1", "-w", source, library, "-ldl", "-pthread", "-o", program], check=True)
        for workers in "1", "2", "7":
            environment = dict(os.environ, LD_LIBRARY_PATH=str(library.parent), NOPAL_WORKERS=workers)
            loaded = library.parent / "libtbb.so.12"
            ended = subprocess.run([program, loaded], env=environment, capture_output=True, text=True, timeout=120, check=False)
            if ended.returncode != 0 or ended.stdout != "all right\n" or ended.stderr:
                failed.append(f"{source}, {workers} workers: {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return failed


def main():
    compiler, library, *sources = sys.argv[1:]
    library = pathlib.Path(library).resolve()
    failed = []
    if theirs():
        missing = entry_points(theirs()) - entry_points(library)
        if missing:
            failed.append("not in the library: " + ", ".join(sorted(missing)))
    for source in sources:
        failed += run_all(compiler, library, source)
    print("\n".join(failed) or "all right")
    return bool(failed)


sys.exit(main())
