"""What is used wrongly does not compile, and the compiler says why in one sentence, once.

Usage: refused_test.py CXX INCLUDE_DIRECTORY TBB_INCLUDE_DIRECTORY [unittest options]
"""

import functools
import pathlib
import subprocess
import sys
import tempfile
import unittest

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


PATTERN_HEADERS = """
#include <nopal/parallel.hpp>
#include <nopal/waiting.hpp>
#include <functional>
#include <list>
#include <memory>
#include <vector>
"""
PATTERN_PROGRAM = """
struct unlike {};
void take(int, int);
void change(int&);
long change_second(const char*, std::vector<int>&);
struct moved { moved() = default; moved(moved&&) = default; };
void change_beside(moved, int&);
int changed;
int values[10];
std::vector<int> numbers(10);
std::list<int> listed;
void use() { USE }
"""

# Children have copies, which no reference to what may change refers to.
BY_REFERENCE = ("nopal: {} gives the child copies of its arguments: for a parameter that is a reference pass std::ref(x),"
                " or capture x in a lambda")
FORKS_BY_REFERENCE = [
    ("nopal::scope s; s.fork(change, changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; s.fork([](auto& each) { each = 3; }, changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; s.fork(change_beside, moved(), changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; s.fork([](int& a, int& b) { a = b; }, changed, changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; long out; s.fork_into(out, change_second, \"text\", numbers);", BY_REFERENCE.format("fork_into")),
    ("nopal::scope s; int out; s.fork_into(out, [](int& a) { return a++; }, changed);", BY_REFERENCE.format("fork_into")),
]

