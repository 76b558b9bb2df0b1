"""Makes random programs that follow docs/rules.md, and so give the serial program's number whatever the schedule.

What makes them legal and deterministic:
* a child writes to places of its own only, declared before its scope, which are read after a join of that scope;
* what children read, nobody changes;
* what a block that may throw changes is its own, since the continuation of a fork that throws runs on in parallel and not in the elision;
* in such a block either children throw or the continuation does, and children of its outermost scope only;
* the floating-point mode changes in the root, outside scopes;
* memory of variable size is made where the function has no scope."""

import random

import control
import tree
from functions import Function
from kinds import INTEGERS, REALS, U64, Truth, Vector

MOST_CALLS = 60  # of one run of a program


class Context:
    """Where the next statement stands."""

    def __init__(self, function, **changes):
        self.function = function
        self.variables, self.arrays = [], []
        self.scopes, self.loops = [], []  # of this activation; a scope with the number of loops around it
        self.passes = 1                   # how often a statement here runs
        self.depth = 0
        self.throws = None                # None, 'children' or 'continuation'
        self.thrower = None               # the scope whose children may throw
        self.scope_is_open = False
        self.can_look_outside = True
        self.__dict__.update(changes)

    def inside(self, **changes):
        values = dict(self.__dict__, variables=list(self.variables), arrays=list(self.arrays),
                      scopes=list(self.scopes), loops=list(self.loops), depth=self.depth + 1)
        values.update(changes)
        return Context(**values)

    def activation(self, **changes):
        """The body of a lambda."""
        return self.inside(variables=[], arrays=[], scopes=[], loops=[], scope_is_open=False, throws=None,
                           thrower=None, **changes)


