// Where a group of tasks lies, and its forks in the function that made it, where the program asks
// for these.
//
// A scope is forked on by the function that made it, and by no other. A group that is a local
// variable knows its function by the frame it lies in: that call lives as long as the group, and no
// other has a frame at the same address. The constructor, `run`, `wait` and the destructor are
// inlined, so the function that made the group also joins. A group that is part of another object
// may be destroyed by a function of that object. So a group is forked on only if the function that
// calls `run` is, in the source, the one that called its constructor, and is no constructor itself.
#ifndef NOPAL_COMPAT_TBB_DETAIL_GROUP_FRAME_H
#define NOPAL_COMPAT_TBB_DETAIL_GROUP_FRAME_H

#include <cstdint>
#include <cstdio>
#include <exception>
#include <source_location>
#include <utility>

#include "completion.h"
#include "lock.h"
#include "made_in.h"
#include "scope.h"
#include "stops.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

#if defined(NOPAL_ELIDE)

/// Calls.
class group_frame {
public:
  explicit group_frame(const std::source_location& /*where*/) noexcept {}
  [[nodiscard]] static surroundings around() noexcept { return {}; }  // the group's maker is the caller
  [[nodiscard]] static bool is_ours() noexcept { return true; }
  [[nodiscard]] static bool is_ours_in(const std::source_location&) noexcept { return true; }
  [[nodiscard]] static bool has_children() noexcept { return false; }
  [[nodiscard]] static bool has_outstanding() noexcept { return false; }
  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
#ifdef NOPAL_CHECKED_PARALLEL
    nopal_check_refuse("a task of oneTBB's");
#elif defined(NOPAL_CHECKED)
    children_.fork(std::forward<F>(f), std::forward<Args>(args)...);
#else
    nopal::scope().fork(std::forward<F>(f), std::forward<Args>(args)...);
#endif
  }
#ifdef NOPAL_CHECKED
  void join() noexcept { children_.join(); }
  void wait_for_children() const noexcept { children_.join(); }
#else
  void join() noexcept {}
  void wait_for_children() const noexcept {}
#endif
  static void fail_unjoined() noexcept {}

#ifdef NOPAL_CHECKED
private:
  mutable nopal::scope children_;
#endif
};

#elif !defined(NOPAL_TBB_STEAL_BODIES)

/// Forks nothing.
class group_frame {
public:
  [[gnu::always_inline]] explicit group_frame(const std::source_location& /*where*/) noexcept {
    around_ = surroundings::of_caller(is_local(this));
  }
  group_frame(const group_frame&) = delete;
  group_frame& operator=(const group_frame&) = delete;

  /// What the group is bound to.
  [[nodiscard]] const surroundings& around() const noexcept { return around_; }
  [[nodiscard]] static constexpr bool is_ours() noexcept { return false; }
  [[nodiscard]] static constexpr bool is_ours_in(const std::source_location&) noexcept { return false; }
  [[nodiscard]] static constexpr bool has_children() noexcept { return false; }
  [[nodiscard]] static constexpr bool has_outstanding() noexcept { return false; }
  template <class F, class... Args>
  static void fork(F&& /*f*/, Args&&... /*args*/) noexcept {}
  static void join() noexcept {}
  static void wait_for_children() noexcept {}
  static void fail_unjoined() noexcept {}

private:
  surroundings around_;
};

#else

class group_frame {
public:
  [[gnu::always_inline]] explicit group_frame(const std::source_location& where) noexcept
      : made_in_(where.function_name()) {
    nopal_make_frame(&frame_);
    if (!is_local(this) || known_functions::may_be_constructor_at(where)) {
      frame_.frame_pointer = nullptr;
    }
    around_ = surroundings::of_caller(frame_.frame_pointer != nullptr);
  }
  group_frame(const group_frame&) = delete;
  group_frame& operator=(const group_frame&) = delete;

  /// What the group is bound to.
  [[nodiscard]] const surroundings& around() const noexcept { return around_; }

  /// Whether that call's function is the one that asks.
  [[nodiscard, gnu::always_inline]] bool is_ours() const noexcept {
    return frame_.frame_pointer == __builtin_frame_address(0);
  }

  /// The same, and made in that function by its source. Compilers have one string for a function's
  /// name; if they had two, it would not be forked on.
  [[nodiscard, gnu::always_inline]] bool is_ours_in(const std::source_location& where) const noexcept {
    return is_ours() && made_in_ == where.function_name();
  }

  /// Whether there is something to join.
  [[nodiscard]] bool has_children() const noexcept { return frame_.steals != 0; }

  /// Whether there are children that are not over.
  [[nodiscard]] bool has_outstanding() const noexcept {
    return static_cast<std::int32_t>(frame_.steals) + __atomic_load_n(&frame_.unfinished, __ATOMIC_ACQUIRE) !=
           0;
  }

  /// Only where it is ours. The callable throws nothing.
  template <class F, class... Args>
  [[gnu::always_inline]] void fork(F&& f, Args&&... args) {
    nopal::detail::fork_child<nopal::detail::no_result>(&frame_, nullptr, std::forward<F>(f),
                                                        std::forward<Args>(args)...);
  }

  /// Only where it is ours.
  [[gnu::always_inline]] void join() {
    if (NOPAL_UNLIKELY(frame_.steals != 0)) {
      void* exception;
      NOPAL_JOIN_STOLEN(&frame_, exception);
      static_cast<void>(exception);
    }
  }

  /// The wait of another function than the one that forked. The children are running, but one may
  /// need this thread. So the wait is the continuation of a fork, and can leave the thread.
  void wait_for_children() const {
    own_forks forks;
    if (innermost_part() != nullptr) {
      forks.shield();
    }
    while (has_outstanding()) {
      completion left;
      nopal::scope both;
      both.fork([&left, this] {
        backoff pause;
        for (int round = 0; round != 1000 && !left.is_set() && has_outstanding(); ++round) {
          pause.wait();
        }
      });
      left.set();
      both.join();
    }
  }

  /// The function that forked is the only one that can join, and it went without.
  [[noreturn]] static void fail_unjoined() noexcept {
    std::fputs(
        "nopal: tbb::task_group: a member of an aggregate was destroyed by a function that did not make it; "
        "compile without NOPAL_TBB_STEAL_BODIES\n",
        stderr);
    std::terminate();
  }

private:
  nopal_frame frame_;
  const char* made_in_;
  surroundings around_;
};

#endif

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
