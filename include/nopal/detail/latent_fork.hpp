// A latent fork: nothing is recorded and nothing is pushed; the child is called.
//
// Whoever wants the continuation reads it off the stack: the call's return address and the unwind
// tables say what an eager fork would have recorded. So the call is made by assembly, in a section
// of its own, and tables tell of each such call where its scope lies, where its continuation goes
// on, and what to put in the return address's place once that may be stolen. A fork that somebody
// asks for, or on a worker that has none of this, is eager: see child.hpp. docs/latent-forks.md has
// the argument.
//
// Included where the compiler can do it and NOPAL_FORKS_EAGER is not defined.
#ifndef NOPAL_DETAIL_LATENT_FORK_HPP
#define NOPAL_DETAIL_LATENT_FORK_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <nopal/detail/child.hpp>
#include <nopal/detail/latent_call.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

template <class T>
constexpr bool travels_in_word_register() {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return sizeof(T) <= 8;
  } else {
    return std::is_pointer_v<T>;
  }
}
template <class T>
inline constexpr bool in_word_register = travels_in_word_register<T>();

// --- A function whose parameters and result travel in registers is called as it is. ---------------

template <class... Ts>
struct type_list {};
/// The numbers among these types: numbers_among<type_list<>, Ps...>.
template <class Found, class... Ps>
struct numbers_among;
template <class... Ns>
struct numbers_among<type_list<Ns...>> {
  using type = latent_numbers<Ns...>;
};
template <class... Ns, class P, class... Ps>
struct numbers_among<type_list<Ns...>, P, Ps...>
    : numbers_among<std::conditional_t<in_float_register<P>, type_list<Ns..., P>, type_list<Ns...>>, Ps...> {
};

template <std::size_t place, class... Ns>
[[gnu::always_inline]] inline auto& number_at(latent_numbers<Ns...>& in) {
  if constexpr (place == 0) return in.n0;
  if constexpr (place == 1) return in.n1;
  if constexpr (place == 2) return in.n2;
  if constexpr (place == 3) return in.n3;
  if constexpr (place == 4) return in.n4;
  if constexpr (place == 5) return in.n5;
  if constexpr (place == 6) return in.n6;
  if constexpr (place == 7) return in.n7;
}

/// The parameters of such a function; `fits` says whether it is one.
template <class F>
struct plain_function {
  static constexpr bool fits = false;
};
template <class R, class... Ps>
struct plain_function<R (*)(Ps...)> {
  static constexpr std::size_t words = (std::size_t{in_word_register<Ps>} + ... + 0);
  static constexpr std::size_t floats = (std::size_t{in_float_register<Ps>} + ... + 0);
  static constexpr bool fits = (std::is_void_v<R> || in_word_register<R> || in_float_register<R>) &&
                               ((in_word_register<Ps> || in_float_register<Ps>) && ...) &&
                               NOPAL_DETAIL_NUMBERS_FIT(words, floats);
  static constexpr bool throws_nothing = false;
  using result = R;

  /// Whether arguments of these types become parameters without any code of the program.
  template <class... Args>
  static constexpr bool takes = sizeof...(Args) == sizeof...(Ps) &&
                                ((std::is_scalar_v<Args> && !std::is_member_pointer_v<Args>) && ...);

