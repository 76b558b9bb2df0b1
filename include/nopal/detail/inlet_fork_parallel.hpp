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

/// What travels from the forker's frame.
template <class References, class Ordered>
struct inlet_fork {
  References references;
  inlets* of;
  const stop_part* part;
  Ordered* ordered;
};

/// Runs the child, takes its continuation back, runs the inlet; whether it has the continuation is told at
/// once.
template <class R, class Ordered, class Inlet, class F, class... Args>
[[gnu::noinline]] void run_with_inlet(nopal_frame* frame, inlets* of, const stop_part* part,
                                      Ordered*& ordered, bool& has_continuation, Inlet& inlet, F& f,
                                      Args&... args) {
  returned<R> result;
  const bool ran = run_speculatively(part, [&]() __attribute__((always_inline)) {
    result.make([&]() __attribute__((always_inline)) -> R {
      return NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(args)...);
    });
  });
  has_continuation = nopal_pop() != 0;
  Ordered* const mine = std::exchange(ordered, nullptr);
  if (!ran) {
    return of->end(mine);
  }
  of->run(inlet, result, mine, has_continuation && frame->steals == 0);
}

/// Without a result: the exception that keeps the child from one goes on, and is earlier than those of
/// inlets that it kept waiting.
template <class Ordered>
[[gnu::noinline, gnu::cold]] inline void end_without_result(inlets* of, Ordered* ordered) noexcept {
#ifdef __cpp_exceptions
  try {
    of->end(ordered);
  } catch (...) {
  }
#else
  of->end(ordered);
#endif
}

/// As run_watched_child, where it ends in the function that was entered whoever watches. True if the continuation was
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
    nopal_push_refused();
    return false;
  }
  bool has_continuation = false;
#ifdef __cpp_exceptions
  try {
    run_with_inlet<R>(kept, of, part, ordered, has_continuation, inlet, f, args...);
  } catch (...) {
    owner.destroy();
    end_without_result(of, ordered);
    const int what = has_continuation ? nopal_threw_after_child(kept) : nopal_watched_child_threw(kept);
    if (what == 1) {
      throw;
    }
    return what == 2;
  }
#else
  NOPAL_DETAIL_MARK_CHILD();
  run_with_inlet<R>(kept, of, part, ordered, has_continuation, inlet, f, args...);
#endif
  owner.destroy();
  return !has_continuation;
}

template <class R, class Passed, class Ordered, class Inlet, class F, class... Args>
void enter_child_with_inlet(nopal_frame* frame, void*, Passed* passed) {
  owned_copies<std::tuple<Inlet, F, Args...>> copies(std::move(passed->references));
  inlets* const of = passed->of;
  const stop_part* const part = passed->part;
  Ordered* const ordered = passed->ordered;
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
  using ordered = ordered_inlet_of<std::decay_t<Inlet>, result>;
  using passed = inlet_fork<references, ordered>;
  passed all{references(std::forward<Inlet>(inlet), std::forward<F>(f), std::forward<Args>(args)...), &of,
             &part, of.next<std::decay_t<Inlet>, result>()};
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
