"""A file of programs: what it includes, the types, the programs, the table that the driver runs."""

import random

from grow import Program
from kinds import random_kinds
from tree import Page

ERRORS = '''struct error0 {
  u64 number;
  explicit error0(u64 n) : number(n) {}
  virtual ~error0() = default;
};
struct error1 : error0 {
  byte bytes[100];
  explicit error1(u64 n) : error0(n) { fill_bytes(bytes, sizeof bytes, n); }
};
struct error2 : error1 {
  explicit error2(u64 n) : error1(n) { number = mix(number, number_of_bytes(bytes, sizeof bytes)); }
};
'''


class Unit:
    """Programs that are compiled together. The same seed, size and `avoid` (modes, endless, dynamic): the same text."""

    def __init__(self, seed, size, avoid=()):
        self.seed = seed
        rng = random.Random(f'{seed}')
        self.language = rng.choice(['c', 'c++', 'c++'])
        self.exceptions = self.language == 'c++' and rng.random() < 0.8
        self.kinds = random_kinds(rng, self.language)
        self.programs = [Program(seed, i, self.language, self.exceptions, self.kinds, avoid)
                         for i in range(size)]

    def text(self, removed=frozenset()):
        """`removed`: pairs of a program's index and a node's number; number 0 for the whole program."""
        page = Page(self.language)
        page.line('#include "programs.h"')
        if self.language == 'c++':
            page.line('#include <utility>')
            page.line('#include <nopal/scope.hpp>')
        if self.exceptions:
            page.lines.append(ERRORS)
        start = len(page.lines)
        kept = [(i, p) for i, p in enumerate(self.programs) if (i, 0) not in removed]
        for i, program in kept:
            page.removed = frozenset(number for index, number in removed if index == i)
            self.write_program(page, program)
        page.open('static const struct program programs[] =')
        for _, p in kept:
            endless = f'{p.name}_start_endless' if p.endless is not None and p.endless.id not in frozenset(
                number for index, number in removed if self.programs[index] is p) else 'NULL'
            page.line(f'{{"{p.name}", {p.name}_run, {endless}}},')
        page.close('};')
        page.line('int main(int argc, char** argv) { return run_programs(programs, sizeof programs / sizeof *programs, argc, argv); }')
        page.lines[start:start] = self.definitions('\n'.join(page.lines[start:]))
        return '\n'.join(page.lines) + '\n'

    def definitions(self, text):
        """Of the types that are used; each may use those before it."""
        used = []
        for kind in reversed(self.kinds):
            if kind.name in text:
                used.insert(0, kind.definition)
                text += kind.definition
        return used

    def write_program(self, page, program):
        name = program.name
        page.line('')
        if program.reduces:
            page.line(f'static nopal_reducer {name}_reducer;')
        functions = program.functions + [program.root] + ([program.endless] if program.endless else [])
        for function in functions:
            function.write_declarations(page)
        for function in reversed(program.functions):
            function.write(page)
        program.root.write(page)
        page.line(f'static const byte {name}_bytes[16] = {{1, 2, 3}};')
        page.open(f'static u64 {name}_run(u64 input)')
        if program.reduces:
            page.line('struct affine value = {1, 0};')
            page.line(f'nopal_reducer_init(&{name}_reducer, &affine_monoid, &value);')
        page.line(f'u64 h = {name}_root(input, {program.depth}, {name}_bytes);')
        if program.has_modes:
            page.line('set_mode(0);')
        if program.reduces:
            page.line(f'nopal_reducer_destroy(&{name}_reducer);')
            page.line('h = mix(mix(h, value.a), value.b);')
        page.line('return h;')
        page.close()
        if program.endless is not None:
            program.endless.write(page)
            if page.has(program.endless):
                page.open(f'static void {name}_start_endless(u64 input)')
                if program.reduces:
                    page.line('struct affine value = {1, 0};')
                    page.line(f'nopal_reducer_init(&{name}_reducer, &affine_monoid, &value);')
                page.line(f'{name}_endless(input, {program.depth}, {name}_bytes);')
                page.close()
