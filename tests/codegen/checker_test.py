"""The checker itself: it must complain about what is wrong in hand-written assembly, and about nothing else.

Each function of a snippet says in its name what is expected: `good_...` passes; `bad_...` is complained about.
Usage: checker_test.py [--compiler CXX] [unittest options]

NOPAL_TEST_TRIPLE: another processor, whose own rules are asked.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import frame_rules
import frame_rules_aarch64
import machine_code

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILER = "cc"
TRIPLE = os.environ.get("NOPAL_TEST_TRIPLE", "")
ON_AARCH64 = TRIPLE.startswith("aarch64")
RUNTIME = """
        .globl nopal_enter_fork, nopal_suspend_at_join, callee, pthread_self, _Unwind_Resume, nopal_throw_push_failure
nopal_enter_fork: ret
nopal_suspend_at_join: ret
callee: ret
pthread_self: ret
_Unwind_Resume: ret
nopal_throw_push_failure: ret
"""


def functions_of(snippet):
    """A linked program of one snippet."""
    with tempfile.TemporaryDirectory() as place:
        runtime, program = os.path.join(place, "runtime.s"), os.path.join(place, "program")
        with open(runtime, "w", encoding="ascii") as file:
            file.write(RUNTIME)
        subprocess.run([COMPILER, "-nostdlib", "-no-pie", "-Wl,-e,callee", "-Wl,-z,noexecstack",
                        os.path.join(HERE, "snippets", snippet), runtime, "-o", program], check=True)
        if ON_AARCH64:
            return machine_code.disassemble(program, TRIPLE + "-objdump", frame_rules_aarch64.Instruction)
        return machine_code.disassemble(program)


class Snippets(unittest.TestCase):
    def check(self, snippet, check):
        seen = {"good": 0, "bad": 0}
        for function in functions_of(snippet):
            expected = function.name.split("_")[0]
            if expected not in seen:
                continue
            seen[expected] += 1
            with self.subTest(function.name):
                complaints = [str(complaint) for complaint in check(function)]
                if expected == "good":
                    self.assertEqual(complaints, [])
                else:
                    self.assertNotEqual(complaints, [], "the checker saw nothing wrong")
        self.assertTrue(all(seen.values()), seen)

    def test_access_through_the_stack_pointer(self):
        rules = frame_rules_aarch64 if ON_AARCH64 else frame_rules

        def check(function):
            forks = rules.forks_of(function)
            self.assertTrue(forks, function.name)
            return rules.check_function(function, set(forks))
        self.check("frames_aarch64.s" if ON_AARCH64 else "frames.s", check)

    @unittest.skipIf(TRIPLE, "it is that of x86-64")
    def test_unstolen_path(self):
        self.check("unstolen.s", frame_rules.check_unstolen_path)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--compiler":
        COMPILER = sys.argv[2]
        del sys.argv[1:3]
    unittest.main()
