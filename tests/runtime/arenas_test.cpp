// Arenas: no more threads than the limit, whatever is forked, and no room that nobody is told of.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/at_once.hpp"
#include "support/program.hpp"

namespace {

using support::tree;
using support::wait_for;

/// So many strands that wait for one another.
void meet(int count) {
  std::atomic<int> here{0};
  nopal::scope s;
  for (int i = 1; i != count; ++i) {
    s.fork([&here, count] {
      ++here;
      wait_for(here, count);
    });
  }
  ++here;
  wait_for(here, count);
  s.join();
}

NOPAL_PROGRAM(limits) {
  for (int limit = 1; limit != 5; ++limit) {
    nopal::arena arena(limit);
    NOPAL_CHECK(arena.max_concurrency() == limit);
    support::at_once trees;
    arena.execute([&] { tree(trees, 10); });
    support::at_once loops;
    arena.execute([&] { nopal::parallel_for(0, 3000, [&](int) { loops.stay(); }); });
    NOPAL_CHECK(trees.most() <= limit && loops.most() <= limit && loops.calls() == 3000);
  }
  NOPAL_CHECK(nopal::arena().max_concurrency() == nopal::workers());
  return 0;
}

// Each waits for the others, so the arena has as many threads as it may.
NOPAL_PROGRAM(full_arenas) {
  nopal::arena two(2);
  nopal::arena three(3);
  nopal::arena other(2);
  for (int round = 0; round != 100; ++round) {
    two.execute([] { meet(2); });
    three.execute([] { meet(3); });
    two.execute([&] { two.execute([] { meet(2); }); });
    two.execute([&] { other.execute([] { meet(2); }); });
    // Both threads of the one are in the other.
    two.execute([&] {
      std::atomic<int> here{0};
      const auto come = [&] {
        other.execute([&] {
          ++here;
          wait_for(here, 2);
        });
      };
      nopal::parallel_invoke(come, come);
    });
  }
  return 0;
}

// One strand stays to the end, so the third begins only if somebody is told that the second is over.
NOPAL_PROGRAM(room_within_a_root) {
  nopal::arena two(2);
  for (int round = 0; round != 100; ++round) {
    std::atomic<int> begun{0};
    std::atomic<int> last{0};
    two.execute([&] {
      nopal::scope s;
      s.fork([&] {
        ++begun;
        wait_for(last, 1);
      });
      s.fork([&] {
        ++begun;
        wait_for(begun, 2);
      });
      s.fork([&] { last = 1; });
      s.join();
    });
  }
  return 0;
}

/// Runs `call` in the arena beside another thread that leaves it when `leaves` is set.
template <class Call>
void beside_another(nopal::arena& arena, const std::atomic<int>& leaves, Call call) {
  std::atomic<int> entered{0};
  std::thread other([&] {
    arena.execute([&] {
      ++entered;
      wait_for(leaves, 1);
    });
  });
  wait_for(entered, 1);
  arena.execute(call);
  other.join();
}

// The pool sleeps when another root makes room for the strand that is waited for.
NOPAL_PROGRAM(room_that_another_root_makes) {
  nopal::arena two(2);
  for (int round = 0; round != 30; ++round) {
    std::atomic<int> leaves{0};
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3 + round % 3));
      leaves = 1;
    });
    beside_another(two, leaves, [] { meet(2); });
    later.join();
  }
  return 0;
}

// A thread that calls into another arena leaves its seat to the continuation.
NOPAL_PROGRAM(room_of_those_who_are_away) {
  nopal::arena one(1);
  nopal::arena other(1);
  for (int round = 0; round != 100; ++round) {
    std::atomic<int> goes_on{0};
    one.execute([&] {
      nopal::scope s;
      s.fork([&] { other.execute([&] { wait_for(goes_on, 1); }); });
      goes_on = 1;
      s.join();
    });
  }
  return 0;
}

