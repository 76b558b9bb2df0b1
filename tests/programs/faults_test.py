#!/usr/bin/env python3
"""The net is tested: with a mend taken out of the headers, generated programs fail, within so many files of them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from toolchain import HERE, INCLUDE, find_compilers

MOST_FILES = 60

# Name, family of compilers, file, what is replaced, by what.
FAULTS = [
    ('frame of GCC that is not forced', 'gcc', 'nopal/detail/fast_path.h',
     r'__asm__ goto\("" : : : : nopal_dynamic\);|__asm__ volatile\("" : : "r"\(__builtin_alloca_with_align\(nopal_zero, 8\)\)\);', ';'),
    ('frame of Clang that is not forced', 'clang', 'nopal/detail/fast_path.h', r'__asm__ volatile\("" ::: "rsp"\);', ';'),
]


def is_found(fault, library, directory):
    name, family, file, pattern, replacement = fault
    include = os.path.join(directory, 'include')
    shutil.rmtree(include, ignore_errors=True)
    shutil.copytree(INCLUDE, include)
    path = os.path.join(include, file)
    with open(path) as source:
        text, count = re.subn(pattern, replacement, source.read())
    if count == 0:
        print(f'{name}: {file} has nothing like {pattern}')
        return False
    with open(path, 'w') as target:
        target.write(text)
    compilers = [f'--compiler={c.name}' for c in find_compilers() if c.family.startswith(family)]
    if not compilers:
        print(f'{name}: no such compiler, not tested')
        return True
    command = [sys.executable, '-B', os.path.join(HERE, 'fuzz_programs.py'), '--library', library, '--include', include,
               '--seed', '1', '--units', str(MOST_FILES), '--seconds', '100000', '--no-reduce', '--findings',
               os.path.join(directory, 'findings'), *compilers]
    done = subprocess.run(command, text=True, capture_output=True)
    print(f'{name}: {done.stdout.splitlines()[-1]}')
    # What does not compile was not found by running it.
    kinds = re.findall(r'^--- unit .*: (\w+); see', done.stdout, re.M)
    if done.returncode != 1 or not kinds or 'build' in kinds or 'elided' in kinds:
        print(done.stdout + done.stderr)
        return False
    return True


def main(library):
    with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
        results = [is_found(fault, library, directory) for fault in FAULTS]
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
