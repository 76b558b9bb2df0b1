// Whose turn is next: the earliest of one moment per worker, of equal ones the lowest number.
#ifndef NOPAL_BENCH_SIMULATE_AGENDA_HPP
#define NOPAL_BENCH_SIMULATE_AGENDA_HPP

#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

#include "record/graph.hpp"

namespace simulate {

using recording::picoseconds;
inline constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

/// A tournament: each inner node holds the winner of its two.
class agenda {
public:
  explicit agenda(std::size_t workers)
      : leaves_(std::bit_ceil(workers)), moments_(leaves_, never), winners_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = i;
    for (std::size_t node = leaves_; node-- > 1;) winners_[node] = winners_[2 * node];
    winners_[0] = 0;
  }

  [[nodiscard]] std::size_t next() const { return leaves_ == 1 ? 0 : winners_[1]; }
  [[nodiscard]] picoseconds moment(std::size_t worker) const { return moments_[worker]; }

  void set(std::size_t worker, picoseconds moment) {
    moments_[worker] = moment;
    for (std::size_t node = (leaves_ + worker) / 2; node >= 1; node /= 2) {
      const std::size_t left = winners_[2 * node];
      const std::size_t right = winners_[2 * node + 1];
      winners_[node] = moments_[right] < moments_[left] ? right : left;
    }
  }

private:
  std::size_t leaves_;
  std::vector<picoseconds> moments_;
  std::vector<std::size_t> winners_;
};

}  // namespace simulate

#endif
