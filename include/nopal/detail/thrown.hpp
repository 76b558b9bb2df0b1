// What a handler catches and does not handle itself: it is kept for another place, or thrown on.
// Foreign exceptions, of another language or C++ runtime, go the same ways; a forced unwind
// (pthread_exit, cancellation) goes on or ends the process.
#ifndef NOPAL_DETAIL_THROWN_HPP
#define NOPAL_DETAIL_THROWN_HPP

#include <exception>
#include <utility>

#include <nopal/detail/mode.hpp>

#ifdef NOPAL_ELIDE
#include <cstdio>
#include <cstdlib>
#else
#include <nopal/detail/copy.h>
#include <nopal/detail/frame.h>
#include <nopal/detail/stop.h>
#include <nopal/detail/stopped.hpp>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

#ifdef __cpp_exceptions
/// In a handler: `throw;`, without what libstdc++ leaves behind where the exception is another
/// runtime's.
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_on() {
#ifdef NOPAL_ELIDE
  throw;
#else
  nopal_throw_on();
#endif
}
#endif

/// Whether pthread_exit or cancellation is ending this thread, which unwinds as an exception does,
/// but is none.
inline bool thread_is_ending() noexcept {
#ifdef NOPAL_ELIDE
  return false;
#else
  return nopal_thread_is_ending() != 0;
#endif
}

/// In a handler: whether that is what it handles.
inline bool handles_end_of_thread() noexcept {
  return thread_is_ending() && std::current_exception() == nullptr;
}

/// In a handler, where what it handles ends since another exception leaves: see nopal_keep_handled.
inline void keep_handled() noexcept {
#ifndef NOPAL_ELIDE
  nopal_keep_handled();
#endif
}

/// An exception that was caught and is to be thrown where the serial program would meet it, or
/// none.
class kept_exception {
public:
  kept_exception() noexcept = default;
  kept_exception(const kept_exception&) = delete;
  kept_exception& operator=(const kept_exception&) = delete;
  /// Where it was not thrown another one was, as a rule.
  ~kept_exception() {
    if (is_set()) {
      give_way();
    }
  }

  /// In a handler, once: what it handles. Ends the process with one line where that is the end of
  /// the thread.
  [[gnu::noinline, gnu::cold]] void keep() noexcept {
    thrown_ = std::current_exception();
    if (thrown_ == nullptr) {
      take_foreign();
    }
  }

  [[nodiscard]] bool is_set() const noexcept { return thrown_ != nullptr || foreign_ != nullptr; }

  /// Throws it, if there is one. It is none then.
  void rethrow() {
    if (thrown_ != nullptr) {
      end_handled();
      std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
    if (foreign_ != nullptr) {
      raise_foreign();
    }
  }

  /// Drops it: what threw it counts as never called.
  void forget() noexcept {
    thrown_ = nullptr;
    drop_foreign();
  }

  friend void swap(kept_exception& a, kept_exception& b) noexcept {
    std::swap(a.thrown_, b.thrown_);
    std::swap(a.foreign_, b.foreign_);
  }

private:
  /// Before it is thrown: where it is `stopped`, what a handler around the caller has ends for its sake, which where
  /// that was thrown may not have been seen: in a task on another thread.
  void end_handled() const noexcept {
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
    // Relaxed: as below.
    if (__atomic_load_n(&nopal_stops_used, __ATOMIC_RELAXED) != 0 && is_stopped()) {
      keep_handled();
    }
#endif
  }
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  [[nodiscard]] [[gnu::noinline, gnu::cold]] bool is_stopped() const noexcept {
    try {
      std::rethrow_exception(thrown_);
    } catch (const stopped&) {
      return true;
    } catch (...) {
      return false;
    }
  }
#endif
  /// If what leaves in its place may be `stopped`, the child that this unwinds is to throw it.
  [[gnu::noinline, gnu::cold]] void give_way() noexcept {
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
    // Relaxed: who is in a part sees it.
    if (thrown_ != nullptr && __atomic_load_n(&nopal_stops_used, __ATOMIC_RELAXED) != 0) {
      try {
        std::rethrow_exception(std::move(thrown_));
      } catch (...) {
        keep_handled();
      }
    }
#endif
    forget();
  }

#ifdef NOPAL_ELIDE
  [[noreturn]] static void take_foreign() noexcept {
    std::fputs(
        "nopal: an exception of another language, or the end of the thread (pthread_exit, pthread_cancel), "
        "where the serial elision has to keep it for later: let what was called return or throw\n",
        stderr);
    std::abort();
  }
  void raise_foreign() noexcept {}
  void drop_foreign() noexcept {}
#else
  void take_foreign() noexcept { foreign_ = nopal_take_foreign(); }
  [[noreturn]] void raise_foreign() { nopal_raise_foreign(std::exchange(foreign_, nullptr)); }
  void drop_foreign() noexcept {
    if (foreign_ != nullptr) {
      nopal_drop_foreign(std::exchange(foreign_, nullptr));
    }
  }
#endif

  std::exception_ptr thrown_;
  void* foreign_ = nullptr;  // in its place
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
