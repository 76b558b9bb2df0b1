"""What `nopal cilk` does not translate it names, in one line with the place, and compiles nothing. So with errors.

Usage: refusals_test.py NOPAL
"""

import pathlib
import subprocess
import sys
import tempfile

# The fourth line of each program, and what is said of it.
REFUSED = [
    ("int x = 1 + cilk_spawn f(1);", "within an expression"),
    ("const int x = cilk_spawn f(1);", "a constant or a reference"),
    ("int x = cilk_spawn f(1), y = 2;", "several declarations"),
    ("int i, x; i = 0, x = cilk_spawn f(1);", "within an expression"),
    ("int a, b; a = b = cilk_spawn f(1);", "within an expression"),
    ("struct { unsigned b : 5; } s; s.b = cilk_spawn f(1);", "into a bit-field"),
    ("SHOWN(cilk_sync);", "inside of the macro SHOWN, which has # in it"),
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
    ("static int cilk_reducer(h, h) x = 0;", "cilk_reducer of a static local variable"),
    ("int cilk_reducer(h, h) *x = 0;", "cilk_reducer of what a pointer points to"),
    ("int cilk_reducer(h, h) x[3];", "cilk_reducer of an array"),
    ("struct { int cilk_reducer(h, h) x; } y;", "cilk_reducer of a member or a type"),
    ("int cilk_reducer(h) x = 0;", "cilk_reducer without its two functions"),
    ("typedef int cilk_reducer(h, h) x;", "cilk_reducer of a member or a type"),
    ("int k(int cilk_reducer(h, h) x);", "cilk_reducer of a parameter"),
    ("int cilk_reducer(h, h) x = 0; USE(x);", "the reducer 'x' in a macro"),
]
REFUSED_C = [
    ("int n = f(3); typedef int row[n]; int a[9]; cilk_for (int i = 0; i < 9; ++i) { row* r = (row*)a; f((*r)[0]); }",
     "the type 'row', of a size that is known at run time alone"),
    ("int n = f(3); int a[9][n]; cilk_for (int (*r)[n] = a; r < a + 9; ++r) f((*r)[0]);", "over arrays of a size that is known at run time"),
    ("int n = f(3); struct { char c[sizeof n]; } s = {{0}}; cilk_for (int i = 0; i < 9; ++i) f(s.c[0]);", "a type that names 'n'"),
    ("LOCAL s = {0}; cilk_for (int i = 0; i < 9; ++i) f(s.x);", "a type that a function declares in a macro"),
    ("struct { int x; } cilk_reducer(h, h) s = {0};", "cilk_reducer behind a type's definition"),
]
REFUSED_CXX = [
    ("static int x = cilk_spawn f(1);", "a static variable"),
]


def unseen(folder):
    """A file that the words do not name is not compiled as a serial one; that of dependencies has the program's name."""
    file = pathlib.Path(folder) / "words.c"
    file.write_text("#include <cilk/cilk.h>\nint f(int n); int g(void) { int x = cilk_spawn f(1); cilk_sync; return x; }\n")
    (pathlib.Path(folder) / "words").write_text(f"{file} -c -o /dev/null")
    failed = 0
    for words, given in [([f"@{folder}/words"], ""), (["-x", "c", "-", "-c", "-o", "/dev/null"], file.read_text())]:
        ended = subprocess.run([sys.argv[1], "cilk", "cc", *words], input=given, capture_output=True, text=True, check=False)
        if ended.returncode == 0 or "nopal: 'nopal cilk' has not translated this" not in ended.stderr:
            print(f"{words}: exit {ended.returncode}, {ended.stderr}")
            failed += 1
    subprocess.run([sys.argv[1], "cilk", "cc", "-MMD", "-c", file, "-o", f"{folder}/words.o"], check=True)
    dependencies = (pathlib.Path(folder) / "words.d").read_text()
    if str(file) not in dependencies or "nopal-cilk-" in dependencies:
        print(dependencies)
        failed += 1
    return failed


