// The scope of a program that is checked in parallel: forks are real, and tell the checker where strands begin, end and go
// on, on whatever thread.
#ifndef NOPAL_DETAIL_SCOPE_CHECKED_PARALLEL_HPP
#define NOPAL_DETAIL_SCOPE_CHECKED_PARALLEL_HPP

#include <nopal/detail/language.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/check.h>
#include <nopal/detail/child.hpp>
#include <nopal/detail/fork_arguments.hpp>
#include <nopal/detail/invoke.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/wrong_forks.hpp>

#define NOPAL_HAS_LATENT_FORKS 0

// Where an exception of a child leaves the fork, nothing was stolen, and all children of the scope come before what that
// leads to: where something was stolen it leaves the join.
#ifdef __cpp_exceptions
#define NOPAL_DETAIL_CHECKED_TRY try
#define NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(children)                                                        \
  catch (...) {                                                                                              \
    nopal_check_join(children);                                                                              \
    throw;                                                                                                   \
  }
#else
#define NOPAL_DETAIL_CHECKED_TRY
#define NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(children)
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// A child: what it calls, and how the checker knows it. What is held ends before the child does.
template <class Out, class F, class... Args>
struct followed_call {
  void* child;
  Out* out;
  F f;
  std::tuple<Args...> args;

  void operator()() {
    nopal_check_begin(child);
    struct ending {
      ~ending() { nopal_check_leave(); }
    } const at_the_end{};
    // Its frame lies below this one.
    void (*call)(followed_call*) = run;
    asm volatile("" : "+r"(call) : "r"(this) : "memory");
    call(this);
  }

private:
  [[gnu::noinline]] static void run(followed_call* call) {
    F f(std::move(call->f));
    std::tuple<Args...> args(std::move(call->args));
    std::apply(
        [&](Args&... each) {
          if constexpr (std::is_void_v<Out>) {
            static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(each)...));
          } else {
            *call->out = NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(each)...);
          }
        },
        args);
  }
};

/// The same of what is passed by value, so that there is no memory to look at.
template <class Out, class F, class... Args>
void run_followed(void* child, Out* out, F f, Args... args) {
  nopal_check_begin(child);
  struct ending {
    ~ending() { nopal_check_leave(); }
  } const at_the_end{};
  if constexpr (std::is_void_v<Out>) {
    static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(args)...));
  } else {
    *out = NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(args)...);
  }
}

/// The strand goes on, also where that is by an exception.
class goes_on {
public:
  [[gnu::always_inline]] goes_on() noexcept {}
  goes_on(const goes_on&) = delete;
  goes_on& operator=(const goes_on&) = delete;
  [[gnu::always_inline]] ~goes_on() { nopal_check_go_on(&kept); }

  nopal_check_kept kept;
};

/// Forks a child on the scope with this frame. The copies are made here, before the child begins.
template <class Out, class F, class... Args>
[[gnu::always_inline]] inline void fork_by_value(nopal_frame* frame, nopal_check_children** children,
                                                 Out* out, F f, Args... args) {
  NOPAL_DETAIL_CHECKED_TRY {
    goes_on after;
    void* const child = nopal_check_branch(children, &after.kept);
    NOPAL_ABI_NAMESPACE::detail::fork_child(
        frame, static_cast<NOPAL_ABI_NAMESPACE::detail::no_result*>(nullptr), &run_followed<Out, F, Args...>,
        child, out, std::move(f), std::move(args)...);
  }
  NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(children)
}

/// And comes after the children.
class goes_on_joined {
public:
  [[gnu::always_inline]] explicit goes_on_joined(nopal_check_children** children) noexcept
      : children_(children) {
    nopal_check_keep(children, &kept_);
  }
  goes_on_joined(const goes_on_joined&) = delete;
  goes_on_joined& operator=(const goes_on_joined&) = delete;
  [[gnu::always_inline]] ~goes_on_joined() {
    nopal_check_go_on(&kept_);
    nopal_check_join(children_);
  }

private:
  nopal_check_children** children_;
  nopal_check_kept kept_;
};

}  // namespace detail

/// The fork-join scope of a program that is checked in parallel; see the parallel class of the same name.
class scope : NOPAL_ABI_NAMESPACE::detail::wrong_forks {
public:
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork;
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork_inlet;
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork_into;

  [[gnu::always_inline]] scope() noexcept {
    nopal_check_ignore();  // the frame is the scheduler's
    nopal_make_frame(&frame_);
    nopal_check_heed();
  }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  [[gnu::always_inline]] ~scope() noexcept(false) {
    void* const exception = join_children();
    if (NOPAL_UNLIKELY(exception != nullptr)) nopal_rethrow_at_end(nopal_fresh_address(&frame_), exception);
  }

  /// Forks `f(args...)` as a child and discards the result.
  template <class F, class... Args>
  [[gnu::always_inline]] void fork(F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork<F, Args...>()) {
      fork_followed(static_cast<void*>(nullptr), std::forward<F>(f), std::forward<Args>(args)...);
    }
  }

  /// `out = f(args...)` as a child.
  template <class Out, class F, class... Args>
  [[gnu::always_inline]] void fork_into(Out& out, F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork_into<Out, F, Args...>()) {
      fork_followed(__builtin_addressof(out), std::forward<F>(f), std::forward<Args>(args)...);
    }
  }

  [[gnu::always_inline]] void join() {
    void* const exception = join_children();
    if (NOPAL_UNLIKELY(exception != nullptr)) nopal_rethrow(exception);
  }

private:
  template <class Out, class F, class... Args>
  [[gnu::always_inline]] void fork_followed(Out* out, F&& f, Args&&... args) {
    if (NOPAL_UNLIKELY(frame_.frame_pointer != __builtin_frame_address(0)))
      nopal_throw_foreign_scope(&frame_);
    if constexpr (NOPAL_ABI_NAMESPACE::detail::all_by_value<void*, void*, void*, std::decay_t<F>,
                                                            std::decay_t<Args>...>) {
      detail::fork_by_value<Out, std::decay_t<F>, std::decay_t<Args>...>(
          &frame_, &children_, out, std::forward<F>(f), std::forward<Args>(args)...);
    } else {
      using call_type = detail::followed_call<Out, std::decay_t<F>, std::decay_t<Args>...>;
      // An exception of a copy is the parent's.
      call_type call{nullptr, out, std::forward<F>(f),
                     std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)};
      NOPAL_DETAIL_CHECKED_TRY {
        detail::goes_on after;
        call.child = nopal_check_branch(&children_, &after.kept);
        NOPAL_ABI_NAMESPACE::detail::fork_child(
            &frame_, static_cast<NOPAL_ABI_NAMESPACE::detail::no_result*>(nullptr), std::move(call));
      }
      NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(&children_)
    }
  }

  /// What they threw, if something was stolen.
  [[gnu::always_inline]] void* join_children() {
    if (!is_stolen_from()) {
      nopal_check_join(&children_);
      return nullptr;
    }
    void* exception;
    const detail::goes_on_joined after(&children_);
    NOPAL_DETAIL_JOIN_RETURNS(&frame_);
    NOPAL_JOIN_STOLEN(&frame_, exception);
    return exception;
  }

  /// The read is the scheduler's.
  [[gnu::always_inline]] bool is_stolen_from() const noexcept {
    decltype(frame_.steals) steals;
    asm volatile("mov %1, %0" : "=r"(steals) : "m"(frame_.steals));
    return steals != 0;
  }

  nopal_frame frame_;
  nopal_check_children* children_ = nullptr;
};

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
