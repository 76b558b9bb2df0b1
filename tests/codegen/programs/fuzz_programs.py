#!/usr/bin/env python3
"""Random C and C++ programs over Nopal's interface, built by every compiler under random flags, run on a library that has every offered
continuation taken, and compared with their elision. docs/programs.md."""

import argparse
import os
import random
import shlex
import shutil
import sys
import tempfile
import threading
import time

from reduce import Reducer
from running import check_unit, variables_of
from toolchain import EAGER, INCLUDE, Build, find_compilers, random_flags
from units import Unit


class Session:
    def __init__(self, options):
        self.options, self.lock = options, threading.Lock()
        self.compilers = [c for c in find_compilers() if not options.compiler or c.name in options.compiler]
        self.counts = {'runs': 0, 'steals': 0}
        self.units, self.programs, self.failures = 0, 0, []
        self.next, self.only = 0, len(options.only)
        self.end = time.monotonic() + options.seconds
        self.next_progress = time.monotonic() + 60

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def say_progress(self):
        if time.monotonic() > self.next_progress:
            self.next_progress = time.monotonic() + 60
            print(f'{self.units} files, {self.programs} programs, {self.counts["runs"]} runs, {self.counts["steals"]} steals',
                  flush=True)

    def take_number(self):
        with self.lock:
            if time.monotonic() > self.end or len(self.failures) >= self.options.failures:
                return None
            if self.options.units and self.next >= self.options.units:
                return None
            if self.next >= self.only > 0:
                return None
            self.next += 1
            return self.options.only.pop(0) if self.options.only else self.next - 1

    def draw(self, number, directory):
        """The file of programs with this number, and how it is built: of the seed alone, and the machine."""
        seed = f'{self.options.seed}:{number}'
        rng = random.Random(seed + ':build')
        compiler = rng.choice(self.compilers)
        flags = self.options.flags.split() if self.options.flags else random_flags(rng, compiler)
        if self.options.latent:
            flags = [flag for flag in flags if flag != EAGER]
        build = Build(compiler, flags, self.options.library, self.options.include)
        if compiler.family == 'gcc' and rng.random() < 0.05:
            build.profile = os.path.join(directory, 'profile')
        return Unit(seed, self.options.size, self.options.avoid), build

    def work(self):
        with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
            while (number := self.take_number()) is not None:
                unit, build = self.draw(number, directory)
                counts = {'runs': 0, 'steals': 0}
                failure = check_unit(unit, build, directory, counts=counts)
                with self.lock:
                    self.units += 1
                    self.programs += len(unit.programs)
                    for name in counts:
                        self.counts[name] += counts[name]
                    self.say_progress()
                if failure is not None:
                    self.report(number, unit, build, failure, directory)

    def report(self, number, unit, build, failure, directory):
        """Keeps the source, and the commands that repeat it; reduces it."""
        kept = os.path.join(self.options.findings, f'{self.options.seed}-{number}')
        os.makedirs(kept, exist_ok=True)
        suffix = 'c' if unit.language == 'c' else 'cpp'
        text = self.describe(unit, build, failure, os.path.join(kept, f'unit.{suffix}'))
        shutil.copy(os.path.join(directory, f'unit.{suffix}'), kept)
        with open(os.path.join(kept, 'report.txt'), 'w') as file:
            file.write(text)
        self.say(f'--- unit {number} of seed {self.options.seed}: {failure.kind}; see {kept}\n{text}')
        with self.lock:
            self.failures.append(kept)
        if self.options.no_reduce:
            return
        reducer = Reducer(unit, build, failure, directory)
        removed, smaller = reducer.reduce()
        text = self.describe(unit, smaller, failure, os.path.join(kept, f'reduced.{suffix}'))
        source = unit.text(removed)
        with open(os.path.join(kept, f'reduced.{suffix}'), 'w') as file:
            file.write(source)
        with open(os.path.join(kept, 'reduced.txt'), 'w') as file:
            file.write(text)
        self.say(f'--- reduced in {reducer.tests} tests: {kept}/reduced.{suffix}\n{text}{source}')

    def describe(self, unit, build, failure, source):
        lines = [failure.text.rstrip()]
        if failure.kind == 'build':
            lines.append(shlex.join(failure.command))
        else:
            for elided in (True, False):
                path = source.rsplit('.', 1)[0] + ('.elided' if elided else '.parallel')
                lines.append(shlex.join(build.command(unit, source, path, elided)))
            if failure.setting is not None:
                setting = ' '.join(f'{k}={v}' for k, v in variables_of(failure.setting).items())
                lines.append(f'{setting} {path} {failure.setting[2]} {failure.setting[3]}')
        return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--library', required=True, help='libnopal_take_all.a')
    parser.add_argument('--include', default=INCLUDE, help="another folder of Nopal's headers")
    parser.add_argument('--seconds', type=int, default=60)
    parser.add_argument('--seed', type=int, default=None)
    parser.add_argument('--units', type=int, default=0, help='at most this many files of programs')
    parser.add_argument('--only', type=int, action='append', default=[], help='the file with this number')
    parser.add_argument('--size', type=int, default=8, help='programs in a file')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--failures', type=int, default=1, help='ends after so many')
    parser.add_argument('--compiler', action='append', default=[], help='gcc-12, clang-16, ...; default: all there are')
    parser.add_argument('--flags', default='', help='instead of random ones')
    parser.add_argument('--latent', action='store_true', help='all with latent forks, and not half of them')
    parser.add_argument('--avoid', action='append', default=[], choices=['modes', 'endless', 'dynamic'],
                        help='programs without changes of the floating-point mode, endless loops, arrays of variable size')
    parser.add_argument('--findings', default='programs-findings')
    parser.add_argument('--no-reduce', action='store_true')
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int(os.environ.get('NOPAL_PROGRAMS_SEED') or time.time())
    session = Session(options)
    if not session.compilers:
        print('programs: there is no GCC from 12 on and no Clang from 16 on', file=sys.stderr)
        return 2
    print(f'seed {options.seed}; compilers: {" ".join(c.name for c in session.compilers)}', flush=True)
    started = time.monotonic()
    threads = [threading.Thread(target=session.work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - started
    runs, steals = session.counts['runs'], session.counts['steals']
    print(f'{session.units} files, {session.programs} programs, {runs} runs in {seconds:.0f} s '
          f'({runs / seconds:.0f} in a second), {steals} steals; {len(session.failures)} failures')
    return 1 if session.failures else 0


if __name__ == '__main__':
    sys.exit(main())