def made_by_paste(folder):
    """A keyword that ## makes is an error of the compiler, which says so at its place."""
    file = pathlib.Path(folder) / "paste.c"
    file.write_text("#include <cilk/cilk.h>\n#define CILK(x) cilk_##x\nint f(int n); int g(void) { int x;\n"
                    "x = CILK(spawn) f(1);\ncilk_sync; return x; }\n")
    ended = subprocess.run([sys.argv[1], "cilk", "cc", "-c", file, "-o", "/dev/null"], capture_output=True, text=True, check=False)
    if ended.returncode == 0 or f"{file}:4:" not in ended.stderr or "make no keyword by ##" not in ended.stderr:
        print(f"a keyword of ##: exit {ended.returncode}, {ended.stderr}")
        return 1
    return 0


def errors(folder):
    """Each error of a program has its line, as a compiler names them all."""
    file = pathlib.Path(folder) / "errors.cpp"
    file.write_text("int f(int n);\nint g() {\n  int x = cilk_spawn f(missing);\n  cilk_sync;\n  return x + absent;\n}\n")
    ended = subprocess.run([sys.argv[1], "cilk", "c++", "-c", file, "-o", "/dev/null"], capture_output=True, text=True, check=False)
    lines = ended.stderr.splitlines()
    expected = [(3, "missing"), (5, "absent")]
    right = len(lines) == len(expected) and all(
        said.startswith(f"nopal cilk: {file}:{line}: error: ") and name in said for said, (line, name) in zip(lines, expected))
    if ended.returncode != 1 or not right:
        print(f"errors: exit {ended.returncode}, {ended.stderr}")
        return 1
    return 0


def lines_of_children(folder):
    """Debuggers show what is made for a spawned call or a loop of C at its own line."""
    file = pathlib.Path(folder) / "lines.c"
    file.write_text("#include <cilk/cilk.h>\nint f(int n);\nint g(void) {\n  cilk_for (int i = 0; i < 9; ++i)\n    f(i);\n  int x;\n"
                    "  x = cilk_spawn f(1);\n  cilk_spawn f(2);\n  cilk_sync;\n  return x;\n}\n")
    ended = subprocess.run([sys.argv[1], "cilk", file], capture_output=True, text=True, check=False)
    line, places = 0, []
    for text in ended.stdout.splitlines():
        if text.startswith("#line "):
            line = int(text.split()[1])
            continue
        if text.startswith("static ") and "nopal_cilk_" in text:
            places.append(line)
        line += 1
    if places != [4, 7, 8]:
        print(f"lines of children: {places}\n{ended.stdout}{ended.stderr}")
        return 1
    return 0


