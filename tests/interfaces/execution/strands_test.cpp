// Senders from strands, and strands from senders.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "at_workers.hpp"

namespace {

using nopal::execution::get_scheduler;

NOPAL_AT_WORKERS(strands);

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

TEST_P(strands, are_senders) {
  const auto [x, y] = ex::sync_wait(ex::when_all(nopal::execution::as_sender([] { return fib(18); }),
                                                 nopal::execution::as_sender([] { return fib(17); })))
                          .value();
  EXPECT_EQ(x, 2584);
  EXPECT_EQ(y, 1597);
  EXPECT_THROW(ex::sync_wait(nopal::execution::as_sender([] { throw std::string("x"); })), std::string);
}

TEST_P(strands, wait_for_senders) {
  const auto [moved, number] =
      nopal::execution::wait(ex::schedule(get_scheduler()) |
                             ex::then([] { return std::make_unique<int>(3); }) |
                             ex::let_value([](auto& kept) { return ex::just(std::move(kept), 4); }))
          .value();
  EXPECT_EQ(*moved + number, 7);
  EXPECT_THROW(nopal::execution::wait(ex::just() | ex::then([] { throw 5; })), int);
  EXPECT_EQ(std::get<0>(nopal::execution::wait(ex::just(8)).value()), 8);
}

/// More strands wait than there are threads for: they are suspended.
TEST_P(strands, are_suspended_where_they_wait) {
  constexpr int count = 300;
  std::atomic<int> begun{0};
  std::atomic<int> sum{0};
  nopal::scope s;
  for (int i = 0; i != count; ++i) {
    s.fork([&] {
      const auto [one] =
          nopal::execution::wait(ex::schedule(get_scheduler()) | ex::then([&] { return ++begun != 0; }))
              .value();
      sum += one ? 1 : 0;
    });
  }
  s.join();
  EXPECT_EQ(begun.load(), count);
  EXPECT_EQ(sum.load(), count);
}

template <class Scope>
void fork_from_senders() {
  std::atomic<int> sum{0};
  Scope s;
  for (int i = 1; i <= 10; ++i) {
    nopal::execution::fork(s, ex::schedule(get_scheduler()) | ex::then([&sum, i] { sum += i; }));
  }
  s.join();
  EXPECT_EQ(sum.load(), 55);
  // It leaves the fork where the sender was over before anybody took the continuation.
  EXPECT_THROW(
      {
        nopal::execution::fork(s, ex::schedule(get_scheduler()) | ex::then([] { throw 9; }));
        s.join();
      },
      int);
}

TEST_P(strands, are_forked_from_senders) { fork_from_senders<nopal::scope>(); }

#ifdef __cpp_lib_jthread
/// A scope that is stopped stops the senders that got its token.
TEST_P(strands, hand_their_scope_on) {
  nopal::cancel_scope s;
  std::atomic<bool> begun{false};
  bool has_value = true;
  s.fork([&, token = s.token()] {
    has_value = nopal::execution::wait(ex::schedule(get_scheduler()) |
                                           ex::bulk(ex::par, 1L << 40, [&](long) noexcept { begun = true; }),
                                       token)
                    .has_value();
  });
  std::thread stops([&] {
    while (!begun.load()) std::this_thread::yield();
    s.request_stop();
  });
  s.join();
  stops.join();
  EXPECT_FALSE(has_value);
}

/// So it is with a sender that is a child of the scope. The bodies begun wait for the stop.
TEST_P(strands, are_stopped_with_the_scope_that_forked_them) {
  nopal::cancel_scope s;
  std::atomic<bool> begun{false};
  std::atomic<bool> went_on{false};
  std::atomic<bool> waited_too_long{false};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  nopal::execution::fork(s, ex::schedule(get_scheduler()) | ex::bulk(ex::par, 2, [&](int) noexcept {
                              begun = true;
                              while (!nopal::stop_requested() && !waited_too_long) {
                                if (std::chrono::steady_clock::now() > end) waited_too_long = true;
                              }
                            }) | ex::then([&] { went_on = true; }));
  std::thread stops([&] {
    while (!begun.load()) std::this_thread::yield();
    s.request_stop();
  });
  s.join();
  stops.join();
  EXPECT_FALSE(waited_too_long.load());
  EXPECT_FALSE(went_on.load());
}

TEST_P(strands, are_over_where_the_scope_that_forked_them_is_not_stopped) {
  fork_from_senders<nopal::cancel_scope>();
}
#endif

/// By the system's means: what they wait for may be in their own worker's list.
TEST_P(strands, may_block_for_senders) {
  constexpr int count = 30;
  std::atomic<int> sum{0};
  const auto one = [&sum] { ex::sync_wait(ex::schedule(get_scheduler()) | ex::then([&sum] { ++sum; })); };
  nopal::scope s;
  for (int i = 0; i != count; ++i) s.fork(one);
  s.join();
  EXPECT_EQ(sum.load(), count);
  ex::sync_wait(ex::schedule(get_scheduler()) | ex::then(one));
  nopal::execution::wait(ex::schedule(get_scheduler()) | ex::then(one));
  EXPECT_EQ(sum.load(), count + 2);
}

/// More than there may be threads: what they wait for goes before what would block next.
TEST_P(strands, may_block_in_any_number) {
  constexpr int count = 5000;
  std::atomic<int> sum{0};
  nopal::parallel_for(
      0, count, [&sum](int) { ex::sync_wait(ex::schedule(get_scheduler()) | ex::then([&sum] { ++sum; })); });
  EXPECT_EQ(sum.load(), count);
}

void go_deeper(int steps, std::atomic<int>& sum) {
  ++sum;
  if (steps == 0) return;
  ex::sync_wait(ex::schedule(get_scheduler()) | ex::then([steps, &sum] { go_deeper(steps - 1, sum); }));
}

TEST_P(strands, may_block_within_one_another) {
  std::atomic<int> sum{0};
  go_deeper(40, sum);
  EXPECT_EQ(sum.load(), 41);
}

/// The thread gives up its seat, which is the arena's only one.
TEST_P(strands, may_block_in_the_arena_that_they_wait_for) {
  nopal::arena one(1);
  int ran = 0;
  const auto waits = [&] { ex::sync_wait(ex::schedule(get_scheduler(one)) | ex::then([&ran] { ++ran; })); };
  one.execute(waits);
  ex::sync_wait(ex::schedule(get_scheduler(one)) | ex::then(waits));
  EXPECT_EQ(ran, 2);
}

/// The runtime starts anew, also where the thread that keeps the only place has not noticed the end.
TEST_P(strands, wait_after_a_shutdown) {
  std::atomic<int> sum{0};
  for (int i = 0; i != 20; ++i) {
    ex::sync_wait(ex::schedule(get_scheduler()) | ex::bulk(ex::par, 10, [&sum](int) { ++sum; }));
    nopal::shutdown();
  }
  EXPECT_EQ(sum.load(), 200);
}

/// A reducer that work made is its own affair.
TEST_P(strands, may_have_reducers) {
  const auto [sum] = ex::sync_wait(nopal::execution::as_sender([] {
                       nopal::reducer<nopal::op_add<long>> total;
                       nopal::parallel_for(0, 1000, [&](int i) { *total += i; });
                       return total.value();
                     })).value();
  EXPECT_EQ(sum, 499500);
}

}  // namespace
