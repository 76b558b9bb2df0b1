/* The call of a latent fork in the assembly of x86-64, with the tables that tell of it: what C and
 * C++ share.
 *
 * In the function that forks there are a look at the deque's limit and two jumps. What they lead to
 * lies in `.text.nopal_forks`:
 *
 *   the call, the store of what it returned, the jump back;
 *   the promoted return: what the return address becomes once the continuation may be stolen. It
 *     stores, too, and then takes the continuation back or ends the child;
 *   a routine that computes where the scope lies, from the registers that the child preserves.
 *
 * A child that throws nothing is called where the look is; the rest lies there all the same.
 *
 * For unwinders the two returns are functions without a frame, called from the function that forks;
 * where exactly is read from a word beside each. They have the library's personality routine, since
 * compilers know of no exceptions out of assembly. src/arch/x86_64/unwinding.hpp has the record.
 */
#ifndef NOPAL_DETAIL_X86_64_LATENT_ASSEMBLY_H
#define NOPAL_DETAIL_X86_64_LATENT_ASSEMBLY_H

/* What a latent call passes: as many words and floating-point numbers as have registers. An `asm` takes
 * thirty operands, and each register that is passed and lost is two: so numbers beside more than
 * NOPAL_DETAIL_MOST_WORDS_BESIDE_NUMBERS words are fewer. */
#define NOPAL_DETAIL_MOST_LATENT_WORDS 6
#define NOPAL_DETAIL_MOST_LATENT_NUMBERS 8
#define NOPAL_DETAIL_MOST_WORDS_BESIDE_NUMBERS 2
#define NOPAL_DETAIL_MOST_NUMBERS_BESIDE_WORDS 5
#define NOPAL_DETAIL_NUMBERS_FIT(words, numbers)                                                             \
  ((words) <= NOPAL_DETAIL_MOST_LATENT_WORDS && (numbers) <= NOPAL_DETAIL_MOST_LATENT_NUMBERS &&             \
   ((words) <= NOPAL_DETAIL_MOST_WORDS_BESIDE_NUMBERS ||                                                     \
    (numbers) <= NOPAL_DETAIL_MOST_NUMBERS_BESIDE_WORDS))

/* clang-format off */

/* Of a condition that is known when the file is compiled. */
#ifdef __cplusplus
#define NOPAL_DETAIL_IF_KNOWN if constexpr
#else
#define NOPAL_DETAIL_IF_KNOWN if
#endif

#if defined(NOPAL_STATIC) && (!defined(__PIC__) || defined(__PIE__))
#define NOPAL_DETAIL_DEQUE_TO_R11                                                                            \
  "{movq %%fs:nopal_current@tpoff, %%r11|mov r11, QWORD PTR fs:nopal_current@tpoff}\n\t"
#else
#define NOPAL_DETAIL_DEQUE_TO_R11                                                                            \
  "{movq nopal_current@gottpoff(%%rip), %%r11\n\tmovq %%fs:(%%r11), %%r11"                                   \
  "|mov r11, QWORD PTR [rip + nopal_current@gottpoff]\n\tmov r11, QWORD PTR fs:[r11]}\n\t"
#endif

/* The routine, by way of a pointer that all files share, as compilers refer to theirs. Behind it stands the
 * library's name of the binary interface: linkers name what is missing there last. */
#define NOPAL_DETAIL_FORK_PERSONALITY                                                                        \
  ".ifndef DW.ref.nopal_fork_personality\n\t"                                                                \
  ".pushsection .data.rel.local.DW.ref.nopal_fork_personality,\"awG\",@progbits,"                            \
  "DW.ref.nopal_fork_personality,comdat\n\t"                                                                 \
  ".hidden DW.ref.nopal_fork_personality\n\t.weak DW.ref.nopal_fork_personality\n\t.balign 8\n\t"            \
  ".type DW.ref.nopal_fork_personality, @object\n\t.size DW.ref.nopal_fork_personality, 8\n"                 \
  "DW.ref.nopal_fork_personality:\n\t.quad nopal_fork_personality\n\t"                                       \
  ".quad nopal_library_is_missing_or_differs_from_headers__expected_abi_3\n\t.popsection\n\t.endif\n\t"        \
  ".cfi_personality 0x9b, DW.ref.nopal_fork_personality\n\t"

/* A frame of no bytes. */
#define NOPAL_DETAIL_NO_FRAME ".cfi_def_cfa_offset 0\n\t"

