"""A body's stores do not keep compilers from vectorizing the loop over its range.

Usage: ranges_test.py --compiler CXX --library libnopal.a --include DIR [unittest options]
"""

import os
import subprocess
import sys
import tempfile
import unittest

import machine_code

HERE = os.path.dirname(os.path.abspath(__file__))
given = {}


def functions_of(place):
    program = os.path.join(place, "program")
    flags = ["-DNOPAL_STATIC"] if given["library"].endswith(".a") else []
    subprocess.run([given["compiler"], "-std=c++20", "-O3", *flags, "-I", f"{given['include']}/nopal/compat", "-I",
                    given["include"], os.path.join(HERE, "ranges.cpp"), given["library"], "-pthread", "-o", program],
                   check=True)
    subprocess.run([program], check=True, env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(given["library"])})
    return machine_code.disassemble(program)


def instructions_of(functions, part):
    """Of the functions in whose names the part is: what they are called."""
    found = [function for function in functions if part in function.name]
    return {instruction.name for function in found for instruction in function.code.values()}


class Ranges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as place:
            cls.functions = functions_of(place)

    def test_a_loop_that_stores_numbers_of_the_bounds_type_is_vectorized(self):
        self.assertTrue(instructions_of(self.functions, "halved_loop") & {"paddq", "vpaddq"})

    def test_a_loop_over_the_items_of_a_vector_is_vectorized(self):
        self.assertTrue(instructions_of(self.functions, "loop_over_items") & {"paddd", "vpaddd"})


if __name__ == "__main__":
    for option in ("compiler", "library", "include"):
        at = sys.argv.index("--" + option)
        given[option] = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    unittest.main()
