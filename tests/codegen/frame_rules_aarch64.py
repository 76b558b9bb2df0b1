"""The rules of forking functions (frame_rules.py), checked on machine code of AArch64.

A thief resumes the frame with its own frame pointer x29 and another stack pointer. So from a fork's return on, and from a
join's, nothing that was stored before can be found through sp:

  - no instruction loads from memory addressed by sp, or by a register that was derived from sp since, except what the same
    straight line has itself stored there since the last call;
  - that ends where sp is set from x29, or back to a value from before, as an epilogue does it.

Code that nothing in the function leads to (landing pads, the block of nopal_shape_frame) counts as after a fork.
"""

import re

import machine_code
from frame_rules import Complaint, starts_after_fork

FORK = re.compile(r"^(nopal_enter_fork|nopal_fibril_fork_\w+|nopal_suspend_at_join)(@.*)?$")
STATIC_CHAIN = "x18"
LOAD = re.compile(r"^(ld|cas|swp)")
STORE = re.compile(r"^st")
NO_RESULT = re.compile(r"^(cmp|cmn|tst|ccmp|ccmn|fcmp\w*|fccmp\w*|prfm|prfum|nop|hint|dmb|dsb|isb|msr|b|b\..*|cbn?z|tbn?z|ret\w*|br|brk|udf|bti"
                       r"|pac\w*|aut\w*|xpac\w*)$")
MEMORY = re.compile(r"^\[(\w+)(?:, ([^\]]*))?\](!?)$")


class Instruction(machine_code.Instruction):
    def __init__(self, address, text):
        super().__init__(address, text.split("//")[0])
        self.operands = split_operands(self.text.split(None, 1)[1].strip()) if len(self.text.split(None, 1)) > 1 else []

    @property
    def is_call(self):
        return self.name in ("bl", "blr", "blraaz", "blrabz")

    @property
    def is_padding(self):
        return self.name in ("nop", "udf")

    @property
    def is_jump(self):
        return self.name in ("b", "br", "cbz", "cbnz", "tbz", "tbnz") or self.name.startswith("b.")

    @property
    def is_unconditional(self):
        return self.name in ("b", "br")

    @property
    def is_direct(self):
        return self.name not in ("br", "blr", "blraaz", "blrabz")

    @property
    def ends_path(self):
        if self.name in ("ret", "retaa", "retab", "brk", "udf") or self.is_unconditional:
            return True
        return self.is_call and self.is_direct and bool(machine_code.NEVER_RETURN.match(self.target_name or ""))