/* Where the code that follows is called from: `from` bytes behind rip plus the word `word` bytes behind
 * rip, in the ABI's DWARF: val_expression of register 16 (rip). The word is the lower half of what is
 * read: made a positive number by adding 2^31, cut, and made a distance again. Valgrind can read that;
 * it knows no loads of half a word and no arithmetic shift.
 * Both are signed LEB128 bytes. Unwinders find the row of a return address by the byte before it, and
 * that of an interrupted instruction by its first byte; so each row suits one value of rip. */
#define NOPAL_DETAIL_CALLED_FROM(word, from)                                                                 \
  ".cfi_escape 0x16, 0x10, 24, 0x80, " word ", 0x06, 0x0d, 0, 0, 0, 0x80, 0x1c, 0x08, 32, 0x24, "            \
  "0x08, 32, 0x25, 0x0d, 0, 0, 0, 0x80, 0x22, 0x80, " from ", 0x22\n\t"
/* Nothing is told: a walk that begins there ends there. */
#define NOPAL_DETAIL_CALLED_FROM_NOWHERE ".cfi_escape 0x07, 0x10\n\t"

/* The call of a child whose address is in this register, with prefixes (cs) that make it five bytes. */
#define NOPAL_DETAIL_CALL_BY(name, prefixes)                                                                 \
  ".ifc %P[nopal_child],{%%" name "|" name "}\n\t.byte " prefixes "\n\tcall {*%%" name "|" name "}\n\t.else\n\t"

/* The child's call: five bytes, however it is made. */
#define NOPAL_DETAIL_CALL_CHILD                                                                              \
  NOPAL_DETAIL_CALL_BY("rbx", "0x2e, 0x2e, 0x2e")                                                            \
  NOPAL_DETAIL_CALL_BY("rbp", "0x2e, 0x2e, 0x2e")                                                            \
  NOPAL_DETAIL_CALL_BY("r12", "0x2e, 0x2e")                                                                  \
  NOPAL_DETAIL_CALL_BY("r13", "0x2e, 0x2e")                                                                  \
  NOPAL_DETAIL_CALL_BY("r14", "0x2e, 0x2e")                                                                  \
  NOPAL_DETAIL_CALL_BY("r15", "0x2e, 0x2e")                                                                  \
  "call %P[nopal_child]\n\t.endif\n\t.endif\n\t.endif\n\t"                                                   \
  ".endif\n\t.endif\n\t.endif\n"

/* The promoted return, the scope's place, and the records. `arrival` is where the exception of a promoted
 * fork's child arrives; `landing` and `promoted_landing` say where that is, and where another's arrives. */
#define NOPAL_DETAIL_PROMOTED(store, arrival, landing, promoted_landing)                                     \
  ".cfi_startproc\n\t"                                                                                       \
  NOPAL_DETAIL_FORK_PERSONALITY                                                                              \
  ".cfi_lsda 0x1b, .Lnopal_promoted%=\n\t"                                                                   \
  NOPAL_DETAIL_NO_FRAME                                                                                      \
  NOPAL_DETAIL_CALLED_FROM("0x7b", "0x00")                                                                   \
  ".long 777f - 773f\n\tnop\n"                                                                               \
  "773:\n\t"                                                                                                 \
  store                                                                                                      \
  NOPAL_DETAIL_CALLED_FROM_NOWHERE                                                                           \
  "{leaq %[nopal_frame], %%rdi|lea rdi, %[nopal_frame]}\n\t"                                                 \
  "{leaq 777f(%%rip), %%rax|lea rax, [rip + 777f]}\n\t"                                                      \
  "{pushq %%rax|push rax}\n\t"                                                                               \
  "{jmp *nopal_end_promoted@GOTPCREL(%%rip)|jmp QWORD PTR [rip + nopal_end_promoted@GOTPCREL]}\n\t"          \
  ".cfi_endproc\n"                                                                                           \
  arrival                                                                                                    \
  "774:\n\t{leaq %[nopal_frame], %%rax|lea rax, %[nopal_frame]}\n\tret\n\t"                                  \
  ".balign 4\n"                                                                                              \
  ".Lnopal_fork%=:\n\t.long 0xff, " landing ", 777f - .Lnopal_fork%=, 773b - .Lnopal_fork%=\n\t"                   \
  ".long 774b - .Lnopal_fork%=, %c[nopal_what] >> 4, 772b - .Lnopal_fork%=\n"                                \
  ".Lnopal_promoted%=:\n\t.long 0xff, " promoted_landing ", 0, 0, 0, 0, 0\n\t"                                     \
  ".popsection\n"                                                                                            \
  "777:"

