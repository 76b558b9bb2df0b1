"""The types of locals, parameters and results of generated programs.

A kind knows, as text, how to make a value of a number, to change a value, and to make a number of one: the same number in every
floating-point mode, since all arithmetic is exact."""


class Kind:
    copyable = True
    alignment = 16  # at most
    definition = ''

    def __init__(self, name):
        self.name = name


class Integer(Kind):
    def make(self, n):
        return f'({self.name})({n})'

    def change(self, v, n):
        return f'{v} = ({self.name})((u64){v} * 3u + ({n}));'

    def number(self, v):
        return f'((u64){v} ^ (u64)({v} >> 64) * 31u)' if '128' in self.name else f'(u64){v}'


class Truth(Integer):
    def __init__(self, language):
        super().__init__('bool' if language == 'c++' else '_Bool')

    def make(self, n):
        return f'({self.name})(({n}) >> 5 & 1)'

    def change(self, v, n):
        return f'{v} = ({self.name})((u64){v} ^ (({n}) >> 9 & 1));'


class Real(Kind):
    """Whole numbers of at most 20 bits."""

    def make(self, n):
        return f'({self.name})(int32_t)(({n}) & 0xfffff)'

    def change(self, v, n):
        return f'{v} = ({self.name})((int64_t){v} & 0xffff) + ({self.name})(int32_t)(({n}) & 0xff);'

    def number(self, v):
        return f'(u64)(int64_t){v}'


class Complex(Kind):
    def __init__(self, part):
        super().__init__('complex_' + part.replace(' ', '_'))
        self.part = part
        self.definition = f'''typedef __complex__ {part} {self.name};
static inline UNUSED {self.name} make_{self.name}(u64 n) {{
  {self.name} v;
  __real__ v = ({part})(int32_t)(n & 0xfffff);
  __imag__ v = ({part})(int32_t)(n >> 20 & 0xfffff);
  return v;
}}
'''

    def make(self, n):
        return f'make_{self.name}({n})'

    def change(self, v, n):
        return f'{v} = make_{self.name}((u64)(int64_t)__real__ {v} * 7u + ({n}));'

    def number(self, v):
        return f'((u64)(int64_t)__real__ {v} * 31u + (u64)(int64_t)__imag__ {v})'


