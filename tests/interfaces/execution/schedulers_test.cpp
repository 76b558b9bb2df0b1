// Schedulers: what they say of themselves, where work begins, stops, arenas, memory.
#include <atomic>
#include <thread>
#include <type_traits>

#include "allocations.hpp"
#include "at_workers.hpp"

namespace {

using nopal::execution::get_scheduler;
using scheduler = nopal::execution::scheduler;

static_assert(ex::scheduler<scheduler>);
static_assert(ex::sender_in<decltype(get_scheduler().schedule()), ex::env<>>);
static_assert(ex::dependent_sender<decltype(get_scheduler().schedule())>);
static_assert(std::is_same_v<ex::completion_signatures_of_t<decltype(get_scheduler().schedule()), ex::env<>>,
                             ex::completion_signatures<ex::set_value_t()>>);
static_assert(
    std::is_same_v<ex::completion_signatures_of_t<decltype(get_scheduler().schedule()),
                                                  ex::prop<ex::get_stop_token_t, ex::inplace_stop_token>>,
                   ex::completion_signatures<ex::set_value_t(), ex::set_stopped_t()>>);

/// Of an operation that the test starts itself.
struct forgetful {
  using receiver_concept = ex::receiver_tag;
  void set_value() noexcept {}
  void set_error(std::exception_ptr /*thrown*/) noexcept {}
  void set_stopped() noexcept {}
};

NOPAL_AT_WORKERS(schedulers);

TEST_P(schedulers, say_what_they_are) {
  const scheduler pool = get_scheduler();
  EXPECT_EQ(ex::get_forward_progress_guarantee(pool), ex::forward_progress_guarantee::parallel);
  EXPECT_EQ(pool, get_scheduler());
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::schedule(pool))), pool);
  nopal::arena one(1);
  nopal::arena other(1);
  EXPECT_EQ(get_scheduler(one), get_scheduler(one));
  EXPECT_NE(get_scheduler(one), get_scheduler(other));
  EXPECT_NE(get_scheduler(one), pool);
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::schedule(get_scheduler(one)))),
            get_scheduler(one));
}

TEST_P(schedulers, begin_work_on_other_threads) {
  const std::thread::id here = std::this_thread::get_id();
  const auto [there] =
      ex::sync_wait(ex::schedule(get_scheduler()) | ex::then([] { return std::this_thread::get_id(); }))
          .value();
  EXPECT_NE(here, there);
  EXPECT_THROW(ex::sync_wait(ex::schedule(get_scheduler()) | ex::then([] { throw 7; })), int);
}

/// A wait that knows nothing of Nopal: the work has a thread on one worker as well.
TEST_P(schedulers, begin_work_that_nobody_waits_for) {
  const auto [done] = ex::sync_wait(ex::schedule(get_scheduler()) | ex::then([] { return 3; }) |
                                    ex::continues_on(ex::inline_scheduler()))
                          .value();
  EXPECT_EQ(done, 3);
  std::atomic<int> begun{0};
  auto receives = [&begun] { ++begun; };
  auto operation = ex::connect(ex::schedule(get_scheduler()) | ex::then(receives), forgetful{});
  ex::start(operation);
  while (begun.load() == 0) std::this_thread::yield();
}

TEST_P(schedulers, complete_with_stopped_where_the_token_is) {
  ex::inplace_stop_source source;
  source.request_stop();
  bool ran = false;
  const auto result = ex::sync_wait(ex::schedule(get_scheduler()) | ex::then([&ran] { ran = true; }) |
                                    ex::write_env(ex::prop{ex::get_stop_token, source.get_token()}));
  EXPECT_FALSE(result.has_value());
  EXPECT_FALSE(ran);
}

TEST_P(schedulers, of_an_arena_keep_its_limit) {
  nopal::arena two(2);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> ran{0};
  const auto body = [&] {
    const int now = ++inside;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    for (int i = 0; i != 100; ++i) std::this_thread::yield();
    --inside;
    ++ran;
  };
  const auto some = [&] { return ex::schedule(get_scheduler(two)) | ex::then(body); };
  ex::sync_wait(ex::when_all(some(), some(), some(), some(), some(), some()));
  EXPECT_EQ(ran.load(), 6);
  EXPECT_LE(most.load(), 2);
}

TEST_P(schedulers, of_an_arena_are_waited_for_with_it) {
  std::atomic<bool> ran{false};
  nopal::arena one(1);
  auto operation = ex::connect(ex::schedule(get_scheduler(one)) | ex::then([&ran]() noexcept { ran = true; }),
                               forgetful{});
  ex::start(operation);
  one.wait();
  EXPECT_TRUE(ran.load());
}

/// An operation is its own task: nothing is allocated once the runtime runs.
TEST_P(schedulers, allocate_nothing) {
  std::atomic<long> sum{0};
  long passes = 0;
  const auto pass = [&sum, &passes] {
    ++passes;
    nopal::execution::wait(ex::when_all(
        ex::schedule(get_scheduler()) | ex::bulk(ex::par, 1000, [&sum](int i) noexcept { sum += i; }),
        ex::schedule(get_scheduler()) |
            ex::bulk_unchunked(ex::par, 100, [&sum](int i) noexcept { sum += i; }),
        ex::schedule(get_scheduler()) | ex::then([&sum]() noexcept { sum += 1; })));
  };
  EXPECT_EQ(allocations_in_the_end(50, pass), 0);
  EXPECT_EQ(sum.load(), passes * (999 * 1000 / 2 + 99 * 100 / 2 + 1));
}

}  // namespace