NOPAL_PROGRAM(threads_of_the_program) {
  nopal::arena two(2);
  support::at_once here;
  std::vector<std::thread> threads;
  for (int i = 0; i != 32; ++i) {
    threads.emplace_back([&] {
      const std::thread::id self = std::this_thread::get_id();
      for (int round = 0; round != 3; ++round) {
        two.execute([&] { tree(here, 6); });
        NOPAL_CHECK(std::this_thread::get_id() == self);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  NOPAL_CHECK(here.most() <= 2);
  return 0;
}

// Seats are held while nobody waits for one, so no circle is made of waits.
NOPAL_PROGRAM(crossed_calls) {
  nopal::arena a(1);
  nopal::arena b(1);
  support::at_once in_a;
  support::at_once in_b;
  const auto cross = [](nopal::arena& outer, support::at_once& in_outer, nopal::arena& inner,
                        support::at_once& in_inner) {
    for (int i = 0; i != 100; ++i) {
      outer.execute([&] {
        tree(in_outer, 2);
        inner.execute([&] {
          tree(in_inner, 2);
          outer.execute([&] { tree(in_outer, 2); });
          tree(in_inner, 2);
        });
        tree(in_outer, 2);
      });
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([&, i] { i % 2 == 0 ? cross(a, in_a, b, in_b) : cross(b, in_b, a, in_a); });
  }
  for (std::thread& one : threads) one.join();
  NOPAL_CHECK(in_a.most() <= 1 && in_b.most() <= 1);
  return 0;
}

// The join of the one waits for a strand that calls into the other's arena, and the other way round.
NOPAL_PROGRAM(calls_in_stolen_strands) {
  nopal::arena a(1);
  nopal::arena b(2);
  support::at_once in_a;
  for (int round = 0; round != 50; ++round) {
    a.execute([&] {
      b.execute([&] {
        nopal::scope s;
        for (int i = 0; i != 8; ++i) {
          s.fork([&] { a.execute([&] { tree(in_a, 3); }); });
        }
        s.join();
      });
      tree(in_a, 3);
    });
  }
  NOPAL_CHECK(in_a.most() <= 1);
  return 0;
}

NOPAL_PROGRAM(results) {
  nopal::arena two(2);
  NOPAL_CHECK(two.execute([] { return 42; }) == 42);
  int referred = 0;
  static_assert(std::is_same_v<decltype(two.execute([&]() -> int& { return referred; })), int&>);
  two.execute([&]() -> int& { return referred; }) = 5;
  NOPAL_CHECK(referred == 5);
  auto unique = two.execute([] { return std::make_unique<int>(7); });
  NOPAL_CHECK(*unique == 7);
  const std::thread::id self = std::this_thread::get_id();
  for (int round = 0; round != 50; ++round) {
    std::string what;
    try {
      two.execute([] {
        nopal::parallel_for(0, 100, [](int i) {
          if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
        });
      });
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    NOPAL_CHECK(what == "7" && std::this_thread::get_id() == self);
  }
  std::string refused;
  try {
    const nopal::arena wrong(-1);
  } catch (const nopal::error& error) {
    refused = error.what();
  }
  NOPAL_CHECK(refused.starts_with("nopal: arena: a limit of -1 threads"));
  return 0;
}

// The seats of the parent's other threads are free in a child.
NOPAL_PROGRAM(new_process) {
  nopal::arena one(1);
  std::atomic<int> leaves{0};
  std::atomic<int> entered{0};
  std::thread other([&] {
    one.execute([&] {
      ++entered;
      wait_for(leaves, 1);
    });
  });
  wait_for(entered, 1);
  const pid_t child = fork();
  if (child == 0) {
    support::at_once here;
    one.execute([&] { tree(here, 5); });
    _exit(here.most() == 1 ? 0 : 1);
  }
  leaves = 1;
  other.join();
  int status = -1;
  NOPAL_CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}

class arenas : public support::program_at_workers {};

TEST_P(arenas, have_no_more_threads_than_their_limit) { EXPECT_TRUE(run("limits")); }
TEST_P(arenas, bound_threads_of_the_program) { EXPECT_TRUE(run("threads_of_the_program")); }
TEST_P(arenas, may_call_each_other_crosswise) { EXPECT_TRUE(run("crossed_calls")); }
TEST_P(arenas, may_be_called_from_strands_of_others) { EXPECT_TRUE(run("calls_in_stolen_strands")); }
TEST_P(arenas, return_and_throw_what_is_executed_in_them) { EXPECT_TRUE(run("results")); }
TEST_P(arenas, are_free_of_other_threads_in_a_new_process) { EXPECT_TRUE(run("new_process")); }

INSTANTIATE_TEST_SUITE_P(at_workers, arenas, testing::Values(1, 2, 4, 8), testing::PrintToStringParamName());

class arenas_with_help : public support::program_at_workers {};

TEST_P(arenas_with_help, have_as_many_threads_as_they_may) { EXPECT_TRUE(run("full_arenas")); }
TEST_P(arenas_with_help, tell_sleepers_of_room_within_a_root) { EXPECT_TRUE(run("room_within_a_root")); }
TEST_P(arenas_with_help, tell_sleepers_of_room_that_another_root_makes) {
  EXPECT_TRUE(run("room_that_another_root_makes"));
}
TEST_P(arenas_with_help, give_the_seats_of_those_who_are_away) {
  EXPECT_TRUE(run("room_of_those_who_are_away"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, arenas_with_help, testing::Values(3, 4, 8),
                         testing::PrintToStringParamName());

}  // namespace
