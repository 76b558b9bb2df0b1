"""What is used wrongly does not compile, and the compiler says why in one sentence, once.

Usage: refused_test.py CXX INCLUDE_DIRECTORY TBB_INCLUDE_DIRECTORY [unittest options]
"""

import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from sampling import some_of  # noqa: E402
from wrong_uses import FORKS, FORKS_BY_REFERENCE, OF_ARENAS, PATTERN_HEADERS, PATTERN_PROGRAM, WITHOUT_UNIT, WRONG

compiler, include, tbb_include = "", "", ""
work = tempfile.TemporaryDirectory()


@functools.cache
def compiled_headers(text):
    """The flags that stand for these lines, in the compiler's own form: most of a compilation would be spent on them. Clang and GCC
    each look for it beside the file, under a name of their own."""
    header = pathlib.Path(work.name, f"headers_{len(list(pathlib.Path(work.name).iterdir()))}.hpp")
    header.write_text(text)
    ending = "pch" if "clang" in pathlib.Path(compiler).name else "gch"
    subprocess.run([compiler, "-std=c++20", "-x", "c++-header", "-I", include, "-I", tbb_include, header,
                    "-o", f"{header}.{ending}"], check=True)
    return ["-I", include, "-I", tbb_include, "-include", str(header)]

WHOLE = """
struct monoid {
  using value_type = int;
  static value_type identity() { return 0; }
  static void reduce(value_type& left, value_type&& right) { left += right; }
};
"""
IDENTITY = "  static value_type identity() { return 0; }\n"
REDUCE = "  static void reduce(value_type& left, value_type&& right) { left += right; }\n"


def compiled(monoid, use="nopal::reducer<monoid> r; ++*r;"):
    source = f"{monoid}\nvoid use() {{ {use} }}\n"
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *compiled_headers("#include <nopal/reducer.hpp>\n"),
                           "-"], input=source, capture_output=True, text=True, check=False)


class Refusals(unittest.TestCase):
    def says_once(self, says, result):
        errors = [line for line in result.stderr.splitlines() if " error: " in line]
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len(errors), 1, result.stderr)
        own = not says.startswith(("nopal: ", "no matching"))
        self.assertIn(("nopal: " if own else "") + says, errors[0])