/* The same behind the code that arrives at 778. */
#define NOPAL_DETAIL_PROMOTED_ARRIVING(store)                                                                \
  NOPAL_DETAIL_PROMOTED(store,                                                                               \
  "779:\n\t{movq %%rax, %%rdi|mov rdi, rax}\n\t"                                                             \
  "{leaq %[nopal_frame], %%rsi|lea rsi, %[nopal_frame]}\n\t"                                                 \
  "{call *nopal_promoted_threw@GOTPCREL(%%rip)|call QWORD PTR [rip + nopal_promoted_threw@GOTPCREL]}\n\t"    \
  "jmp 778b\n",                                                                                              \
  "778b - .Lnopal_fork%=", "779b - .Lnopal_promoted%=")

/* `store` may be empty. Labels: 771 the call, 772 behind it, 773 the promoted return,
 * 774 the scope's place, 777 where the continuation goes on, 778 where an exception arrives. With its
 * prefix (cs), which says nothing, the call takes six bytes: that has a row of its own. The jumps lead to
 * another section, so they take five bytes, the last four their distance. */
#define NOPAL_DETAIL_LATENT_CALL(store)                                                                      \
  NOPAL_DETAIL_DEQUE_TO_R11                                                                                  \
  "{cmpl $0, 4(%%r11)|cmp DWORD PTR [r11 + 4], 0}\n\t"                                                       \
  "jl 771f\n\tjmp %l[nopal_eagerly]\n\t"                                                                     \
  ".pushsection .text.nopal_forks,\"ax?\",@progbits\n\t"                                                     \
  ".cfi_startproc\n\t"                                                                                       \
  NOPAL_DETAIL_FORK_PERSONALITY                                                                              \
  ".cfi_lsda 0x1b, .Lnopal_fork%=\n\t"                                                                       \
  NOPAL_DETAIL_NO_FRAME                                                                                      \
  ".long 777f - 772f\n"                                                                                      \
  "771:\n\t"                                                                                                 \
  NOPAL_DETAIL_CALLED_FROM("0x7c", "0x06")                                                                   \
  ".byte 0x2e\n\t"                                                                                           \
  NOPAL_DETAIL_CALLED_FROM("0x76", "0x00")                                                                   \
  NOPAL_DETAIL_CALL_CHILD                                                                                    \
  "772:\n\t"                                                                                                 \
  store                                                                                                      \
  NOPAL_DETAIL_CALLED_FROM("0x01", "0x05")                                                                   \
  "jmp 777f\n"                                                                                               \
  "778:\n\t"                                                                                                 \
  NOPAL_DETAIL_CALLED_FROM("0x04", "0x08")                                                                   \
  "{movq %%rax, %%rdi|mov rdi, rax}\n\t"                                                                     \
  NOPAL_DETAIL_CALLED_FROM("0x01", "0x05")                                                                   \
  "jmp %l[threw]\n\t"                                                                                        \
  ".cfi_endproc\n\t"                                                                                         \
  NOPAL_DETAIL_PROMOTED_ARRIVING(store)

/* The same for a child that throws nothing: called in its place, with no jump on the way. Unwinders see a
 * call of the function that forks. Behind it comes an instruction that does nothing, in whose operand
 * walks find the record. `more` goes to the section of its own. */
#define NOPAL_DETAIL_CALL_IN_PLACE_WITH(store, more)                                                         \
  NOPAL_DETAIL_DEQUE_TO_R11                                                                                  \
  "{cmpl $0, 4(%%r11)|cmp DWORD PTR [r11 + 4], 0}\n\t"                                                       \
  "jge %l[nopal_eagerly]\n\t"                                                                                \
  NOPAL_DETAIL_CALL_CHILD                                                                                    \
  "772:\n\t.byte 0x0f, 0x1f, 0x84, 0x00\n\t.long .Lnopal_fork%= - 772b\n\t"                                  \
  store                                                                                                      \
  ".pushsection .text.nopal_forks,\"ax?\",@progbits\n"                                                       \
  more
#define NOPAL_DETAIL_CALL_IN_PLACE(store)                                                                    \
  NOPAL_DETAIL_CALL_IN_PLACE_WITH(store,                                                                     \
  "778:\n\t{movq %%rax, %%rdi|mov rdi, rax}\n\t"                                                             \
  "jmp %l[threw]\n\t"                                                                                        \
  NOPAL_DETAIL_PROMOTED_ARRIVING(store))
