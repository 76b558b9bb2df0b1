// The call of a latent fork, in assembly, with the tables that tell of it.
//
// In the function that forks there are a look at the deque's limit and two jumps. What they lead to
// lies in `.text.nopal_forks`:
//
//   the call, the store of what it returned, the jump back;
//   the promoted return: what the return address becomes once the continuation may be stolen. It
//     stores, too, and then takes the continuation back or ends the child;
//   a routine that computes where the scope lies, from the registers that the child preserves.
//
// A child that throws nothing is called where the look is; the rest lies there all the same.
//
// For unwinders the two returns are functions without a frame, called from the function that forks;
// where exactly is read from a word beside each. They have the library's personality routine, since
// compilers know of no exceptions out of assembly. src/arch/x86_64/unwinding.hpp has the record.
#ifndef NOPAL_DETAIL_LATENT_CALL_HPP
#define NOPAL_DETAIL_LATENT_CALL_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nopal/detail/fast_path.h>
#include <nopal/detail/latent.h>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// What a latent call passes: as many words and floating-point numbers as have registers. An `asm` takes
/// thirty operands, and each register that is passed and lost is two: so numbers beside more than
/// `most_words_beside_numbers` words are fewer.
inline constexpr std::size_t most_latent_words = 6;
inline constexpr std::size_t most_latent_floats = 8;
inline constexpr std::size_t most_words_beside_numbers = 2;
inline constexpr std::size_t most_numbers_beside_words = 5;

/// Where nothing can be thrown, the end of a thread can still come out of a child, past functions that
/// know of no exceptions.
#ifdef __cpp_exceptions
inline constexpr bool nothrow_is_kept = true;
#else
inline constexpr bool nothrow_is_kept = false;
#endif

struct latent_words {
  std::uint64_t at[most_latent_words];
};
/// The numbers, of these types in this order; further ones stand for registers that pass none.
template <class T0 = double, class T1 = double, class T2 = double, class T3 = double, class T4 = double,
          class T5 = double, class T6 = double, class T7 = double>
struct latent_numbers {
  T0 n0;
  T1 n1;
  T2 n2;
  T3 n3;
  T4 n4;
  T5 n5;
  T6 n6;
  T7 n7;
};

// clang-format off

#if defined(NOPAL_STATIC) && (!defined(__PIC__) || defined(__PIE__))
#define NOPAL_DETAIL_DEQUE_TO_R11                                                                            \
  "{movq %%fs:nopal_current@tpoff, %%r11|mov r11, QWORD PTR fs:nopal_current@tpoff}\n\t"
#else
#define NOPAL_DETAIL_DEQUE_TO_R11                                                                            \
  "{movq nopal_current@gottpoff(%%rip), %%r11\n\tmovq %%fs:(%%r11), %%r11"                                   \
  "|mov r11, QWORD PTR [rip + nopal_current@gottpoff]\n\tmov r11, QWORD PTR fs:[r11]}\n\t"
#endif

// The routine, by way of a pointer that all files share, as compilers refer to theirs.
#define NOPAL_DETAIL_FORK_PERSONALITY                                                                        \
  ".ifndef DW.ref.nopal_fork_personality\n\t"                                                                \
  ".pushsection .data.rel.local.DW.ref.nopal_fork_personality,\"awG\",@progbits,"                            \
  "DW.ref.nopal_fork_personality,comdat\n\t"                                                                 \
  ".hidden DW.ref.nopal_fork_personality\n\t.weak DW.ref.nopal_fork_personality\n\t.balign 8\n\t"            \
  ".type DW.ref.nopal_fork_personality, @object\n\t.size DW.ref.nopal_fork_personality, 8\n"                 \
  "DW.ref.nopal_fork_personality:\n\t.quad nopal_fork_personality\n\t.popsection\n\t.endif\n\t"              \
  ".cfi_personality 0x9b, DW.ref.nopal_fork_personality\n\t"

