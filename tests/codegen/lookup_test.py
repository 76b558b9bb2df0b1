"""A lookup of a reducer's view is two loads and a branch beside the load of the thread's array, and is done anew after
each fork and join.

Usage: lookup_test.py --compiler CXX --library libnopal.a --include DIR [unittest options]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import machine_code

HERE = os.path.dirname(os.path.abspath(__file__))
ARRAY_ENTRY = re.compile(r"^\(%r\w+,%r\w+,8\)$")
given = {}


def functions_of(place, *flags):
    program = os.path.join(place, "program")
    subprocess.run([given["compiler"], "-std=c++20", "-O2", *flags, "-I", given["include"],
                    os.path.join(HERE, "lookup.cpp"), given["library"], "-pthread", "-o", program], check=True)
    subprocess.run([program], check=True, env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(given["library"])})
    return {function.name: function for function in machine_code.disassemble(program)}


def straight_path(function):
    """The instructions up to the first return, past conditional jumps: the view is at hand."""
    path = []
    for address in sorted(address for address in function.code if address >= function.start):
        instruction = function.code[address]
        if instruction.is_padding or instruction.name.startswith("endbr"):
            continue
        path.append(instruction)
        if instruction.name.startswith("ret"):
            return path
    raise AssertionError(f"{function.name} has no return")


def touches_memory(instruction):
    return instruction.name != "lea" and any("(" in operand or operand.startswith("%fs:")
                                             for operand in instruction.operands)


class Lookup(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.functions = functions_of(place.name, "-DNOPAL_STATIC") if given["library"].endswith(".a") else functions_of(
            place.name)

    def test_a_lookup_is_the_threads_array_and_two_loads_and_a_branch(self):
        path = straight_path(self.functions["update_once"])
        text = "\n".join(instruction.text for instruction in path)
        memory = [instruction for instruction in path if touches_memory(instruction)]
        # The thread's array, the reducer's slot, its entry; then the update itself.
        extra = 0 if given["library"].endswith(".a") else 1  # the offset of the thread's array, from a table
        self.assertEqual(len(memory), 4 + extra, text)
        self.assertEqual(sum(instruction.is_jump for instruction in path), 1, text)
        self.assertFalse(any(instruction.is_call for instruction in path), text)
        self.assertEqual(sum(ARRAY_ENTRY.match(instruction.operands[0]) is not None for instruction in memory), 1, text)

    def test_no_view_is_kept_across_a_fork_or_a_join(self):
        code = self.functions["update_around_forks"].code.values()
        entries = [instruction for instruction in code
                   if instruction.operands and ARRAY_ENTRY.match(instruction.operands[0])]
        arrays = [instruction for instruction in code
                  if any(operand.startswith("%fs:") for operand in instruction.operands)]
        self.assertGreaterEqual(len(entries), 3)
        self.assertGreaterEqual(len(arrays), 3)


if __name__ == "__main__":
    for option in ("compiler", "library", "include"):
        at = sys.argv.index("--" + option)
        given[option] = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    unittest.main()
