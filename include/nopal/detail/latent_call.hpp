// The call of a latent fork out of C++: what travels, and how what is returned is stored. The assembly
// is in nopal/detail/x86_64/latent_assembly.h.
#ifndef NOPAL_DETAIL_LATENT_CALL_HPP
#define NOPAL_DETAIL_LATENT_CALL_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nopal/detail/fast_path.h>
#include <nopal/detail/latent.h>
#include NOPAL_DETAIL_LATENT_ASSEMBLY
#include <nopal/detail/unwind_marks.h>

// Programs with old headers have an empty macro of this name.
#pragma push_macro("register")
#undef register

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

inline constexpr std::size_t most_latent_words = NOPAL_DETAIL_MOST_LATENT_WORDS;

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
#define NOPAL_DETAIL_LATENT_BY_RESULT(how)                                                                   \
  if constexpr (std::is_empty_v<Result>) {                                                                   \
    NOPAL_DETAIL_LATENT_BY_PASSED(how(""), , words, floats, *frame, child, what, nopal_eagerly, threw)       \
  } else {                                                                                                   \
    NOPAL_DETAIL_LATENT_BY_PASSED(NOPAL_DETAIL_WITH_RESULT(how(NOPAL_DETAIL_STORE)),                         \
                                  NOPAL_DETAIL_OPERANDS(, [nopal_out] "=m"(*result)), words, floats,         \
                                  *frame, child, what, nopal_eagerly, threw)                                 \
  }
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
  std::uint64_t nopal_w0;
  std::uint64_t nopal_w1;
  [[maybe_unused]] std::uint64_t nopal_w2;
  [[maybe_unused]] std::uint64_t nopal_w3;
  [[maybe_unused]] register std::uint64_t nopal_w4 __asm__("r8");
  [[maybe_unused]] register std::uint64_t nopal_w5 __asm__("r9");
  [[maybe_unused]] register decltype(types::n0) nopal_x0 __asm__("xmm0");
  [[maybe_unused]] register decltype(types::n1) nopal_x1 __asm__("xmm1");
  [[maybe_unused]] register decltype(types::n2) nopal_x2 __asm__("xmm2");
  [[maybe_unused]] register decltype(types::n3) nopal_x3 __asm__("xmm3");
  [[maybe_unused]] register decltype(types::n4) nopal_x4 __asm__("xmm4");
  [[maybe_unused]] register decltype(types::n5) nopal_x5 __asm__("xmm5");
  [[maybe_unused]] register decltype(types::n6) nopal_x6 __asm__("xmm6");
  [[maybe_unused]] register decltype(types::n7) nopal_x7 __asm__("xmm7");
  if constexpr (floats > 0) {
    NOPAL_DETAIL_PASS(nopal_x0, floats > 0, numbers.n0, "=x");
    NOPAL_DETAIL_PASS(nopal_x1, floats > 1, numbers.n1, "=x");
    NOPAL_DETAIL_PASS(nopal_x2, floats > 2, numbers.n2, "=x");
    NOPAL_DETAIL_PASS(nopal_x3, floats > 3, numbers.n3, "=x");
    NOPAL_DETAIL_PASS(nopal_x4, floats > 4, numbers.n4, "=x");
    NOPAL_DETAIL_PASS(nopal_x5, floats > 5, numbers.n5, "=x");
    NOPAL_DETAIL_PASS(nopal_x6, floats > 6, numbers.n6, "=x");
    NOPAL_DETAIL_PASS(nopal_x7, floats > 7, numbers.n7, "=x");
  }
  NOPAL_DETAIL_PASS_WORDS(words, passed.at);
#ifdef __cpp_exceptions
  if constexpr (in_place) {
    NOPAL_DETAIL_LATENT_BY_RESULT(NOPAL_DETAIL_CALL_IN_PLACE)
  } else {
    NOPAL_DETAIL_LATENT_BY_RESULT(NOPAL_DETAIL_LATENT_CALL)
  }
#else
  NOPAL_DETAIL_MARK_PARENT();
  NOPAL_DETAIL_LATENT_BY_RESULT(NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS)
#endif
  nopal_forget_stack_pointer();
  return true;
threw:
  nopal_fork_threw(reinterpret_cast<void*>(nopal_w0), nopal_fresh_address(frame));
  return true;
nopal_eagerly:
  // Each is told anew here, and is another value than the one that was passed: GCC before 12.4 copies
  // registers on the way from the call to here before they are read (PR 113921), and vectorizes what
  // is made of them where the call goes on, which does not come to here.
  __asm__ volatile("");
  NOPAL_DETAIL_READ_WORDS(words, passed.at);
  NOPAL_DETAIL_READ(floats > 0, numbers.n0, nopal_x0, "+x");
  NOPAL_DETAIL_READ(floats > 1, numbers.n1, nopal_x1, "+x");
  NOPAL_DETAIL_READ(floats > 2, numbers.n2, nopal_x2, "+x");
  NOPAL_DETAIL_READ(floats > 3, numbers.n3, nopal_x3, "+x");
  NOPAL_DETAIL_READ(floats > 4, numbers.n4, nopal_x4, "+x");
  NOPAL_DETAIL_READ(floats > 5, numbers.n5, nopal_x5, "+x");
  NOPAL_DETAIL_READ(floats > 6, numbers.n6, nopal_x6, "+x");
  NOPAL_DETAIL_READ(floats > 7, numbers.n7, nopal_x7, "+x");
  return false;
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#pragma pop_macro("register")

#endif
