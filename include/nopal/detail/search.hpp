// Searches that end early: for the first position of a kind, and for any.
#ifndef NOPAL_DETAIL_SEARCH_HPP
#define NOPAL_DETAIL_SEARCH_HPP

#include <cstddef>

#include <nopal/detail/loop.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// The least position found so far. Relaxed throughout: it only saves work until the join, which orders it for its reader.
class least_position {
public:
  explicit least_position(std::size_t end) noexcept : least_(end) {}
  least_position(const least_position&) = delete;
  least_position& operator=(const least_position&) = delete;
  [[nodiscard]] std::size_t value() const noexcept { return __atomic_load_n(&least_, __ATOMIC_RELAXED); }
  void found(std::size_t position) noexcept {
    std::size_t least = value();
    while (position < least && !__atomic_compare_exchange_n(&least_, &least, position, true, __ATOMIC_RELAXED,
                                                            __ATOMIC_RELAXED)) {
    }
  }

private:
  std::size_t least_;  // atomic
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
  least_position least(1);  // 0 once there is one
  auto stretch = [&least, &test](std::size_t from, std::size_t to) {
    if (least.value() == 0) {
      return false;
    }
    if (first_in_stretch(from, to, test) != to) {
      least.found(0);
      return false;
    }
    return true;
  };
  begin_loop(count, 1, &stretch);
  return least.value() == 0;
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