/* The same in code without exceptions, where what a child throws arrives nowhere: the personality routines
 * end the process. */
#define NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS(store)                                                                        \
  NOPAL_DETAIL_CALL_IN_PLACE_WITH(store, "\t" NOPAL_DETAIL_PROMOTED(store, "", "0", "0"))

/* `what` says how the result is stored (latent_store), and whether the child copies. */
#define NOPAL_DETAIL_STORE_AS(how, move, from)                                                               \
  ".if (%c[nopal_what] & 15) == " #how                                                                       \
  "\n\t{" move " %%" from ", %[nopal_out]|" move " %[nopal_out], " from "}\n\t.endif\n\t"
#define NOPAL_DETAIL_STORE                                                                                   \
  NOPAL_DETAIL_STORE_AS(1, "mov", "al") NOPAL_DETAIL_STORE_AS(2, "mov", "ax")                                \
  NOPAL_DETAIL_STORE_AS(3, "mov", "eax") NOPAL_DETAIL_STORE_AS(4, "mov", "rax")                              \
  NOPAL_DETAIL_STORE_AS(5, "movss", "xmm0") NOPAL_DETAIL_STORE_AS(6, "movsd", "xmm0")

/* A result in a thread-local variable is that of the thread that forks, not of the one that ends the child.
 * Where its name is all that compilers see, its address is one by %fs: the assembler looks for the colon.
 * With Clang such a fork is eager. GCC makes a jump that goes nowhere of such an `asm goto`, so it is an error. */
#define NOPAL_DETAIL_WITH_RESULT(code)                                                                       \
  ".set .Lnopal_by_thread%=, 0\n\t.irpc letter,\"%[nopal_out]\"\n\t" NOPAL_DETAIL_IF_COLON                   \
  ".set .Lnopal_by_thread%=, 1\n\t.endif\n\t.endr\n\t.if .Lnopal_by_thread%=\n\t" NOPAL_DETAIL_BY_THREAD     \
  ".else\n\t" code "\n\t.endif\n\t"
#ifdef __clang__
#define NOPAL_DETAIL_IF_COLON ".if '\\letter' == 58\n\t"
#define NOPAL_DETAIL_BY_THREAD "jmp %l[nopal_eagerly]\n\t"
#else
#define NOPAL_DETAIL_IF_COLON ".ifeqs \"\\letter\",\":\"\n\t"
#define NOPAL_DETAIL_BY_THREAD                                                                               \
  ".error \"nopal: the result of a latent fork goes to a thread-local variable by its name: fork into another," \
  " and assign that one after the join\"\n\t"
#endif

/* GCC lets only code that has these registers name them. */
#if defined(__AVX512F__) || defined(__clang__)
#define NOPAL_DETAIL_LOST_WITH_AVX512                                                                        \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26",       \
    "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define NOPAL_DETAIL_LOST_WITH_AVX512
#endif

/* Several operands as one of a macro's. */
#define NOPAL_DETAIL_OPERANDS(...) __VA_ARGS__

/* The child's address, where it is not known before the program runs, is in a register that it preserves:
 * no other is left. Which one is the compiler's choice: Clang needs rbx itself in functions with
 * over-aligned locals, and where assembly takes it away writes tables of them that are wrong. rbp is
 * chosen in copies of this function of its own, which nobody calls (-finstrument-functions). What follows
 * `what` are the labels. */