class Vector(Kind):
    """GCC's vector types, which Clang has too."""

    def __init__(self, part, size, width):
        super().__init__(f'vec_{part}_{width}')
        self.part, self.count, self.alignment = part, width // size, width
        self.definition = f'typedef {part} {self.name} __attribute__((vector_size({width})));\n'

    def seed(self, n):
        # What a float has room for.
        return f'({self.part})(int32_t)(({n}) & 0xffff)'

    def make(self, n):
        return f'(({self.name}){{0}} + {self.seed(n)})'

    def change(self, v, n):
        last = self.count - 1
        if self.part in ('float', 'double'):
            return f'{v} = ({self.name}){{1}} + {self.seed(n)}; {v}[{last}] = {self.seed(n + " >> 3")};'
        return f'{v} = {v} * ({self.part})5 + {self.seed(n)}; {v}[{last}] ^= ({self.part})9;'

    def number(self, v):
        some = sorted({0, 1, self.count // 2, self.count - 1})
        return '(' + ' ^ '.join(f'((u64)(int64_t){v}[{i}] * {2 * i + 3}u)' for i in some) + ')'


class Struct(Kind):
    """Members are (kind, name, suffix, bits); `attributes` stand behind the closing brace."""

    def __init__(self, name, members, attributes='', inline='inline', alignment=0):
        super().__init__(name)
        self.alignment = max([alignment] + [kind.alignment for kind, *_ in members])
        body = making = numbering = ''
        for index, (kind, member, count, bits) in enumerate(members):
            if count:
                body += f'  {kind.name} {member}[{count}];\n'
                making += f'  fill_bytes(v.{member}, sizeof v.{member}, n + {index});\n'
                numbering += f'  h = mix(h, number_of_bytes(v->{member}, sizeof v->{member}));\n'
            else:
                width = f' : {bits}' if bits else ''
                value = kind.make(f'n * {2 * index + 1}u') if not bits else f'(n >> {index}) & {(1 << bits) - 1}u'
                body += f'  {kind.name} {member}{width};\n'
                making += f'  v.{member} = {value};\n'
                numbering += f'  h = mix(h, {kind.number("v->" + member)});\n'
        self.definition = f'''typedef struct {name} {{
{body}}} {attributes} {name};
static {inline} UNUSED {name} make_{name}(u64 n) {{
  {name} v;
{making}  return v;
}}
static {inline} UNUSED u64 number_{name}(const {name}* v) {{
  u64 h = 1;
{numbering}  return h;
}}
'''

    def make(self, n):
        return f'make_{self.name}({n})'

    def change(self, v, n):
        return f'{v} = make_{self.name}(number_{self.name}(&{v}) + ({n}));'

    def number(self, v):
        return f'number_{self.name}(&{v})'


class Owner(Kind):
    """C++: a class with a destructor and moves of its own, which knows where it lies and owns memory."""
    copyable = False

    def __init__(self, name, size):
        super().__init__(name)
        self.definition = f'''struct {name} {{
  const {name}* self = this;
  u64* value;
  byte bytes[{size}];
  explicit {name}(u64 n) : value(new u64(n)) {{ fill_bytes(bytes, sizeof bytes, n); }}
  {name}() : {name}(0) {{}}
  {name}({name}&& other) noexcept : value(other.value) {{
    SHOULD_BE(other.self == &other, "the place of a {name} moved from");
    memcpy(bytes, other.bytes, sizeof bytes);
    other.value = nullptr;
  }}
  {name}& operator=({name}&& other) noexcept {{
    SHOULD_BE(other.self == &other && self == this, "the place of a {name} assigned");
    delete value;
    value = other.value;
    other.value = nullptr;
    memcpy(bytes, other.bytes, sizeof bytes);
    return *this;
  }}
  ~{name}() {{
    SHOULD_BE(self == this, "the place of a {name} destroyed");
    delete value;
  }}
  u64 number() const {{
    SHOULD_BE(self == this, "the place of a {name}");
    return mix(*value, number_of_bytes(bytes, sizeof bytes));
  }}
}};
'''

    def make(self, n):
        return f'{self.name}({n})'

    def change(self, v, n):
        return f'{v} = {self.name}({v}.number() + ({n}));'

    def number(self, v):
        return f'{v}.number()'


U64 = Integer('u64')
INTEGERS = [Integer(t + '_t') for t in 'int8 uint8 int16 uint16 int32 uint32 int64 uint64'.split()]
INTEGERS.append(Integer('unsigned __int128'))
REALS = [Real(t) for t in ('float', 'double', 'double', 'long double', '__float128')]


def random_struct(rng, name, language, vectors):
    """Of any size from 1 byte to 4096, odd ones among them; or of members of many types; or of bit-fields."""
    inline = rng.choice(['inline', 'NOINLINE'])
    alignment = rng.choice([0, 0, 0, 32, 64, 128])
    attributes = f'ALIGNED({alignment})' if alignment else ''
    shape = rng.choice(['bytes', 'bytes', 'mixed', 'mixed', 'bits', 'floats', 'vectors', 'packed'])
    if shape == 'bytes':
        size = rng.choice([rng.randint(1, 24), rng.randint(1, 200), rng.randint(200, 4096)])
        return Struct(name, [(Integer('byte'), 'a', size, 0)], attributes, inline, alignment)
    if shape == 'bits':
        members = [(rng.choice(INTEGERS[:8]), f'm{i}', 0, rng.randint(1, 7)) for i in range(rng.randint(1, 9))]
        return Struct(name, members, attributes, inline, alignment)
    if shape == 'floats':
        kinds = REALS[:3]
    elif shape == 'vectors':
        kinds = vectors + REALS
    else:
        kinds = INTEGERS + REALS + [Truth(language)]
    members = []
    for i in range(rng.randint(1, 7)):
        bits = rng.randint(1, 7) if shape == 'mixed' and rng.random() < 0.2 else 0
        members.append((rng.choice(INTEGERS[:8] if bits else kinds), f'm{i}', 0, bits))
    if rng.random() < 0.3:
        members.append((Integer('byte'), 'rest', rng.randint(1, 33), 0))
    if shape == 'packed' and not alignment:
        attributes = '__attribute__((packed))'
    return Struct(name, members, attributes, inline, alignment)


def random_kinds(rng, language):
    """What one file of programs chooses from."""
    parts = [('int8_t', 1), ('int16_t', 2), ('int32_t', 4), ('int64_t', 8), ('float', 4), ('double', 8)]
    vectors = []
    for _ in range(3):
        part, size = rng.choice(parts)
        vectors.append(Vector(part, size, rng.choice([16, 16, 32, 32, 64])))
    vectors = list({v.name: v for v in vectors}.values())
    kinds = [Complex(p) for p in ('float', 'double', 'long double')] + vectors
    structs = [random_struct(rng, f's{i}', language, vectors) for i in range(6)]
    owners = [Owner(f'owner{i}', rng.choice([1, 40, 300])) for i in range(2)] if language == 'c++' else []
    return kinds + structs + owners
