// A root that changes its floating-point mode between regions, while thieves force the publication of its forks: each strand of a
// region has the mode that the region began with, whoever runs it. Runs for NOPAL_STRESS_SECONDS.
//
// A watchdog ends the run when nothing moves any more.
#include <nopal/nopal.hpp>

#include <xmmintrin.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "run_settings.hpp"
#include "support/watchdog.hpp"

namespace {

using nopal::scope;

std::atomic<std::uint64_t> looks{0};
std::atomic<std::uint64_t> wrong{0};

constexpr unsigned flush_to_zero = 0x8000;

/// Eight modes: rounding, of both units, and flush-to-zero.
void choose_mode(unsigned mode) {
  constexpr int roundings[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  std::fesetround(roundings[mode % 4]);
  _mm_setcsr((_mm_getcsr() & ~flush_to_zero) | (mode / 4 != 0 ? flush_to_zero : 0U));
}

unsigned mode_now() {
  std::uint16_t x87;
  asm volatile("fnstcw %0" : "=m"(x87));
  const unsigned sse = _mm_getcsr();
  const unsigned rounding = sse >> 13 & 3U;
  const bool agree = (x87 >> 10 & 3U) == rounding;
  return !agree ? 8 : rounding + ((sse & flush_to_zero) != 0 ? 4 : 0);
}

void expect_mode(unsigned mode) {
  looks.fetch_add(1, std::memory_order_relaxed);
  const unsigned found = mode_now();
  if (found != mode) {
    ++wrong;
    std::fprintf(stderr, "in a region of mode %u: mode %u\n", mode, found);
  }
}

void burn(std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) asm volatile("" : : "r"(i));
}

/// As deep as thieves want it: the first region of a mode is tiny as a rule, so that its end meets a forced publication.
void region(unsigned mode, int depth, std::uint64_t rounds) {
  expect_mode(mode);
  if (depth == 0) {
    burn(rounds);
    return;
  }
  scope s;
  s.fork(region, mode, depth - 1, rounds);
  expect_mode(mode);
  burn(rounds / 8);
  s.join();
  expect_mode(mode);
}

}  // namespace

int main() {
  const support::watchdog watchdog(looks);
  const stress::run_settings settings = stress::read_settings();
  std::uint64_t random = settings.seed;
  while (std::chrono::steady_clock::now() < settings.end) {
    for (int i = 0; i < 64; ++i) {
      random = stress::mix(random + 1);
      const unsigned mode = random >> 3 & 7;
      choose_mode(mode);
      const std::uint64_t most = (random & 1) != 0 ? 100'000 : 300;
      region(mode, 1 + static_cast<int>((random >> 1 & 3) == 0), (random >> 16) % most);
    }
  }
  choose_mode(0);
  std::printf("%llu looks, %llu of them wrong\n", static_cast<unsigned long long>(looks.load()),
              static_cast<unsigned long long>(wrong.load()));
  return wrong == 0 && stress::quiet_counts_are_exact() ? 0 : 1;
}
