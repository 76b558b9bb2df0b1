// Strands that wait or block in arenas, and in calls that stay on their thread: they give up their seats, and nobody relies on
// a thread that waits.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <nopal/nopal.hpp>
#include <nopal/waiting.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

using nopal::arena;
using nopal::event;
using nopal::scope;

/// The child waits for what the continuation does.
[[gnu::noinline]] void wait_for_later_strand() {
  event later;
  scope s;
  s.fork([&later] { later.wait(); });
  later.set();
  s.join();
}

NOPAL_PROGRAM(waits_in_small_arenas) {
  for (int limit = 1; limit != 4; ++limit) {
    arena small(limit);
    for (int i = 0; i != 20; ++i) small.execute(wait_for_later_strand);
    small.execute([limit] {
      event later;
      scope s;
      for (int i = 0; i != 2 * limit; ++i) s.fork([&later] { later.wait(); });
      later.set();
      s.join();
    });
    small.execute([] {
      nopal::promise<int> made;
      nopal::future<int> taken = made.get_future();
      int sum = 0;
      scope s;
      s.fork([&] { sum += taken.get(); });
      made.set_value(7);
      s.join();
      NOPAL_CHECK(sum == 7);
    });
  }
  support::check_quiet_soon();
  return 0;
}

// Who holds the mutex gives its seat up at a join, and needs one again to unlock it.
NOPAL_PROGRAM(mutexes_across_loops_in_arenas) {
  arena two(2);
  nopal::mutex one_at_a_time;
  int calls = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i != 50; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds((i * 37 + t * 511) % 2000));
        two.execute([&] {
          const std::lock_guard guard(one_at_a_time);
          nopal::parallel_for(0, 64, [](int) {
            for (int n = 0; n != 5000; ++n) asm volatile("");
          });
          ++calls;
        });
      }
    });
  }
  for (std::thread& one : threads) one.join();
  NOPAL_CHECK(calls == 200);
  return 0;
}

NOPAL_PROGRAM(pipes_in_arenas) {
  int ends[2];
  NOPAL_CHECK(pipe(ends) == 0);
  arena one(1);
  char read_byte = 0;
  one.execute([&] {
    scope s;
    s.fork([&] { NOPAL_CHECK(nopal::blocking([&] { return read(ends[0], &read_byte, 1); }) == 1); });
    NOPAL_CHECK(write(ends[1], "x", 1) == 1);
    s.join();
  });
  NOPAL_CHECK(read_byte == 'x');
  close(ends[0]);
  close(ends[1]);
  return 0;
}

/// So many calls that all have to be there at once.
template <class Enqueue>
void meet(int count, const Enqueue& enqueue) {
  static std::atomic<int> here;
  here = 0;
  for (int i = 0; i != count; ++i) {
    enqueue([count] {
      ++here;
      nopal::blocking([count] {
        while (here < count) support::sleep_ms(1);
      });
    });
  }
}

NOPAL_PROGRAM(enqueued_calls_that_block) {
  arena many(16);
  meet(16, [&many](auto call) { many.enqueue(call); });
  many.wait();
  event set;
  many.enqueue([&set] { set.wait(); });
  many.enqueue([&set] { set.set(); });
  many.enqueue([&set] { set.wait(); });
  many.wait();
  tbb::task_arena with_slots(16);
  with_slots.execute([] {
    tbb::task_group group;
    meet(8, [&group](auto call) { group.run(call); });
    group.wait();
  });
  return 0;
}

// Its child's thread has a worker outside that stands still, with what is to be taken.
NOPAL_PROGRAM(waits_in_calls_that_stay) {
  const auto wait_below = [](const auto& call) {
    event later;
    scope s;
    s.fork([&] { call([&later] { later.wait(); }); });
    later.set();
    s.join();
  };
  wait_below([](const auto& f) { tbb::this_task_arena::isolate(f); });
  wait_below(
      [](const auto& f) { tbb::this_task_arena::isolate([&f] { tbb::this_task_arena::isolate(f); }); });
  wait_below([](const auto& f) { arena(2).execute(f); });
  wait_below([](const auto& f) {
    tbb::task_group group;
    group.run(f);
    group.wait();
  });
  event later;
  tbb::parallel_for(0, 2, [&later](int i) { i == 0 ? later.wait() : later.set(); });
  support::check_quiet_soon();
  return 0;
}

// What is limited is how many threads compute.
NOPAL_PROGRAM(blocking_calls_under_a_limit) {
  for (const std::size_t limit : {std::size_t{1}, std::size_t{2}}) {
    const tbb::global_control limited(tbb::global_control::max_allowed_parallelism, limit);
    scope s;
    meet(12, [&s](auto call) { s.fork(call); });
    s.join();
    tbb::this_task_arena::isolate(wait_for_later_strand);
  }
  return 0;
}

