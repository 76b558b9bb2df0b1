// A small generator that gives the same numbers everywhere, and the mixer it rests on.
#ifndef NOPAL_BENCH_PROGRAMS_RANDOM_HPP
#define NOPAL_BENCH_PROGRAMS_RANDOM_HPP

#include <cstdint>

namespace bench {

/// A bijection of 64-bit words that spreads every bit over all (the finalizer of SplitMix64).
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

/// SplitMix64.
class random_sequence {
public:
  explicit constexpr random_sequence(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

private:
  std::uint64_t state_;
};

inline double between_minus_one_and_one(random_sequence& random) {
  return static_cast<double>(static_cast<std::int64_t>(random.next())) * 0x1p-63;
}

}  // namespace bench

#endif