// A frame of no bytes.
#define NOPAL_DETAIL_NO_FRAME ".cfi_def_cfa_offset 0\n\t"

// Where the code that follows is called from: `from` bytes behind rip plus the word `word` bytes behind
// rip, in the ABI's DWARF: val_expression of register 16 (rip). The word is the lower half of what is read:
// made a positive number by adding 2^31, cut, and made a distance again. So Valgrind reads it, which knows
// no loads of half a word and no arithmetic shift.
// Both are signed LEB128 bytes. Unwinders find the row of a return address by the byte before it, and
// that of an interrupted instruction by its first byte; so each row suits one value of rip.
#define NOPAL_DETAIL_CALLED_FROM(word, from)                                                                 \
  ".cfi_escape 0x16, 0x10, 24, 0x80, " word ", 0x06, 0x0d, 0, 0, 0, 0x80, 0x1c, 0x08, 32, 0x24, "            \
  "0x08, 32, 0x25, 0x0d, 0, 0, 0, 0x80, 0x22, 0x80, " from ", 0x22\n\t"
// Nothing is told: a walk that begins there ends there.
#define NOPAL_DETAIL_CALLED_FROM_NOWHERE ".cfi_escape 0x07, 0x10\n\t"

// The call of a child whose address is in this register, with prefixes (cs) that make it five bytes.
#define NOPAL_DETAIL_CALL_BY(name, prefixes)                                                                 \
  ".ifc %P[child],{%%" name "|" name "}\n\t.byte " prefixes "\n\tcall {*%%" name "|" name "}\n\t.else\n\t"

// The child's call: five bytes, however it is made.
#define NOPAL_DETAIL_CALL_CHILD                                                                              \
  NOPAL_DETAIL_CALL_BY("rbx", "0x2e, 0x2e, 0x2e")                                                            \
  NOPAL_DETAIL_CALL_BY("rbp", "0x2e, 0x2e, 0x2e")                                                            \
  NOPAL_DETAIL_CALL_BY("r12", "0x2e, 0x2e")                                                                  \
  NOPAL_DETAIL_CALL_BY("r13", "0x2e, 0x2e")                                                                  \
  NOPAL_DETAIL_CALL_BY("r14", "0x2e, 0x2e")                                                                  \
  NOPAL_DETAIL_CALL_BY("r15", "0x2e, 0x2e")                                                                  \
  "call %P[child]\n\t.endif\n\t.endif\n\t.endif\n\t"                                                         \
  ".endif\n\t.endif\n\t.endif\n"

// The promoted return, the scope's place, and the records, behind the code that arrives at 778.
#define NOPAL_DETAIL_PROMOTED(store)                                                                               \
  ".cfi_startproc\n\t"                                                                                       \
  NOPAL_DETAIL_FORK_PERSONALITY                                                                              \
  ".cfi_lsda 0x1b, .Lnopal_promoted%=\n\t"                                                                   \
  NOPAL_DETAIL_NO_FRAME                                                                                      \
  NOPAL_DETAIL_CALLED_FROM("0x7b", "0x00")                                                                   \
  ".long 777f - 773f\n\tnop\n"                                                                               \
  "773:\n\t"                                                                                                 \
  store                                                                                                      \
  NOPAL_DETAIL_CALLED_FROM_NOWHERE                                                                           \
  "{leaq %[scope], %%rdi|lea rdi, %[scope]}\n\t"                                                             \
  "{leaq 777f(%%rip), %%rax|lea rax, [rip + 777f]}\n\t"                                                      \
  "{pushq %%rax|push rax}\n\t"                                                                               \
  "{jmp *nopal_end_promoted@GOTPCREL(%%rip)|jmp QWORD PTR [rip + nopal_end_promoted@GOTPCREL]}\n\t"          \
  ".cfi_endproc\n"                                                                                           \
  "779:\n\t{movq %%rax, %%rdi|mov rdi, rax}\n\t"                                                             \
  "{leaq %[scope], %%rsi|lea rsi, %[scope]}\n\t"                                                             \
  "{call *nopal_promoted_threw@GOTPCREL(%%rip)|call QWORD PTR [rip + nopal_promoted_threw@GOTPCREL]}\n\t"    \
  "jmp 778b\n"                                                                                               \
  "774:\n\t{leaq %[scope], %%rax|lea rax, %[scope]}\n\tret\n\t"                                              \
  ".balign 4\n"                                                                                              \
  ".Lnopal_fork%=:\n\t.long 778b - .Lnopal_fork%=, 777f - .Lnopal_fork%=, 773b - .Lnopal_fork%=\n\t"         \
  ".long 774b - .Lnopal_fork%=, %c[what] >> 4, 772b - .Lnopal_fork%=\n"                                      \
  ".Lnopal_promoted%=:\n\t.long 779b - .Lnopal_promoted%=, 0, 0, 0, 0, 0\n\t"                                \
  ".popsection\n"                                                                                            \
  "777:"

