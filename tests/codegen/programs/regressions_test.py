#!/usr/bin/env python3
"""Small programs that were wrong once, reduced from generated ones: with every compiler at every level, against their elision."""

import glob
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'support'))
from sampling import some_of  # noqa: E402

from running import BUILD_SECONDS, Failure, expected_of, run, run_parallel
from toolchain import EAGER, EMULATOR, HERE, Build, architectures, find_compilers

LEVELS = [[level, EAGER] for level in ('-O0', '-O1', '-O2', '-O3', '-Os')] + [['-O0'], ['-O2']]
SETTINGS = [(3, 100, 4, 40, 0), (3, 0, 4, 40, 0), (7, 50, 4, 40, 0)]
LATENT_SETTINGS = [(3, 0, 4, 40, 20), (7, 10, 4, 40, 200)]
# QEMU ends a new process of a program that had threads; the second has assembly of x86-64.
NOT_EMULATED = ('endless_forks.cpp', 'stolen_again_past_home.cpp') if EMULATOR else ()


class Source:
    """As much of a unit as a build asks for."""

    def __init__(self, path):
        self.path, self.exceptions = path, True
        self.language = 'c' if path.endswith('.c') else 'c++'
        with open(path) as file:
            flags = re.match(r'/\* flags: (.*) \*/', file.readline())
        self.flags = flags.group(1).split() if flags else []


def check(source, compiler, level, library):
    here = [f for flags in architectures() for f in flags]
    flags = level + [f for f in source.flags if compiler.accepts([f]) and (f in here or '-march' not in f)]
    build = Build(compiler, flags, library)
    with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
        paths = []
        for elided in (False, True):
            paths.append(os.path.join(directory, f'{elided}'))
            status, _, errors = run(build.command(source, source.path, paths[-1], elided), BUILD_SECONDS)
            if status != 0:
                return f'the compiler ended with {status}\n{errors[:2000]}'
        expected = expected_of(paths[1], 4)
        if isinstance(expected, Failure):
            return expected.text
        for setting in SETTINGS if EAGER in level else LATENT_SETTINGS:
            failure = run_parallel(paths[0], setting, expected)
            if failure is not None:
                return f'{failure.kind} with {setting}: {failure.text}'
    return None


def main(library):
    sources = [Source(path) for path in sorted(glob.glob(os.path.join(HERE, 'regressions', '*.c*')))
               if os.path.basename(path) not in NOT_EMULATED]
    cases = some_of(((s, c, level, library) for s in sources for c in find_compilers() for level in LEVELS), 3)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: check(*case), cases))
    failures = 0
    for (source, compiler, level, _), result in zip(cases, results):
        if result is not None:
            failures += 1
            print(f'{os.path.basename(source.path)}, {compiler.name} {" ".join(level + source.flags)}: {result}')
    print(f'{len(cases)} builds, {failures} failures')
    return 1 if failures or not cases else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
