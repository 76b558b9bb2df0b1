"""Random C++ programs with scopes that can be stopped: text over stops.h, whose judge decides whether what a run did is permitted.

A scope is forked on while no younger scope that can be stopped lasts: the child would be in that one, which may end first."""

import random


class Scope:
    def __init__(self, number, can_stop, results):
        self.number, self.can_stop = number, can_stop
        self.results = results  # numbers of variables that children may yet assign


class Place:
    """Where a statement stands: what it can use."""

    def __init__(self, depth, cancels=(), scopes=(), sources=(), calm=False, in_inlet=False, times=1):
        self.depth = depth
        self.cancels = cancels  # numbers of scopes around that can be stopped, the outermost first
        self.scopes = scopes    # those of this body that it may fork on, the innermost last
        self.sources = sources
        self.calm = calm        # inlets, and what they call: nothing appends to the reducer, or throws in what they call
        self.in_inlet = in_inlet
        self.times = times      # how often it is come by, at most

    @property
    def me(self):
        return f'm{self.depth}'

    def body(self, **changes):
        """Of another activation."""
        return self.with_(depth=self.depth + 1, scopes=(), in_inlet=False, **changes)

    def with_(self, **changes):
        values = dict(depth=self.depth, cancels=self.cancels, scopes=self.scopes, sources=self.sources, calm=self.calm,
                      in_inlet=self.in_inlet, times=self.times)
        values.update(changes)
        return Place(**values)