// `store` may be empty. Labels: 771 the call, 772 behind it, 773 the promoted return,
// 774 the scope's place, 777 where the continuation goes on, 778 where an exception arrives. With its
// prefix (cs), which says nothing, the call takes six bytes: that has a row of its own. The jumps lead to
// another section, so they take five bytes, the last four their distance.
#define NOPAL_DETAIL_LATENT_CALL(store)                                                                                     \
  NOPAL_DETAIL_DEQUE_TO_R11                                                                                  \
  "{cmpl $0, 4(%%r11)|cmp DWORD PTR [r11 + 4], 0}\n\t"                                                       \
  "jl 771f\n\tjmp %l[eagerly]\n\t"                                                                           \
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
  NOPAL_DETAIL_PROMOTED(store)

// The same for a child that throws nothing: called in its place, with no jump on the way. Unwinders see a
// call of the function that forks. Behind it comes an instruction that does nothing, in whose operand
// walks find the record.
#define NOPAL_DETAIL_CALL_IN_PLACE(store)                                                                                   \
  NOPAL_DETAIL_DEQUE_TO_R11                                                                                  \
  "{cmpl $0, 4(%%r11)|cmp DWORD PTR [r11 + 4], 0}\n\t"                                                       \
  "jge %l[eagerly]\n\t"                                                                                      \
  NOPAL_DETAIL_CALL_CHILD                                                                                    \
  "772:\n\t.byte 0x0f, 0x1f, 0x84, 0x00\n\t.long .Lnopal_fork%= - 772b\n\t"                                  \
  store                                                                                                      \
  ".pushsection .text.nopal_forks,\"ax?\",@progbits\n"                                                       \
  "778:\n\t{movq %%rax, %%rdi|mov rdi, rax}\n\t"                                                             \
  "jmp %l[threw]\n\t"                                                                                        \
  NOPAL_DETAIL_PROMOTED(store)

// `what` says how the result is stored (latent_store), and whether the child copies.
#define NOPAL_DETAIL_STORE_AS(how, move, from)                                                               \
  ".if (%c[what] & 15) == " #how                                                                             \
  "\n\t{" move " %%" from ", %[out]|" move " %[out], " from "}\n\t.endif\n\t"
#define NOPAL_DETAIL_STORE                                                                                   \
  NOPAL_DETAIL_STORE_AS(1, "mov", "al") NOPAL_DETAIL_STORE_AS(2, "mov", "ax")                                \
  NOPAL_DETAIL_STORE_AS(3, "mov", "eax") NOPAL_DETAIL_STORE_AS(4, "mov", "rax")                              \
  NOPAL_DETAIL_STORE_AS(5, "movss", "xmm0") NOPAL_DETAIL_STORE_AS(6, "movsd", "xmm0")

