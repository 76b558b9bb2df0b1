// Forks in handlers, and outside of them just before, while thieves force their publication: the continuation has the exception
// that its function handles, whoever takes it. Runs for NOPAL_STRESS_SECONDS.
//
// A watchdog ends the run when nothing moves any more.
#include <nopal/nopal.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "run_settings.hpp"
#include "support/handled.hpp"
#include "support/watchdog.hpp"

namespace {

using nopal::scope;
using support::handled;

std::atomic<std::uint64_t> looks{0};
std::atomic<std::uint64_t> wrong{0};

void expect_handled(int number) {
  ++looks;
  const int found = handled();
  if (found != number) {
    ++wrong;
    std::fprintf(stderr, "in a handler of %d: %d is handled\n", number, found);
  }
}

void burn(std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) asm volatile("" : : "r"(i));
}

/// So many entries below one another, in the handler of `number`, or in none for 0.
void fork_deep(int number, int depth, std::uint64_t rounds) {
  if (depth == 0) {
    burn(rounds);
    return;
  }
  scope s;
  s.fork(fork_deep, number, depth - 1, rounds);
  expect_handled(number);
  burn(rounds / 8);
  s.join();
}

/// A thief that begins to force the publication of the first entries, which are popped, finds those of a handler in their places.
void fork_before_and_in_handler(int number, std::uint64_t random) {
  const auto below = [&random](std::uint64_t limit) {
    random = stress::mix(random + 1);
    return random % limit;
  };
  fork_deep(0, 1 + static_cast<int>(below(4)), below(20'000));
  burn(below(30'000));
  try {
    throw number;
  } catch (const int) {
    fork_deep(number, 1 + static_cast<int>(below(4)), below(100'000));
    expect_handled(number);
  }
  expect_handled(0);
}

}  // namespace

int main() {
  const support::watchdog watchdog(looks);
  const stress::run_settings settings = stress::read_settings();
  std::uint64_t random = settings.seed;
  for (int number = 1; std::chrono::steady_clock::now() < settings.end; number = number % 1'000'000 + 1) {
    random = stress::mix(random + 1);
    fork_before_and_in_handler(number, random);
  }
  std::printf("%llu looks, %llu of them wrong\n", static_cast<unsigned long long>(looks.load()),
              static_cast<unsigned long long>(wrong.load()));
  return wrong == 0 && stress::quiet_counts_are_exact() ? 0 : 1;
}