#define NOPAL_DETAIL_LATENT_ASM(code, output, passed, lost, frame, child, what, ...)                         \
  __asm__ __inline__ goto(code                                                                               \
      : passed, [nopal_frame] "+m"(frame) output                                                             \
      : [nopal_child] "ir"(child), [nopal_what] "i"(what)                                                    \
      : lost, "rax", "r10", "r11", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",              \
        "xmm15" NOPAL_DETAIL_LOST_WITH_AVX512, "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",   \
        "st(7)", "memory", "cc"                                                                              \
      : __VA_ARGS__)

/* What travels is in variables of these names. */
#define NOPAL_DETAIL_TWO_WORDS "+&D"(nopal_w0), "+&S"(nopal_w1)
#define NOPAL_DETAIL_SIX_WORDS                                                                               \
  NOPAL_DETAIL_TWO_WORDS, "+&d"(nopal_w2), "+&c"(nopal_w3), "+&r"(nopal_w4), "+&r"(nopal_w5)
#define NOPAL_DETAIL_FIVE_NUMBERS                                                                            \
  "+&x"(nopal_x0), "+&x"(nopal_x1), "+&x"(nopal_x2), "+&x"(nopal_x3), "+&x"(nopal_x4)
#define NOPAL_DETAIL_EIGHT_NUMBERS                                                                           \
  NOPAL_DETAIL_FIVE_NUMBERS, "+&x"(nopal_x5), "+&x"(nopal_x6), "+&x"(nopal_x7)

#define NOPAL_DETAIL_LOST_WORDS "rdx", "rcx", "r8", "r9"
#define NOPAL_DETAIL_LOST_FIVE "xmm0", "xmm1", "xmm2", "xmm3", "xmm4"
#define NOPAL_DETAIL_LOST_THREE "xmm5", "xmm6", "xmm7"

#define NOPAL_DETAIL_LATENT_BY_PASSED(code, output, words, numbers, ...)                                     \
  NOPAL_DETAIL_IF_KNOWN((numbers) == 0) {                                                                    \
    NOPAL_DETAIL_LATENT_ASM(code, NOPAL_DETAIL_OPERANDS(output), NOPAL_DETAIL_SIX_WORDS,                     \
                            NOPAL_DETAIL_OPERANDS(NOPAL_DETAIL_LOST_FIVE, NOPAL_DETAIL_LOST_THREE),          \
                            __VA_ARGS__);                                                                    \
  } else NOPAL_DETAIL_IF_KNOWN((words) <= NOPAL_DETAIL_MOST_WORDS_BESIDE_NUMBERS) {                          \
    NOPAL_DETAIL_LATENT_ASM(code, NOPAL_DETAIL_OPERANDS(output),                                             \
                            NOPAL_DETAIL_OPERANDS(NOPAL_DETAIL_TWO_WORDS, NOPAL_DETAIL_EIGHT_NUMBERS),       \
                            NOPAL_DETAIL_LOST_WORDS, __VA_ARGS__);                                           \
  } else {                                                                                                   \
    NOPAL_DETAIL_LATENT_ASM(code, NOPAL_DETAIL_OPERANDS(output),                                             \
                            NOPAL_DETAIL_OPERANDS(NOPAL_DETAIL_SIX_WORDS, NOPAL_DETAIL_FIVE_NUMBERS),        \
                            NOPAL_DETAIL_LOST_THREE, __VA_ARGS__);                                           \
  }

/* The registers that nothing is passed in are lost all the same: `anything` says nothing of what they hold. */
#define NOPAL_DETAIL_PASS(to, is_passed, from, anything)                                                     \
  NOPAL_DETAIL_IF_KNOWN(is_passed) to = from;                                                                \
  else __asm__("" : anything(to))

#define NOPAL_DETAIL_READ(was_passed, to, from, same)                                                        \
  NOPAL_DETAIL_IF_KNOWN(was_passed) {                                                                        \
    __asm__ volatile("" : same(from));                                                                       \
    to = from;                                                                                               \
  }                                                                                                          \
  (void)0

#define NOPAL_DETAIL_PASS_WORDS(words, from)                                                                 \
  NOPAL_DETAIL_PASS(nopal_w0, (words) > 0, from[0], "=D");                                                   \
  NOPAL_DETAIL_PASS(nopal_w1, (words) > 1, from[1], "=S");                                                   \
  NOPAL_DETAIL_PASS(nopal_w2, (words) > 2, from[2], "=d");                                                   \
  NOPAL_DETAIL_PASS(nopal_w3, (words) > 3, from[3], "=c");                                                   \
  NOPAL_DETAIL_PASS(nopal_w4, (words) > 4, from[4], "=r");                                                   \
  NOPAL_DETAIL_PASS(nopal_w5, (words) > 5, from[5], "=r")
#define NOPAL_DETAIL_READ_WORDS(words, to)                                                                   \
  NOPAL_DETAIL_READ((words) > 0, to[0], nopal_w0, "+r");                                                     \
  NOPAL_DETAIL_READ((words) > 1, to[1], nopal_w1, "+r");                                                     \
  NOPAL_DETAIL_READ((words) > 2, to[2], nopal_w2, "+r");                                                     \
  NOPAL_DETAIL_READ((words) > 3, to[3], nopal_w3, "+r");                                                     \
  NOPAL_DETAIL_READ((words) > 4, to[4], nopal_w4, "+r");                                                     \
  NOPAL_DETAIL_READ((words) > 5, to[5], nopal_w5, "+r")

/* clang-format on */

#endif
