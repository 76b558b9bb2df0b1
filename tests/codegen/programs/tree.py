"""Generated programs as trees, and their text.

Each node has a number, and what is written is what the set of removed numbers leaves: a statement that needs a removed variable, scope or
function is left out as well. So whatever the reducer removes, the rest is a program that follows the rules."""

from kinds import U64


class Page:
    """Where text is written: which nodes are left out, and the variable of the running number."""

    def __init__(self, language, removed=frozenset()):
        self.language, self.removed = language, removed
        self.lines, self.indent, self.h = [], 0, 'h'

    def line(self, text):
        self.lines.append('  ' * self.indent + text if text else '')

    def open(self, text):
        self.line(text + ' {' if text else '{')
        self.indent += 1

    def close(self, text='}'):
        self.indent -= 1
        self.line(text)

    def mixed(self, constant):
        return f'mix({self.h}, {constant}u)'

    def mix(self, number):
        self.line(f'{self.h} = mix({self.h}, {number});')

    def has(self, node):
        return node.id not in self.removed


class Node:
    needs = ()  # other nodes without which it is left out

    def __init__(self, program):
        self.id = program.new_id()
        self.k = program.rng.getrandbits(30)

    def write(self, page):
        if page.has(self) and all(page.has(n) for n in self.needs):
            self.write_it(page)

    def inner(self):
        """The blocks in it."""
        return ()


class Block(Node):
    def __init__(self, program):
        super().__init__(program)
        self.statements = []

    def write_it(self, page):
        for statement in self.statements:
            statement.write(page)

    def inner(self):
        return self.statements


class Variable(Node):
    """A local or a parameter. Forms: plain, array, vla, alloca; of the last three the children read, and nobody changes them."""

    def __init__(self, program, kind, form='plain', alignment=0, size=0):
        super().__init__(program)
        self.kind, self.form, self.alignment, self.size = kind, form, alignment, size
        self.name = f'v{self.id}'

    def write_it(self, page):
        n, name, align = page.mixed(self.k), self.name, f' ALIGNED({self.alignment})' if self.alignment else ''
        if self.form == 'plain':
            page.line(f'{self.kind.name} {name}{align} = {self.kind.make(n)};')
        elif self.form == 'array':
            page.line(f'byte {name}[{self.size}]{align};')
        elif self.form == 'vla':
            page.line(f'byte {name}[opaque({self.size})]{align};')
        else:
            bits = max(self.alignment, 16) * 8
            page.line(f'byte* const {name} = (byte*)__builtin_alloca_with_align(opaque({self.size}), {bits});')
        if self.form != 'plain':
            page.line(f'fill_bytes({name}, {self.size}, {n});')
        if self.alignment:
            place = f'&{name}' if self.form == 'plain' else name
            page.line(f'SHOULD_BE(is_aligned({place}, {self.alignment}), "the place of {name}");')

    def number(self):
        if self.form == 'plain':
            return self.kind.number(self.name)
        return f'number_of_bytes({self.name}, {self.size})'


class Change(Node):
    def __init__(self, program, variable):
        super().__init__(program)
        self.variable, self.needs = variable, (variable,)

    def write_it(self, page):
        page.line(self.variable.kind.change(self.variable.name, page.mixed(self.k)))


class Mix(Node):
    def __init__(self, program, variable):
        super().__init__(program)
        self.variable, self.needs = variable, (variable,)

    def write_it(self, page):
        page.mix(self.variable.number())


class Line(Node):
    """A statement of fixed text; `{h}` is the running number, `{n}` one made of it."""

    def __init__(self, program, text):
        super().__init__(program)
        self.text = text

    def write_it(self, page):
        page.line(self.text.format(h=page.h, n=page.mixed(self.k)))


class Arguments(Node):
    """Of a call or a fork of `callee`: `seen` is a variable that the callee reads, or null for the caller's own."""

    def __init__(self, program, callee, seen):
        super().__init__(program)
        self.callee, self.seen = callee, seen
        self.ks = [program.rng.getrandbits(30) for _ in callee.parameters]

    def texts(self, page):
        seen = self.seen.name if self.seen is not None and page.has(self.seen) else 'seen'
        texts = [page.mixed(self.k), 'd - 1', '(const byte*)' + seen]
        for parameter, k in zip(self.callee.parameters, self.ks):
            if page.has(parameter):
                texts.append(parameter.kind.make(page.mixed(k)))
        return texts


class Call(Node):
    def __init__(self, program, arguments):
        super().__init__(program)
        self.arguments, self.needs = arguments, (arguments.callee,)

    def write_it(self, page):
        callee = self.arguments.callee
        page.open('')
        page.line(f'{callee.result.name} r{self.id} = {callee.called()}({", ".join(self.arguments.texts(page))});')
        page.mix(callee.result.number(f'r{self.id}'))
        page.close()


class Out(Node):
    """What a child writes: an array if the fork stands in loops that its scope is outside of."""

    def __init__(self, program, type_name, number, first, loops):
        super().__init__(program)
        self.type_name, self.number, self.first, self.loops = type_name, number, first, loops
        self.name = f'o{self.id}'

    def count(self):
        count = 1
        for loop in self.loops:
            count *= loop.times
        return count

    def place(self, page):
        """The element of this pass through the loops."""
        index = '0'
        for loop in self.loops:
            index = f'({index} * {loop.times} + {loop.counter()})'
        return f'{self.name}[{index}]'

    def write_it(self, page):
        page.line(f'{self.type_name} {self.name}[{self.count()}]{"" if self.first else " = {}"};')
        if self.first:
            page.line(f'for (int i = 0; i < {self.count()}; ++i) {self.name}[i] = {self.first};')

    def mix_all(self, page):
        if page.has(self) and all(page.has(n) for n in self.needs):
            page.line(f'for (int i = 0; i < {self.count()}; ++i) {page.h} = mix({page.h}, {self.number(self.name + "[i]")});')


