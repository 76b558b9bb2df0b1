"""Generates programs in Cilk, of C and of C++, compiles each by `nopal cilk` and as its serial elision, and compares what they print: the
translated one on 1, 2 and 7 workers, and with each continuation stolen.

Usage: generated_test.py NOPAL CC CXX ARCHIVE INCLUDE [SEED]

NOPAL_CILK_PROGRAMS says how many programs of each language; SEED repeats the program that a failure names, alone.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

ELISION = ["-Dcilk_spawn=", "-Dcilk_sync=", "-Dcilk_for=for", "-Dcilk_scope="]
PROLOGUE = """#include <stdio.h>
#include <stdlib.h>
{includes}
typedef unsigned long long word;
static word mix(word x) {{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}}
struct pair {{ word first; word second; }};
#define SPAWN_INTO(place, call) place = cilk_spawn call
"""
CXX_HELPERS = """
struct thing {
  word own;
  explicit thing(word x) : own(mix(x)) {}
  word method(unsigned depth, word seed) const { return mix(own ^ seed) + depth; }
  void change(word &to, const std::string &by) const { for (char c : by) to = mix(to + own + static_cast<unsigned char>(c)); }
};
template <class T> static T changed(T value, word by) { return static_cast<T>(mix(static_cast<word>(value) ^ by)); }
static word thrown(word x) { if (x % 2 == 0) throw x; return x; }
"""


class Writer:
    """One program. A variable that a spawned call writes is not read before the next sync."""

    def __init__(self, seed, is_cxx):
        self.random = random.Random(seed)
        self.is_cxx = is_cxx
        self.lines = []
        self.indent = 1
        self.names = 0
        self.functions = self.random.randint(2, 4)

    def say(self, text):
        self.lines.append("  " * self.indent + text)

    def fresh(self, what="v"):
        self.names += 1
        return f"{what}{self.names}"

    def constant(self):
        return f"{self.random.getrandbits(20)}ULL"

    def value(self, known):
        """An expression of what is known."""
        if self.random.random() < 0.3:
            return self.constant()
        name = self.random.choice(known)
        return self.random.choice([name, f"mix({name})", f"({name} ^ {self.constant()})", f"({name} + depth)"])

    def call(self, known):
        """Of a function of the program, which ends where the depth is used up."""
        which = self.random.randrange(self.functions)
        extra = {0: "", 1: f", {self.value(known)}", 2: f", (struct pair){{{self.value(known)}, {self.value(known)}}}",
                 3: f", (short)({self.value(known)}), {self.random.randint(1, 99)}.5"}[which % 4]
        if self.is_cxx and which % 4 == 2:
            extra = f", pair{{{self.value(known)}, {self.value(known)}}}"
        return f"f{which}(depth - 1, {self.value(known)}{extra})"

    def spawned_call(self, known):
        if self.is_cxx and self.random.random() < 0.3:
            return self.random.choice([
                f"thing({self.value(known)}).method(depth, {self.value(known)})",
                f"changed<word>({self.value(known)}, {self.value(known)})",
                f"[=]() -> word {{ return mix({self.random.choice(known)} + depth); }}()"])
        return self.call(known)

    def spawn(self, known, pending):
        kind = self.random.randrange(7)
        name = self.fresh()
        if kind == 0:
            self.say(f"word {name} = cilk_spawn {self.spawned_call(known)};")
        elif kind == 1:
            self.say(f"word {name} = {self.value(known)};")
            self.say(f"{name} {self.random.choice(['+=', '^=', '='])} cilk_spawn {self.spawned_call(known)};")
        elif kind == 2:
            self.say(f"word {name} = 1;")
            self.say(f"SPAWN_INTO({name}, {self.call(known)});")
        elif kind == 3:
            self.say(f"word {name} = {self.constant()};")
            self.say(f"cilk_spawn write_to(&{name}, {self.value(known)}, depth);")
        elif kind == 4:
            self.say(f"word {name}[3] = {{1, 2, {self.value(known)}}};")
            self.say(f"{name}[{self.random.choice(['1', 'depth % 3'])}] = cilk_spawn {self.spawned_call(known)};")
            name += f"[{self.random.randrange(3)}]"
        elif kind == 5 and self.is_cxx:
            self.say(f"word {name} = {self.value(known)};")
            self.say(f'cilk_spawn thing({self.value(known)}).change({name}, std::string("abc") + std::to_string(depth));')
        else:
            self.say(f"word (*const p{name})(word, unsigned) = by_pointer;")
            self.say(f"word {name} = cilk_spawn p{name}({self.value(known)}, depth);")
        pending.append(name)

    def sync(self, known, pending):
        self.say("cilk_sync;")
        known += pending
        pending.clear()

    def loop(self, known):
        name, i, count = self.fresh("a"), self.fresh("i"), self.random.randint(1, 40)
        step = self.random.randint(1, 4)
        inner = f"mix({self.value(known)} + (word){i})"
        self.say(f"word {name}[41] = {{0}};")
        head = self.random.choice([
            f"int {i} = 0; {i} < {count}; {i} += {step}", f"int {i} = {count}; {i} > 0; {i} -= {step}",
            f"unsigned {i} = 0; {i} <= {count}; ++{i}", f"long {i} = {count}; {i} >= 0; --{i}",
            f"int {i} = 0; {i} != {count * 1}; {i}++"])
        if self.random.random() < 0.3:
            self.say(f"#pragma cilk grainsize {self.random.randint(1, 9)}")
        if self.random.random() < 0.4:
            self.say(f"cilk_for ({head}) {name}[{i}] = {inner};")
        else:
            self.say(f"cilk_for ({head}) {{")
            self.indent += 1
            self.say(f"word own = cilk_spawn by_pointer({inner}, depth);")
            self.say(f"if ({i} % 3 == 1) {name}[{i}] += 5;")
            if self.random.random() < 0.5:
                self.say(f"cilk_for (int j = 0; j < 3; ++j) if (j == 1) {name}[{i}] += mix((word)j);")
            self.say("cilk_sync;")
            self.say(f"{name}[{i}] += own;")
            self.indent -= 1
            self.say("}")
        total = self.fresh()
        self.say(f"word {total} = 0;")
        self.say(f"for (int k = 0; k != 41; ++k) {total} = {total} * 31 + {name}[k];")
        known.append(total)

    def reducer(self, known):
        name, i = self.fresh("r"), self.fresh("i")
        self.say(f"word cilk_reducer(zero, add) {name} = {self.value(known)};")
        self.say(f"cilk_for (int {i} = 0; {i} < {self.random.randint(1, 60)}; ++{i}) {name} += mix({self.value(known)} + (word){i});")
        self.say(f"{name} += depth;")
        total = self.fresh()
        self.say(f"word {total} = {name};")
        known.append(total)

    def block(self, known, depth):
        """Statements of which none is left pending."""
        pending = []
        known = list(known)
        for _ in range(self.random.randint(1, 4)):
            self.statement(known, pending, depth)
        self.sync(known, pending)
        self.say(f"h = h * 31 + {self.value(known)};")

    def nested(self, head, known, depth):
        self.say(f"{head} {{")
        self.indent += 1
        self.block(known, depth)
        self.indent -= 1
        self.say("}")

    def statement(self, known, pending, depth):
        kind = self.random.randrange(12)
        if kind < 5 or depth == 0:
            return self.spawn(known, pending)
        if kind == 5:
            return self.sync(known, pending)
        if kind == 6:
            self.say(f"h += {self.value(known)};")
            return None
        if kind == 7 and self.is_cxx:
            self.say("try {")
            self.indent += 1
            name = self.fresh()
            self.say(f"word {name} = cilk_spawn thrown({self.value(known)});")
            self.say("cilk_sync;")
            self.say(f"h = h * 31 + {name};")
            self.indent -= 1
            self.say("} catch (word e) {")
            self.say("  h = h * 31 + e;")
            self.say("}")
            return None
        # What is pending may stay so, as what follows does not read it.
        if self.random.random() < 0.5:
            self.sync(known, pending)
        if kind == 8:
            return self.loop(known)
        if kind == 9:
            return self.reducer(known)
        if kind == 10:
            return self.nested(self.random.choice([f"if ({self.value(known)} % 2 == 0)", "cilk_scope",
                                                   "for (int n = 0; n != 2; ++n)", ""]), known, depth - 1)
        self.say(f"if ({self.value(known)} % 8 == 3) return h ^ {self.value(known)};")
        return None

    def function(self, which):
        extra = ["", ", word more", ", struct pair two", ", short small, double real"][which % 4]
        uses = ["", "h += more;", "h += two.first * 3 + two.second;", "h += (word)(real * 2) + (unsigned short)small;"][which % 4]
        self.lines.append(f"static word f{which}(unsigned depth, word seed{extra}) {{")
        self.say("word h = mix(seed);")
        if uses:
            self.say(uses)
        self.say("if (depth == 0) return h;")
        known, pending = ["seed"], []  # not h, which changes
        for _ in range(self.random.randint(3, 7)):
            self.statement(known, pending, 2)
        if self.random.random() < 0.7:
            self.sync(known, pending)
        self.say(f"return h * 31 + {self.value(known)};")
        self.lines.append("}")

    def text(self):
        includes = "#include <cilk/cilk.h>\n" + ("#include <string>\n" if self.is_cxx else "")
        parts = [PROLOGUE.format(includes=includes)]
        parts.append("static void zero(void *v) { *(word *)v = 0; }\n"
                     "static void add(void *l, void *r) { *(word *)l += *(word *)r; }\n"
                     "static void write_to(word *to, word x, unsigned depth) { *to = mix(x) + depth; }\n"
                     "static word by_pointer(word x, unsigned depth) { return mix(x ^ depth); }\n")
        if self.is_cxx:
            parts.append(CXX_HELPERS)
        for which in range(self.functions):
            extra = ["", ", word more", ", struct pair two", ", short small, double real"][which % 4]
            parts.append(f"static word f{which}(unsigned depth, word seed{extra});\n")
        for which in range(self.functions):
            self.function(which)
        parts.append("\n".join(self.lines))
        last = {0: "", 1: ", 7", 2: ", two", 3: ", 4, 2.5"}
        calls = "".join(f'  printf("%llx\\n", f{which}(3, {self.constant()}{last[which % 4]}));\n' for which in range(self.functions))
        parts.append(f"\nint main(void) {{\n  struct pair two = {{3, 4}};\n  (void)two;\n{calls}  return 0;\n}}\n")
        return "".join(parts)


def output_of(program, **settings):
    ended = subprocess.run([program], capture_output=True, text=True, timeout=120, env=dict(os.environ, **settings), check=False)
    return ended.returncode, ended.stdout + ended.stderr


def fault_of(seed, is_cxx, nopal, compiler, archive, include):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / ("program.cpp" if is_cxx else "program.c")
        file.write_text(Writer(seed, is_cxx).text())
        if len(sys.argv) > 6:
            print(file.read_text())
        plain, translated = pathlib.Path(folder) / "plain", pathlib.Path(folder) / "translated"
        flags = ["-O1", "-w"]
        headers = [f"-I{include}", f"-I{include}/nopal/compat", "-DNOPAL_ELIDE", "-DNOPAL_STATIC"]
        built = subprocess.run([compiler, "-std=gnu++20" if is_cxx else "-std=gnu11", *flags, *headers, file, "-o", plain, archive,
                                "-pthread", "-ldl", "-lstdc++"], capture_output=True, text=True, check=False)
        if built.returncode != 0:
            return f"the elision does not compile:\n{built.stderr[:3000]}"
        built = subprocess.run([nopal, "cilk", compiler, *flags, file, "-o", translated], capture_output=True, text=True, check=False)
        if built.returncode != 0:
            return f"nopal cilk: {built.stderr[:3000]}"
        expected = output_of(plain)
        if expected[0] != 0:
            return "the elision fails"
        for settings in [{"NOPAL_WORKERS": "1"}, {"NOPAL_WORKERS": "2"}, {"NOPAL_WORKERS": "7"},
                         {"NOPAL_WORKERS": "2", "NOPAL_STEAL": "always"}]:
            found = output_of(translated, **settings)
            if found != expected:
                return f"with {settings}: exit {found[0]}\n{found[1]}\nand not\n{expected[1]}"
    return None


def main():
    nopal, cc, cxx, archive, include = sys.argv[1:6]
    count = int(os.environ.get("NOPAL_CILK_PROGRAMS", "3"))
    seeds = [int(sys.argv[6])] if len(sys.argv) > 6 else [random.getrandbits(40) for _ in range(count)]
    for seed in seeds:
        for is_cxx in (False, True):
            fault = fault_of(seed, is_cxx, nopal, cxx if is_cxx else cc, archive, include)
            if fault is not None:
                print(f"the program of seed {seed} in {'C++' if is_cxx else 'C'}: {fault}")
                return 1
    print(f"{2 * len(seeds)} programs: as their elisions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
