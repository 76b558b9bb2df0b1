// What the sorting programs sort: random 32-bit values.
#ifndef NOPAL_BENCH_PROGRAMS_RANDOM_VALUES_HPP
#define NOPAL_BENCH_PROGRAMS_RANDOM_VALUES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "program.hpp"
#include "random.hpp"

namespace bench {

class random_values {
public:
  using value = std::uint32_t;

  explicit random_values(const input& with) : values_(static_cast<std::size_t>(with.size)) {
    random_sequence random(with.seed);
    for (value& v : values_) v = static_cast<value>(random.next());
    fingerprint_ = fingerprint();
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] value* begin() { return values_.data(); }
  [[nodiscard]] value* end() { return values_.data() + values_.size(); }

  /// In order, and still the same values.
  [[nodiscard]] bool are_sorted() const {
    return std::is_sorted(values_.begin(), values_.end()) && fingerprint() == fingerprint_;
  }

private:
  // Depends on the values and how often each occurs, not on their order.
  [[nodiscard]] std::uint64_t fingerprint() const {
    std::uint64_t sum = 0;
    for (const value v : values_) sum += mix(v + std::uint64_t{1});
    return sum;
  }

  std::vector<value> values_;
  std::uint64_t fingerprint_;
};

}  // namespace bench

#endif