// A result in a thread-local variable is that of the thread that forks, not of the one that ends the child.
// Where its name is all that compilers see, its address is one by %fs: the assembler looks for the colon.
// With Clang such a fork is eager. GCC makes a jump that goes nowhere of such an `asm goto`, so it is an error.
#define NOPAL_DETAIL_WITH_RESULT(code)                                                                       \
  ".set .Lnopal_by_thread%=, 0\n\t.irpc letter,\"%[out]\"\n\t" NOPAL_DETAIL_IF_COLON                           \
  ".set .Lnopal_by_thread%=, 1\n\t.endif\n\t.endr\n\t.if .Lnopal_by_thread%=\n\t" NOPAL_DETAIL_BY_THREAD         \
  ".else\n\t" code "\n\t.endif\n\t"
#ifdef __clang__
#define NOPAL_DETAIL_IF_COLON ".if '\\letter' == 58\n\t"
#define NOPAL_DETAIL_BY_THREAD "jmp %l[eagerly]\n\t"
#else
#define NOPAL_DETAIL_IF_COLON ".ifeqs \"\\letter\",\":\"\n\t"
#define NOPAL_DETAIL_BY_THREAD                                                                               \
  ".error \"nopal: the result of a latent fork goes to a thread-local variable by its name: fork into another," \
  " and assign that one after the join\"\n\t"
#endif

// GCC lets only code that has these registers name them.
#if defined(__AVX512F__) || defined(__clang__)
#define NOPAL_DETAIL_LOST_WITH_AVX512                                                                        \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26",       \
    "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define NOPAL_DETAIL_LOST_WITH_AVX512
#endif

// Several operands as one of a macro's.
#define NOPAL_DETAIL_OPERANDS(...) __VA_ARGS__

