"""What `nopal cilk` does not translate it names, in one line with the place, and compiles nothing.

Usage: refusals_test.py NOPAL
"""

import pathlib
import subprocess
import sys
import tempfile

# The third line of each program, and what is said of it.
REFUSED = [
    ("int x = 1 + cilk_spawn f(1);", "within an expression"),
    ("const int x = cilk_spawn f(1);", "a constant or a reference"),
    ("int x = cilk_spawn f(1), y = 2;", "several declarations"),
    ("SPAWN f(1);", "inside of a macro, here SPAWN"),
    ("int a[f(3)]; a[0] = cilk_spawn f(1);", "a variable-length array"),
    ("cilk_for (int i = 0; i < 9; ++i) { if (i == 5) break; }", "a break out of a cilk_for"),
    ("cilk_for (int i = 0; i < 9; ++i) { if (i == 5) return 0; }", "a return out of a cilk_for"),
    ("cilk_for (int i = 1; i < 9; i *= 2) f(i);", "does not step"),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ["program.c", "program.cpp"]:
            file = pathlib.Path(folder) / name
            for line, expected in REFUSED:
                file.write_text(f"#define SPAWN cilk_spawn\nint f(int n); int g(void) {{\n{line}\nreturn f(2); }}\n")
                ended = subprocess.run([sys.argv[1], "cilk", "cc", "-c", file, "-o", "/dev/null"], capture_output=True, text=True,
                                       check=False)
                lines = ended.stderr.splitlines()
                right = len(lines) == 1 and lines[0].startswith(f"nopal cilk: {file}:3: ") and expected in lines[0]
                if ended.returncode != 1 or not right:
                    print(f"{line}: exit {ended.returncode}, {ended.stderr}")
                    failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
