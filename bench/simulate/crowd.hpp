// Which workers have something in their deques, and how soon a thief that looks at others at random meets one.
#ifndef NOPAL_BENCH_SIMULATE_CROWD_HPP
#define NOPAL_BENCH_SIMULATE_CROWD_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulate {

class crowd {
public:
  explicit crowd(std::size_t workers) : place_(workers, nowhere), log_of_missing_(workers, 0) {
    for (std::size_t busy = 1; busy + 1 < workers; ++busy) {
      log_of_missing_[busy] = std::log1p(-static_cast<double>(busy) / static_cast<double>(workers - 1));
    }
  }

  void set(std::size_t worker, bool busy) {
    if (busy == (place_[worker] != nowhere)) return;
    if (busy) {
      place_[worker] = busy_.size();
      busy_.push_back(worker);
      return;
    }
    const std::size_t last = busy_.back();
    busy_[place_[worker]] = last;
    place_[last] = place_[worker];
    busy_.pop_back();
    place_[worker] = nowhere;
  }
  [[nodiscard]] bool any() const { return !busy_.empty(); }

  /// How many looks at the others, one of them idle itself, meet nobody busy; `most` if that many do not.
  int looks_in_vain(int most, std::uint64_t& random) const {
    if (busy_.empty()) return most;
    const double missing = log_of_missing_[busy_.size()];
    if (missing == 0) return 0;  // all the others are busy
    const double uniform = (static_cast<double>(next(random) >> 11) + 1) * 0x1p-53;
    const double looks = std::log(uniform) / missing;
    return looks < most ? static_cast<int>(looks) : most;
  }
  /// One of the busy ones.
  std::size_t pick(std::uint64_t& random) const {
    return busy_[static_cast<std::size_t>((next(random) >> 32) * busy_.size() >> 32)];
  }

private:
  static constexpr std::size_t nowhere = SIZE_MAX;

  static std::uint64_t next(std::uint64_t& x) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
  }

  std::vector<std::size_t> busy_;
  std::vector<std::size_t> place_;  // in busy_
  std::vector<double>
      log_of_missing_;  // by how many are busy: logarithm of the chance to look at another one
};

}  // namespace simulate

#endif