# What is written, and what is said about it.
WRONG = [
    ("nopal::scope s; s.fork(take, 1);", "fork: the callable does not take these arguments"),
    ("nopal::scope s; s.fork(5);", "fork: the callable does not take these arguments"),
    ("nopal::scope s; s.fork(take, 1, unlike());", "fork: the callable does not take these arguments"),
    ("nopal::scope s; std::unique_ptr<int> p; s.fork([](std::unique_ptr<int>) {}, p);",
     "fork: the callable and its arguments must be copyable or movable"),
    ("nopal::scope s; int out; s.fork_into(out, [](int) { return 1; });",
     "fork_into: the callable does not take these arguments"),
    ("nopal::scope s; int out; s.fork_into(out, [] { return unlike(); });",
     "fork_into: the callable's result cannot be assigned to the first argument"),
    ("nopal::scope s; int out; s.fork_into(out, [] {});", "fork_into: the callable returns nothing: use fork"),
    ("nopal::scope s; s.fork_into(take, 1);", "fork_into: the callable does not take these arguments"),
    ("nopal::fork(take, 1, 2);", "fork is a member of scopes: nopal::scope s; s.fork(f, arguments...); s.join();"),
    ("nopal::scope s; nopal::fork(s, take, 1, 2);", "fork is a member of scopes"),
    ("int out; nopal::fork_into(out, [](int i) { return i; }, 1);", "fork_into is a member of scopes"),
    *FORKS_BY_REFERENCE,
    ("nopal::blocking(3);", "blocking: the argument must be callable without arguments, as a lambda is"),
    ("nopal::blocking([](int) {});", "blocking: the argument must be callable without arguments"),
    ("nopal::promise<int> p; p.set_value();", "set_value: one value, or none for promise<void>"),
    ("nopal::promise<void> p; p.set_value(3);", "set_value: one value, or none for promise<void>"),
    ("nopal::parallel_invoke([] {}, 3);", "parallel_invoke: every argument must be callable without arguments"),
    ("nopal::parallel_for(0, 10, [](unlike) {});", "parallel_for: the body must be callable with"),
    ("nopal::parallel_for(0, 10, 5, 7);", "parallel_for: the body must be callable with"),
    ("nopal::parallel_for(0, 10, [](int) {}, 100);", "parallel_for: the grain stands before the body"),
    ("nopal::parallel_for(numbers.begin(), numbers.end(), change, 100u);",
     "parallel_for: the grain stands before the body"),
    ("nopal::parallel_for(numbers, [](int) {}, 100);",
     "parallel_for: the grain must be a whole number, and stands before the body"),
    ("nopal::parallel_for(0.0, 10.0, [](double) {});", "parallel_for: the first two arguments must be whole numbers or"),
    ("nopal::parallel_for(listed.begin(), listed.end(), [](int) {});",
     "parallel_for: the first two arguments must be whole numbers or random-access iterators of one type"),
    ("nopal::parallel_for(numbers.begin(), numbers.cend(), [](int) {});",
     "parallel_for: the first two arguments must be whole numbers or random-access iterators of one type"),
    ("nopal::parallel_for(listed, [](int) {});",
     "parallel patterns: the range must have random-access iterators and a size that they tell; parallel_for_each takes any range"),
    ("nopal::parallel_for(5, [](int) {});", "parallel patterns: the first argument must be a range"),
    ("nopal::parallel_for(numbers, [](unlike) {});", "parallel_for: the body must be callable with"),
    ("nopal::parallel_for(numbers, 1.5, [](int) {});", "parallel_for: the grain must be a whole number"),
    ("nopal::parallel_for(nopal::range_2d{0, 1, 0, 1}, [](int) {});",
     "parallel_for: the body must be callable with a number for each side of the range, or with a part of the range"),
    ("nopal::range_2d{0.0, 1.0, 0, 1};", "range of several sides: the ends of each side must be whole numbers"),
    ("static_cast<void>(nopal::parallel_reduce(listed, 0, [](int a, int) { return a; }));",
     "parallel patterns: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_reduce(numbers, 0, [](unlike) { return 1; }, [](int a, int) { return a; }));",
     "parallel_reduce: the map must be callable with"),
    ("static_cast<void>(nopal::parallel_reduce(numbers, 0, [](int a) { return a; }));", "parallel_reduce: combine must take"),
    ("auto sum = nopal::parallel_reduce(numbers, std::plus<>()); changed = sum;",
     "parallel_reduce: after the range come an identity and how to combine"),
    ("changed = nopal::parallel_reduce(numbers, [](int i) { return i; }, std::plus<>());",
     "parallel_reduce: the identity is missing, which stands before the map"),
    ("changed = nopal::parallel_reduce(numbers.begin(), numbers.end(), std::plus<int>());",
     "parallel_reduce: the first argument must be a range, or the first of two ends, after which come an identity"),
    ("auto sum = nopal::parallel_reduce(0, 10, [](int i) { return i; }, [](int a, int b) { return a + b; });",
     "parallel_reduce: the identity is missing, which stands before the map"),
    ("static_cast<void>(nopal::parallel_reduce(0, 10, 0, [](int a) { return a; }));", "parallel_reduce: combine must take"),
    ("nopal::parallel_transform(listed, values, [](int i) { return i; });",
     "parallel patterns: the range must have random-access iterators"),
    ("nopal::parallel_transform(numbers, listed, values, [](int i, int) { return i; });",
     "parallel patterns: the range must have random-access iterators"),
    ("nopal::parallel_transform(numbers.begin(), numbers.cend(), values, [](int i) { return i; });",
     "parallel_transform: input and output must be random-access iterators"),
    ("nopal::parallel_inclusive_scan(listed, values);", "parallel patterns: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_find_if(listed, [](int) { return true; }));",
     "parallel patterns: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_find_if(std::vector<int>(3), [](int) { return true; }));",
     "parallel search: the range ends with the call, and what is found in it too: give it a name"),
    ("static_cast<void>(nopal::parallel_any_of(numbers, [](unlike) { return true; }));",
     "parallel search: the predicate must be callable with an element"),
    ("nopal::parallel_for_each(5, [](int) {});", "parallel_for_each: the first argument must be a range"),
    ("nopal::parallel_for_each(numbers, [](unlike) {});", "parallel_for_each: the body must be callable with an element"),
    ("nopal::parallel_for_each(listed.begin(), listed.end(), [](unlike) {});",
     "parallel_for_each: the body must be callable with an element"),
    ("static_cast<void>(nopal::parallel_reduce(0, 10, 0, [](unlike) { return 1; }, [](int a, int) { return a; }));",
     "parallel_reduce: the map must be callable with"),
    ("static_cast<void>(nopal::parallel_reduce(0, 10, 0, [](int i) { return i; }, [](int a) { return a; }));",
     "parallel_reduce: combine must take"),
    ("static_cast<void>(nopal::parallel_reduce(listed.begin(), listed.end(), 0, [](int i) { return i; },"
     " [](int a, int) { return a; }));", "parallel_reduce: the first two arguments must be"),
    ("nopal::parallel_transform(listed.begin(), listed.end(), values, [](int i) { return i; });",
     "parallel_transform: input and output must be random-access iterators"),
    ("nopal::parallel_transform(values, values + 10, values, [](int) { return unlike(); });",
     "parallel_transform: the function must be callable with an element, and its result assignable"),
    ("nopal::parallel_transform(values, values + 10, values, values, [](int) { return 1; });",
     "parallel_transform: the function must be callable with an element of each range"),
    ("nopal::parallel_inclusive_scan(listed.begin(), listed.end(), values);",
     "parallel scan: input and output must be random-access iterators"),
    ("nopal::parallel_inclusive_scan(values, values + 10, values, [](int) { return 1; });",
     "parallel scan: the operation must take"),
    ("nopal::parallel_exclusive_scan(values, values + 10, values, unlike());", "parallel scan: the operation must take"),
    ("static_cast<void>(nopal::parallel_find_if(listed.begin(), listed.end(), [](int) { return true; }));",
     "parallel search: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_any_of(values, values + 10, [](unlike) { return true; }));",
     "parallel search: the predicate must be callable with an element"),
    ("static_cast<void>(nopal::parallel_all_of(values, values + 10, 5));",
     "parallel search: the predicate must be callable with an element"),
    ("nopal::parallel_sort(listed);", "sort: parallel_sort takes two random-access iterators of one type, or a range"),
    ("nopal::parallel_sort(listed.begin(), listed.end());", "sort: parallel_sort takes two random-access iterators"),
    ("nopal::parallel_sort(numbers.begin(), numbers.cend());", "sort: parallel_sort takes two random-access iterators"),
    ("nopal::parallel_stable_sort(listed, std::less<>());",
     "sort: parallel_stable_sort takes two random-access iterators of one type, or a range"),
    ("nopal::parallel_stable_sort(listed.begin(), listed.end(), std::less<>());",
     "sort: parallel_stable_sort takes two random-access iterators"),
    ("std::vector<unlike> odd; nopal::parallel_sort(odd);", "sort: the comparator must be callable with two elements"),
    ("nopal::parallel_stable_sort(numbers, [](int) { return true; });",
     "sort: the comparator must be callable with two elements"),
    ("nopal::parallel_sort(numbers, {}, [](unlike) { return 1; });",
     "sort: the projection must be callable with an element"),
    ("std::vector<bool> bits; nopal::parallel_sort(bits);",
     "sort: the elements must not share memory, as those of std::vector<bool> do"),
    ("std::vector<bool> bits; nopal::parallel_transform(values, values + 10, bits.begin(), [](int i) { return i > 1; });",
     "parallel_transform: elements of the output must not share memory"),
    ("std::vector<bool> bits; nopal::parallel_inclusive_scan(bits.begin(), bits.end(), bits.begin(), std::logical_or<>());",
     "parallel scan: elements of the output must not share memory"),
    ("const std::vector<int> fixed; nopal::parallel_stable_sort(fixed, std::less<long>());",
     "sort: the elements must be movable, and not constant"),
]


