// Searches that end early: for the first position of a kind, and for any.
#ifndef NOPAL_DETAIL_SEARCH_HPP
#define NOPAL_DETAIL_SEARCH_HPP

#include <cstddef>
#include <mutex>
#include <utility>

#include <nopal/detail/loop.hpp>
#include <nopal/detail/thrown.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// What ends a search: the earliest match, or the earliest exception of a test that no match comes
/// before.
class first_event {
public:
  explicit first_event(std::size_t end) noexcept : least_(end) {}
  first_event(const first_event&) = delete;
  first_event& operator=(const first_event&) = delete;

  /// The least position of an event so far. Relaxed throughout: it only saves work until the join,
  /// which orders it for its reader.
  [[nodiscard]] std::size_t position() const noexcept { return __atomic_load_n(&least_, __ATOMIC_RELAXED); }

  void found(std::size_t position) noexcept {
    std::size_t least = this->position();
    while (position < least && !__atomic_compare_exchange_n(&least_, &least, position, true, __ATOMIC_RELAXED,
                                                            __ATOMIC_RELAXED)) {
    }
  }

#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  ~first_event() {
    if (thrown_at_ != least_) {
      thrown_.forget();  // a match comes first
    }
  }

  /// In a handler: what is handled was thrown at `position`. It is kept, for nobody knows yet
  /// whether a match comes before.
  [[gnu::noinline, gnu::cold]] void threw(std::size_t position) {
    if (handles_end_of_thread()) {
      throw_on();
    }
    kept_exception thrown;
    thrown.keep();
    found(position);
    const std::lock_guard guard(lock_);
    if (position < thrown_at_) {
      thrown_at_ = position;
      // The later one ends after the lock does: its destructor is the program's.
      swap(thrown_, thrown);
    }
  }

  /// The position of the match that comes first, or the end. Throws what comes before it. After the
  /// join.
  std::size_t match() {
    if (thrown_at_ == least_) {
      thrown_.rethrow();
    }
    return least_;
  }

private:
  std::mutex lock_;
  kept_exception thrown_;
  std::size_t thrown_at_ = static_cast<std::size_t>(-1);
#else
  [[nodiscard]] std::size_t match() const noexcept { return least_; }

private:
#endif
  std::size_t least_;  // atomic
};

/// Moves `at` to the first position before `to` for which `test(position)`, or to `to`. By fours,
/// since the end is looked at as often as `test` is called otherwise.
template <class Test>
[[gnu::always_inline]] inline bool find_in_chunk(std::size_t& at, std::size_t to, Test& test) {
  while (to - at >= 4) {
    if (test(at)) return true;
    if (test(++at)) return true;
    if (test(++at)) return true;
    if (test(++at)) return true;
    ++at;
  }
  for (; at < to; ++at) {
    if (test(at)) return true;
  }
  return false;
}

/// The same for a strand of a search: false if its part of the search is over.
template <class Test>
[[gnu::always_inline]] inline bool search_chunk(std::size_t from, std::size_t to, Test& test,
                                                first_event& first) {
  const auto search = [&first, &test, &from, to] {
    if (!find_in_chunk(from, to, test)) {
      return true;
    }
    first.found(from);
    return false;
  };
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  try {
    return search();
  } catch (...) {
    first.threw(from);
    return false;
  }
#else
  return search();
#endif
}

/// The first of `count` positions for which `test(position)`; `count` if there is none. Calls
/// `test` for each position before it, and for some after it where strands had begun there: what it
/// throws there is dropped, as the serial search would not have come there.
template <class Test>
std::size_t first_position(std::size_t count, Test& test) {
  first_event first(count);
  auto chunk = [&first, &test](std::size_t from, std::size_t to) {
    return from < first.position() && search_chunk(from, to, test, first);
  };
  begin_loop(count, 1, &chunk);
  return first.match();
}

/// Some position of `count` for which `test(position)`, as a rule the one that is found first; `count` if there
/// is none. What `test` throws is thrown.
template <class Test>
std::size_t some_position(std::size_t count, Test& test) {
  first_event any(count);
  auto chunk = [&any, &test, count](std::size_t from, std::size_t to) {
    if (any.position() != count) {
      return false;
    }
    if (find_in_chunk(from, to, test)) {
      any.found(from);
      return false;
    }
    return true;
  };
  begin_loop(count, 1, &chunk);
  return any.position();
}

/// Whether `test(position)` for any of `count` positions. If tests may throw, a match counts once
/// all positions before it are tested, since one of those tests may throw.
template <class Test>
bool any_position(std::size_t count, Test& test) {
  if constexpr (!noexcept(test(count))) {
    return detail::first_position(count, test) != count;
  } else {
    first_event any(1);  // at 0 once there is one
    auto chunk = [&any, &test](std::size_t from, std::size_t to) {
      if (any.position() == 0) {
        return false;
      }
      if (find_in_chunk(from, to, test)) {
        any.found(0);
        return false;
      }
      return true;
    };
    begin_loop(count, 1, &chunk);
    return any.position() == 0;
  }
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
