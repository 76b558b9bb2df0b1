// Searches that end early: for the first position of a kind, and for any.
#ifndef NOPAL_DETAIL_SEARCH_HPP
#define NOPAL_DETAIL_SEARCH_HPP

#include <atomic>
#include <cstddef>

#include <nopal/detail/loop.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// The least position found so far. Relaxed throughout: it only saves work until the join, which orders it for its reader.
class least_position {
public:
  explicit least_position(std::size_t end) noexcept : least_(end) {}
  [[nodiscard]] std::size_t value() const noexcept { return least_.load(std::memory_order_relaxed); }
  void found(std::size_t position) noexcept {
    std::size_t least = value();
    while (position < least && !least_.compare_exchange_weak(least, position, std::memory_order_relaxed)) {
    }
  }

private:
  std::atomic<std::size_t> least_;
};

/// The first position of a stretch for which `test(position)`; its end if there is none. By fours, since the end is looked at as often
/// as `test` is called otherwise.
template <class Test>
[[gnu::always_inline]] inline std::size_t first_in_stretch(std::size_t from, std::size_t to, Test& test) {
  for (; to - from >= 4; from += 4) {
    if (test(from)) return from;
    if (test(from + 1)) return from + 1;
    if (test(from + 2)) return from + 2;
    if (test(from + 3)) return from + 3;
  }
  while (from < to && !test(from)) {
    ++from;
  }
  return from;
}

/// The first of `count` positions for which `test(position)`; `count` if there is none. Calls `test` for each position before it, and
/// for some after it where strands had begun there.
template <class Test>
std::size_t first_position(std::size_t count, Test& test) {
  least_position least(count);
  auto stretch = [&least, &test](std::size_t from, std::size_t to) {
    if (least.value() <= from) {
      return false;
    }
    const std::size_t found = first_in_stretch(from, to, test);
    if (found != to) {
      least.found(found);
    }
    return found == to;
  };
  begin_loop(count, 1, &stretch);
  return least.value();
}

/// Whether `test(position)` for any of `count` positions.
template <class Test>
bool any_position(std::size_t count, Test& test) {
  std::atomic<bool> found{false};  // relaxed: as above
  auto stretch = [&found, &test](std::size_t from, std::size_t to) {
    if (found.load(std::memory_order_relaxed)) {
      return false;
    }
    if (first_in_stretch(from, to, test) != to) {
      found.store(true, std::memory_order_relaxed);
      return false;
    }
    return true;
  };
  begin_loop(count, 1, &stretch);
  return found.load(std::memory_order_relaxed);
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