class Monoids(Refusals):
    def is_refused(self, monoid, says, use="nopal::reducer<monoid> r; ++*r;"):
        self.says_once(says, compiled(monoid, use))

    def test_a_whole_monoid_compiles(self):
        result = compiled(WHOLE)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_what_is_no_class_is_no_monoid(self):
        self.is_refused("using monoid = int;", "reducer: the monoid must be a class, such as nopal::op_add<long>")

    def test_a_monoid_names_its_views(self):
        self.is_refused(WHOLE.replace("  using value_type = int;\n", "").replace("value_type", "int"),
                        "reducer: the monoid must name the type of its views: using value_type = ...;")

    def test_views_can_change(self):
        self.is_refused(WHOLE.replace("= int", "= const int").replace("{ left += right; }", "{}"),
                        "reducer: the monoid's value_type must be an object type, not const, with a destructor")

    def test_a_monoid_has_an_identity(self):
        says = "reducer: the monoid must have 'static value_type identity()'"
        self.is_refused(WHOLE.replace(IDENTITY, ""), says)
        self.is_refused(WHOLE.replace(IDENTITY, IDENTITY.replace("value_type", "long")), says)

    def test_a_monoid_reduces(self):
        says = "reducer: the monoid must have 'static void reduce(value_type& left, value_type&& right)'"
        self.is_refused(WHOLE.replace(REDUCE, ""), says)
        self.is_refused(WHOLE.replace("& left, value_type&& right", "&& left, value_type& right"), says)

    def test_a_monoid_returns_nothing_of_its_own(self):
        says = "reducer: the monoid's reduce must return nothing: it changes its first argument, a value_type&"
        self.is_refused(WHOLE.replace(REDUCE, "  static int reduce(int left, int right) { return left + right; }\n"), says)
        result = compiled(WHOLE.replace("void reduce", "int& reduce").replace("left += right", "return left += right"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_least_of_what_has_no_greatest_needs_an_index(self):
        self.is_refused("struct name {};", "op_min: std::numeric_limits knows no greatest value of this type",
                        "nopal::op_min<name>::value_type v; static_cast<void>(v);")


class Uses(Refusals):
    def compiled(self, use, headers=PATTERN_HEADERS):
        return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *compiled_headers(headers), "-"],
                              input=PATTERN_PROGRAM.replace("USE", use), capture_output=True, text=True, check=False)

    def test_each_wrong_use_is_told_in_one_sentence(self):
        for use, says in some_of(WRONG, 3):
            with self.subTest(use):
                self.says_once(says, self.compiled(use))

    def test_wrong_calls_in_arenas_and_of_waits_are_told_in_one_sentence(self):
        for header, calls in (("arena", OF_ARENAS), ("io", WITHOUT_UNIT)):
            headers = f"{PATTERN_HEADERS}#include <nopal/{header}.hpp>\n"
            for use, says in calls:
                with self.subTest(use):
                    self.says_once(says, self.compiled(use, headers))

    def test_calls_that_wrong_ones_resemble_compile(self):
        headers = f"{PATTERN_HEADERS}#include <nopal/arena.hpp>\n#include <nopal/io.hpp>\n"
        for use in ("nopal::parallel_inclusive_scan(values, values + 5);",
                    "nopal::parallel_exclusive_scan(values, values, 0);",
                    "nopal::parallel_transform(values, values + 5, [](int i) { return i; });",
                    "nopal::scope s; s.fork(use); s.fork_into(numbers[1], [](int i) { return i; }, 3); s.join();",
                    "nopal::arena a; auto f = [] { return 1; }; a.enqueue(f); a.enqueue(use); changed = a.execute(f); a.wait();",
                    "const auto limit = std::chrono::milliseconds(5); nopal::sleep_for(limit);"):
            with self.subTest(use):
                result = self.compiled(use, headers)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_wrong_forks_are_told_in_one_sentence_however_forks_are_compiled(self):
        for mode in ("NOPAL_FORKS_EAGER", "NOPAL_ELIDE"):
            headers = f"#define {mode}\n{PATTERN_HEADERS}"
            for use, says in some_of([*FORKS_BY_REFERENCE, *FORKS], 2):
                with self.subTest(f"{mode} {use}"):
                    self.says_once(says, self.compiled(use, headers))
            right = self.compiled("nopal::scope s; s.fork(change, std::ref(changed)); s.join();", headers)
            self.assertEqual((right.returncode, right.stderr), (0, ""))

    def test_headers_of_onetbb_that_are_not_here_say_so(self):
        for header, says in (("tbb/concurrent_vector.h", "of oneTBB's own headers, which are not installed"),
                             ("oneapi/tbb/profiling.h", "of oneTBB's own headers, which are not installed"),
                             ("tbb/flow_graph.h", "of oneTBB's own headers, which are not installed"),
                             ("tbb/memory_pool.h", "of oneTBB's own headers, which are not installed")):
            with self.subTest(header):
                result = subprocess.run(
                    [compiler, "-std=c++20", "-fsyntax-only", "-DNOPAL_TBB_WITHOUT_ONETBB", "-x", "c++", "-I", tbb_include, "-"],
                    input=f"#include <{header}>\n", capture_output=True, text=True, check=False)
                self.says_once("nopal: " + says, result)
                self.assertIn("/" + header.rsplit("/", 1)[1] + ":", result.stderr)

    def with_all_of_tbb(self, text, *flags):
        # With flags the headers say something else.
        headers = [] if flags else compiled_headers("#include <tbb/tbb.h>\n")
        if flags:
            text = "#include <tbb/tbb.h>\n" + text
        return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", tbb_include, "-I", include,
                               *headers, *flags, "-"], input=text, capture_output=True, text=True, check=False)

    def test_names_of_onetbb_that_are_not_here_say_so(self):
        for use in ("tbb::concurrent_vector<int> v; v.push_back(1);", "tbb::concurrent_queue<int> q;",
                    "tbb::concurrent_hash_map<int, long> m;", "oneapi::tbb::concurrent_unordered_set<int> s;",
                    "tbb::flow::graph g;"):
            with self.subTest(use):
                result = self.with_all_of_tbb(f"void use() {{ {use} }}\n", "-DNOPAL_TBB_WITHOUT_ONETBB")
                errors = [line for line in result.stderr.splitlines() if " error: " in line]
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("nopal: of oneTBB's own headers, which are not installed", errors[0])

    def test_names_of_previews_are_the_programs_own(self):
        for own, use in (("struct memory_pool { int size = 3; };", "memory_pool p; return p.size - 3;"),
                         ("struct fixed_pool { int size = 3; };", "fixed_pool p; return p.size - 3;"),
                         ("template <class K, class V> struct concurrent_lru_cache { K k; V v; };",
                          "concurrent_lru_cache<int, long> c{0, 0}; return c.k;")):
            with self.subTest(own):
                result = self.with_all_of_tbb(f"using namespace tbb;\n{own}\nint use() {{ {use} }}\n")
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_names_of_previews_that_are_asked_for_say_that_they_are_not_here(self):
        for asked, use in (("MEMORY_POOL", "tbb::memory_pool<int> p;"), ("MEMORY_POOL", "tbb::fixed_pool p;")):
            with self.subTest(use):
                result = self.with_all_of_tbb(f"void use() {{ {use} }}\n", f"-DTBB_PREVIEW_{asked}=1", "-DNOPAL_TBB_WITHOUT_ONETBB")
                errors = [line for line in result.stderr.splitlines() if " error: " in line]
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("nopal: of oneTBB's own headers, which are not installed", errors[0])

    def test_names_of_onetbb_that_come_from_elsewhere_are_meant(self):
        result = self.with_all_of_tbb("namespace tbb { template <class T> struct concurrent_vector { void push_back(T) {} };\n"
                                      "namespace flow { struct graph { int nodes; }; } }\n"
                                      "int use() { tbb::concurrent_vector<int> v; v.push_back(1); return tbb::flow::graph{1}.nodes; }\n",
                                      "-DNOPAL_TBB_WITHOUT_ONETBB")
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Languages(unittest.TestCase):
    def is_refused(self, standard, language, header, says):
        result = subprocess.run(
            [compiler, "-std=" + standard, "-fsyntax-only", "-x", language, "-I", include, "-I", tbb_include, "-"],
            input=f"#include <{header}>\n", capture_output=True, text=True, check=False)
        self.assertNotEqual(result.returncode, 0)
        first, *rest = [line for line in result.stderr.splitlines() if "error: " in line]
        self.assertIn(says, first)
        self.assertEqual(["the_error_before_this_one_says_what_is_accepted" in line for line in rest], [True], result.stderr)

    def test_older_cxx_is_refused_before_all_else(self):
        for standard in ("c++11", "c++14", "c++17"):
            for header in ("nopal/nopal.hpp", "nopal/scope.hpp", "nopal/parallel.hpp", "nopal/reducer.hpp", "nopal/sort.hpp",
                           "nopal/monoids.hpp", "nopal/bag.hpp", "nopal/openmp.hpp", "nopal/nopal.h", "nopal/compat/fibril.h",
                           "tbb/parallel_for.h", "tbb/task_group.h", "oneapi/tbb.h"):
                with self.subTest(standard + " " + header):
                    self.is_refused(standard, "c++", header, "nopal: these headers need C++20 or later: compile with -std=c++20")

    def test_older_c_is_refused_before_all_else(self):
        for header in ("nopal/nopal.h", "nopal/compat/fibril.h"):
            with self.subTest(header):
                self.is_refused("c89", "c", header, "nopal: these headers need C99 or later: compile with -std=c11")

    def test_senders_are_refused_where_there_are_none(self):
        has = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"], capture_output=True, text=True, check=False,
                             input="#include <version>\n#if defined(__cpp_lib_senders) || __has_include(<stdexec/execution.hpp>)\n#error\n#endif\n")
        if has.returncode != 0:
            self.skipTest("std::execution is there")
        self.is_refused("c++20", "c++", "nopal/execution.hpp", "nopal: execution: std::execution is missing: put stdexec's headers")


if __name__ == "__main__":
    compiler, include, tbb_include = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