def without_input():
    """Words that name no file ask the compiler about itself."""
    ended = subprocess.run([sys.argv[1], "cilk", "cc", "-v"], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        print(f"-v: exit {ended.returncode}, {ended.stderr}")
        return 1
    return 0


def bad_usage(folder):
    """What is neither a compiler nor a file is named, with what is accepted."""
    failed = 0
    for words, code, expected in [(["--nosuch"], 2, "'--nosuch' without a file; accepted: "), (["-O2", "x.o"], 2, "'-O2' without a file"),
                                  ([f"{folder}/"], 1, "it is a folder; accepted: a compiler"),
                                  (["nosuch", "-c"], 1, "No such file or directory; accepted: a compiler")]:
        ended = subprocess.run([sys.argv[1], "cilk", *words], capture_output=True, text=True, check=False)
        lines = ended.stderr.splitlines()
        if ended.returncode != code or len(lines) != 1 or not lines[0].startswith("nopal cilk: ") or expected not in lines[0]:
            print(f"{words}: exit {ended.returncode}, {ended.stderr}")
            failed += 1
    return failed


def named(folder):
    """Files by odd names and with odd ends of lines, and what they depend on."""
    failed = 0
    header = pathlib.Path(folder) / "a header.h"
    header.write_bytes(b"\xef\xbb\xbf#include <cilk/cilk.h>\r\n#pragma once\r\n#define SPAWN cilk_spawn\r\n")
    text = ('#include "a header.h"\n#include <stdio.h>\nint f(int n) { return n; }\nint main() {\n  int x = SPAWN \\\n    f(3);\n'
            '  cilk_sync;\n  printf("%d %d %s\\n", x, __LINE__, __FILE__);\n  return 0;\n}\n')
    for name, mark, end in [("a 'b' \"c\" d\\e.c", b"", b"\n"), ("crlf.c", b"", b"\r\n"), ("mark.cpp", b"\xef\xbb\xbf", b"\n")]:
        file = pathlib.Path(folder) / name
        file.write_bytes(mark + text.encode().replace(b"\n", end))
        program = f"{folder}/odd"
        ended = subprocess.run([sys.argv[1], "cilk", "c++" if name.endswith("pp") else "cc", "-MMD", "-MF", f"{program}.d", file, "-o",
                                program], capture_output=True, text=True, check=False)
        said = subprocess.run([program], capture_output=True, text=True, check=False).stdout if ended.returncode == 0 else ""
        depends = pathlib.Path(f"{program}.d").read_text() if ended.returncode == 0 else ""
        if ended.stderr or said != f"3 8 {file}\n" or "a\\ header.h" not in depends or "nopal-cilk-" in depends:
            print(f"{name}: exit {ended.returncode}, {ended.stderr}{said}{depends}")
            failed += 1
    ended = subprocess.run([sys.argv[1], "cilk", "cc", "-MM", f"{folder}/crlf.c"], capture_output=True, text=True, check=False)
    if not ended.stdout.startswith(f"crlf.o: {folder}/crlf.c"):
        print(f"-MM: {ended.stdout}{ended.stderr}")
        failed += 1
    ended = subprocess.run([sys.argv[1], "cilk", "cc", header, "-o", f"{folder}/header.gch"], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        print(f"a header to be compiled: {ended.stderr}")
        failed += 1
    return failed


def reducer_types(folder):
    """OpenCilk's type of reducers is for variables, in the file that is translated."""
    file = pathlib.Path(folder) / "types.cpp"
    failed = 0
    for line, expected in [
            ("static opadd_reducer<int> x = 0;", "opadd_reducer of a static local variable"),
            ("opadd_reducer<int> x[3];", "opadd_reducer here"),
            ("opadd_reducer<int>* x = nullptr;", "opadd_reducer here"),
            ("struct { cilk::opadd_reducer<int> x; } y;", "opadd_reducer of a member or a type"),
            ("void k(cilk::opadd_reducer<int> x);", "opadd_reducer of a parameter"),
            ("void k(cilk::opadd_reducer<int>& x);", "opadd_reducer here"),
            ("using mine = opadd_reducer<int>;", "opadd_reducer here"),
            ("auto x = sizeof(opadd_reducer<int>);", "opadd_reducer here"),
    ]:
        file.write_text(f"#include <cilk/opadd_reducer.h>\nusing namespace cilk;\nint g() {{\n{line}\nreturn 0; }}\n")
        ended = subprocess.run([sys.argv[1], "cilk", "c++", "-c", file, "-o", "/dev/null"], capture_output=True, text=True, check=False)
        lines = ended.stderr.splitlines()
        if ended.returncode != 1 or len(lines) != 1 or not lines[0].startswith(f"nopal cilk: {file}:4: ") or expected not in lines[0]:
            print(f"{line}: exit {ended.returncode}, {ended.stdout}{ended.stderr}")
            failed += 1
    (pathlib.Path(folder) / "total.h").write_text("#include <cilk/opadd_reducer.h>\nextern cilk::opadd_reducer<int> total;\n")
    file.write_text('#include "total.h"\nint g() { return total; }\n')
    ended = subprocess.run([sys.argv[1], "cilk", "-x", "c++", file], capture_output=True, text=True, check=False)
    if ended.returncode != 0 or "extern ::nopal::cilk::hyperobject nopal_hyper_total;" not in ended.stdout:
        print(f"a reducer in a header: exit {ended.returncode}, {ended.stdout}{ended.stderr}")
        failed += 1
    return failed


def cilksan(folder):
    """The flag of Cilksan is named, with what takes its place; other sanitizers are the compiler's matter."""
    file = pathlib.Path(folder) / "sanitized.c"
    file.write_text("#include <cilk/cilk.h>\nint f(int n); int g(void) { int x = cilk_spawn f(1); cilk_sync; return x; }\n")
    failed = 0
    for flag, refused in [("cilk", True), ("undefined,cilk", True), ("undefined", False)]:
        ended = subprocess.run([sys.argv[1], "cilk", "cc", f"-fsanitize={flag}", "-c", file, "-o", "/dev/null"], capture_output=True,
                               text=True, check=False)
        lines = ended.stderr.splitlines()
        says = len(lines) == 1 and lines[0].startswith("nopal cilk: -fsanitize=cilk ") and "nopal check" in lines[0]
        if (ended.returncode, says) != ((2, True) if refused else (0, False)):
            print(f"-fsanitize={flag}: exit {ended.returncode}, {ended.stderr}")
            failed += 1
    return failed


def shared_library(folder):
    """A program that is linked with a shared library of Cilk: by -fPIC they have one Nopal, else a line names the library."""
    text = "#include <cilk/cilk.h>\nint {0}(int n) {{\n  int x = cilk_spawn {1};\n  cilk_sync;\n  return x + 1;\n}}\n"
    library, program = pathlib.Path(folder) / "part.c", pathlib.Path(folder) / "whole.c"
    library.write_text("static int f(int n) { return n; }\n" + text.format("part", "f(n)"))
    program.write_text("int part(int n);\n" + text.format("whole", "part(n)") + "int main(void) { return whole(3) != 5; }\n")
    cilk = [sys.argv[1], "cilk", "cc"]
    subprocess.run([*cilk, "-shared", "-fPIC", library, "-o", f"{folder}/libpart.so"], check=True)
    words = [program, "-o", f"{folder}/whole", f"-L{folder}", "-lpart", f"-Wl,-rpath,{folder}"]
    subprocess.run([*cilk, "-fPIC", *words], check=True)
    ended = subprocess.run([f"{folder}/whole"], check=False)
    if ended.returncode != 0:
        print(f"with a shared library: exit {ended.returncode}")
        return 1
    linked = subprocess.run([*cilk, "-fno-pic", "-no-pie", *words], capture_output=True, text=True, check=False)
    # Nopal's own shared library takes both.
    if linked.returncode != 0 and f"nopal cilk: '{folder}/libpart.so' has Nopal in it: " not in linked.stderr:
        print(f"without -fPIC: {linked.stderr}")
        return 1
    return 0


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ["program.c", "program.cpp"]:
            file = pathlib.Path(folder) / name
            for line, expected in REFUSED + (REFUSED_CXX if name.endswith("pp") else REFUSED_C):
                file.write_text(f"#define USE(x) f(x)\n#define SHOWN(x) x; f(#x[0])\nint f(int n); int g(void) {{\n{line}\nreturn f(2); }}\n")
                ended = subprocess.run([sys.argv[1], "cilk", "cc", "-DLOCAL=struct { int x; }", "-c", file, "-o", "/dev/null"],
                                       capture_output=True, text=True, check=False)
                lines = ended.stderr.splitlines()
                right = len(lines) == 1 and lines[0].startswith(f"nopal cilk: {file}:4: ") and expected in lines[0]
                if ended.returncode != 1 or not right:
                    print(f"{line}: exit {ended.returncode}, {ended.stderr}")
                    failed += 1
        failed += unseen(folder) + made_by_paste(folder) + errors(folder) + lines_of_children(folder) + without_input() + named(folder) + reducer_types(folder) + cilksan(folder) + shared_library(folder) + bad_usage(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
