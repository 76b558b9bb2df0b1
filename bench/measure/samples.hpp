// Repeated measurements of one thing, of which what disturbed some must not show.
#ifndef NOPAL_BENCH_MEASURE_SAMPLES_HPP
#define NOPAL_BENCH_MEASURE_SAMPLES_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace measure {

[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class samples {
public:
  void add(std::int64_t ns) { ns_.push_back(static_cast<double>(ns)); }
  [[nodiscard]] std::size_t count() const { return ns_.size(); }
  /// `otherwise` if there are too few samples to mean anything.
  [[nodiscard]] double median(double otherwise) {
    constexpr std::size_t fewest = 5;
    if (ns_.size() < fewest) return otherwise;
    const auto middle = ns_.begin() + static_cast<std::ptrdiff_t>(ns_.size() / 2);
    std::nth_element(ns_.begin(), middle, ns_.end());
    return *middle;
  }
  [[nodiscard]] double least() const { return *std::min_element(ns_.begin(), ns_.end()); }

private:
  std::vector<double> ns_;
};

}  // namespace measure

#endif
