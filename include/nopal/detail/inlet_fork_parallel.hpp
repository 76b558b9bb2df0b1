// The fork of a child with an inlet: as any eager fork, but that its result is seen to before the child
// ends.
#ifndef NOPAL_DETAIL_INLET_FORK_PARALLEL_HPP
#define NOPAL_DETAIL_INLET_FORK_PARALLEL_HPP

#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/child.hpp>
#include <nopal/detail/inlets.hpp>
#include <nopal/detail/speculative_child.hpp>
#include <nopal/detail/stop.h>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// Without a result: the exception that keeps the child from one goes on, and is earlier than those of
/// inlets that it kept waiting.
[[gnu::noinline, gnu::cold]] inline void end_without_result(inlets* of, waiting_inlet* ordered) noexcept {
#ifdef __cpp_exceptions
  try {
    of->end(ordered);
  } catch (...) {
    nopal_keep_handled();
  }
#else
  of->end(ordered);
#endif
}

/// What travels from the forker's frame.
template <class References, class Ordered>
struct inlet_fork {
  References references;
  inlets* of;
  const stop_part* part;
  Ordered* ordered;  ///< null: none, or it is the child's

  inlet_fork(References&& all, inlets& to, const stop_part& in)
      : references(std::move(all)), of(&to), part(&in), ordered(nullptr) {}
  inlet_fork(const inlet_fork&) = delete;
  inlet_fork& operator=(const inlet_fork&) = delete;
  /// Where a copy of an argument was refused, there is no child.
  ~inlet_fork() {
    if (ordered != nullptr) {
      end_without_result(of, ordered);
    }
  }
};

/// Runs the child, takes its continuation back, runs the inlet; whether it has the continuation, and that
/// `ordered` is taken care of, is told at once.
template <class R, class Ordered, class Inlet, class F, class... Args>
[[gnu::noinline]] void run_with_inlet(nopal_frame* frame, inlets* of, const stop_part* part,
                                      Ordered*& ordered, bool& has_continuation, Inlet& inlet, F& f,
                                      Args&... args) {
  returned<R> unordered;
  returned<R>& result = ordered != nullptr ? ordered->result : unordered;
  const bool ran = run_speculatively(part, [&]() __attribute__((always_inline)) {
    result.make([&]() __attribute__((always_inline)) -> R {
      return NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(args)...);
    });
  });
  if (ran && ordered != nullptr) {
    ordered->inlet.emplace(std::move(inlet));
  }
  has_continuation = nopal_pop() != 0;
  const bool alone = has_continuation && frame->steals == 0;
  if (Ordered* const mine = std::exchange(ordered, nullptr)) {
    return alone ? of->run_alone(mine) : of->end(mine);
  }
  if (ran) {
    return alone ? inlets::run_alone(inlet, result) : of->run(inlet, result);
  }
}

/// As run_watched_child: ends in the function that was entered, whoever watches. True if the continuation was
/// stolen.
template <class R, class Owner, class Ordered, class Inlet, class F, class... Args>
[[gnu::always_inline]] inline bool run_child_with_inlet(nopal_frame* frame, Owner& owner, inlets* of,
                                                        const stop_part* part, Ordered* ordered, Inlet& inlet,
                                                        F& f, Args&... args) {
  // As in run_child.
  nopal_frame* volatile kept = frame;
  if (NOPAL_UNLIKELY(nopal_push(frame) != 0)) {
    owner.destroy();
    of->end(ordered);
    push_refused();
    return false;
  }
  bool has_continuation = false;
#ifdef __cpp_exceptions
  int what;
  try {
    run_with_inlet<R>(kept, of, part, ordered, has_continuation, inlet, f, args...);
    owner.destroy();
    return !has_continuation;
  } catch (...) {
    owner.destroy();
    what = has_continuation ? nopal_threw_after_child(kept) : nopal_watched_child_threw(kept);
    if (what == 1) {
      end_without_result(of, ordered);
      throw;
    }
  }
  end_without_result(of, ordered);
  return what == 2;
#else
  NOPAL_DETAIL_MARK_CHILD();
  run_with_inlet<R>(kept, of, part, ordered, has_continuation, inlet, f, args...);
  owner.destroy();
  return !has_continuation;
#endif
}

template <class R, class Passed, class Ordered, class Inlet, class F, class... Args>
void enter_child_with_inlet(nopal_frame* frame, void*, Passed* passed) {
  owned_copies<std::tuple<Inlet, F, Args...>> copies(std::move(passed->references));
  inlets* const of = passed->of;
  const stop_part* const part = passed->part;
  Ordered* const ordered = std::exchange(passed->ordered, nullptr);
  nopal_frame* volatile kept = frame;
  const bool stolen = std::apply(
      [&copies, frame, of, part, ordered](Inlet& inlet, F& f, Args&... args) {
        return run_child_with_inlet<R>(frame, copies, of, part, ordered, inlet, f, args...);
      },
      copies.get());
  if (stolen) {
    nopal_end_stolen_child(kept);
  }
}

template <class Inlet, class F, class... Args>
[[gnu::always_inline]] NOPAL_DETAIL_CALLS_AS_CHILD inline void
fork_with_inlet(scope& from, inlets& of, const stop_part& part, Inlet&& inlet, F&& f, Args&&... args) {
  nopal_frame* const frame = scope_access::frame(from);
  if (NOPAL_UNLIKELY(frame->frame_pointer != __builtin_frame_address(0))) {
    nopal_throw_foreign_scope(frame);
  }
  using result = returned_by<F, Args...>;
  using references = std::tuple<Inlet&&, F&&, Args&&...>;
  using ordered = waiting_inlet_of<std::decay_t<Inlet>, result>;
  using passed = inlet_fork<references, ordered>;
  passed all(references(std::forward<Inlet>(inlet), std::forward<F>(f), std::forward<Args>(args)...), of,
             part);
  all.ordered = of.next<std::decay_t<Inlet>, result>();
  using entry = void (*)(nopal_frame*, void*, passed*);
  const entry child = &enter_child_with_inlet<result, passed, ordered, std::decay_t<Inlet>, std::decay_t<F>,
                                              std::decay_t<Args>...>;
  NOPAL_DETAIL_MARK_PARENT();
  reinterpret_cast<entry>(&nopal_enter_fork)(frame, reinterpret_cast<void*>(child), &all);
  nopal_forget_stack_pointer();
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