class Uses(Refusals):
    def compiled(self, use, headers=PATTERN_HEADERS):
        return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *compiled_headers(headers), "-"],
                              input=PATTERN_PROGRAM.replace("USE", use), capture_output=True, text=True, check=False)

    def test_each_wrong_use_is_told_in_one_sentence(self):
        for use, says in WRONG:
            with self.subTest(use):
                self.says_once(says, self.compiled(use))

    def test_forks_of_references_are_told_in_one_sentence_however_forks_are_compiled(self):
        for mode in ("NOPAL_FORKS_EAGER", "NOPAL_ELIDE"):
            headers = f"#define {mode}\n{PATTERN_HEADERS}"
            for use, says in FORKS_BY_REFERENCE:
                with self.subTest(f"{mode} {use}"):
                    self.says_once(says, self.compiled(use, headers))
            right = self.compiled("nopal::scope s; s.fork(change, std::ref(changed)); s.join();", headers)
            self.assertEqual((right.returncode, right.stderr), (0, ""))

    def test_headers_of_onetbb_that_are_not_here_say_so(self):
        for header in ("tbb/concurrent_vector.h", "oneapi/tbb/parallel_pipeline.h", "tbb/concurrent_queue.h"):
            with self.subTest(header):
                result = subprocess.run(
                    [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", tbb_include, "-"],
                    input=f"#include <{header}>\n", capture_output=True, text=True, check=False)
                self.says_once("nopal: not among these headers", result)
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
                    "tbb::flow::graph g;", "tbb::collaborative_once_flag once;",
                    "tbb::parallel_pipeline(4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,"
                    " [](tbb::flow_control& f) { f.stop(); return 0; }) &"
                    " tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) {}));"):
            with self.subTest(use):
                result = self.with_all_of_tbb(f"void use() {{ {use} }}\n")
                errors = [line for line in result.stderr.splitlines() if " error: " in line]
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("nopal: not among these headers: compile this file with those of oneTBB", errors[0])

    def test_names_of_previews_are_the_programs_own(self):
        for own, use in (("struct memory_pool { int size = 3; };", "memory_pool p; return p.size - 3;"),
                         ("struct fixed_pool { int size = 3; };", "fixed_pool p; return p.size - 3;"),
                         ("template <class K, class V> struct concurrent_lru_cache { K k; V v; };",
                          "concurrent_lru_cache<int, long> c{0, 0}; return c.k;")):
            with self.subTest(own):
                result = self.with_all_of_tbb(f"using namespace tbb;\n{own}\nint use() {{ {use} }}\n")
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_names_of_previews_that_are_asked_for_say_that_they_are_not_here(self):
        for asked, header, use in (("MEMORY_POOL", "memory_pool", "tbb::memory_pool<int> p;"),
                                   ("MEMORY_POOL", "memory_pool", "tbb::fixed_pool p;"),
                                   ("CONCURRENT_LRU_CACHE", "concurrent_lru_cache", "tbb::concurrent_lru_cache<int, int> c;")):
            with self.subTest(use):
                flag = f"-DTBB_PREVIEW_{asked}=1"
                result = self.with_all_of_tbb(f"void use() {{ {use} }}\n", flag)
                errors = [line for line in result.stderr.splitlines() if " error: " in line]
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("nopal: not among these headers: compile this file with those of oneTBB", errors[0])
                self.says_once("nopal: not among these headers", self.with_all_of_tbb(f"#include <tbb/{header}.h>\n", flag))

    def test_names_of_onetbb_that_come_from_elsewhere_are_meant(self):
        result = self.with_all_of_tbb("namespace tbb { template <class T> struct concurrent_vector { void push_back(T) {} };\n"
                                      "namespace flow { struct graph { int nodes; }; } }\n"
                                      "int use() { tbb::concurrent_vector<int> v; v.push_back(1); return tbb::flow::graph{1}.nodes; }\n")
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


if __name__ == "__main__":
    compiler, include, tbb_include = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