class StopProgram:
    """One function of type `long(here&)`. The same seed: the same text."""

    def __init__(self, seed, name, size=60, deepest=7):
        self.rng, self.name = random.Random(f'{seed}'), name
        self.left, self.deepest, self.numbers, self.lines, self.indent = size, deepest, 0, [], 0
        # In a hundred, drawn once: some programs stop seldom, others at once.
        self.stops, self.throws = self.rng.choice([15, 30, 60, 100]), self.rng.choice([0, 5, 20])
        self.write()

    def text(self):
        return '\n'.join(self.lines) + '\n'

    # --- writing ---
    def line(self, text):
        self.lines.append('  ' * self.indent + text)

    def open(self, text):
        self.line(text + ' {' if text else '{')
        self.indent += 1

    def close(self, text='}'):
        self.indent -= 1
        self.line(text)

    def number(self):
        self.numbers += 1
        return self.numbers

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    def write(self):
        self.open(f'static long {self.name}(stops::here& m0)')
        sources = [self.number() for _ in range(self.rng.randint(0, 2))]
        for n in sources:
            self.line(f'std::stop_source s{n};')
            self.line(f'stops::part& p{n} = stops::make_part(stops::kind::source, nullptr);')
        place = Place(0, sources=tuple(sources))
        while self.left > 0:
            self.open('stops::call(m0, true, [&](stops::here& m1) -> long')
            self.scope(place.body())
            self.line('return 0;')
            self.close('});')
        self.line('return 0;')
        self.close()

    # --- statements ---
    def statements(self, place, most):
        for _ in range(self.rng.randint(1, most)):
            self.statement(place)

    def statement(self, place):
        choices = [(3, self.look), (2, self.pause)]
        if place.cancels or place.sources:
            choices += [(7, self.stop)]
        if place.cancels:
            choices += [(1, self.callback)] + ([(1, self.outsider)] if place.times == 1 else [])
        if not place.calm:
            choices += [(3, self.append), (3, self.throw)]
        choices += [(1, self.throw)] if place.in_inlet else [(3, self.poll)]
        if self.left > 0 and place.depth < self.deepest:
            if place.in_inlet:
                choices += [(4, self.shield)]
            else:
                choices += [(5, self.scope), (2, self.call), (1, self.shield), (2, self.loop), (2, self.reduce), (2, self.invoke)]
                if place.scopes:
                    choices += [(22, self.fork), (6, self.fork_into), (2, self.fork_loop), (2, self.join)]
                    if place.scopes[-1].can_stop:
                        choices += [(8, self.fork_inlet)]
        self.left -= 1
        weights = [weight for weight, _ in choices]
        self.rng.choices([make for _, make in choices], weights)[0](place)

    def drawn(self, place, percent):
        return '' if percent == 100 else f'if ({place.me}.is_drawn({self.number()}, {percent})) '

    def look(self, place):
        if place.cancels and self.chance(50):
            n = self.rng.choice(place.cancels)
            self.line(f'{place.me}.look(p{n}, s{n});')
        elif not place.in_inlet:
            self.line(f'{place.me}.look();')

    def pause(self, place):
        self.line(f'stops::wait({self.rng.choice([10, 300, 3000])});')

    def stop(self, place):
        n = self.rng.choice(place.cancels[-3:] + place.sources)
        self.line(f'{self.drawn(place, self.stops)}{place.me}.stop(p{n}, s{n});')

    def callback(self, place):
        of, to = self.rng.choice(place.cancels), self.rng.choice(place.cancels)
        self.line(f'std::stop_callback b{self.number()}(s{of}.token(), stops::stops_other(p{to}, s{to}));')

    def outsider(self, place):
        n, number = self.rng.choice(place.cancels[-3:]), self.number()
        self.line(f'const stops::outsider o{number}(p{n}, s{n}, {self.rng.choice([0, 1000, 20000])}, '
                  f'{place.me}.is_drawn({number}, {self.stops}));')

    def append(self, place):
        self.line(f'{place.me}.append();')

    def throw(self, place):
        if self.throws:
            self.line(f'{self.drawn(place, self.throws)}{place.me}.throw_error();')

    def poll(self, place):
        self.line(f'{place.me}.poll();')

    def activation(self, place, captured, end):
        """The rest of a call: `captured` is the text before the body, of a function that has the activation as `*c`."""
        inside = place.me
        attribute = self.rng.choice(['', '', ' FORKED_ALONE'])
        self.open(f'{captured}[&](stops::here& {inside}){attribute} -> long')
        self.statements(place, 5)
        self.line(f'return {self.number()};')
        self.close('}' + end)

    def scope(self, place):
        n, can_stop = self.number(), self.chance(70)
        results = [self.number() for _ in range(self.rng.randint(0, 2))]
        me = place.me
        self.open('')
        for r in results:
            self.line(f'stops::counted x{r};')
            self.line(f'const stops::activation* c{r} = nullptr;')
        self.line(f'stops::scope_begins b{n}({me});')
        if can_stop:
            how, order = self.rng.choice(['skip', 'unwind']), self.rng.choice(['completion', 'serial'])
            token, its_source = '', ''
            if self.chance(30) and (place.sources or place.cancels):
                of = self.rng.choice(place.sources + place.cancels[-2:])
                is_source = of in place.sources
                token = f's{of}.get_token(), ' if is_source else f's{of}.token(), '
                its_source = f', &p{of}, {"false" if is_source else "true"}'
            self.line(f'stops::part& p{n} = {me}.new_part(stops::kind::{how}s{its_source});')
            self.line(f'nopal::cancel_scope s{n}{{{token}nopal::on_stop::{how}, nopal::inlet_order::{order}}};')
            self.line(f'stops::scope_record& l{n} = {me}.scope(&p{n}, {"true" if order == "serial" else "false"});')
        else:
            self.line(f'nopal::scope s{n};')
            self.line(f'stops::scope_record& l{n} = {me}.scope(nullptr);')
        self.line(f'stops::scope_ends e{n}(b{n}, l{n});')
        made = Scope(n, can_stop, list(results))
        inner = place.with_(cancels=place.cancels + ((n,) if can_stop else ()),
                            scopes=(() if can_stop else place.scopes) + (made,))
        for _ in range(self.rng.randint(2, 7)):
            self.statement(inner)
        if self.chance(70) or results:
            self.join(inner)
            if can_stop:
                self.line(f'{me}.look(p{n}, s{n});')
        for r in results:
            self.line(f'{me}.find(c{r}, x{r});')
        self.close()

    def join(self, place):
        n = place.scopes[-1].number
        self.line(f'{place.me}.joins(l{n});')
        self.line(f's{n}.join();')
        self.line(f'{place.me}.note(stops::does::joined, &l{n});')

    def fork(self, place):
        on, a, inside = self.rng.choice(place.scopes).number, self.number(), place.body()
        self.line(f'stops::activation& a{a} = {place.me}.forks(l{on});')
        form = self.rng.randrange(3)
        captured = ['[&, c = &a{a}]', '[&, c = &a{a}, t = stops::counted({a})]', '[&, c = &a{a}](stops::counted t)'][form]
        last = f', stops::counted({a}));' if form == 2 else ');'
        self.activation(inside, f's{on}.fork({captured.format(a=a)} {{ {"t.value(); " if form else ""}stops::run(*c, ', f'); }}{last}')
        self.line(f'{place.me}.forked(a{a});')

    def count(self, place):
        """Of a loop."""
        return self.rng.choice([count for count in (1, 3, 6, 20) if count * place.times <= 100])

    def fork_loop(self, place):
        i, count = self.number(), self.count(place)
        self.open(f'for (int i{i} = 0; i{i} < {count}; ++i{i})')
        self.fork(place.with_(times=place.times * count))
        self.close()

    def fork_into(self, place):
        """In each scope so many as it has results."""
        scope = place.scopes[-1]
        if not scope.results:
            return self.fork(place)
        r, a = scope.results.pop(), self.number()
        self.line(f'stops::activation& a{a} = {place.me}.forks(l{scope.number});')
        self.line(f'c{r} = &a{a};')
        self.activation(place.body(), f's{scope.number}.fork_into(x{r}, [&, c = &a{a}] {{ return stops::run(*c, ', '); });')
        self.line(f'{place.me}.forked(a{a});')

    def fork_inlet(self, place):
        on, a = place.scopes[-1].number, self.number()
        loops = self.chance(40)
        if loops:
            count = self.count(place)
            place = place.with_(times=place.times * count)
            self.open(f'for (int i{a} = 0; i{a} < {count}; ++i{a})')
        self.line(f'stops::activation& a{a} = {place.me}.forks(l{on}, true);')
        self.activation(place.body(calm=True).with_(in_inlet=True),
                        f's{on}.fork_inlet([&, c = &a{a}](stops::counted v) {{ stops::inlet(*c, v, ', '); },')
        self.activation(place.body(), f'[&, c = &a{a}] {{ return stops::run(*c, ', '); });')
        self.line(f'{place.me}.forked(a{a});')
        if loops:
            self.close()

    def call(self, place):
        catches = 'true' if self.chance(60) else 'false'
        self.activation(place.body(), f'stops::call({place.me}, {catches}, ', ');')

    def shield(self, place):
        self.activation(place.body(), f'stops::shielded({place.me}, ', ');')

    def pattern(self, place, how, count):
        a = self.number()
        self.line(f'stops::activation& a{a} = {place.me}.calls(stops::how::{how}, {count});')
        return a

    def grain(self):
        return self.rng.choice(['', '1, ', '3, '])

    def loop(self, place):
        count = self.count(place)
        a = self.pattern(place, 'loop', count)
        self.activation(place.body(times=place.times * count), f'nopal::parallel_for(0, {count}, {self.grain()}[&, c = &a{a}](int i) '
                        '{ stops::run(stops::position(*c, i), ', '); });')
        self.line(f'{place.me}.called(a{a});')

    def reduce(self, place):
        count = self.count(place)
        a = self.pattern(place, 'reduction', count)
        self.activation(place.body(times=place.times * count), f'const std::vector<long> r{a} = nopal::parallel_reduce(0, {count}, {self.grain()}'
                        f'std::vector<long>(), [&, c = &a{a}](int i) {{ return stops::one(stops::run(stops::position(*c, i), ', ')); }, stops::joined);')
        self.line(f'{place.me}.called(a{a});')
        self.line(f'{place.me}.note(stops::does::reduces, &a{a}, stops::number_of(r{a}));')

    def invoke(self, place):
        count, whole = self.rng.randint(2, 4), self.chance(40)
        a = self.pattern(place, 'whole_invoke' if whole else 'invoke', count)
        if whole:
            self.line(f'stops::make_whole(a{a});')
        self.line('nopal::parallel_invoke(')
        for i in range(count):
            self.activation(place.body(), f'[&, c = &a{a}] {{ {"return " if whole else ""}stops::run(stops::position(*c, {i}), ',
                            '); }' + (',' if i + 1 < count else ');'))
        self.line(f'{place.me}.called(a{a});')


def unit_text(seed, count):
    """A file of so many programs."""
    programs = [StopProgram(f'{seed}:{i}', f'p{i}') for i in range(count)]
    table = ', '.join(f'{{"{p.name}", {p.name}}}' for p in programs)
    return ('#include "stops.h"\n\n' + '\n'.join(p.text() for p in programs) +
            f'\nstatic const stops::program programs[] = {{{table}}};\n'
            f'int main(int argc, char** argv) {{ return stops::run_programs(programs, {count}, argc, argv); }}\n')
