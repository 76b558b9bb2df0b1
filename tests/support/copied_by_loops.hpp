// Values that are copied by loops, which a stop would cut short.
#ifndef NOPAL_TESTS_SUPPORT_COPIED_BY_LOOPS_HPP
#define NOPAL_TESTS_SUPPORT_COPIED_BY_LOOPS_HPP

#include <nopal/parallel.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

namespace support {

/// Columns of numbers, all the same; copied and assigned column by column, and not moved.
class copied_by_loops {
public:
  copied_by_loops() { columns_.fill(0); }
  copied_by_loops(const copied_by_loops& from) { take(from); }
  copied_by_loops& operator=(const copied_by_loops& from) {
    if (&from != this) take(from);
    return *this;
  }
  ~copied_by_loops() = default;

  void add(long number) {
    for (long& one : columns_) one += number;
  }
  [[nodiscard]] long front() const { return columns_.front(); }
  [[nodiscard]] bool is_all(long wanted) const {
    return std::all_of(columns_.begin(), columns_.end(), [wanted](long one) { return one == wanted; });
  }

  /// The copy of that number from here on calls `what` as it begins.
  static void at_copy(int number, std::function<void()> what) {
    called = std::move(what);
    copies_left = number;
  }

private:
  static constexpr std::size_t columns = 64;
  static inline std::function<void()> called;
  static inline std::atomic<int> copies_left{0};

  void take(const copied_by_loops& from) {
    if (--copies_left == 0) called();
    columns_.fill(-1'000'000);
    nopal::parallel_for(std::size_t{0}, columns, 1, [&](std::size_t c) { columns_[c] = from.columns_[c]; });
  }

  std::array<long, columns> columns_{};
};

inline copied_by_loops sum_of(const copied_by_loops& left, const copied_by_loops& right) {
  copied_by_loops sum(left);
  sum.add(right.front());
  return sum;
}

}  // namespace support

#endif
