// Inlets: one at a time, in the order asked for, beside stops and exceptions.
#include <nopal/arena.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using nopal::inlet_order;
using nopal::on_stop;
using nopal::scope;

/// Of different lengths.
int worked(int i) {
  support::fib(i * 7 % 19);
  return i;
}

NOPAL_PROGRAM(one_at_a_time) {
  for (const inlet_order order : {inlet_order::completion, inlet_order::serial}) {
    std::vector<int> got;
    std::atomic<int> inside{0};
    cancel_scope s{on_stop::skip, order};
    for (int i = 0; i < 500; ++i) {
      s.fork_inlet(
          [&](int value) {
            NOPAL_CHECK(++inside == 1);
            got.push_back(value);
            // It forks and joins, and may go on on another worker.
            if (value % 10 == 0) support::fib(8);
            NOPAL_CHECK(--inside == 0);
          },
          worked, i);
    }
    s.join();
    NOPAL_CHECK(got.size() == 500);
    std::vector<bool> seen(500);
    for (std::size_t i = 0; i < got.size(); ++i) {
      NOPAL_CHECK(order == inlet_order::completion || got[i] == static_cast<int>(i));
      NOPAL_CHECK(!seen[static_cast<std::size_t>(got[i])]);
      seen[static_cast<std::size_t>(got[i])] = true;
    }
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(an_inlet_stops_its_scope) {
  for (const inlet_order order : {inlet_order::completion, inlet_order::serial}) {
    for (int round = 0; round < 10; ++round) {
      int found = -1;
      std::atomic<int> begun{0};
      cancel_scope s{on_stop::skip, order};
      for (int i = 0; i < 2000; ++i) {
        s.fork_inlet(
            [&](int value) {
              if (value < 7 || found >= 0) return;
              found = value;
              s.request_stop();
            },
            [&begun](int value) {
              ++begun;
              return worked(value);
            },
            i);
      }
      s.join();
      NOPAL_CHECK(found >= 7 && (order == inlet_order::completion || found == 7));
      NOPAL_CHECK(begun < 2000 || nopal::workers() > 1);  // a worker may be off its processor meanwhile
    }
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(results_of_all_kinds) {
  int value = 3;
  int calls = 0;
  cancel_scope s;
  s.fork_inlet([&calls] { ++calls; }, [] {});
  s.fork_inlet(
      [&](int& reference) {
        NOPAL_CHECK(&reference == &value);
        ++calls;
      },
      [&value]() -> int& { return value; });
  s.fork_inlet(
      [&calls](std::unique_ptr<int> taken) {
        NOPAL_CHECK(*taken == 9);
        ++calls;
      },
      [](std::unique_ptr<int> given) {
        *given += 1;
        return given;
      },
      std::make_unique<int>(8));
  s.fork_inlet(
      [&calls](const std::string& text) {
        NOPAL_CHECK(text == std::string(100, 'x'));
        ++calls;
      },
      [](const std::string& text, int times) {
        std::string all;
        for (int i = 0; i < times; ++i) all += text;
        return all;
      },
      std::string("xxxx"), 25);
  struct constant {
    const int value;
  };
  s.fork_inlet(
      [&calls](const constant& one) {
        NOPAL_CHECK(one.value == 5);
        ++calls;
      },
      [] { return constant{5}; });
  s.join();
  NOPAL_CHECK(calls == 5);
  support::check_quiet();
  return 0;
}

/// What leaves the scope is what the serial program would have thrown first.
NOPAL_PROGRAM(exceptions) {
  for (const inlet_order order : {inlet_order::completion, inlet_order::serial}) {
    for (int round = 0; round < 100; ++round) {
      int caught = -1;
      int inlets = 0;
      try {
        cancel_scope s{on_stop::skip, order};
        for (int i = 0; i < 60; ++i) {
          s.fork_inlet(
              [&inlets](int value) {
                ++inlets;
                if (value == 30) throw value;
              },
              [](int value) {
                worked(value);
                if (value == 40 || value == 20) throw value;
                return value;
              },
              i);
        }
        s.join();
      } catch (int what) {
        caught = what;
      }
      // What an inlet throws counts as thrown by the child whose end ran it, which may be an earlier one.
      NOPAL_CHECK(caught == 20 || caught == 30);
      NOPAL_CHECK(inlets <= 58);
    }
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(children_without_results_keep_nobody_waiting) {
  for (int round = 0; round < 50; ++round) {
    std::vector<int> got;
    cancel_scope s{on_stop::unwind, inlet_order::serial};
    for (int i = 0; i < 40; ++i) {
      s.fork_inlet([&got](int value) { got.push_back(value); },
                   [&s](int value) {
                     worked(value);
                     if (value == 20) s.request_stop();
                     if (value % 2 == 1) nopal::poll();
                     return value;
                   },
                   i);
    }
    s.join();
    for (std::size_t i = 1; i < got.size(); ++i) NOPAL_CHECK(got[i - 1] < got[i]);
    NOPAL_CHECK(got.size() >= 1);
  }
  support::check_quiet();
  return 0;
}

/// An argument that cannot be copied, and an inlet that throws: the others run all the same, before the join is over.
NOPAL_PROGRAM(what_throws_keeps_nobody_waiting) {
  struct throws_when_copied {
    bool is_bad;
    explicit throws_when_copied(bool bad) : is_bad(bad) {}
    throws_when_copied(const throws_when_copied& other) : is_bad(other.is_bad) {
      if (is_bad) throw 1;
    }
  };
  for (int round = 0; round < 50; ++round) {
    int ran = 0;
    int caught = 0;
    {
      cancel_scope s{on_stop::skip, inlet_order::serial};
      for (int i = 0; i < 6; ++i) {
        const throws_when_copied argument(i == 2);
        try {
          s.fork_inlet([&ran](int) { ++ran; },
                       [](const throws_when_copied&, int value) { return worked(value); }, argument, i);
        } catch (int) {
          ++caught;
        }
      }
      s.join();
      NOPAL_CHECK(ran == 5 && caught == 1);
    }
    ran = caught = 0;
    try {
      cancel_scope s{on_stop::skip, inlet_order::serial};
      for (int i = 0; i < 40; ++i) {
        s.fork_inlet(
            [&ran](int value) {
              ++ran;
              if (value == 3) throw value;
            },
            worked, i);
      }
      s.join();
    } catch (int) {
      ++caught;
    }
    // Alone, the fork throws as in the serial program, and there are no more.
    NOPAL_CHECK(caught == 1 && ran >= 4);
  }
  support::check_quiet();
  return 0;
}

/// A strand that cannot be suspended, since it handles an exception or is in an arena, waits for no other's inlet.
void run_inlets_that_join() {
  support::flag first{false};
  support::flag second{false};
  int ran = 0;
  cancel_scope s{on_stop::skip, inlet_order::serial};
  s.fork_inlet(
      [&](int) {
        scope inner;
        inner.fork([&second] { support::wait_briefly(second); });
        support::set(second);
        support::fib(12);
        inner.join();
        ++ran;
      },
      [&first] {
        support::wait_briefly(first);
        return 1;
      });
  support::set(first);
  for (int i = 0; i < 20; ++i) s.fork_inlet([&ran](int) { ++ran; }, worked, i);
  s.join();
  NOPAL_CHECK(ran == 21);
}
NOPAL_PROGRAM(inlets_in_handlers_and_arenas) {
  for (int round = 0; round < 50; ++round) {
    try {
      throw 1;
    } catch (int) {
      run_inlets_that_join();
    }
    nopal::arena(nopal::workers()).execute(run_inlets_that_join);
  }
  return 0;
}

/// Behind one that is slow: what waits takes no time in proportion to what waits already.
NOPAL_PROGRAM(many_that_wait) {
  constexpr int number = 600'000;
  std::atomic<bool> all_forked{nopal::workers() == 1};
  int run = 0;
  cancel_scope s{on_stop::skip, inlet_order::serial};
  s.fork_inlet([&run] { ++run; },
               [&all_forked] {
                 while (!all_forked) std::this_thread::yield();
               });
  for (int i = 1; i < number; ++i) s.fork_inlet([&run] { ++run; }, [] {});
  all_forked = true;
  s.join();
  NOPAL_CHECK(run == number);
  support::check_quiet();
  return 0;
}

class inlets : public support::program_at_workers {};

TEST_P(inlets, run_one_at_a_time) { EXPECT_TRUE(run("one_at_a_time")); }
TEST_P(inlets, stop_their_scope) { EXPECT_TRUE(run("an_inlet_stops_its_scope")); }
TEST_P(inlets, take_results_of_all_kinds) { EXPECT_TRUE(run("results_of_all_kinds")); }
TEST_P(inlets, keep_nobody_waiting_where_something_throws) {
  EXPECT_TRUE(run("what_throws_keeps_nobody_waiting"));
}
TEST_P(inlets, in_handlers_and_arenas) { EXPECT_TRUE(run("inlets_in_handlers_and_arenas")); }
TEST_P(inlets, throw_in_serial_order) { EXPECT_TRUE(run("exceptions")); }
TEST_P(inlets, wait_for_no_child_without_result) {
  EXPECT_TRUE(run("children_without_results_keep_nobody_waiting"));
}

TEST_P(inlets, many_that_wait_take_no_longer_each) { EXPECT_TRUE(run("many_that_wait")); }

INSTANTIATE_TEST_SUITE_P(at_workers, inlets, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

}  // namespace
