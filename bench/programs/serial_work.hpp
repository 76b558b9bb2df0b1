// Serial work whose length can be chosen and whose result can be foretold.
//
// A linear congruential generator is stepped: each step waits for the one before, so the time depends on
// the clock rate alone, and where the steps lead is known without taking them.
#ifndef NOPAL_BENCH_PROGRAMS_SERIAL_WORK_HPP
#define NOPAL_BENCH_PROGRAMS_SERIAL_WORK_HPP

#include <cstdint>

namespace bench {

/// The map x -> multiplier x + increment of 64-bit words.
struct affine_map {
  std::uint64_t multiplier;
  std::uint64_t increment;

  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t x) const {
    return x * multiplier + increment;
  }
  /// This map after `inner`.
  [[nodiscard]] constexpr affine_map after(affine_map inner) const {
    return {multiplier * inner.multiplier, (*this)(inner.increment)};
  }
};

inline constexpr affine_map serial_step = {6364136223846793005, 1442695040888963407};

/// Takes the steps one by one. The barrier keeps compilers from folding several into one.
inline std::uint64_t take_steps(std::uint64_t state, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) {
    state = serial_step(state);
    asm volatile("" : "+r"(state));
  }
  return state;
}

/// All the steps as one map, by repeated squaring.
constexpr affine_map steps_at_once(std::int64_t steps) {
  affine_map all = {1, 0};
  for (affine_map power = serial_step; steps > 0; steps /= 2) {
    if (steps % 2 == 1) all = power.after(all);
    power = power.after(power);
  }
  return all;
}

}  // namespace bench

#endif
