"""Makes a failing program small: drops programs, nodes of the tree and flags as long as it fails in the same way."""

import time

from running import Failure, build_unit, expected_of, run_parallel


def numbers_of(node):
    """A node's and those below it, outer ones first."""
    yield node.id
    for inner in node.inner():
        yield from numbers_of(inner)
    for out in getattr(node, 'outs', ()):
        yield out.id


class Reducer:
    def __init__(self, unit, build, failure, directory, attempts=6, seconds=600, say=lambda text: None):
        self.unit, self.build, self.failure, self.directory = unit, build, failure, directory
        self.attempts, self.say, self.tests = attempts, say, 0
        self.removed = frozenset()
        self.end = time.monotonic() + seconds

    def fails(self, removed, build):
        """Whether it still does; no, when time is over, so that what was found by then stays."""
        if time.monotonic() > self.end:
            return False
        self.tests += 1
        if self.failure.kind == 'build':
            paths = build_unit(self.unit, build, self.directory, removed)
            return isinstance(paths, Failure)
        paths = build_unit(self.unit, build, self.directory, removed)
        if isinstance(paths, Failure):
            return False
        workers, percent, inputs, repetitions, ask_every = self.failure.setting or (1, 100, 4, 1, 0)
        expected = expected_of(paths[1], inputs)
        if isinstance(expected, Failure):
            return self.failure.kind == 'elided'
        if self.failure.kind == 'elided':
            return False
        for _ in range(self.attempts):
            failure = run_parallel(paths[0], (workers, percent, inputs, max(repetitions, 10), ask_every), expected)
            if failure is not None and (failure.kind == 'hangs') == (self.failure.kind == 'hangs'):
                self.last = failure
                return True
        return False

    def reduce(self):
        self.keep_one_program()
        while True:
            before = len(self.removed)
            self.drop_numbers()
            self.drop_flags()
            if len(self.removed) == before:
                break
        return self.removed, self.build

    def keep_one_program(self):
        programs = [(i, 0) for i in range(len(self.unit.programs))]
        named = [p for p in programs if f'p{p[0]} ' in self.failure.text.replace(':', ': ')]
        for kept in named + [p for p in programs if p not in named]:
            removed = frozenset(p for p in programs if p != kept)
            if self.fails(removed, self.build):
                self.removed = removed
                self.say(f'program {kept[0]} fails alone')
                return

    def left(self):
        numbers = []
        for i, program in enumerate(self.unit.programs):
            if (i, 0) in self.removed:
                continue
            functions = program.functions + [program.root] + ([program.endless] if program.endless else [])
            for function in functions:
                numbers += [(i, n) for n in numbers_of(function) if n != program.root.id]
        return [n for n in dict.fromkeys(numbers) if n not in self.removed]

    def drop_numbers(self):
        size = max(1, len(self.left()) // 2)
        while True:
            left, at = self.left(), 0
            while at < len(left):
                chunk = frozenset(left[at:at + size])
                if chunk - self.removed and self.without_change(chunk):
                    self.removed |= chunk
                elif chunk - self.removed and self.fails(self.removed | chunk, self.build):
                    self.removed |= chunk
                    self.say(f'{len(self.left())} nodes left')
                at += size
            if size == 1:
                return
            size //= 2

    def without_change(self, chunk):
        """Whether the text stays the same, as for what stood in what is gone."""
        return self.unit.text(self.removed | chunk) == self.unit.text(self.removed)

    def drop_flags(self):
        for flag in list(self.build.flags):
            flags = [f for f in self.build.flags if f != flag]
            build = self.build.with_flags(flags)
            if self.fails(self.removed, build):
                self.build = build

