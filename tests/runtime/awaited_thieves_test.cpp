// NOPAL_STEAL=always: mistakes that show only where a continuation is stolen show in the first run, and
// programs without such mistakes are right, and come to their end.
#include <nopal/nopal.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

support::environment always(support::environment more = {}) {
  more.emplace_back("NOPAL_STEAL", "always");
  return more;
}

long fib_without_join(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib_without_join, n - 1);
  const long y = fib_without_join(n - 2);
  return x + y;  // the scope's destructor joins, too late
}

NOPAL_PROGRAM(forgets_a_join) {
  std::printf("%ld", fib_without_join(15));
  return 0;
}

constexpr int runs = 20;

int wrong_runs(const support::environment& with) {
  int wrong = 0;
  for (int i = 0; i < runs; ++i) wrong += support::run_program("forgets_a_join", with).out == "610" ? 0 : 1;
  return wrong;
}

TEST(awaited_thieves, show_a_forgotten_join_in_nearly_every_run) {
  const int wrong = wrong_runs(always());
  std::printf("%d of %d runs are wrong\n", wrong, runs);
  EXPECT_GE(wrong, runs - 2);
}

TEST(awaited_thieves, show_a_forgotten_join_on_two_workers) {
  const int wrong = wrong_runs(always(support::on_workers(2)));
  std::printf("%d of %d runs are wrong\n", wrong, runs);
  EXPECT_GE(wrong, runs - 2);
}

NOPAL_PROGRAM(one_fork) {
  int child = 0;
  nopal::scope s;
  s.fork_into(child, [] { return 1; });
  s.join();
  std::printf("%d %d", child, nopal::stats().total.steals > 0 ? 1 : 0);
  return 0;
}

TEST(awaited_thieves, take_the_only_continuation_of_a_program) {
  int stolen = 0;
  for (int i = 0; i < runs; ++i) stolen += support::run_program("one_fork", always()).out == "1 1" ? 1 : 0;
  EXPECT_GE(stolen, runs - 2);
}

NOPAL_PROGRAM(forks_in_a_loop) {
  nopal::scope s;
  for (int i = 0; i < 300; ++i) s.fork([] {});
  s.join();
  std::printf("%d", static_cast<int>(nopal::stats().total.steals));
  return 0;
}

TEST(awaited_thieves, take_each_continuation_of_a_loop) {
  const std::string steals = support::run_program("forks_in_a_loop", always(support::on_workers(4))).out;
  std::printf("%s of 300 continuations were stolen\n", steals.c_str());
  EXPECT_GE(std::stoi("0" + steals), 250);
}

NOPAL_PROGRAM(everything) {
  NOPAL_CHECK(support::fib(16) == 987);
  std::vector<int> numbers(10'000, 1);
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::parallel_for(numbers.begin(), numbers.end(), [&](int one) { *sum += one; });
  NOPAL_CHECK(sum.value() == 10'000);
  int caught = 0;
  try {
    nopal::scope s;
    s.fork([] { throw 7; });
    s.join();
  } catch (const int thrown) {
    caught = thrown;
  }
  NOPAL_CHECK(caught == 7);
  return 0;
}

TEST(awaited_thieves, leave_right_programs_right) {
  for (const char* const workers : {"2", "3", "7"}) {
    for (const char* const forks : {"latent", "eager"}) {
      EXPECT_TRUE(
          support::succeeds("everything", always({{"NOPAL_WORKERS", workers}, {"NOPAL_FORKS", forks}})))
          << workers << " workers, " << forks;
    }
  }
}

NOPAL_PROGRAM(alone_in_an_arena) {
  nopal::arena alone(1);
  alone.execute([] { NOPAL_CHECK(support::fib(16) == 987); });
  return 0;
}

NOPAL_PROGRAM(two_in_an_arena) {
  for (int round = 0; round < 2000; ++round) {
    nopal::arena two(2);
    two.enqueue([] { nopal::parallel_for(0, 50, [](int) {}); });
    two.wait();
  }
  return 0;
}

TEST(awaited_thieves, that_may_not_come_are_not_awaited_for_long) {
  EXPECT_TRUE(support::succeeds("alone_in_an_arena", always()));
  // Where the two are there, the third finds no seat. It would be awaited for 20 milliseconds in each round.
  EXPECT_TRUE(support::succeeds("two_in_an_arena", always(support::on_workers(3))));
}

NOPAL_PROGRAM(has_eight_workers) { return nopal::workers() >= 8 ? 0 : 1; }

TEST(awaited_thieves, are_there_whatever_the_machine) {
  EXPECT_TRUE(support::succeeds("has_eight_workers", always()));
}

TEST(awaited_thieves, cannot_be_had_on_one_worker) {
  const support::outcome seen = support::run_program("everything", always(support::on_workers(1)));
  EXPECT_EQ(seen.exit_code, 2) << seen.description();
  EXPECT_EQ(
      seen.err,
      "nopal: NOPAL_STEAL=always: not understood; accepted: usual, or always, which needs two workers at "
      "least: NOPAL_WORKERS or the program asks for one\n");
}

}  // namespace
