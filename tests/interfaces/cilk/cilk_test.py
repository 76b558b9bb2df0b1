"""Compiles a program written in Cilk by `nopal cilk` and as its serial elision, and compares what they print: the translated
one on 1, 2 and 7 workers, and with each continuation stolen.

Usage: cilk_test.py NOPAL COMPILER ARCHIVE INCLUDE FILE
"""

import os
import pathlib
import subprocess
import sys
import tempfile


def output_of(program, **settings):
    environment = dict(os.environ, **settings)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=60, env=environment, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def main():
    nopal, compiler, archive, include, file = sys.argv[1:]
    is_cxx = file.endswith(".cpp")
    warnings = ["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-value", "-Wno-empty-body",
                "-Wno-unused-function"]
    headers = [f"-I{include}", f"-I{include}/nopal/compat"]
    libraries = [archive, "-pthread", "-ldl", "-lstdc++"]
    with tempfile.TemporaryDirectory() as folder:
        plain, translated = pathlib.Path(folder) / "plain", pathlib.Path(folder) / "translated"
        standard = ["-std=gnu++20"] if is_cxx else ["-std=gnu11"]
        subprocess.run([compiler, *standard, *warnings, *headers, "-DNOPAL_ELIDE", "-DNOPAL_STATIC", file, "-o", plain, *libraries],
                       check=True)
        subprocess.run([nopal, "cilk", compiler, *warnings, file, "-o", translated], check=True)
        # Without optimization compilers see other ends of functions.
        subprocess.run([nopal, "cilk", compiler, "-O0", "-Werror=return-type", "-c", file, "-o", pathlib.Path(folder) / "object"],
                       check=True)
        expected = output_of(plain)
        print(expected[1], end="")
        if expected[0] != 0 or not expected[1]:
            print("the serial elision fails")
            return 1
        for settings in [{"NOPAL_WORKERS": "1"}, {"NOPAL_WORKERS": "2"}, {"NOPAL_WORKERS": "7"},
                         {"NOPAL_WORKERS": "2", "NOPAL_STEAL": "always"}]:
            found = output_of(translated, **settings)
            if found != expected:
                print(f"with {settings} otherwise: exit {found[0]}\n{found[1]}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
