"""The rules of forking functions, checked on machine code.

A thief resumes the frame of a forking function with the frame's own rbp and another rsp. So from a fork's return on,
nothing that was stored before can be found through rsp. In terms of instructions, after the return of a fork:

  - no instruction loads from memory addressed by rsp, or by a register that was derived from rsp since,
    except what the same straight line has itself stored there since the last call;
  - stores to such memory are outgoing arguments: a call follows in the same straight line or its successors;
  - rsp moves by constants, from rbp, by an opaque size, or back to a saved value, as an epilogue does it.

push, pop, call, ret, leave use the new stack consistently and are free. The function must have a frame pointer.
Code that nothing in the function leads to (landing pads, cases of a switch) counts as after a fork.
"""

import re

FORK = re.compile(r"^(nopal_enter_fork|nopal_fibril_fork_\w+)$")
JOIN = "nopal_suspend_at_join"
WRAPPER = re.compile(r"enter_child")
FORBIDDEN_CALLS = re.compile(r"^(pthread_\w+|__tls_get_addr|__emutls_get_address|_ZTW\w+)")
MEMORY = re.compile(r"^(?:%[a-z]s:)?(-?(?:0x)?[0-9a-f]*)\((%\w*)?(?:,(%\w+)(?:,\d)?)?\)(\{.*)?$")
REGISTER = re.compile(r"^%(\w+)$")
ONLY_STORE = re.compile(
    r"^(mov[a-z0-9]*|vmov[a-z0-9]*|fst\w*|fist\w*|fnst\w*|stmxcsr|vstmxcsr|set\w+|sto\w*|vextract\w+|vpextr\w+|pextr\w+"
    r"|extractps|vextractps|movnt\w+|vmovnt\w+|vpmov\w+|kmov\w|fbstp|vpcompress\w+|vcompress\w+|vcvtps2ph)$")
NO_ACCESS = re.compile(r"^(lea[a-z]?|nop[a-z]?|prefetch\w*|endbr64)$")
READS_LAST = re.compile(r"^(cmp|test|bt|comis|ucomis|vcomis|vucomis|push|vptest|ptest)[a-z]*$")
WHOLE = {}
for number, names in enumerate(("rax eax ax al ah", "rbx ebx bx bl bh", "rcx ecx cx cl ch", "rdx edx dx dl dh",
                                "rsi esi si sil", "rdi edi di dil", "rbp ebp bp bpl", "rsp esp sp spl")):
    WHOLE.update({name: names.split()[0] for name in names.split()})
for number in range(8, 16):
    WHOLE.update({f"r{number}{size}": f"r{number}" for size in ("", "d", "w", "b")})
