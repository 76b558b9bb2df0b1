"""Reads `objdump -d` of a linked program into functions with control flow.

Linked, so that every jump and call names its target; AT&T syntax.
"""

import re
import subprocess

HEADING = re.compile(r"^([0-9a-f]+) <(.+)>:$")
LINE = re.compile(r"^\s+([0-9a-f]+):\t(.+)$")
SYMBOL = re.compile(r"^([0-9a-f]+) .{5}.F \S+\t([0-9a-f]+) ")
TARGET = re.compile(r"\b([0-9a-f]+) <([^>]+)>")
PREFIXES = {"lock", "rep", "repz", "repnz", "notrack", "bnd", "cs", "ds", "es", "ss", "fs", "gs", "data16", "addr32",
            "rex", "rex.W", "xacquire", "xrelease"}
# What ends a path: a call to one of these does not return.
NEVER_RETURN = re.compile(
    r"^(_Unwind_Resume|__cxa_(re)?throw|__cxa_bad_cast|__cxa_throw_bad_array_new_length|__stack_chk_fail|abort|exit"
    r"|__chk_fail|_ZSt9terminatev|_ZSt\d+__throw_\w+|__clang_call_terminate|nopal_throw_\w+|nopal_child_done)(@.*)?$")


class Instruction:
    """One line: where, which prefixes, what operation, its operands, and the target of a direct jump or call."""

    def __init__(self, address, text):
        self.address = address
        self.text = text
        words = text.split("#")[0].split(None, 1)
        self.prefixes = set()
        while words and words[0] in PREFIXES and len(words) > 1:
            self.prefixes.add(words[0])
            words = words[1].split(None, 1)
        self.name = words[0]
        self.operands = split_operands(words[1].strip()) if len(words) > 1 else []
        found = TARGET.search(text)
        self.target = int(found.group(1), 16) if found else None
        self.target_name = found.group(2) if found else None

    @property
    def is_call(self):
        return self.name in ("call", "callq")

    @property
    def is_padding(self):
        return self.name.startswith(("nop", "int3")) or self.text.split() == ["xchg", "%ax,%ax"]

    @property
    def is_jump(self):
        return self.name.startswith("j")

    @property
    def is_unconditional(self):
        return self.name in ("jmp", "jmpq")

    @property
    def is_direct(self):
        return bool(self.operands) and not self.operands[0].startswith("*")

    @property
    def ends_path(self):
        if self.name in ("ret", "retq", "ud2", "hlt") or self.is_unconditional:
            return True
        return self.is_call and self.is_direct and bool(NEVER_RETURN.match(self.target_name or ""))


def split_operands(text):
    """`8(%rax,%rbx,2),%rcx` has two operands."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return parts


class Function:
    """A function with its outlined cold part, and where control goes from each instruction."""

    def __init__(self, name, start):
        self.name = name
        self.start = start
        self.code = {}
        self.order = []

    def add(self, instruction):
        self.code[instruction.address] = instruction
        self.order.append(instruction.address)

    def finish(self):
        self.following = dict(zip(self.order, self.order[1:]))

    def successors(self, address):
        """Jumps that leave the function are tail calls, and end the path. So do indirect jumps: where those of a
        switch lead, nothing else does, and what nothing leads to counts as after the fork."""
        instruction = self.code[address]
        result = []
        if instruction.is_jump and instruction.is_direct and instruction.target in self.code:
            result.append(instruction.target)
        if not instruction.ends_path and address in self.following:
            result.append(self.following[address])
        return result

    def reachable(self, start, stop_at=()):
        seen, waiting = set(), [start]
        while waiting:
            address = waiting.pop()
            if address not in seen:
                seen.add(address)
                if address not in stop_at:
                    waiting += self.successors(address)
        return seen

    def calls(self):
        return [i for i in self.code.values() if i.is_call or i.is_unconditional and i.target not in self.code]


def owner_of(name):
    """The function that a part belongs to: `f.cold`, `f.cold.3`, `f.part.0.cold`."""
    return re.sub(r"\.cold(\.\d+)?$", "", name)


def disassemble(path, objdump="objdump", kind=Instruction):
    """`kind`: the instructions of another processor than x86-64."""
    def output(*flags):
        return subprocess.run([objdump, *flags, path], capture_output=True, text=True, check=True).stdout
    syntax = ["-M", "att"] if kind is Instruction else []
    return parse(output("-d", "--no-show-raw-insn", *syntax), ends_of(output("-t")), kind)


def ends_of(symbols):
    """Where the function at an address ends. Behind it may lie others that have no symbol, as Clang's helpers of
    coroutines."""
    ends = {}
    for line in symbols.splitlines():
        found = SYMBOL.match(line)
        if found:
            start, size = int(found.group(1), 16), int(found.group(2), 16)
            if size:
                ends[start] = max(ends.get(start, 0), start + size)
    return ends


def parse(listing, ends, kind=Instruction):
    """Functions, each with its cold part. Names of local functions repeat, so parts are joined by their jumps."""
    parts, current, end = [], None, None
    for line in listing.splitlines():
        heading = HEADING.match(line)
        if heading:
            current = Function(heading.group(2), int(heading.group(1), 16))
            end = ends.get(current.start)
            parts.append(current)
            continue
        found = LINE.match(line)
        if not found or current is None or found.group(2) == "...":
            continue
        instruction = kind(int(found.group(1), 16), found.group(2))
        if end is not None and instruction.address >= end:
            # Of no function: the calls of latent forks, with data between them, which have tables of their own.
            continue
        current.add(instruction)
    return join_cold_parts([part for part in parts if part.order])


def join_cold_parts(parts):
    cold_by_address = {a: part for part in parts if part.name != owner_of(part.name) for a in part.code}
    cold_by_name = {}
    for part in set(cold_by_address.values()):
        cold_by_name.setdefault(owner_of(part.name), []).append(part)
    whole = []
    for part in parts:
        if part.start in cold_by_address:
            continue
        wanted = {cold_by_address[i.target] for i in part.code.values()
                  if i.is_jump and i.is_direct and i.target in cold_by_address}
        # Landing pads are entered by the unwinder alone; then only the name says whose they are.
        wanted.update(cold_by_name.get(part.name, []))
        for cold in sorted(wanted, key=lambda other: other.start):
            for address in cold.order:
                part.add(cold.code[address])
        part.finish()
        drop_edges_between(part)
        whole.append(part)
    return whole


def drop_edges_between(function):
    """The end of one part does not fall into the start of the next."""
    for before, after in list(function.following.items()):
        if not 0 < after - before <= 16:
            del function.following[before]
