#!/usr/bin/env python3
"""Random C++ programs with scopes that are stopped: each run is judged by the rules of docs/programs.md, in parallel and elided."""

import argparse
import os
import random
import shlex
import shutil
import sys
import tempfile
import time

from running import run
from stops import unit_text
from toolchain import EAGER, HERE, INCLUDE, Build, find_compilers

BUILD_SECONDS, RUN_SECONDS = 300, 240  # thieves may have no processor for long
JUDGE = os.path.join(HERE, 'stops_judge.cpp')
LEVELS = ['-O2', '-O0']
REPETITIONS = 60

# Workers, share of pushes whose continuation must be taken, microseconds between questions, the rest of the environment.
SETTINGS = [
    (1, 0, 0, {}),
    (2, 0, 0, {'NOPAL_STEAL': 'always'}),
    (4, 100, 0, {}),
    (7, 40, 0, {'NOPAL_FORKS': 'eager'}),
    (4, 0, 50, {}),
    (7, 0, 200, {'NOPAL_STEAL': 'always', 'NOPAL_FORKS': 'eager'}),
]


class Source:
    """What a build asks of a file of programs."""

    language, exceptions = 'c++', True


class Finding:
    def __init__(self, text, command, variables=None):
        self.text, self.command, self.variables = text, command, variables or {}

    def __str__(self):
        variables = ''.join(f'{name}={value} ' for name, value in self.variables.items())
        return f'{self.text[-3000:].rstrip()}\n{variables}{shlex.join(self.command)}'


def variables_of(setting):
    workers, percent, ask_every, more = setting
    return {'NOPAL_WORKERS': str(workers), 'NOPAL_TAKE_PERCENT': str(percent), 'NOPAL_ASK_EVERY': str(ask_every), **more}


class Session:
    """Programs of one seed, in a folder of its own."""

    def __init__(self, library, include, directory, compilers, variables=None):
        self.library, self.include, self.directory, self.compilers = library, include, directory, compilers
        self.variables = variables or {}
        self.judges = {}
        self.counts = {}

    def judge(self, elided):
        """The judge's object file, which is built once."""
        if elided not in self.judges:
            path = os.path.join(self.directory, f'judge{int(elided)}.o')
            command = [self.compilers[0].cxx, '-std=gnu++20', '-O1', *(['-DNOPAL_ELIDE'] if elided else []), f'-I{self.include}',
                       '-c', JUDGE, '-o', path]
            status, output, errors = run(command, BUILD_SECONDS)
            if status != 0:
                raise RuntimeError(output + errors)
            self.judges[elided] = path
        return self.judges[elided]

    def build(self, text, name, compiler, flags, elided):
        """The program's path, or a finding."""
        source, path = os.path.join(self.directory, name + '.cpp'), os.path.join(self.directory, name)
        with open(source, 'w') as file:
            file.write(text)
        command = Build(compiler, [*flags, self.judge(elided)], self.library, self.include).command(Source, source, path, elided)
        status, output, errors = run(command, BUILD_SECONDS)
        return path if status == 0 else Finding(f'the compiler ended with {status}\n{errors[:3000]}', command)

    def run(self, path, variables, repetitions=REPETITIONS):
        """A finding, or null."""
        command = [path, str(repetitions)]
        variables = {**variables, **self.variables}
        status, output, errors = run(command, RUN_SECONDS, variables)
        if status != 0:
            return Finding(f'the program ended with {status}\n{errors}', command, variables)
        words = output.replace(',', '').replace(':', '').split()
        for number, name in zip(words[::2], words[1::2]):
            self.counts[name] = self.counts.get(name, 0) + int(number)
        return None

    def check(self, seed, number, size):
        """One file of programs: in parallel by one compiler, elided by another. A finding, or null."""
        text = unit_text(f'{seed}:{number}', size)
        rng = random.Random(f'{seed}:{number}:build')
        level = LEVELS[number // len(self.compilers) % 2]
        compiler, other = (self.compilers[(number + i) % len(self.compilers)] for i in (0, 1))
        eager = [EAGER] if rng.random() < 0.3 else []
        path = self.build(text, f'parallel{number}', compiler, [level, *eager], False)
        if isinstance(path, Finding):
            return path
        for setting in SETTINGS:
            if finding := self.run(path, variables_of(setting)):
                return finding
        path = self.build(text, f'elided{number}', other, [LEVELS[number % 4 != 3]], True)
        return path if isinstance(path, Finding) else self.run(path, {})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--library', required=True, help='libnopal_take_all.a')
    parser.add_argument('--include', default=INCLUDE, help="another folder of Nopal's headers")
    parser.add_argument('--seed', type=int, default=None)
    parser.add_argument('--seconds', type=float, default=1e9, help='begins no file of programs later')
    parser.add_argument('--units', type=int, default=1000000, help='files of programs')
    parser.add_argument('--only', type=int, default=None, help='the file with this number')
    parser.add_argument('--size', type=int, default=3, help='programs in a file')
    parser.add_argument('--findings', default='programs-findings')
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int(os.environ.get('NOPAL_PROGRAMS_SEED') or time.time())
    newest = {compiler.family: compiler for compiler in find_compilers()}
    compilers = [newest[family] for family in sorted(newest, reverse=True)]
    if not compilers:
        print('programs: there is no GCC from 12 on and no Clang from 16 on', file=sys.stderr)
        return 2
    print(f'seed {seed}; compilers: {" ".join(c.name for c in compilers)}', flush=True)
    end, done = time.monotonic() + options.seconds, 0
    with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
        session = Session(options.library, options.include, directory, compilers)
        for number in range(options.units) if options.only is None else [options.only]:
            if done and time.monotonic() > end:
                break
            done += 1
            if finding := session.check(seed, number, options.size):
                kept = os.path.join(options.findings, f'stops-{seed}-{number}')
                shutil.copytree(directory, kept, dirs_exist_ok=True)
                print(f'--- file {number} of seed {seed}; see {kept}, --only {number} --seed {seed} repeats it\n{finding}')
                return 1
    print(f'{done} files; ' + ', '.join(f'{count} {name}' for name, count in session.counts.items()))
    return 0


if __name__ == '__main__':
    sys.exit(main())