class Scope(Node):
    """A block with a scope: the outs, the scope, what is done, the end: join, twice, destructor."""

    def __init__(self, program, interface, end, noise=''):
        super().__init__(program)
        self.interface, self.end = interface, end
        self.name, self.outs, self.body = f's{self.id}', [], Block(program)
        self.endless = False

    def write_join(self, page):
        page.line(f'{self.name}.join();' if self.interface == 'c++' else f'nopal_join(&{self.name});')

    def mix_outs(self, page):
        for out in self.outs:
            out.mix_all(page)

    def write_it(self, page):
        page.open('')
        for out in self.outs:
            out.write(page)
        if self.interface == 'c++':
            page.open('')
            page.line(f'nopal::scope {self.name};')
        else:
            page.line(f'nopal_scope {self.name};')
            page.line(f'nopal_scope_init(&{self.name});')
        self.body.write(page)
        if not self.endless:
            if self.end != 'destructor':
                self.write_join(page)
            if self.end == 'twice':
                self.write_join(page)
        if self.interface == 'c++':
            page.close()
        if not self.endless:
            self.mix_outs(page)
        page.close()

    def inner(self):
        return (self.body,)


class Join(Node):
    def __init__(self, program, scope):
        super().__init__(program)
        self.scope, self.needs = scope, (scope,)

    def write_it(self, page):
        self.scope.write_join(page)
        self.scope.mix_outs(page)


class Fork(Node):
    """Forms: typed (nopal_fork_f), untyped (nopal_fork), into, lambda."""

    def __init__(self, program, scope, form, arguments, loops):
        super().__init__(program)
        callee = arguments.callee
        self.scope, self.form, self.arguments = scope, form, arguments
        if form == 'untyped':
            name = f'args_{callee.name}'
            self.out = Out(program, name, lambda v: callee.result.number(v + '.result'), '', loops)
            self.out.needs = (callee,)
            callee.used_untyped = True
        else:
            self.out = Out(program, callee.result.name, callee.result.number, callee.result.make('i'), loops)
        callee.used_typed |= form == 'typed'
        scope.outs.append(self.out)
        self.needs = (scope, callee, self.out)

    def text(self, page):
        """The fork as an expression."""
        callee, s, texts = self.arguments.callee, self.scope.name, self.arguments.texts(page)
        out = self.out.place(page)
        if self.form == 'typed':
            return f'nopal_fork_{callee.name}(&{s}, &{out}, {", ".join(texts)})'
        if self.form == 'into':
            return f'{s}.fork_into({out}, {callee.forked()}, {", ".join(texts)})'
        if self.form == 'lambda':
            names = [f'a{i}' for i in range(len(texts))]
            captures = ', '.join(f'{name} = {text}' for name, text in zip(names, texts))
            return f'{s}.fork([to = &{out}, {captures}]() mutable {{ *to = {callee.called()}({", ".join(map("std::move({})".format, names))}); }})'
        return f'nopal_fork(&{s}, thunk_{callee.name}, &{out})'

    def write_it(self, page):
        if self.form == 'untyped':
            callee, out = self.arguments.callee, self.out.place(page)
            members = ['x', 'd', 'seen'] + [p.name for p in callee.parameters if page.has(p)]
            for member, text in zip(members, self.arguments.texts(page)):
                page.line(f'{out}.{member} = {text};')
        page.line(self.text(page) + ';')


class ForkBlock(Node):
    """C++: the child is a lambda with a body of its own."""

    def __init__(self, program, scope, loops):
        super().__init__(program)
        self.scope, self.loops, self.body = scope, loops, Block(program)
        self.out = Out(program, 'u64', U64.number, 'i', loops)
        scope.outs.append(self.out)
        self.needs = (scope, self.out)
        self.noexcept = ''

    def write_it(self, page):
        page.open('')
        outer, page.h = page.h, f'h{self.id}'
        page.line(f'const u64 x{self.id} = mix({outer}, {self.k}u);')
        page.open(f'{self.scope.name}.fork([to = &{self.out.place(page)}, x{self.id}, d, seen]() {self.noexcept}')
        page.line(f'u64 {page.h} = x{self.id};')
        page.line('(void)d, (void)seen;')
        self.body.write(page)
        page.line(f'*to = {page.h};')
        page.h = outer
        page.close('});')
        page.close()

    def inner(self):
        return (self.body,)


class Lambda(Node):
    """C++: a lambda that is called where it is made."""

    def __init__(self, program, noexcept):
        super().__init__(program)
        self.noexcept, self.body = noexcept, Block(program)

    def write_it(self, page):
        outer, page.h = page.h, f'h{self.id}'
        page.open(f'{outer} = [&](u64 x, int d) {self.noexcept}-> u64')
        page.line(f'u64 {page.h} = mix(x, {self.k}u);')
        page.line('(void)d;')
        self.body.write(page)
        page.line(f'return {page.h};')
        page.h = outer
        page.close(f'}}(mix({outer}, 3), d);')

    def inner(self):
        return (self.body,)