// A thread more than needed rests after the only call in an arena, and others sleep.
NOPAL_PROGRAM(room_left_by_one_that_rests) {
  arena others(8);
  arena one(1);
  std::atomic<bool> is_over{false};
  std::atomic<bool> next_began{false};
  const auto block = [] { nopal::blocking([] { support::sleep_ms(60); }); };
  others.enqueue(block);
  support::sleep_ms(10);
  others.enqueue([&] {
    block();
    const auto began = std::chrono::steady_clock::now();
    while (!next_began && std::chrono::steady_clock::now() - began < std::chrono::seconds(5)) {
    }
    NOPAL_CHECK(next_began);
  });
  support::sleep_ms(10);
  one.enqueue([&] {
    support::sleep_ms(160);
    is_over = true;
  });
  support::sleep_ms(80);
  one.enqueue([&] { next_began = true; });
  while (!next_began) support::sleep_ms(1);
  NOPAL_CHECK(is_over);
  one.wait();
  others.wait();
  return 0;
}

NOPAL_PROGRAM(waits_for_oneself) {
  arena here(2);
  here.enqueue([&here] { here.wait(); });
  std::string text;
  try {
    here.wait();
  } catch (const nopal::error& error) {
    text = error.what();
  }
  NOPAL_CHECK(text == "nopal: arena: wait() was called by what was enqueued there, which it waits for");
  here.enqueue([&here] {
    scope s;
    s.fork([&here] { here.wait(); });
    s.join();
  });
  bool refused = false;
  try {
    here.wait();
  } catch (const nopal::error&) {
    refused = true;
  }
  NOPAL_CHECK(refused);
  return 0;
}

NOPAL_PROGRAM(arena_destroyed_within) {
  auto doomed = std::make_unique<arena>(2);
  arena* const left = doomed.get();
  left->enqueue([&doomed] { doomed.reset(); });
  left->wait();
  return 0;
}

// Waits beside calls that throw, some of which the wait is not for.
NOPAL_PROGRAM(exceptions_beside_waits) {
  arena shared(3);
  std::atomic<bool> ends{false};
  std::atomic<int> caught{0};
  std::thread other([&] {
    // So many that the waits end even where nobody keeps up with them.
    for (int i = 0; i != 20'000 && !ends; ++i) {
      shared.enqueue([] { throw std::runtime_error("kept"); });
      std::this_thread::yield();
    }
  });
  // The other thread may begin late.
  for (int i = 0; i < 2000 || caught == 0; ++i) {
    try {
      shared.wait();
    } catch (const std::runtime_error& error) {
      NOPAL_CHECK(error.what() == std::string("kept"));
      ++caught;
    }
  }
  ends = true;
  other.join();
  try {
    shared.wait();
  } catch (const std::runtime_error&) {
    ++caught;
  }
  NOPAL_CHECK(caught > 0);
  return 0;
}

// Nothing was forked on this thread, so there is nothing to ask it for.
NOPAL_PROGRAM(sleeps_after_calls_in_arenas) {
  {
    arena two(2);
    two.execute([] {});
    two.enqueue([] {});
    two.wait();
    tbb::task_group group;
    group.run([] {});
    group.wait();
  }
  std::thread([] {
    scope s;
    s.fork([] {});
    s.join();
  }).join();  // forks are latent in this program
  int ended_early = 0;
  for (int i = 0; i != 100; ++i) {
    const timespec pause{0, 3'000'000};
    ended_early += nanosleep(&pause, nullptr) != 0 && errno == EINTR ? 1 : 0;
  }
  NOPAL_CHECK(ended_early <= 5);
  return 0;
}

class arena_waiting : public support::program_at_workers {};

TEST_P(arena_waiting, goes_on_in_small_arenas) { EXPECT_TRUE(run("waits_in_small_arenas")); }
TEST_P(arena_waiting, lets_holders_of_mutexes_back_in) { EXPECT_TRUE(run("mutexes_across_loops_in_arenas")); }
TEST_P(arena_waiting, for_the_system_gives_the_seat_up) { EXPECT_TRUE(run("pipes_in_arenas")); }
TEST_P(arena_waiting, of_enqueued_calls_has_substitutes) { EXPECT_TRUE(run("enqueued_calls_that_block")); }
TEST_P(arena_waiting, in_calls_that_stay_leaves_what_is_outside_to_others) {
  EXPECT_TRUE(run("waits_in_calls_that_stay"));
}
TEST_P(arena_waiting, has_substitutes_under_a_limit) { EXPECT_TRUE(run("blocking_calls_under_a_limit")); }
TEST_P(arena_waiting, for_oneself_is_refused) { EXPECT_TRUE(run("waits_for_oneself")); }
TEST_P(arena_waiting, takes_one_exception_at_a_time) { EXPECT_TRUE(run("exceptions_beside_waits")); }
TEST_P(arena_waiting, is_not_ended_by_questions) { EXPECT_TRUE(run("sleeps_after_calls_in_arenas")); }

INSTANTIATE_TEST_SUITE_P(at_workers, arena_waiting, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

TEST(arena_waiting_at, room_left_by_one_that_rests_is_told) {
  EXPECT_TRUE(support::succeeds("room_left_by_one_that_rests", support::on_workers(2)));
}
TEST(arena_waiting_at, the_end_of_an_arena_within_itself_is_a_line) {
  const support::outcome seen = support::run_program("arena_destroyed_within", support::on_workers(2));
  EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
  EXPECT_EQ(seen.err, "nopal: arena: it was destroyed by what was enqueued there, which it waits for\n");
}

}  // namespace