def split_operands(text):
    """`x1, [sp, #16]!` has two operands."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def whole(operand):
    """The register that an operand names, by its longest name; null if it names none."""
    found = re.match(r"^([xw])(\d+)$", operand)
    if found:
        return "x" + found.group(2)
    return "sp" if operand in ("sp", "wsp") else None


def number(operand):
    found = re.match(r"^#(-?(?:0x)?[0-9a-f]+)$", operand or "#0")
    return int(found.group(1), 0) if found else None


class State:
    """Before an instruction: whether sp is known to be what it was before the fork, registers derived from another one, those of them
    that were lowered by a variable size, whether sp was, and what was stored relative to sp."""

    def __init__(self, safe=False, derived=frozenset(), lowered=frozenset(), array_made=False, stored=frozenset()):
        self.safe, self.derived, self.lowered, self.array_made, self.stored = safe, derived, lowered, array_made, stored

    def __eq__(self, other):
        return vars(self) == vars(other)

    def merged(self, other):
        return State(self.safe and other.safe, self.derived | other.derived, self.lowered & other.lowered,
                     self.array_made and other.array_made, self.stored & other.stored)


def forks_of(function):
    """Addresses of calls to forks and joins. Fibril's go through a register, with the frame in the static chain's."""
    result, chain = [], 0
    for address in function.order:
        instruction = function.code[address]
        chain -= 1
        if instruction.operands and whole(instruction.operands[0]) == STATIC_CHAIN and not STORE.match(instruction.name):
            chain = 12
        if instruction.is_call:
            if FORK.match(instruction.target_name or "") if instruction.is_direct else chain > 0:
                result.append(address)
            chain = 0
    return result


def has_frame_pointer(function):
    return any(i.name in ("mov", "add") and i.operands[:2] == ["x29", "sp"] for i in function.code.values())


def check_function(function, forks):
    complaints = [] if has_frame_pointer(function) else [Complaint(function, None, "forks without a frame pointer")]
    states = {start: State() for start in starts_after_fork(function, forks)}
    waiting, reported = list(states), set()
    while waiting:
        address = waiting.pop()
        after, problem = step(states[address], function.code[address], address in forks)
        if problem and address not in reported:
            reported.add(address)
            complaints.append(Complaint(function, function.code[address], problem))
        for following in function.successors(address):
            old = states.get(following)
            merged = after if old is None else old.merged(after)
            if old is None or merged != old:
                states[following] = merged
                waiting.append(following)
    return complaints


def step(state, instruction, is_fork):
    """The state after an instruction, and what is wrong with it, or null."""
    if is_fork:
        return State(), None
    if instruction.is_call:
        kept = frozenset(name for name in state.derived if name in {f"x{i}" for i in range(19, 30)})
        return State(state.safe, kept, state.lowered & kept, state.array_made), None
    if not instruction.operands:
        return state, None
    memory = [found for found in map(MEMORY.match, instruction.operands) if found]
    if memory:
        return access(state, instruction, memory[0])
    if NO_RESULT.match(instruction.name):
        return state, None
    to, sources = whole(instruction.operands[0]), [whole(operand) for operand in instruction.operands[1:]]
    if to == "sp":
        return move_of_stack_pointer(state, instruction, sources), None
    if to is None:
        return state, None
    from_stack = any(source in state.derived or (source == "sp" and not state.safe and not state.array_made) for source in sources)
    is_lowered = instruction.name == "sub" and len(sources) == 2 and sources[1] is not None and from_stack
    derived = state.derived | {to} if from_stack else state.derived - {to}
    lowered = state.lowered | {to} if is_lowered or any(source in state.lowered for source in sources) else state.lowered - {to}
    return State(state.safe, derived, lowered & derived, state.array_made, state.stored), None


def move_of_stack_pointer(state, instruction, sources):
    if "sp" in sources:
        by_size = len(sources) == 2 and any(source not in (None, "sp") for source in sources)
        return State(state.safe, state.derived, state.lowered, state.array_made or by_size)
    if set(sources) & state.lowered:
        return State(state.safe, state.derived - set(sources), state.lowered - set(sources), True)
    safe = state.safe if set(sources) & state.derived else True
    return State(safe, state.derived, state.lowered, state.array_made)


def access(state, instruction, memory):
    base, offset, moves = memory.group(1), memory.group(2), memory.group(3) == "!" or not instruction.operands[-1].startswith("[")
    displacement, is_store = number(offset), STORE.match(instruction.name)
    problem, stored = None, state.stored
    through_copy = {base, whole((offset or "").split(",")[0])} & state.derived
    if base == "sp" and not state.safe:
        if is_store:
            at = 0 if memory.group(3) else displacement
            stored = (frozenset() if moves else stored) | {at, (at or 0) + 8}
        elif LOAD.match(instruction.name) and displacement not in stored:
            problem = "reads through sp after a fork"
    elif through_copy and LOAD.match(instruction.name):
        problem = "reads through a copy of sp after a fork"
    if moves and base == "sp" and not is_store:
        stored = frozenset()
    gone = set() if is_store else {whole(operand) for operand in instruction.operands if not operand.startswith("[")}
    return State(state.safe, state.derived - gone, state.lowered - gone, state.array_made, stored), problem


def check_program(path, objdump):
    """(complaints, number of forking functions)."""
    complaints, forking = [], 0
    for function in machine_code.disassemble(path, objdump, Instruction):
        if function.name.startswith("nopal_") or "nopal5abi" in function.name:
            continue
        forks = forks_of(function)
        if forks:
            forking += 1
            complaints += check_function(function, set(forks))
    return complaints, forking
