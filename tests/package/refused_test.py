"""What is no monoid does not compile, and the compiler says why in one sentence, once.

Usage: refused_test.py CXX INCLUDE_DIRECTORY [unittest options]
"""

import subprocess
import sys
import unittest

compiler, include = "", ""

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
    source = f"#include <nopal/reducer.hpp>\n{monoid}\nvoid use() {{ {use} }}\n"
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", include, "-"], input=source,
                          capture_output=True, text=True, check=False)


class Refused(unittest.TestCase):
    def is_refused(self, monoid, says, use="nopal::reducer<monoid> r; ++*r;"):
        result = compiled(monoid, use)
        errors = [line for line in result.stderr.splitlines() if " error: " in line]
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len(errors), 1, result.stderr)
        self.assertIn(says, errors[0])

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

    def test_the_least_of_what_has_no_greatest_needs_an_index(self):
        self.is_refused("struct name {};", "op_min: std::numeric_limits knows no greatest value of this type",
                        "nopal::op_min<name>::value_type v; static_cast<void>(v);")


if __name__ == "__main__":
    compiler, include = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
