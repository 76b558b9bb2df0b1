// The function that a fork enters: it owns copies of the arguments, offers the parent's
// continuation, calls the child, stores the result, takes the continuation back.
//
// Order is everything here: all that lies in the parent's frame is copied before the push, for
// after it a thief may run in that frame. Nothing is kept in registers across the child's call but
// where its result goes.
#ifndef NOPAL_DETAIL_CHILD_HPP
#define NOPAL_DETAIL_CHILD_HPP

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/copy.h>
#include <nopal/detail/fast_path.h>
#include <nopal/detail/fork_arguments.hpp>
#include <nopal/detail/invoke.hpp>
#include <nopal/detail/stop.h>
#include <nopal/detail/unwind_marks.h>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// Stands for the result of a fork that has none.
struct no_result {};

/// How many words and floating-point numbers are passed by value. Three words and eight numbers
/// have registers, beside the frame, the child's entry and the result's address; the other words
/// lie where the parent passes arguments on the stack, which no thief touches. The child copies
/// what exceeds this from the parent's frame.
inline constexpr std::size_t most_words = 8;
inline constexpr std::size_t most_floats = 8;

template <class T>
inline constexpr bool in_float_register = std::is_same_v<T, float> || std::is_same_v<T, double>;

// NOLINTBEGIN(bugprone-sizeof-expression, misc-redundant-expression): the size of a pointer is what is meant
template <class T>
inline constexpr std::size_t words_of = std::is_empty_v<T> || in_float_register<T> ? 0 : (sizeof(T) + 7) / 8;

/// Small and trivial: a copy is a register or two.
template <class T>
inline constexpr bool passes_by_value =
    std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && alignof(T) <= 8 &&
    sizeof(T) <= 16;

template <class... Ts>
inline constexpr bool all_by_value = (passes_by_value<Ts> && ...) && (words_of<Ts> + ... + 0) <= most_words &&
                                     (std::size_t{in_float_register<Ts>} + ... + 0) <= most_floats;
// NOLINTEND(bugprone-sizeof-expression, misc-redundant-expression)

/// Calls and stores. Everything is passed on as an rvalue, as std::thread does.
template <class Result, class F, class... Args>
[[gnu::always_inline]] inline void call_child(Result* result, F& f, Args&... args) {
  if constexpr (std::is_same_v<Result, no_result>) {
    static_cast<void>(detail::invoke(std::move(f), std::move(args)...));
  } else {
    *result = detail::invoke(std::move(f), std::move(args)...);
  }
}

/// The child's copies of its arguments. Destroyed as soon as the child is over: a child whose
/// continuation was stolen never leaves the function that it is called from, so nothing there may
/// wait for the end of its block.
template <class Copies>
class owned_copies {
public:
  template <class... Sources>
  explicit owned_copies(std::tuple<Sources...>&& references) : copies_(std::move(references)) {}
  owned_copies(const owned_copies&) = delete;
  owned_copies& operator=(const owned_copies&) = delete;
  ~owned_copies() { destroy(); }

  [[gnu::always_inline]] void destroy() noexcept {
    if (alive_) {
      alive_ = false;
      copies_.~Copies();
    }
  }
  Copies& get() noexcept { return copies_; }

private:
  union {
    Copies copies_;
  };
  bool alive_ = true;
};

/// Where the arguments need no destructor.
struct nothing_owned {
  void destroy() noexcept {}
};

/// After a push that was not done. Code without exceptions is not thrown through.
[[gnu::always_inline]] inline void push_refused() {
#ifdef __cpp_exceptions
  nopal_push_refused();
#else
  nopal_c_push_refused();
#endif
}

#ifndef NOPAL_RACES_WATCHED

template <class Owner, class Result, class F, class... Args>
[[gnu::always_inline]] inline void run_child(nopal_frame* frame, Owner& owner, Result* result, F& f,
                                             Args&... args) {
  // Volatile keeps it in memory, read again only if the continuation was stolen.
  nopal_frame* volatile kept = frame;
  if (NOPAL_UNLIKELY(nopal_push(frame) != 0)) {
    owner.destroy();
    push_refused();
    return;
  }
#ifdef __cpp_exceptions
  try {
    call_child(result, f, args...);
  } catch (...) {
    owner.destroy();
    if (nopal_child_threw(kept) != 0) {
      throw;
    }
    return;
  }
#else
  NOPAL_DETAIL_MARK_CHILD();
  call_child(result, f, args...);
#endif
  owner.destroy();
  if (NOPAL_UNLIKELY(!nopal_pop())) {
    nopal_child_done(kept);
  }
}