  /// One latent call of `child`, or else an eager fork.
  template <class Result, bool in_place, class... Args>
  [[gnu::always_inline]] NOPAL_DETAIL_CALLS_AS_CHILD static void fork(nopal_frame* frame, Result* result,
                                                                      R (*child)(Ps...), Args&... args) {
    fork_at<Result, in_place>(std::index_sequence_for<Ps...>(), frame, result, child, args...);
  }

private:
  template <class Result, bool in_place, std::size_t... places, class... Args>
  [[gnu::always_inline]] NOPAL_DETAIL_CALLS_AS_CHILD static void fork_at(std::index_sequence<places...>,
                                                                         nopal_frame* frame, Result* result,
                                                                         R (*child)(Ps...), Args&... args) {
    latent_words passed{};
    typename numbers_among<type_list<>, Ps...>::type numbers{};
    (pass<Ps, places>(passed, numbers, static_cast<Ps>(args)), ...);
    if (NOPAL_UNLIKELY(
            (!call_latently<Result, words, floats, in_place>(frame, result, child, passed, numbers)))) {
      fork_child(frame, result, child, passed_one<Ps, places>(passed, numbers)...);
    }
  }
  /// How many words, or numbers, come before the parameter at `place`.
  static constexpr std::size_t before(std::size_t place, bool of_words) {
    constexpr bool in_words[] = {in_word_register<Ps>..., false};
    std::size_t found = 0;
    for (std::size_t i = 0; i < place; ++i) found += in_words[i] == of_words ? 1 : 0;
    return found;
  }
  template <class P, std::size_t place, class Numbers>
  [[gnu::always_inline]] static void pass(latent_words& words_to, [[maybe_unused]] Numbers& numbers_to,
                                          P value) {
    if constexpr (in_float_register<P>) {
      number_at<before(place, false)>(numbers_to) = value;
    } else if constexpr (std::is_pointer_v<P>) {
      words_to.at[before(place, true)] = reinterpret_cast<std::uint64_t>(value);
    } else {
      words_to.at[before(place, true)] = static_cast<std::uint64_t>(value);
    }
  }
  template <class P, std::size_t place, class Numbers>
  [[gnu::always_inline]] static P passed_one(const latent_words& words_from,
                                             [[maybe_unused]] Numbers& numbers_from) {
    if constexpr (in_float_register<P>) {
      return number_at<before(place, false)>(numbers_from);
    } else if constexpr (std::is_pointer_v<P>) {
      return reinterpret_cast<P>(words_from.at[before(place, true)]);
    } else {
      return static_cast<P>(words_from.at[before(place, true)]);
    }
  }
};
template <class R, class... Ps>
struct plain_function<R (*)(Ps...) noexcept> : plain_function<R (*)(Ps...)> {
  static constexpr bool throws_nothing = true;
};

/// Whether the call's own code stores what it returns: as it is, or not at all.
template <class Result, class R>
inline constexpr bool stores_returned =
    std::is_same_v<Result, no_result> ||
    (std::is_same_v<Result, R> && (in_word_register<R> || in_float_register<R>));

template <class Result, class F, class... Args>
constexpr bool calls_plainly() {
  if constexpr (plain_function<F>::fits) {
    return plain_function<F>::template takes<Args...> &&
           stores_returned<Result, typename plain_function<F>::result>;
  } else {
    return false;
  }
}

/// Of a function and a callable that calls it: the function, if that is called as it is.
template <class Function, class Child>
[[gnu::always_inline]] constexpr auto callable_of(Function function, Child child) {
  if constexpr (plain_function<Function>::fits) {
    return function;
  } else {
    return child;
  }
}

// --- Anything else that is small and trivial travels as words to a function that puts it together. --

// NOLINTBEGIN(bugprone-sizeof-expression): a pointer travels as itself
template <class T>
inline constexpr std::size_t latent_words_of = std::is_empty_v<T> ? 0 : (sizeof(T) + 7) / 8;

template <class T>
inline constexpr bool is_of_words =
    std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && alignof(T) <= 16;

template <class Result, class... Ts>
inline constexpr bool travels_as_words =
    std::conjunction_v<std::bool_constant<is_of_words<Ts>>...> &&
    (latent_words_of<Ts> + ... + 0) + (std::is_same_v<Result, no_result> ? 0 : 1) <= most_latent_words;

template <class T>
union unmade {
  unmade() {}  // NOLINT(modernize-use-equals-default): `value` is made by copying
  ~unmade() {}
  T value;
};

