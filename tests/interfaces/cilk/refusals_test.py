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
    ("int i, x; i = 0, x = cilk_spawn f(1);", "within an expression"),
    ("int a, b; a = b = cilk_spawn f(1);", "within an expression"),
    ("struct { unsigned b : 5; } s; s.b = cilk_spawn f(1);", "into a bit-field"),
    ("SPAWN f(1);", "inside of a macro, here SPAWN"),
    ("int a[f(3)]; a[0] = cilk_spawn f(1);", "a variable-length array"),
    ("cilk_for (int i = 0; i < 9; ++i) { if (i == 5) break; }", "a break out of a cilk_for"),
    ("cilk_for (int i = 0; i < 9; ++i) { if (i == 5) return 0; }", "a return out of a cilk_for"),
    ("cilk_for (int i = 1; i < 9; i *= 2) f(i);", "does not step"),
    ("int a = 1, b = 3; cilk_for (int i = 9; i > 0; i = i - a + b) f(i);", "does not step"),
    ("int j = 0; cilk_for (int i = 0; i < 9; i += 2, j++) f(i);", "does not step"),
    ("cilk_for (int i = 0; i < 9 && f(1); ++i) f(i);", "more than a comparison"),
    ("int n = 9; cilk_for (int i = 0, n = 4; i < n; ++i) f(i);", "several variables"),
    ("cilk_for (int i = 0; i < 9; --i) f(i);", "steps away from its end"),
    ("cilk_for (int i = 0; i < 9.5; ++i) f(i);", "floating-point numbers"),
    ("cilk_for (double i = 0; i < 9; i += 2.5) f(1);", "floating-point numbers"),
    ("cilk_for (int i = 0; i < 9; ++i) { if (i == 3) goto out; } out:", "a goto out of a cilk_for"),
]
REFUSED_CXX = [
    ("static int x = cilk_spawn f(1);", "a static variable"),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ["program.c", "program.cpp"]:
            file = pathlib.Path(folder) / name
            for line, expected in REFUSED + (REFUSED_CXX if name.endswith("pp") else []):
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
