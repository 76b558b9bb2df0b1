#!/usr/bin/env python3
"""The generator and the reducer: the same seed gives the same program in any process; whatever is removed, the rest is a program."""

import os
import random
import subprocess
import sys
import tempfile
import unittest

from reduce import numbers_of
from stops import unit_text
from toolchain import HERE, Build, find_compilers, random_flags
from units import Unit

TEXT_OF = 'from units import Unit; import sys; sys.stdout.write(Unit({seed!r}, {size}).text())'


def text_elsewhere(seed, size, hash_seed):
    command = [sys.executable, '-B', '-c', TEXT_OF.format(seed=seed, size=size)]
    return subprocess.run(command, cwd=HERE, check=True, text=True, capture_output=True,
                          env=dict(os.environ, PYTHONHASHSEED=hash_seed)).stdout


class Generator(unittest.TestCase):
    def test_same_seed_same_text_in_any_process(self):
        for seed in ('1:0', '1:1', 'x'):
            here = Unit(seed, 5).text()
            for hash_seed in ('0', '1', '77'):
                self.assertEqual(text_elsewhere(seed, 5, hash_seed), here)

    def test_another_seed_is_another_text(self):
        self.assertEqual(len({Unit(f'{i}', 2).text() for i in range(20)}), 20)

    def test_what_is_avoided_is_not_there(self):
        for seed in range(40):
            text = Unit(f'{seed}', 4, ('modes', 'endless', 'dynamic')).text()
            self.assertNotIn('look_at_mode();', text)
            self.assertNotIn('= 0;;', text)
            self.assertNotIn('alloca', text)

    def test_every_feature_comes_up(self):
        text = ''.join(Unit(f'{seed}', 8).text() for seed in range(40))
        for feature in ('= 0;;', 'alloca', 'set_mode(', 'update_reducer(', 'throw error', 'throw;', 'goto again', 'switch (',
                        'catch (...)', 'noexcept', 'ALWAYS_INLINE', 'ALIGNED(128)', 'vector_size(64)', 'packed',
                        '__complex__', '__int128', '__float128', 'long double', 'fork_into', 'nopal_fork(&', '[opaque(',
                        ' : 3;', '? nopal_fork_', 'join();'):
            self.assertIn(feature, text)

    def test_same_seed_same_flags(self):
        for compiler in find_compilers():
            draws = [random_flags(random.Random(7), compiler) for _ in range(2)]
            self.assertEqual(draws[0], draws[1])


class StopGenerator(unittest.TestCase):
    def test_same_seed_same_text(self):
        for seed in range(5):
            self.assertEqual(unit_text(f'{seed}', 2), unit_text(f'{seed}', 2))
        self.assertEqual(len({unit_text(f'{seed}', 1) for seed in range(20)}), 20)

    def test_every_feature_comes_up(self):
        text = ''.join(unit_text(f'{seed}', 4) for seed in range(20))
        for feature in ('on_stop::skip', 'on_stop::unwind', 'inlet_order::serial', 'inlet_order::completion', 'nopal::scope ',
                        '.fork(', '.fork_into(', '.fork_inlet(', '.get_token(), ', '.token(), ', 'std::stop_callback', 'outsider ',
                        '.stop(', '.poll();', '.look();', '.append();', 'throw_error();', 'stops::shielded(', 'stops::call(',
                        'parallel_for(', 'parallel_reduce(', 'parallel_invoke(', 'make_whole(', '.join();', 'for (int'):
            self.assertIn(feature, text)


class Removal(unittest.TestCase):
    def test_what_is_left_compiles(self):
        compilers = find_compilers()
        rng = random.Random(5)
        for seed in range(6):
            unit = Unit(f'removal {seed}', 3)
            numbers = []
            for i, program in enumerate(unit.programs):
                for function in program.functions + [program.root]:
                    numbers += [(i, n) for n in numbers_of(function) if n != program.root.id]
            removed = frozenset(rng.sample(numbers, len(numbers) // 2))
            with tempfile.TemporaryDirectory() as directory:
                source = os.path.join(directory, 'unit.c' if unit.language == 'c' else 'unit.cpp')
                with open(source, 'w') as file:
                    file.write(unit.text(removed))
                for elided in (False, True):
                    command = Build(rng.choice(compilers), ['-O0'], '-c').command(unit, source, '/dev/null', elided)
                    built = subprocess.run(command, text=True, capture_output=True)
                    self.assertEqual(built.returncode, 0, built.stderr[:3000])


if __name__ == '__main__':
    unittest.main()
