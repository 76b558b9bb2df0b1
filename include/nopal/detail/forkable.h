/* The declaration that NOPAL_FORKABLE makes of its function. */
#ifndef NOPAL_DETAIL_FORKABLE_H
#define NOPAL_DETAIL_FORKABLE_H

#include <nopal/detail/argument_list.h>

/* Of a static function it is the second declaration, and GCC can be asked to warn of that. */
#define NOPAL_DETAIL_REDUNDANT(...)                                                                          \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")                     \
      __VA_ARGS__ _Pragma("GCC diagnostic pop")

#if defined(__cpp_concepts) && __cpp_concepts >= 201907L
/* C++ wants the same exception specification of each declaration, and there may be one already. To
 * ask for it is an error where there is none; so another function of that name is put beside it, of
 * a type that nobody means. What is asked for has exactly this type: other overloads do not
 * count. */
#define NOPAL_DETAIL_DECLARE(result, f, list)                                                                \
  extern "C++" {                                                                                             \
  namespace nopal_beside_##f {                                                                               \
    template <class>                                                                                         \
    void f();                                                                                                \
  }                                                                                                          \
  template <class Function>                                                                                  \
  static constexpr bool nopal_is_noexcept_##f() {                                                            \
    using namespace nopal_beside_##f;                                                                        \
    return requires { static_cast<Function>(f); };                                                           \
  }                                                                                                          \
  }                                                                                                          \
  NOPAL_DETAIL_REDUNDANT(                                                                                    \
      result f(NOPAL_DETAIL_PARAMETERS list) noexcept(                                                       \
          nopal_is_noexcept_##f<__typeof__(result) (*)(NOPAL_DETAIL_PARAMETERS list) noexcept>());)
#define NOPAL_DETAIL_IS_NOEXCEPT(result, f, list)                                                            \
  nopal_is_noexcept_##f<__typeof__(result) (*)(NOPAL_DETAIL_PARAMETERS list) noexcept>()
#else
#define NOPAL_DETAIL_DECLARE(result, f, list) NOPAL_DETAIL_REDUNDANT(result f(NOPAL_DETAIL_PARAMETERS list);)
#define NOPAL_DETAIL_IS_NOEXCEPT(result, f, list) false
#endif

#endif
