#!/usr/bin/env python3
"""The net is tested: with a mend taken out, of the headers or of the library, generated programs fail that pass with it.

Another generator makes other programs of a seed. With --look this looks for files of programs that find the faults."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from toolchain import EAGER, HERE, INCLUDE, find_compilers


class Fault:
    """What is replaced in a header (nothing: the other library has the fault), and which file of which seed's programs finds
    that, with which flags: the same on every machine."""

    def __init__(self, name, family, where, flags, header='', pattern='', replacement=''):
        self.name, self.family, self.where, self.flags = name, family, where, flags
        self.header, self.pattern, self.replacement = header, pattern, replacement

    def altered_headers(self, directory):
        include = os.path.join(directory, 'include')
        shutil.copytree(INCLUDE, include)
        path = os.path.join(include, self.header)
        with open(path) as source:
            text, count = re.subn(self.pattern, self.replacement, source.read(), flags=re.S)
        if count != 1:
            raise ValueError(f'{self.header} has {count} places like {self.pattern}')
        with open(path, 'w') as target:
            target.write(text)
        return include


STEPS, LATENT_CALL = 'nopal/detail/x86_64/steps.h', 'nopal/detail/x86_64/latent_assembly.h'
FAULTS = [
    Fault("GCC's frame is not a dynamic one", 'gcc', (5, 0), f'-O2 -DNOPAL_DYNAMIC_FRAMES {EAGER}', STEPS,
          r'__asm__ goto\("" : : : : nopal_dynamic\);', ''),
    # Without the call the assembler refuses what it would go wrong with.
    Fault("GCC's frame is not one with arguments on the stack", 'gcc', (5, 0), f'-O2 {EAGER}', STEPS,
          r'(?s)__asm__ goto\("" : : : : nopal_called\);(.*?)NOPAL_DETAIL_REFUSE_STACK_POINTER\("%0"\)', r'\1'),
    Fault("Clang's stack pointer does not move", 'clang', (5, 0), f'-O2 {EAGER}', STEPS,
          r'(__asm__ volatile\([^;]*: "=m"\(\*frame\)) : : "rsp"\);', r'\1);'),
    Fault('GCC goes on with the stack pointer of before', 'gcc', (11, 0), f'-O2 -fno-inline {EAGER}', STEPS,
          r'__asm__ volatile\("" : "\+r"\(nopal_stack_pointer\)\);', ''),
    Fault('a promoted return stores nothing', '', (1, 0), '-O2', LATENT_CALL, r'("773:\\n\\t" *\\\n *)store', r'\1'),
    Fault('an inlined function does not come back to its arrays', '', (147, 0), f'-O2 {EAGER}'),
]


def run_programs(fault, compiler, library, include, directory, which):
    command = [sys.executable, '-B', os.path.join(HERE, 'fuzz_programs.py'), '--library', library, '--include', include,
               '--jobs', '1', '--seconds', '100000', '--no-reduce', '--compiler', compiler, f'--flags={fault.flags}',
               '--findings', os.path.join(directory, 'findings'), *which]
    return subprocess.run(command, text=True, capture_output=True)


def is_found(fault, compiler, library, faulty_library, looks):
    """What is wrong, or null."""
    which = ['--seed', str(fault.where[0]), f'--only={fault.where[1]}']
    with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
        if looks:
            which = ['--seed=1', '--units=3000']
        else:
            sound = run_programs(fault, compiler, library, INCLUDE, directory, which)
            if sound.returncode != 0:
                return f'fails without the fault\n{sound.stdout}{sound.stderr}'
        include = fault.altered_headers(directory) if fault.header else INCLUDE
        altered = run_programs(fault, compiler, library if fault.header else faulty_library, include, directory, which)
        # What does not compile was not found by running it.
        kinds = re.findall(r'^--- unit .*: (\w+); see', altered.stdout, re.M)
        if altered.returncode != 1 or not kinds or not {'differs', 'status', 'hangs'}.issuperset(kinds):
            return f'is not found\n{altered.stdout}{altered.stderr}'
        if looks:
            return altered.stdout
    return None


def main(library, faulty_library, *options):
    families = {c.family: c.name for c in reversed(find_compilers())}
    cases = [(f, families[family]) for f in FAULTS for family in families if f.family in ('', family)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: is_found(*case, library, faulty_library, '--look' in options), cases))
    for (fault, compiler), result in zip(cases, results):
        print(f'{fault.name}, {compiler}: {result or "is found"}')
    return 1 if any(results) or not cases else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
