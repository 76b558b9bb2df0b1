"""Statements of generated programs with blocks in them: loops, branches, handlers."""

from tree import Block, Node


class Wrapper(Node):
    """A statement around a block, of which the reducer may leave the block alone."""

    def __init__(self, program):
        super().__init__(program)
        self.body = Block(program)
        self.unwrapped = Block(program)  # a number only: removed means that the block stands alone

    def write_it(self, page):
        if page.has(self.unwrapped):
            self.write_wrapped(page)
        else:
            page.open('')
            self.write_alone(page)
            self.body.write(page)
            page.close()

    def write_alone(self, page):
        pass

    def inner(self):
        return (self.unwrapped, self.body)


class Loop(Wrapper):
    """Forms: for, while, do, goto."""

    def __init__(self, program, form, times):
        super().__init__(program)
        self.form, self.times = form, times

    def counter(self):
        return f'i{self.id}'

    def write_alone(self, page):
        page.line(f'const int {self.counter()} = 0;')
        page.line(f'(void){self.counter()};')

    def write_wrapped(self, page):
        i, times = self.counter(), f'(int)opaque({self.times})' if self.k & 1 else str(self.times)
        page.open('')
        if self.form == 'for':
            page.open(f'for (int {i} = 0; {i} < {times}; ++{i})')
        else:
            page.line(f'int {i} = 0;')
            if self.form == 'goto':
                page.line(f'again{self.id}:')
            page.open({'while': f'while ({i} < {times})', 'do': 'do', 'goto': ''}[self.form])
        self.body.write(page)
        if self.form == 'for':
            page.close()
        else:
            page.line(f'++{i};')
            page.close(f'}} while ({i} < {times});' if self.form == 'do' else '}')
            if self.form == 'goto':
                page.line(f'if ({i} < {times}) goto again{self.id};')
        page.close()


class If(Wrapper):
    def __init__(self, program):
        super().__init__(program)
        self.otherwise = Block(program)

    def write_wrapped(self, page):
        page.open(f'if (({page.mixed(self.k)} & 3) != 0)')
        self.body.write(page)
        page.close('} else {')
        page.indent += 1
        self.otherwise.write(page)
        page.close()

    def inner(self):
        return (self.unwrapped, self.body, self.otherwise)


class Switch(Node):
    """A case may fall through to the next."""

    def __init__(self, program, cases):
        super().__init__(program)
        self.cases = [(Block(program), program.rng.random() < 0.3) for _ in range(cases)]

    def write_it(self, page):
        page.open(f'switch ({page.mixed(self.k)} % {len(self.cases) + 1})')
        for i, (block, falls) in enumerate(self.cases):
            page.open(f'case {i}:')
            block.write(page)
            if not falls:
                page.line('break;')
            page.close()
        page.line('default: break;')
        page.close()

    def inner(self):
        return tuple(block for block, _ in self.cases)


class Choice(Node):
    """One of two forks, by a ternary or a logical operator."""

    def __init__(self, program, first, second):
        super().__init__(program)
        self.first, self.second, self.needs = first, second, first.needs + second.needs

    def write_it(self, page):
        page.line(f'({page.mixed(self.k)} & 4) != 0 ? {self.first.text(page)} : {self.second.text(page)};')


class Try(Node):
    """C++: a block of its own that may throw, and a handler."""

    def __init__(self, program, catches):
        super().__init__(program)
        self.catches, self.body, self.handler = catches, Block(program), Block(program)
        self.rethrows = ''

    def write_it(self, page):
        outer = page.h
        page.open('try')
        page.h = f'h{self.id}'
        page.line(f'u64 {page.h} = mix({outer}, {self.k}u);')
        self.body.write(page)
        page.line(f'{outer} = {page.h};')
        page.h = outer
        page.close(f'}} catch ({self.catches}) {{')
        page.indent += 1
        if self.catches != '...':
            page.mix('e.number')
        self.handler.write(page)
        if self.rethrows:
            page.line(self.rethrows.format(n=page.mixed(self.k)))
        page.close()

    def inner(self):
        return (self.body, self.handler)


class Endless(Node):
    """A loop of forks that an outside flag ends, with the process: no join can be reached."""

    def __init__(self, program, times):
        super().__init__(program)
        self.times, self.body = times, Block(program)

    def counter(self):
        return f'i{self.id}'

    def write_it(self, page):
        i = self.counter()
        page.open(f'for (int {i} = 0;; ++{i})')
        self.body.write(page)
        page.line(f'if (opaque((u64){i}) == {self.times - 1}) finish({page.h});')
        page.close()

    def inner(self):
        return (self.body,)