class Program:
    """One program of a file: its functions, of which the first is the root."""

    def __init__(self, seed, index, language, exceptions, kinds, avoid):
        self.rng = random.Random(f'{seed}/{index}')
        self.ids = 0
        self.name, self.language, self.kinds = f'p{index}', language, kinds
        rng = self.rng
        self.exceptions = language == 'c++' and exceptions
        self.reduces = rng.random() < 0.25
        self.throws = self.exceptions and not self.reduces and rng.random() < 0.6
        self.has_modes = rng.random() < 0.3 and 'modes' not in avoid
        self.has_endless = rng.random() < 0.15 and 'endless' not in avoid
        self.values = INTEGERS + REALS + [Truth(language)] + kinds + [k for k in kinds if isinstance(k, Vector)]
        # Clang (16 to 19) passes arguments aligned to more than 16 bytes wrongly where the stack pointer was moved.
        self.has_dynamic = rng.random() < 0.5 and 'dynamic' not in avoid
        self.parameters = [k for k in self.values if not self.has_dynamic or k.alignment <= 16]
        self.functions = []
        self.endless = None
        self.make()

    def new_id(self):
        self.ids += 1
        return self.ids

    def make(self):
        rng = self.rng
        self.root = Function(self, f'{self.name}_root', is_root=True)
        self.functions = [Function(self, f'{self.name}_f{i}') for i in range(rng.choice([1, 1, 2, 2, 3, 4]))]
        for function in self.functions:
            self.fill(function)
        self.fill_root()
        if self.has_endless:
            self.endless = Function(self, f'{self.name}_endless', is_endless=True)
            self.fill_endless()
        self.depth = 1
        while self.depth < 5 and self.cost(self.root, self.depth + 1) <= MOST_CALLS:
            self.depth += 1

    def cost(self, function, depth):
        if depth <= 0:
            return 1
        return 1 + sum(passes * self.cost(callee, depth - 1) for callee, passes in function.calls)

    # --- functions ---

    def fill(self, function):
        context = Context(function)
        if function.may_throw:
            context.throws = self.rng.choice(['children', 'continuation'])
        self.declare_locals(function.body, context, self.rng.choice([1, 2, 4, 10]))
        self.statements(function.body, context, self.rng.randint(0, 1), must_scope=True)
        self.use_all(function.body, context)

    def fill_root(self):
        context = Context(self.root)
        block = self.root.body
        self.declare_locals(block, context, 3)
        for _ in range(self.rng.choice([1, 1, 2])):
            if self.has_modes:
                block.statements.append(tree.Line(self, f'set_mode({self.rng.randrange(64)});'))
            self.statements(block, context, self.rng.randint(0, 1), must_scope=True)
        self.use_all(block, context)

    def fill_endless(self):
        context, block = Context(self.endless), self.endless.body
        self.declare_locals(block, context, self.rng.choice([1, 4, 10]))
        scope = tree.Scope(self, self.interface(), 'none')
        scope.endless = True
        loop = control.Endless(self, self.rng.randint(2, 9))
        inside = context.inside(scopes=[(scope, 0)], loops=[loop], passes=loop.times, scope_is_open=True)
        for _ in range(self.rng.randint(1, 3)):
            loop.body.statements.append(self.fork(inside))
            self.change_some(loop.body, inside)
        self.use_all(loop.body, inside)
        scope.body.statements.append(loop)
        block.statements.append(scope)

    def interface(self):
        return 'c++' if self.language == 'c++' and self.rng.random() < 0.7 else 'c'

    # --- locals ---

    def declare_locals(self, block, context, count):
        rng = self.rng
        for _ in range(count):
            self.declare(block, context)
        if not context.scope_is_open:
            for _ in range(rng.choice([0, 0, 1, 2])):
                form = rng.choice(['array', 'vla', 'vla', 'alloca']) if self.has_dynamic else 'array'
                alignment = rng.choice([0, 0, 32, 64, 128])
                size = rng.choice([16, rng.randint(16, 100), rng.randint(100, 3000)])
                array = tree.Variable(self, None, form, alignment, size)
                block.statements.append(array)
                context.arrays.append(array)

    def declare(self, block, context):
        rng = self.rng
        pressed = [INTEGERS[7], INTEGERS[7], INTEGERS[5], REALS[1]]  # what registers are for
        kind = rng.choice(self.values if rng.random() < 0.5 else pressed)
        # What is less than the type's own would be a place that its values must not have.
        alignment = max(rng.choice([32, 64, 128]), kind.alignment) if rng.random() < 0.12 else 0
        variable = tree.Variable(self, kind, 'plain', alignment)
        block.statements.append(variable)
        context.variables.append(variable)

    def change_some(self, block, context):
        variables = context.variables
        for variable in self.rng.sample(variables, min(len(variables), self.rng.choice([0, 1, 2, 6]))):
            block.statements.append(tree.Change(self, variable))

    def use_all(self, block, context):
        for variable in context.variables + context.arrays:
            block.statements.append(tree.Mix(self, variable))

    # --- statements ---

    def statements(self, block, context, count, must_scope=False):
        for i in range(count):
            self.statement(block, context)
        if must_scope:
            block.statements.append(self.scope(context))
            self.change_some(block, context)

    def statement(self, block, context):
        rng, cpp, nested = self.rng, self.language == 'c++', context.depth < 4
        scopes = bool(context.scopes)
        choices = [(5, self.add_changes), (1, self.add_mix), (0.7, self.add_wait)]
        choices += [(7, self.add_fork), (0.5, self.add_choice), (0.8, self.add_join)] if scopes else []
        choices += [(1.5, self.add_call), (0.5, self.add_declared)]
        choices += [(1, self.add_look)] if self.has_modes else []
        choices += [(2, self.add_update)] if self.reduces else []
        if nested:
            choices += [(1.5, self.add_scope), (1.5, self.add_loop), (1, self.add_if), (0.5, self.add_switch)]
            choices += [(0.6, self.add_lambda)] if cpp else []
            choices += [(1.5, self.add_fork_block)] if cpp and scopes else []
            choices += [(1.5, self.add_try)] if self.throws else []
        if context.throws == 'continuation':
            choices += [(1, self.add_throw)]
        add = rng.choices([c[1] for c in choices], [c[0] for c in choices])[0]
        add(block, context)

    def add_changes(self, block, context):
        self.change_some(block, context)

    def add_mix(self, block, context):
        if context.variables + context.arrays:
            block.statements.append(tree.Mix(self, self.rng.choice(context.variables + context.arrays)))

    def add_wait(self, block, context):
        block.statements.append(tree.Line(self, 'wait_a_little();'))

    def add_look(self, block, context):
        block.statements.append(tree.Line(self, '{h} = mix({h}, look_at_mode());'))

    def add_update(self, block, context):
        block.statements.append(tree.Line(self, f'update_reducer(&{self.name}_reducer, {{n}});'))

    def add_throw(self, block, context):
        block.statements.append(tree.Line(self, f'if (({{h}} & 3) == 0) throw error{self.rng.randint(0, 2)}({{n}});'))

    def add_declared(self, block, context):
        self.declare_locals(block, context, 1)

    def arguments(self, context, can_throw):
        """Of a call of a random function that may be called here, or null."""
        callees = [f for f in self.functions
                   if (can_throw or not f.may_throw) and
                   not (f.is_inlined and self.functions.index(f) <= context.function.index())]
        if not callees:
            return None
        callee = self.rng.choice(callees)
        context.function.calls.append((callee, context.passes))
        seen = self.rng.choice(context.arrays) if context.arrays and self.rng.random() < 0.7 else None
        return tree.Arguments(self, callee, seen)

    def add_call(self, block, context):
        arguments = self.arguments(context, context.throws == 'continuation')
        if arguments is not None:
            block.statements.append(tree.Call(self, arguments))

    def fork(self, context, typed_only=False):
        scope, loops_before = self.rng.choice(context.scopes)
        arguments = self.arguments(context, context.throws == 'children' and context.thrower is scope)
        if arguments is None:
            return tree.Block(self)
        callee = arguments.callee
        copyable = all(p.kind.copyable for p in callee.parameters) and not callee.is_method
        if scope.interface == 'c++':
            # GCC does not inline what is called through its address, which elided forks do.
            forms = ['lambda'] if arguments.callee.is_inlined else ['into', 'into', 'lambda']
        else:
            forms = (['typed', 'typed'] if copyable else []) + ([] if typed_only and copyable else ['untyped'])
        return tree.Fork(self, scope, self.rng.choice(forms), arguments, context.loops[loops_before:])

    def add_fork(self, block, context):
        block.statements.append(self.fork(context))
        self.change_some(block, context)

    def add_choice(self, block, context):
        first, second = self.fork(context, True), self.fork(context, True)
        if all(isinstance(f, tree.Fork) and f.form != 'untyped' for f in (first, second)):
            block.statements.append(control.Choice(self, first, second))

    def add_fork_block(self, block, context):
        scope, loops_before = self.rng.choice(context.scopes)
        if scope.interface == 'c':
            return
        node = tree.ForkBlock(self, scope, context.loops[loops_before:])
        inside = context.activation()
        if context.throws == 'children' and context.thrower is scope:
            inside.throws = self.rng.choice([None, 'children', 'continuation'])
        elif self.rng.random() < 0.3:
            node.noexcept = 'noexcept '
        self.fill_body(node.body, inside)
        block.statements.append(node)

    def fill_body(self, block, context):
        self.declare_locals(block, context, self.rng.randint(0, 3))
        self.statements(block, context, self.rng.randint(1, 2), must_scope=self.rng.random() < 0.2)
        self.use_all(block, context)

    def add_join(self, block, context):
        scope = self.rng.choice(context.scopes)[0]
        if context.throws is None or scope is context.thrower or context.thrower is None:
            block.statements.append(tree.Join(self, scope))

    def scope(self, context):
        end = self.rng.choice(['join', 'join', 'twice', 'destructor'])
        interface = self.interface()
        if interface == 'c' and end == 'destructor':
            end = 'join'
        # Where the continuation may throw, nobody would join a scope of the C interface.
        if interface == 'c' and context.throws is not None:
            interface = 'c++'
        node = tree.Scope(self, interface, end)
        inside = context.inside(scopes=context.scopes + [(node, len(context.loops))], scope_is_open=True)
        if context.throws == 'children' and context.thrower is None:
            inside.thrower = node
        if self.rng.random() < 0.3:
            self.declare(node.body, inside)
        node.body.statements.append(self.fork(inside))
        self.change_some(node.body, inside)
        self.statements(node.body, inside, self.rng.choice([0, 1, 1, 2, 3, 4]))
        self.mix_new(node.body, context, inside)
        return node

    def mix_new(self, block, outer, inside):
        for variable in inside.variables[len(outer.variables):]:
            block.statements.append(tree.Mix(self, variable))

    def add_scope(self, block, context):
        block.statements.append(self.scope(context))

    def wrapped(self, node_body, context, **changes):
        inside = context.inside(**changes)
        self.statements(node_body, inside, self.rng.randint(1, 2))
        self.mix_new(node_body, context, inside)

    def add_loop(self, block, context):
        loop = control.Loop(self, self.rng.choice(['for', 'while', 'do', 'goto']), self.rng.randint(2, 4))
        if context.passes * loop.times > 16:
            return
        self.wrapped(loop.body, context, loops=context.loops + [loop], passes=context.passes * loop.times)
        block.statements.append(loop)

    def add_if(self, block, context):
        node = control.If(self)
        self.wrapped(node.body, context)
        if self.rng.random() < 0.5:
            self.wrapped(node.otherwise, context)
        block.statements.append(node)

    def add_switch(self, block, context):
        node = control.Switch(self, self.rng.randint(1, 4))
        for case in (c for c, _ in node.cases):
            self.wrapped(case, context)
        block.statements.append(node)

    def add_lambda(self, block, context):
        node = tree.Lambda(self, self.rng.choice(['', '', 'noexcept ']))
        self.fill_body(node.body, context.activation())
        block.statements.append(node)

    def add_try(self, block, context):
        node = control.Try(self, self.rng.choice(['const error0& e', 'const error0& e', 'error0& e', '...']))
        # What it changes is its own; scopes of outside would have children that the elision does not fork.
        inside = context.inside(variables=[], scopes=[], loops=[], thrower=None,
                                throws=self.rng.choice(['children', 'continuation']))
        self.declare_locals(node.body, inside, self.rng.randint(0, 3))
        self.statements(node.body, inside, self.rng.randint(1, 2), must_scope=True)
        self.use_all(node.body, inside.inside(arrays=[]))
        handler = context.inside(scopes=[], loops=[], variables=[], throws=None, thrower=None)
        self.statements(node.handler, handler, self.rng.randint(0, 2), must_scope=self.rng.random() < 0.5)
        if context.throws == 'continuation' and self.rng.random() < 0.4:
            node.rethrows = self.rng.choice(['throw;', 'throw error0({n});'])
        block.statements.append(node)