// The child's address, where it is not known before the program runs, is in a register that it preserves:
// no other is left. Which one is the compiler's choice: Clang needs rbx itself in functions with
// over-aligned locals, and where assembly takes it away writes tables of them that are wrong. rbp is
// chosen in copies of this function of its own, which nobody calls (-finstrument-functions).
#define NOPAL_DETAIL_LATENT_ASM(code, output, passed, lost)                              \
  __asm__ __inline__ goto(code                                                                   \
      : passed, [scope] "+m"(*frame) output                                                                  \
      : [child] "ir"(child), [what] "i"(what)                                                          \
      : lost, "rax", "r10", "r11", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",              \
        "xmm15" NOPAL_DETAIL_LOST_WITH_AVX512, "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",   \
        "st(7)", "memory", "cc"                                                                              \
      : eagerly, threw)

#define NOPAL_DETAIL_TWO_WORDS [w0] "+&D"(w0), [w1] "+&S"(w1)
#define NOPAL_DETAIL_SIX_WORDS                                                                               \
  NOPAL_DETAIL_TWO_WORDS, [w2] "+&d"(w2), [w3] "+&c"(w3), [w4] "+&r"(w4), [w5] "+&r"(w5)
#define NOPAL_DETAIL_FIVE_NUMBERS                                                                            \
  [x0] "+&x"(x0), [x1] "+&x"(x1), [x2] "+&x"(x2), [x3] "+&x"(x3), [x4] "+&x"(x4)
#define NOPAL_DETAIL_EIGHT_NUMBERS NOPAL_DETAIL_FIVE_NUMBERS, [x5] "+&x"(x5), [x6] "+&x"(x6), [x7] "+&x"(x7)

#define NOPAL_DETAIL_LOST_WORDS "rdx", "rcx", "r8", "r9"
#define NOPAL_DETAIL_LOST_FIVE "xmm0", "xmm1", "xmm2", "xmm3", "xmm4"
#define NOPAL_DETAIL_LOST_THREE "xmm5", "xmm6", "xmm7"

#define NOPAL_DETAIL_LATENT_BY_PASSED(code, output)                                      \
  if constexpr (floats == 0) {                                                                               \
    NOPAL_DETAIL_LATENT_ASM(code, NOPAL_DETAIL_OPERANDS(output),          \
                            NOPAL_DETAIL_SIX_WORDS,                                                          \
                            NOPAL_DETAIL_OPERANDS(NOPAL_DETAIL_LOST_FIVE, NOPAL_DETAIL_LOST_THREE));             \
  } else if constexpr (words <= most_words_beside_numbers) {                                                 \
    NOPAL_DETAIL_LATENT_ASM(code, NOPAL_DETAIL_OPERANDS(output),          \
                            NOPAL_DETAIL_OPERANDS(NOPAL_DETAIL_TWO_WORDS, NOPAL_DETAIL_EIGHT_NUMBERS),           \
                            NOPAL_DETAIL_LOST_WORDS);                                                        \
  } else {                                                                                                   \
    NOPAL_DETAIL_LATENT_ASM(code, NOPAL_DETAIL_OPERANDS(output),          \
                            NOPAL_DETAIL_OPERANDS(NOPAL_DETAIL_SIX_WORDS, NOPAL_DETAIL_FIVE_NUMBERS),            \
                            NOPAL_DETAIL_LOST_THREE);                                                        \
  }

#define NOPAL_DETAIL_LATENT_BY_RESULT(how)                                                                   \
  if constexpr (std::is_empty_v<Result>) {                                                                   \
    NOPAL_DETAIL_LATENT_BY_PASSED(how(""), )                                                               \
  } else {                                                                                                   \
    NOPAL_DETAIL_LATENT_BY_PASSED(NOPAL_DETAIL_WITH_RESULT(how(NOPAL_DETAIL_STORE)),                         \
                                  NOPAL_DETAIL_OPERANDS(, [out] "=m"(*result)))                                  \
  }

// The registers that nothing is passed in are lost all the same: `anything` says nothing of what they hold.
#define NOPAL_DETAIL_PASS(to, is_passed, from, anything)                                                     \
  if constexpr (is_passed) to = from;                                                                        \
  else __asm__("" : anything(to))

#define NOPAL_DETAIL_READ(was_passed, to, from, same)                                                        \
  if constexpr (was_passed) {                                                                                \
    __asm__ volatile("" : same(from));                                                                       \
    to = from;                                                                                               \
  }                                                                                                          \
  static_assert(true)

// clang-format on

/// How a result of this type is stored; see NOPAL_DETAIL_STORE.
template <class Result>
constexpr int latent_store() {
  if constexpr (std::is_same_v<Result, double>) {
    return 6;
  } else if constexpr (std::is_same_v<Result, float>) {
    return 5;
  } else {
    return sizeof(Result) == 8 ? 4 : sizeof(Result) == 4 ? 3 : sizeof(Result) == 2 ? 2 : 1;
  }
}

/// Calls `child` with what is passed, and stores a Result that is not empty, unless the fork has to
/// be eager: false then, and nothing was called. What is passed is not to be used after a call;
/// otherwise it has been told anew, so that nothing is kept for that case. `in_place`: the child throws
/// nothing. `copies`: the child copies from its parent's frame, and says in the scope's when it has.
template <class Result, std::size_t words, std::size_t floats, bool in_place, int copies = 0, class Child,
          class... Ts>
[[gnu::always_inline]] inline bool call_latently(nopal_frame* frame, [[maybe_unused]] Result* result,
                                                 Child child, latent_words& passed,
                                                 [[maybe_unused]] latent_numbers<Ts...>& numbers) {
  constexpr int what = latent_store<Result>() | copies << 4;
  using types = latent_numbers<Ts...>;
  std::uint64_t w0;
  std::uint64_t w1;
  [[maybe_unused]] std::uint64_t w2;
  [[maybe_unused]] std::uint64_t w3;
  [[maybe_unused]] register std::uint64_t w4 __asm__("r8");
  [[maybe_unused]] register std::uint64_t w5 __asm__("r9");
  [[maybe_unused]] register decltype(types::n0) x0 __asm__("xmm0");
  [[maybe_unused]] register decltype(types::n1) x1 __asm__("xmm1");
  [[maybe_unused]] register decltype(types::n2) x2 __asm__("xmm2");
  [[maybe_unused]] register decltype(types::n3) x3 __asm__("xmm3");
  [[maybe_unused]] register decltype(types::n4) x4 __asm__("xmm4");
  [[maybe_unused]] register decltype(types::n5) x5 __asm__("xmm5");
  [[maybe_unused]] register decltype(types::n6) x6 __asm__("xmm6");
  [[maybe_unused]] register decltype(types::n7) x7 __asm__("xmm7");
  if constexpr (floats > 0) {
    NOPAL_DETAIL_PASS(x0, floats > 0, numbers.n0, "=x");
    NOPAL_DETAIL_PASS(x1, floats > 1, numbers.n1, "=x");
    NOPAL_DETAIL_PASS(x2, floats > 2, numbers.n2, "=x");
    NOPAL_DETAIL_PASS(x3, floats > 3, numbers.n3, "=x");
    NOPAL_DETAIL_PASS(x4, floats > 4, numbers.n4, "=x");
    NOPAL_DETAIL_PASS(x5, floats > 5, numbers.n5, "=x");
    NOPAL_DETAIL_PASS(x6, floats > 6, numbers.n6, "=x");
    NOPAL_DETAIL_PASS(x7, floats > 7, numbers.n7, "=x");
  }
  NOPAL_DETAIL_PASS(w0, words > 0, passed.at[0], "=D");
  NOPAL_DETAIL_PASS(w1, words > 1, passed.at[1], "=S");
  NOPAL_DETAIL_PASS(w2, words > 2, passed.at[2], "=d");
  NOPAL_DETAIL_PASS(w3, words > 3, passed.at[3], "=c");
  NOPAL_DETAIL_PASS(w4, words > 4, passed.at[4], "=r");
  NOPAL_DETAIL_PASS(w5, words > 5, passed.at[5], "=r");
  if constexpr (in_place && nothrow_is_kept) {
    NOPAL_DETAIL_LATENT_BY_RESULT(NOPAL_DETAIL_CALL_IN_PLACE)
  } else {
    NOPAL_DETAIL_LATENT_BY_RESULT(NOPAL_DETAIL_LATENT_CALL)
  }
  nopal_forget_stack_pointer();
  return true;
threw:
  nopal_fork_threw(reinterpret_cast<void*>(w0), nopal_fresh_address(frame));
  return true;
eagerly:
  // Each is told anew here, and is another value than the one that was passed: GCC before 12.4 copies
  // registers on the way from the call to here before they are read (PR 113921), and vectorizes what
  // is made of them where the call goes on, which does not come to here.
  __asm__ volatile("");
  NOPAL_DETAIL_READ(words > 0, passed.at[0], w0, "+r");
  NOPAL_DETAIL_READ(words > 1, passed.at[1], w1, "+r");
  NOPAL_DETAIL_READ(words > 2, passed.at[2], w2, "+r");
  NOPAL_DETAIL_READ(words > 3, passed.at[3], w3, "+r");
  NOPAL_DETAIL_READ(words > 4, passed.at[4], w4, "+r");
  NOPAL_DETAIL_READ(words > 5, passed.at[5], w5, "+r");
  NOPAL_DETAIL_READ(floats > 0, numbers.n0, x0, "+x");
  NOPAL_DETAIL_READ(floats > 1, numbers.n1, x1, "+x");
  NOPAL_DETAIL_READ(floats > 2, numbers.n2, x2, "+x");
  NOPAL_DETAIL_READ(floats > 3, numbers.n3, x3, "+x");
  NOPAL_DETAIL_READ(floats > 4, numbers.n4, x4, "+x");
  NOPAL_DETAIL_READ(floats > 5, numbers.n5, x5, "+x");
  NOPAL_DETAIL_READ(floats > 6, numbers.n6, x6, "+x");
  NOPAL_DETAIL_READ(floats > 7, numbers.n7, x7, "+x");
  return false;
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
