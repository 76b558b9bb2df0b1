// The watchdog itself: it ends what hangs and says what each worker did, and leaves alone what moves.
#include "support/watchdog.hpp"

#include <csignal>

#include "support/strands.hpp"

namespace {

using namespace std::chrono_literals;

std::atomic<std::uint64_t> leaves{0};

/// A strand that waits for what nobody does, while its parent waits for it at the join.
int hang() {
  support::flag continued{false};
  const support::flag never{false};
  nopal::scope s;
  s.fork([&continued, &never] {
    support::wait_for_continuation(continued);
    ++leaves;
    support::wait_for_continuation(never);
  });
  support::set(continued);
  s.join();
  return 0;
}

NOPAL_PROGRAM(hangs) {
  const support::watchdog watchdog(leaves, 300ms);
  return hang();
}

NOPAL_PROGRAM(hangs_until_an_alarm) {
  alarm(1);
  return hang();
}

NOPAL_PROGRAM(moves) {
  const support::watchdog watchdog(leaves, 1s);
  for (int i = 0; i < 20; ++i) {
    support::sleep_ms(100);
    support::fib(10);
    ++leaves;
  }
  return 0;
}

void expect_state_of_three_workers(const support::outcome& seen) {
  for (const char* line : {"1 strands at joins", "worker 0 (program)", "worker 1 (pool)", "worker 2 (pool)",
                           "on the stack of its thread", "inbox", "steals"}) {
    EXPECT_NE(seen.err.find(line), std::string::npos) << line << " is missing: " << seen.description();
  }
}

TEST(watchdog, ends_what_hangs_and_says_what_each_worker_does) {
  const support::outcome seen = support::run_program("hangs", support::on_workers(3));
  EXPECT_EQ(seen.signal, SIGABRT);
  EXPECT_NE(seen.err.find("nothing has moved for 300 ms\nNOPAL_WORKERS=3\n"), std::string::npos) << seen.err;
  expect_state_of_three_workers(seen);
}

TEST(watchdog, says_the_same_of_a_program_whose_time_is_over) {
  const support::outcome seen = support::run_program("hangs_until_an_alarm", support::on_workers(3));
  EXPECT_EQ(seen.signal, SIGALRM);
  expect_state_of_three_workers(seen);
}

TEST(watchdog, leaves_alone_what_moves) { EXPECT_TRUE(support::succeeds("moves", support::on_workers(3))); }

}  // namespace
