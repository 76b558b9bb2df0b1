"""The common slow push must not touch vector registers: its caller keeps the program's values in them, unsaved.

Usage: registers_test.py --compiler CXX --library libnopal.a --include DIR [unittest options]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import machine_code

HERE = os.path.dirname(os.path.abspath(__file__))
ENTRY = "nopal_push_and_publish"
VECTORS = re.compile(r"%([xyz]?mm\d+|k[0-7]|st)\b")
given = {}


def complaints_about(functions, entry):
    """What code reachable from `entry` by calls and jumps has to do with vector registers, or hides."""
    by_start = {function.start: function for function in functions}
    waiting = [function for function in functions if function.name == entry]
    if not waiting:
        return [f"there is no {entry}"]
    complaints, seen = [], set()
    while waiting:
        function = waiting.pop()
        if function.start in seen:
            continue
        seen.add(function.start)
        for instruction in function.code.values():
            if VECTORS.search(instruction.text):
                complaints.append(f"{function.name}: {instruction.text}")
        for call in function.calls():
            if call.is_direct and call.target in by_start:
                waiting.append(by_start[call.target])
            else:
                complaints.append(f"{function.name}: leads to code unknown: {call.text}")
    return complaints


class Registers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        if given["library"].endswith(".so"):
            cls.functions = machine_code.disassemble(given["library"])
            return
        program = os.path.join(cls.place.name, "program")
        subprocess.run([given["compiler"], "-std=c++20", "-O2", "-I", given["include"],
                        os.path.join(HERE, "chain.cpp"), given["library"], "-pthread", "-o", program],
                       check=True)
        cls.functions = machine_code.disassemble(program)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_the_common_slow_push_touches_general_registers_only(self):
        self.assertEqual(complaints_about(self.functions, ENTRY), [])

    def test_the_check_sees_vector_registers_and_indirect_calls(self):
        complaints = " ".join(complaints_about(self.functions, "nopal_push_slow_path"))
        self.assertIn("leads to code unknown", complaints)
        self.assertIn("%xmm", complaints)


if __name__ == "__main__":
    for option in ("compiler", "library", "include"):
        at = sys.argv.index("--" + option)
        given[option] = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    unittest.main()
