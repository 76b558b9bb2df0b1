"""Headers after what programs define before they include them: Qt's words, <complex.h>'s I, and the macros of a GNU dialect; and headers
for C inside extern "C", as C++ programs wrap them.

Usage: macros_test.py CC CXX INCLUDE_DIRECTORY [unittest options]
"""

import glob
import os
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from sampling import some_of  # noqa: E402

compilers, include = {}, ""

# As <QObject> has them, unless QT_NO_KEYWORDS is defined.
QT = """#define slots __attribute__((annotate("qt_slot")))
#define signals public
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)
#define Q_SLOTS slots
#define Q_SIGNALS signals
#define Q_EMIT
#define Q_OBJECT
"""
COMPLEX = "#include <complex.h>\n#ifndef I\n#define I _Complex_I\n#endif\n"

FORKS_IN_C = """
NOPAL_FORKABLE(int, fib, (int, n))
int fib(int n) {
  if (n < 2) return n;
  int x, y;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_fib(&s, &x, n - 1);
  y = fib(n - 2);
  nopal_join(&s);
  return x + y;
}
"""


def public_headers():
    """All but the first spelling of oneTBB's, which CMake writes and which only name another, and those that include what not every system has."""
    found = []
    for path in glob.glob(os.path.join(include, "nopal", "**", "*.h*"), recursive=True):
        name = os.path.relpath(path, include)
        if "/detail/" not in name and name not in ("nopal/mpi.hpp", "nopal/execution.hpp"):
            found.append(name)
    return sorted(found)


def complaint(case):
    """What the compiler says of (language, source, flags)."""
    language, source, flags = case
    standard = "-std=gnu11" if language == "c" else "-std=gnu++20"
    done = subprocess.run([compilers[language], standard, "-fsyntax-only", *flags, "-I", os.path.join(include, "nopal", "compat"),
                           "-I", include, "-x", language, "-"], input=source, capture_output=True, text=True, check=False)
    return f"{language} {flags}:\n{source}\n{done.stderr}" if done.returncode != 0 else ""


def is_for_c(header):
    return header in ("nopal/nopal.h", "nopal/compat/fibril.h", "nopal/version.hpp")


class Macros(unittest.TestCase):
    def all_compile(self, cases):
        with ThreadPoolExecutor(2) as pool:
            complaints = [one for one in pool.map(complaint, some_of(cases, 3)) if one]
        self.assertEqual(complaints, [], "\n".join(complaints))

    def test_there_are_headers(self):
        self.assertIn("nopal/nopal.h", public_headers())
        self.assertIn("nopal/compat/oneapi/tbb.h", public_headers())

    def test_headers_compile_after_the_macros_of_others(self):
        self.all_compile([(language, f"{QT}{COMPLEX}#include <{header}>\n", flags) for header in public_headers()
                          for language in (("c", "c++") if is_for_c(header) else ("c++",))
                          for flags in (([], ["-DNOPAL_ELIDE"]) if "/oneapi/" not in header else ([],))])

    # A macro of two headers is one definition or two names.
    def test_headers_compile_together_in_any_order(self):
        forwards = public_headers()
        orders = [forwards, forwards[::-1], sorted(forwards, key=lambda header: header[::-1])]
        self.all_compile([("c++", "".join(f"#include <{header}>\n" for header in order), ["-Wall", "-Wextra", "-Werror", *flags])
                          for order in orders
                          for flags in ([], ["-DNOPAL_ELIDE"], ["-DNOPAL_FORKS_EAGER"])])

    def test_headers_for_c_compile_inside_extern_c(self):
        self.all_compile([("c++", f'extern "C" {{\n#include <{header}>\n{more}}}\n#include <nopal/nopal.hpp>\n', flags)
                          for header in public_headers() if is_for_c(header)
                          for more in ("", FORKS_IN_C if header == "nopal/nopal.h" else "")
                          for flags in ([], ["-DNOPAL_ELIDE"], ["-DNOPAL_FORKS_EAGER"])])

    def assembly(self, language, source, *flags):
        done = subprocess.run([compilers[language], "-std=gnu11" if language == "c" else "-std=gnu++20", "-O2", "-S", "-o", "-",
                               *flags, "-I", include, "-x", language, "-"], input=source, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    # As old programs have it: then variables that are to be in a register would be anywhere.
    def test_forks_are_the_same_where_register_is_a_macro(self):
        forks_in_cxx = FORKS_IN_C.replace("NOPAL_FORKABLE(int, fib, (int, n))\n", "").replace("  nopal_scope_init(&s);\n", "")
        forks_in_cxx = forks_in_cxx.replace("nopal_scope s", "nopal::scope s").replace("nopal_join(&s)", "s.join()")
        forks_in_cxx = forks_in_cxx.replace("nopal_fork_fib(&s, &x, n - 1)", "s.fork_into(x, fib, n - 1)")
        for language, source in (("c", f"#include <nopal/nopal.h>\n#undef register\n{FORKS_IN_C}"),
                                 ("c++", f"#include <nopal/nopal.hpp>\n{forks_in_cxx}")):
            with self.subTest(language):
                plain, odd = self.assembly(language, source), self.assembly(language, source, "-Dregister=")
                self.assertEqual(plain[0], 0, plain[2])
                self.assertEqual(odd, plain)

    def test_forks_of_c_are_refused_where_register_is_a_macro_still(self):
        done = self.assembly("c", f"#include <nopal/nopal.h>\n#define register\n{FORKS_IN_C}")
        self.assertNotEqual(done[0], 0)
        self.assertIn("nopal: register is a macro here: #undef it before NOPAL_FORKABLE", done[2])


if __name__ == "__main__":
    compilers["c"], compilers["c++"], include = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
