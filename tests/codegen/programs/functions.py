"""Functions of generated programs."""

import tree
from kinds import U64


class Function(tree.Node):
    """`R name(x, d, seen, ...)`: x is where its numbers come from, d how deep calls may still go, seen 16 bytes or more to read."""

    def __init__(self, program, name, is_root=False, is_endless=False):
        super().__init__(program)
        rng = program.rng
        self.program, self.name, self.is_root, self.is_endless = program, name, is_root, is_endless
        self.body, self.calls, self.parameters = tree.Block(program), [], []
        self.used_typed = self.used_untyped = self.is_inlined = self.may_throw = self.is_method = False
        self.attributes, self.noexcept, self.result = 'static NOINLINE', '', U64
        if is_endless:
            self.noexcept = ' noexcept' if program.language == 'c++' and rng.random() < 0.7 else ''
            self.attributes = 'static NOINLINE __attribute__((noreturn))'
        elif not is_root:
            self.draw(rng)

    def draw(self, rng):
        program = self.program
        self.attributes = rng.choice(['static NOINLINE', 'static', 'static', 'static inline', 'static ALWAYS_INLINE',
                                      'static ALWAYS_INLINE', 'NOINLINE'])
        if program.language == 'c++' and rng.random() < 0.2:
            self.is_method = True
            self.attributes = rng.choice(['', '', 'NOINLINE', 'ALWAYS_INLINE', 'virtual'])
        self.is_inlined = 'ALWAYS' in self.attributes
        if rng.random() < 0.5:
            self.result = rng.choice(program.values)
        count = rng.choice([0, 0, 1, 2, 4, 9])
        self.parameters = [tree.Variable(program, rng.choice(program.parameters)) for _ in range(count)]
        self.may_throw = program.throws and rng.random() < 0.4
        if program.language == 'c++' and not self.may_throw and rng.random() < 0.3:
            self.noexcept = ' noexcept'

    def index(self):
        """Inlined functions call later ones only."""
        functions = self.program.functions
        return functions.index(self) if self in functions else -1

    def called(self):
        return f'{self.name}_class{{}}.call' if self.is_method else self.name

    def forked(self):
        """As the first arguments of a fork of the C++ interface."""
        return f'&{self.name}_class::call, {self.name}_class{{}}' if self.is_method else self.name

    def kept(self, page):
        return [p for p in self.parameters if page.has(p)]

    def list_of(self, page, pattern, separator):
        return separator.join(pattern.format(type=p.kind.name, name=p.name) for p in self.kept(page))

    def head(self, page, is_declaration=False):
        more = ''.join(f', {p.kind.name} {p.name}' for p in self.kept(page))
        if self.is_method:
            attributes = self.attributes if is_declaration else self.attributes.replace('virtual', '')
            where = '' if is_declaration else f'{self.name}_class::'
            return f'{attributes} {self.result.name} {where}call(u64 x, int d, const byte* seen{more}) const{self.noexcept}'
        result = 'void' if self.is_endless else self.result.name
        return f'{self.attributes} {result} {self.name}(u64 x, int d, const byte* seen{more}){self.noexcept}'

    def write_declarations(self, page):
        """What stands before all functions."""
        if not page.has(self) and not self.is_root:
            return
        if self.is_method:
            page.line(f'struct {self.name}_class {{ u64 salt = {self.k}u; {self.head(page, True)}; }};')
        else:
            page.line(self.head(page) + ';')
        more = ''.join(f', ({p.kind.name}, {p.name})' for p in self.kept(page))
        if self.used_typed:
            page.line(f'NOPAL_FORKABLE({self.result.name}, {self.name}, (u64, x), (int, d), (const byte*, seen){more})')
        if self.used_untyped:
            members = ''.join(f' {p.kind.name} {p.name};' for p in self.kept(page))
            page.line(f'typedef struct args_{self.name} {{ u64 x; int d; const byte* seen;{members} {self.result.name} result; }} '
                      f'args_{self.name};')
            page.open(f'static UNUSED void thunk_{self.name}(void* p)')
            page.line(f'args_{self.name}* const a = (args_{self.name}*)p;')
            moved = 'std::move(a->{})' if page.language == 'c++' else 'a->{}'
            arguments = ', '.join(['a->x', 'a->d', 'a->seen'] + [moved.format(p.name) for p in self.kept(page)])
            page.line(f'a->result = {self.called()}({arguments});')
            page.close()

    def write_it(self, page):
        page.h = 'h'
        page.open(self.head(page))
        page.line(f'u64 h = mix(x, {self.k}u);')
        if not self.is_root:
            page.mix('number_of_bytes(seen, 16)')
        for parameter in self.kept(page):
            page.mix(parameter.number())
        if not self.is_root and not self.is_endless:
            page.line(f'if (d <= 0) return {self.result.make("h")};')
        self.body.write(page)
        for parameter in self.kept(page):
            page.mix(parameter.number())
        if self.is_method:
            page.mix('salt')
        if not self.is_endless:
            page.line(f'return {self.result.make("h")};')
        page.close()

    def inner(self):
        return tuple(self.parameters) + (self.body,)