/// Entered with every argument by value.
template <class Result, class F, class... Args>
void enter_child(nopal_frame* frame, void*, Result* result, F f, Args... args) {
  nothing_owned nothing;
  run_child(frame, nothing, result, f, args...);
}

/// Entered with a tuple of references into the parent's frame.
template <class Result, class References, class F, class... Args>
void enter_child_with_copies(nopal_frame* frame, void*, Result* result, References* references) {
  owned_copies<std::tuple<F, Args...>> copies(std::move(*references));
  std::apply([frame, result, &copies](F& f, Args&... args) { run_child(frame, copies, result, f, args...); },
             copies.get());
}

#else

// ThreadSanitizer keeps a stack of the functions called, which must lose each that is left for
// good. So a child whose continuation was stolen ends in the outermost one, whose callees have
// returned at any optimization level.

/// True if the continuation was stolen.
template <class Owner, class Result, class F, class... Args>
[[gnu::always_inline]] inline bool run_watched_child(nopal_frame* frame, Owner& owner, Result* result, F& f,
                                                     Args&... args) {
  if (nopal_push(frame) != 0) {
    owner.destroy();
    push_refused();
    return false;
  }
#ifdef __cpp_exceptions
  try {
    call_child(result, f, args...);
  } catch (...) {
    owner.destroy();
    const int what = nopal_watched_child_threw(frame);
    if (what == 1) {
      throw;
    }
    return what == 2;
  }
#else
  NOPAL_DETAIL_MARK_CHILD();
  call_child(result, f, args...);
#endif
  owner.destroy();
  return nopal_pop() == 0;
}

template <class Result, class F, class... Args>
void enter_child(nopal_frame* frame, void*, Result* result, F f, Args... args) {
  nothing_owned nothing;
  if (run_watched_child(frame, nothing, result, f, args...)) {
    nopal_end_stolen_child(frame);
  }
}

template <class Result, class References, class F, class... Args>
void enter_child_with_copies(nopal_frame* frame, void*, Result* result, References* references) {
  owned_copies<std::tuple<F, Args...>> copies(std::move(*references));
  const bool stolen =
      std::apply([frame, result, &copies](
                     F& f, Args&... args) { return run_watched_child(frame, copies, result, f, args...); },
                 copies.get());
  if (stolen) {
    nopal_end_stolen_child(frame);
  }
}

#endif

/// One fork: always part of the forking function.
template <class Result, class F, class... Args>
[[gnu::always_inline]] NOPAL_DETAIL_CALLS_AS_CHILD inline void fork_child(nopal_frame* frame, Result* result,
                                                                          F&& f, Args&&... args) {
  using plain_function = std::decay_t<F>;
  NOPAL_DETAIL_MARK_PARENT();
  if constexpr (all_by_value<plain_function, std::decay_t<Args>...>) {
    using entry = void (*)(nopal_frame*, void*, Result*, plain_function, std::decay_t<Args>...);
    const entry child = &enter_child<Result, plain_function, std::decay_t<Args>...>;
    reinterpret_cast<entry>(&nopal_enter_fork)(frame, reinterpret_cast<void*>(child), result,
                                               std::forward<F>(f), std::forward<Args>(args)...);
  } else {
    using references = std::tuple<F&&, Args&&...>;
    references all(std::forward<F>(f), std::forward<Args>(args)...);
    using entry = void (*)(nopal_frame*, void*, Result*, references*);
    const entry child = &enter_child_with_copies<Result, references, plain_function, std::decay_t<Args>...>;
    reinterpret_cast<entry>(&nopal_enter_fork)(frame, reinterpret_cast<void*>(child), result, &all);
  }
  nopal_forget_stack_pointer();
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