CALLER_SAVED = {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"}


def register_of(operand):
    found = REGISTER.match(operand)
    return WHOLE.get(found.group(1)) if found else None


def memory_of(operand):
    """(displacement, base, index) of a memory operand; None if it is none."""
    found = MEMORY.match(operand.lstrip("*"))
    if not found:
        return None
    base = WHOLE.get((found.group(2) or "")[1:])
    index = WHOLE.get((found.group(3) or "")[1:])
    return int(found.group(1) or "0", 16) if found.group(1) not in ("-", None) else 0, base, index


class Complaint:
    def __init__(self, function, instruction, what):
        self.function, self.instruction, self.what = function, instruction, what

    def __str__(self):
        where = f"{self.instruction.address:x}: {self.instruction.text}" if self.instruction else ""
        return f"{self.function.name}: {self.what}: {' '.join(where.split())}"


class State:
    """Before an instruction: registers derived from rsp since the fork, what was stored relative to rsp, and whether
    rsp was moved by a variable size: a copy of it then is the address of an array made since, not of a local.
    `lowered`: derived registers that were moved so themselves, of which rsp may become a copy."""

    def __init__(self, derived=frozenset(), stored=frozenset(), array_made=False, lowered=frozenset()):
        self.derived, self.stored, self.array_made, self.lowered = derived, stored, array_made, lowered

    def __eq__(self, other):
        return vars(self) == vars(other)

    def merged(self, other):
        return State(self.derived | other.derived, self.stored & other.stored, self.array_made and other.array_made,
                     self.lowered & other.lowered)


def forks_of(function):
    """Addresses of calls to the fork; at -O0 the address may come from a register or the global offset table."""
    loaded, result = False, []
    for address in function.order:
        instruction = function.code[address]
        name = (instruction.target_name or "").split("@")[0]
        if instruction.is_call and instruction.is_direct:
            if FORK.match(name):
                result.append(address)
        elif instruction.is_call and (loaded or FORK.match(name)):
            result.append(address)
            loaded = False
        elif FORK.match(name):
            loaded = True
    return result


def has_frame_pointer(function):
    pushed = any(i.name.startswith("push") and i.operands == ["%rbp"] for i in function.code.values())
    made = any(i.name in ("mov", "movq") and i.operands == ["%rsp", "%rbp"] for i in function.code.values())
    return pushed and made


def starts_after_fork(function, forks):
    """Where forks return to, and the blocks that only the unwinder or a table knows."""
    starts = {function.following[fork] for fork in forks if fork in function.following}
    covered = function.reachable(function.start)
    for address in function.order:
        if address not in covered and not function.code[address].is_padding:
            starts.add(address)
            covered |= function.reachable(address)
    return starts


def check_function(function, forks):
    complaints = []
    if not has_frame_pointer(function):
        complaints.append(Complaint(function, None, "forks without a frame pointer"))
    states = {start: State() for start in starts_after_fork(function, forks)}
    waiting = list(states)
    reported = set()
    while waiting:
        address = waiting.pop()
        instruction = function.code[address]
        after, problems = step(states[address], instruction, address in forks)
        for problem in problems:
            if (address, problem) not in reported:
                reported.add((address, problem))
                complaints.append(Complaint(function, instruction, problem))
        for next_address in function.successors(address):
            old = states.get(next_address)
            merged = after if old is None else old.merged(after)
            if old is None or merged != old:
                states[next_address] = merged
                waiting.append(next_address)
    return complaints


def step(state, instruction, is_fork):
    """The state after an instruction, and what is wrong with it."""
    problems = []
    stored = state.stored
    for number, operand in enumerate(instruction.operands):
        place = memory_of(operand)
        if place is None or NO_ACCESS.match(instruction.name):
            continue
        through = {place[1], place[2]} & ({"rsp"} | state.derived)
        if through and reads(instruction, number) and not (place[1:] == ("rsp", None) and place[0] in stored):
            if not is_probe(instruction):
                problems.append(f"reads through {'rsp' if 'rsp' in through else 'a copy of rsp'} after a fork")
        elif place[1:] == ("rsp", None) and "{" not in operand:
            stored = stored | {place[0]}
    if copies_from_derived(state, instruction):
        problems.append("reads through a copy of rsp after a fork")
    if instruction.is_call or moves_stack_pointer(instruction):
        stored = frozenset()
    if is_fork:
        return State(), problems
    derived = after_registers(state.derived, instruction, set() if state.array_made else {"rsp"})
    lowered = derived & (after_registers(state.lowered, instruction, set()) | lowers(instruction))
    # Clang may work the array's address out elsewhere, and set rsp to it.
    copied = {register_of(instruction.operands[0])} & lowered if is_move_to_stack_pointer(instruction) else set()
    array_made = state.array_made or "rsp" in lowers(instruction) or bool(copied)
    return State(derived - copied, stored, array_made, lowered - copied), problems


def lowers(instruction):
    """The register that is lowered by a variable size."""
    is_lowered = instruction.name in ("sub", "subq") and register_of(instruction.operands[0]) is not None
    return {register_of(instruction.operands[1])} - {None} if is_lowered else set()


def is_move_to_stack_pointer(instruction):
    return instruction.name in ("mov", "movq") and instruction.operands[1] == "%rsp"


def reads(instruction, number):
    """Whether the memory operand of this number is read: the last one is only written by moves."""
    last = number == len(instruction.operands) - 1
    if not last or READS_LAST.match(instruction.name) or instruction.is_call or instruction.is_jump:
        return True
    if len(instruction.operands) == 1:
        return not re.match(r"^(fst\w*|fist\w*|fnst\w*|stmxcsr|vstmxcsr|set\w+|fbstp|pop\w*)$", instruction.name)
    # A masked store leaves other bytes as they are; nobody asked for them.
    return not ONLY_STORE.match(instruction.name)


def is_probe(instruction):
    """`orq $0,(%rsp)`, with Clang `xorq`, touches a page of the stack and changes nothing."""
    return instruction.name in ("or", "orq", "orl", "xorq") and instruction.operands[0] == "$0x0"


def copies_from_derived(state, instruction):
    """String instructions name their source implicitly or as (%rsi)."""
    string = re.match(r"^(movs|lods|cmps)[bwlq]?$", instruction.name) and len(instruction.operands) != 2 or \
        any("(%rsi)" in operand for operand in instruction.operands) and "rep" in instruction.prefixes
    return bool(string) and "rsi" in state.derived


def moves_stack_pointer(instruction):
    if instruction.name.startswith(("push", "pop", "leave", "enter")):
        return True
    return bool(instruction.operands) and register_of(instruction.operands[-1]) == "rsp" and \
        not READS_LAST.match(instruction.name)


def after_registers(derived, instruction, stack):
    if instruction.is_call:
        return derived - CALLER_SAVED
    if not instruction.operands:
        return derived
    to = register_of(instruction.operands[-1])
    if to is None or to == "rsp" or READS_LAST.match(instruction.name):
        return derived
    source = instruction.operands[0]
    place = memory_of(source)
    if instruction.name.startswith("lea") and place:
        from_stack = bool({place[1], place[2]} & (stack | derived))
    elif len(instruction.operands) == 1:
        from_stack = to in derived and not instruction.name.startswith("pop")
    elif instruction.name.startswith(("mov", "xchg")):
        from_stack = place is None and register_of(source) in (stack | derived)
    elif instruction.name.startswith(("xor", "sub")) and register_of(source) == to:
        from_stack = False
    else:
        from_stack = to in derived or register_of(source) in (stack | derived)
    return derived | {to} if from_stack else derived - {to}


def check_unstolen_path(function):
    """What a fork that nobody steals must not meet: nothing that waits for other processors or for the thread library."""
    complaints = []
    for instruction in function.code.values():
        if "lock" in instruction.prefixes or instruction.name in ("mfence", "sfence", "lfence"):
            complaints.append(Complaint(function, instruction, "a locked instruction or fence on the unstolen path"))
        if instruction.name.startswith("xchg") and any(memory_of(operand) for operand in instruction.operands):
            complaints.append(Complaint(function, instruction, "an exchange with memory on the unstolen path"))
    for call in function.calls():
        if FORBIDDEN_CALLS.match(call.target_name or ""):
            complaints.append(Complaint(function, call, "a call into the thread library on the unstolen path"))
    return complaints


def check_program(functions, check_unstolen=True, unstolen=r"^corpus_fib$"):
    """(complaints, number of forking functions, number of functions of the unstolen path)."""
    complaints, forking, fast = [], 0, 0
    for function in functions:
        forks = forks_of(function)
        if forks:
            forking += 1
            complaints += check_function(function, set(forks))
        if WRAPPER.search(function.name) or re.match(unstolen, function.name):
            fast += 1
            if check_unstolen:
                complaints += check_unstolen_path(function)
    return complaints, forking, fast
