// Random loops from a few places, after random quiet, on random numbers of workers: short, long, nested, ones that throw, and ones
// whose positions wait for one another, in any order. Each position is visited once.
#include <gtest/gtest.h>

#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/at_once.hpp"
#include "support/program.hpp"
#include "support/random_numbers.hpp"
#include "support/strands.hpp"

namespace {

using support::mix;
using support::number;
using clock_of_tests = std::chrono::steady_clock;

void be_busy(std::chrono::nanoseconds time) {
  const auto end = clock_of_tests::now() + time;
  while (clock_of_tests::now() < end) {
  }
}

struct failure {};

/// What one loop does follows from its number.
struct plan {
  plan(number of, int workers) : seed(mix(of)) {
    const bool is_few = seed % 3 == 0;
    count = is_few ? 1 + mix(seed) % static_cast<number>(2 * workers) : 1 + mix(seed) % 700;
    // Mostly the same of all places, as programs have it.
    const number kind = seed / 8 % 16;
    longest = std::chrono::nanoseconds(kind == 0 ? 300'000 : kind < 4 ? 10'000 : kind < 10 ? 500 : 0);
    if (!is_few && longest > std::chrono::nanoseconds(100'000)) longest /= 100;
    throws = seed / 128 % 8 == 0;
    meets = count <= static_cast<number>(workers) && seed / 1024 % 3 == 0 && !throws;
    nests = seed / 4096 % 8 == 0;
  }
  number seed;
  number count;
  std::chrono::nanoseconds longest;
  bool throws;
  bool meets;
  bool nests;
};

class one_loop {
public:
  explicit one_loop(const plan& with)
      : with_(with), visits_(std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(with.count))) {}

  void visit(number i) {
    NOPAL_CHECK(i < with_.count);
    NOPAL_CHECK(++visits_[static_cast<std::size_t>(i)] == 1);
    const number own = mix(with_.seed + i);
    if (with_.longest.count() != 0 && own % 4 == 0) be_busy(with_.longest * (own / 4 % 16) / 16);
    if (with_.nests && own % 8 == 0) {
      std::atomic<int> inner{0};
      nopal::parallel_for(0, 5, [&inner](int) { ++inner; });
      NOPAL_CHECK(inner == 5);
    }
    if (with_.meets) {
      ++there_;
      support::wait_for(there_, static_cast<int>(with_.count));
    }
    if (with_.throws && i == with_.seed / 64 % with_.count) throw failure{};
  }
  void check(bool threw) {
    NOPAL_CHECK(threw == with_.throws);
    for (number i = 0; !threw && i != with_.count; ++i)
      NOPAL_CHECK(visits_[static_cast<std::size_t>(i)] == 1);
  }

private:
  plan with_;
  std::unique_ptr<std::atomic<int>[]> visits_;
  std::atomic<int> there_{0};
};

/// From one of a few places.
void run(const plan& with) {
  one_loop loop(with);
  bool threw = false;
  const auto body = [&loop](number i) { loop.visit(i); };
  try {
    switch (with.seed / 16384 % 5) {
    case 0: nopal::parallel_for(number{0}, with.count, body); break;
    case 1: nopal::parallel_for(number{0}, with.count, 1, body); break;
    case 2:
      nopal::parallel_for(number{0}, with.count, [&body](number from, number to) {
        for (number i = from; i != to; ++i) body(i);
      });
      break;
    case 3: {
      // In order: the sum of a sequence is not that of another.
      const number found = nopal::parallel_reduce(
                               number{0}, with.count, std::string(),
                               [&body](number i) {
                                 body(i);
                                 return std::string(1, static_cast<char>('a' + i % 26));
                               },
                               [](std::string a, const std::string& b) { return a += b; })
                               .size();
      NOPAL_CHECK(found == with.count);
      break;
    }
    default: {
      std::vector<number> all(static_cast<std::size_t>(with.count));
      for (number i = 0; i != with.count; ++i) all[static_cast<std::size_t>(i)] = i;
      nopal::parallel_for_each(all.begin(), all.end(), body);
    }
    }
  } catch (const failure&) {
    threw = true;
  }
  loop.check(threw);
}

NOPAL_PROGRAM(random_loops) {
  const number first = support::seed_given_in("LOOPS_SEED");
  const auto end = clock_of_tests::now() + std::chrono::milliseconds(support::watched ? 4000 : 2000);
  for (number life = 0; clock_of_tests::now() < end; ++life) {
    const number own = mix(first + 1000 * life);
    nopal::configure({.workers = static_cast<int>(1 + own % 4)});
    const int workers = nopal::workers();
    const bool by_another_thread = own / 8 % 4 == 0;
    const auto loops = [own, workers, end] {
      for (number i = 0; i != 200 && clock_of_tests::now() < end; ++i) {
        const number next = mix(own + i);
        if (next % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1 + next / 16 % 3));
        if (next % 16 == 1) be_busy(std::chrono::milliseconds(1 + next / 16 % 4));
        // Runs of loops that are alike are what programs have.
        for (number j = 0; j != 1 + next / 256 % 4; ++j) run(plan(own + i, workers));
      }
    };
    if (by_another_thread) {
      std::thread(loops).join();
    } else {
      loops();
    }
    nopal::shutdown();
  }
  return 0;
}

/// LOOPS_SEED repeats what the failure prints.
TEST(random_loops, visit_each_position_once_and_let_as_many_as_there_are_workers_meet) {
  const std::string seed = support::seed_in("LOOPS_SEED");
  EXPECT_TRUE(support::succeeds("random_loops", {{"LOOPS_SEED", seed}})) << "LOOPS_SEED=" << seed;
  EXPECT_TRUE(support::succeeds("random_loops", {{"LOOPS_SEED", seed}, {"NOPAL_FORKS", "eager"}}))
      << "LOOPS_SEED=" << seed;
}

}  // namespace