// Where an object has bytes between its members, these travel too, and nobody has written them.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
template <class Part>
[[gnu::always_inline]] inline std::uint64_t word_of(const void* from) {
  Part part;
  std::memcpy(&part, from, sizeof part);
  return part;
}
/// Each word is made in a register: written in parts and read as a whole it would wait for the stores.
template <class T>
[[gnu::always_inline]] inline void put_words(latent_words& to, std::size_t& at, const T& value) {
  if constexpr (!std::is_empty_v<T>) {
    constexpr std::size_t whole = sizeof(T) / 8;
    constexpr std::size_t rest = sizeof(T) % 8;
    const auto* const from = reinterpret_cast<const char*>(__builtin_addressof(value));
    for (std::size_t i = 0; i < whole; ++i) to.at[at + i] = word_of<std::uint64_t>(from + 8 * i);
    if constexpr (rest == 1) {
      to.at[at + whole] = word_of<std::uint8_t>(from + 8 * whole);
    } else if constexpr (rest == 2) {
      to.at[at + whole] = word_of<std::uint16_t>(from + 8 * whole);
    } else if constexpr (rest == 4) {
      to.at[at + whole] = word_of<std::uint32_t>(from + 8 * whole);
    } else if constexpr (rest > 0) {
      std::memcpy(&to.at[at + whole], from + 8 * whole, rest);
    }
    at += latent_words_of<T>;
  }
}
template <class T>
[[gnu::always_inline]] inline void put_words(latent_words& to, std::size_t& at, const volatile T& value) {
  const T now = value;
  put_words<T>(to, at, now);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
template <class T>
[[gnu::always_inline]] inline void get_words(const std::uint64_t* from, std::size_t& at, unmade<T>& to) {
  if constexpr (!std::is_empty_v<T>) {
    std::memcpy(static_cast<void*>(__builtin_addressof(to.value)), &from[at], sizeof to.value);
    at += latent_words_of<T>;
  }
}
// NOLINTEND(bugprone-sizeof-expression)

/// Whether the call, and the store of what it returns, throw nothing.
template <class Result, class F, class... Args>
constexpr bool calls_without_throwing() {
  if constexpr (!std::is_nothrow_invocable_v<F, Args...>) {
    return false;
  } else if constexpr (std::is_same_v<Result, no_result>) {
    using returned = std::invoke_result_t<F, Args...>;
    return std::is_void_v<returned> || std::is_nothrow_destructible_v<returned>;
  } else {
    using returned = std::invoke_result_t<F, Args...>;
    return std::is_nothrow_assignable_v<Result&, returned> && std::is_nothrow_destructible_v<returned>;
  }
}

/// What the latent call calls. Hidden, so that the call is direct.
template <class Result, class F, class... Args>
struct latent_child {
  static constexpr std::size_t words =
      latent_words_of<F> + (latent_words_of<Args> + ... + 0) + (std::is_same_v<Result, no_result> ? 0 : 1);

  static constexpr bool throws_nothing = calls_without_throwing<Result, F, Args...>();

  [[gnu::noinline, gnu::visibility("hidden"), gnu::used]] static void
  enter(std::uint64_t w0, std::uint64_t w1, std::uint64_t w2, std::uint64_t w3, std::uint64_t w4,
        std::uint64_t w5) noexcept(throws_nothing) {
    const std::uint64_t passed[] = {w0, w1, w2, w3, w4, w5};
    std::size_t at = 0;
    Result* result = nullptr;
    if constexpr (!std::is_same_v<Result, no_result>) {
      result = reinterpret_cast<Result*>(passed[at++]);
    }
    unmade<F> f;
    get_words(passed, at, f);
    call(result, passed, at, f, unmade<Args>()...);
  }

  [[gnu::always_inline]] NOPAL_DETAIL_CALLS_AS_CHILD static void
  fork_eagerly(nopal_frame* frame, Result* result, const latent_words& passed) {
    std::size_t at = std::is_same_v<Result, no_result> ? 0 : 1;
    unmade<F> f;
    get_words(passed.at, at, f);
    fork_eagerly(frame, result, passed.at, at, f, unmade<Args>()...);
  }

private:
  [[gnu::always_inline]] NOPAL_DETAIL_CALLS_AS_CHILD static void
  fork_eagerly(nopal_frame* frame, Result* result, [[maybe_unused]] const std::uint64_t* passed,
               [[maybe_unused]] std::size_t at, unmade<F>& f, unmade<Args>&&... args) {
    (get_words(passed, at, args), ...);
    fork_child(frame, result, std::move(f.value), std::move(args.value)...);
  }
  [[gnu::always_inline]] static void call(Result* result, [[maybe_unused]] const std::uint64_t* passed,
                                          [[maybe_unused]] std::size_t at, unmade<F>& f,
                                          unmade<Args>&&... args) {
    (get_words(passed, at, args), ...);
    call_child(result, f.value, args.value...);
  }
};

// --- What is large, or not trivial, is copied by the child from its parent's frame. ------------------

/// Until the child says so, the continuation is not to be had: it may end what is copied.
[[gnu::always_inline]] inline void set_copied(nopal_frame* frame, bool copied) {
  // Relaxed: read by this thread alone, in a signal's handler. resume_address means nothing at a latent
  // fork before it is promoted.
  __atomic_store_n(&frame->resume_address, copied ? static_cast<void*>(frame) : nullptr, __ATOMIC_RELAXED);
  __asm__ volatile("" : : : "memory");
}

template <class Result, class References, class F, class... Args>
struct copying_child {
  [[gnu::noinline, gnu::visibility("hidden"), gnu::used]] static void
  enter(References* references, nopal_frame* frame, Result* result) {
    std::tuple<F, Args...> copies(std::move(*references));
    set_copied(frame, true);
    std::apply([result](F& f, Args&... args) { call_child(result, f, args...); }, copies);
  }
};

/// One fork: always part of the forking function.
template <class Result, class F, class... Args>
[[gnu::always_inline]] NOPAL_DETAIL_CALLS_AS_CHILD inline void
fork_latently(nopal_frame* frame, Result* result, F&& f, Args&&... args) {
  using callable = std::decay_t<F>;
  if constexpr (calls_plainly<Result, callable, std::decay_t<Args>...>()) {
    using function = plain_function<callable>;
    const callable child = f;
    function::template fork<Result, function::throws_nothing>(frame, result, child, args...);
  } else if constexpr (travels_as_words<Result, callable, std::decay_t<Args>...>) {
    using child = latent_child<Result, callable, std::decay_t<Args>...>;
    latent_words passed{};
    latent_numbers<> none;
    std::size_t at = 0;
    if constexpr (!std::is_same_v<Result, no_result>) {
      passed.at[at++] = reinterpret_cast<std::uint64_t>(result);
    }
    put_words<callable>(passed, at, f);
    (put_words<std::decay_t<Args>>(passed, at, args), ...);
    no_result* const nowhere = nullptr;
    if (NOPAL_UNLIKELY((!call_latently<no_result, child::words, 0, child::throws_nothing>(
            frame, nowhere, &child::enter, passed, none)))) {
      child::fork_eagerly(frame, result, passed);
    }
  } else {
    // Only one of the two moves from them: where the latent call is not made, nothing was copied.
    // NOLINTBEGIN(bugprone-use-after-move)
    using references = std::tuple<F&&, Args&&...>;
    references all(std::forward<F>(f), std::forward<Args>(args)...);
    using child = copying_child<Result, references, callable, std::decay_t<Args>...>;
    latent_words passed{reinterpret_cast<std::uint64_t>(&all), reinterpret_cast<std::uint64_t>(frame),
                        reinterpret_cast<std::uint64_t>(result)};
    latent_numbers<> none;
    no_result* const nowhere = nullptr;
    set_copied(frame, false);
    if (NOPAL_UNLIKELY(
            (!call_latently<no_result, 3, 0, false, 1>(frame, nowhere, &child::enter, passed, none)))) {
      fork_child(frame, result, std::forward<F>(f), std::forward<Args>(args)...);
    }
    // NOLINTEND(bugprone-use-after-move)
  }
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
