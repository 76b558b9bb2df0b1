// Errors that `stopped` would hide: in a scope that unwinds, a pattern, an inlet, a group or a handler has both to throw,
// and the error leaves.
#include <nopal/parallel.hpp>
#include <nopal/searches.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using nopal::inlet_order;
using nopal::on_stop;

constexpr int rounds = 20;

/// Not for ever: the other may be run later, or never.
void wait_for_other(const support::flag& set) {
  for (int i = 0; i < 100 && !set.load(std::memory_order_acquire); ++i) support::sleep_ms(1);
}

void wait_for_other(const cancel_scope& stopped) {
  for (int i = 0; i < 100 && !stopped.stop_requested(); ++i) support::sleep_ms(1);
}

/// Two strands of a child of `all`, the first of which is unwound once the second is about to throw.
class pair_of_strands {
public:
  explicit pair_of_strands(cancel_scope& all) : all_(&all) {}

  void be_unwound() {
    support::set(begun_);
    wait_for_other(throws_);
    support::sleep_ms(1);
    all_->request_stop();
    nopal::poll();
  }
  [[noreturn]] void fail() {
    wait_for_other(begun_);
    support::set(throws_);
    throw std::runtime_error("the error");
  }
  /// By its place in a pattern over `places`.
  void run(int i) {
    if (i == places / 3) {
      be_unwound();
    } else if (i == places - 5) {
      fail();
    } else {
      support::sleep_ms(1);
    }
  }
  [[nodiscard]] bool failed() const { return throws_; }

  static constexpr int places = 64;

private:
  cancel_scope* all_;
  support::flag begun_{false};
  support::flag throws_{false};
};

/// What leaves the join of a scope that unwinds, in whose child the pattern is called.
template <class Pattern>
std::string thrown_by(const Pattern& pattern, bool& failed) {
  try {
    cancel_scope all{on_stop::unwind};
    all.fork([&] {
      pair_of_strands both(all);
      try {
        pattern(both);
      } catch (...) {
        failed = both.failed();
        throw;
      }
    });
    all.join();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

/// The second strand may not have begun, but where there is a worker for it that is seldom so.
template <class Pattern>
void check_each(const Pattern& pattern) {
  int failures = 0;
  for (int round = 0; round < (nopal::workers() == 1 ? 1 : rounds); ++round) {
    bool failed = false;
    const std::string what = thrown_by(pattern, failed);
    NOPAL_CHECK(what == (failed ? "the error" : "nothing"));
    failures += failed ? 1 : 0;
  }
  NOPAL_CHECK(failures != 0 || nopal::workers() == 1);
}

NOPAL_PROGRAM(in_loops) {
  check_each([](pair_of_strands& both) {
    nopal::parallel_invoke([&] { both.be_unwound(); }, [&] { both.fail(); });
  });
  check_each([](pair_of_strands& both) {
    nopal::parallel_for(0, pair_of_strands::places, [&](int i) { both.run(i); });
  });
  check_each([](pair_of_strands& both) {
    const auto map = [&](int i) {
      both.run(i);
      return i;
    };
    static_cast<void>(
        nopal::parallel_reduce(0, pair_of_strands::places, 0, map, [](int a, int b) { return a + b; }));
  });
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(in_searches) {
  const auto none = [](pair_of_strands& both) {
    return [&both](int i) {
      both.run(i);
      return false;
    };
  };
  std::vector<int> all(pair_of_strands::places);
  std::iota(all.begin(), all.end(), 0);
  check_each([&](pair_of_strands& both) {
    static_cast<void>(nopal::parallel_find_if(all.begin(), all.end(), none(both)));
  });
  check_each([&](pair_of_strands& both) {
    static_cast<void>(nopal::parallel_find_any(all.begin(), all.end(), none(both)));
  });
  const auto expand = [](int i) { return i < 0 ? std::vector<int>{0, 1} : std::vector<int>{}; };
  check_each([&](pair_of_strands& both) {
    const auto accept = [&both](int i) {
      if (i == 0) both.be_unwound();
      if (i == 1) both.fail();
      return false;
    };
    static_cast<void>(nopal::parallel_find_first(-1, expand, accept));
  });
  check_each([&](pair_of_strands& both) {
    const auto first = [&both] {
      both.be_unwound();
      return 1;
    };
    const auto second = [&both] {
      both.fail();
      return 2;
    };
    static_cast<void>(nopal::parallel_race(first, second));
  });
  support::check_quiet_soon();
  return 0;
}

/// A match that comes first makes a later error one that was never thrown.
NOPAL_PROGRAM(behind_a_match) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    std::string what;
    try {
      cancel_scope all{on_stop::unwind};
      all.fork([&] {
        support::flag thrown{false};
        nopal::scope s;
        s.fork([&all] {
          wait_for_other(all);
          nopal::poll();
        });
        const auto test = [&](int i) {
          if (i == pair_of_strands::places - 5) {
            support::set(thrown);
            throw std::runtime_error("behind the match");
          }
          support::sleep_ms(1);
          if (i != pair_of_strands::places / 3) return false;
          wait_for_other(thrown);
          all.request_stop();
          support::sleep_ms(3);
          return true;
        };
        std::vector<int> places(pair_of_strands::places);
        std::iota(places.begin(), places.end(), 0);
        static_cast<void>(nopal::parallel_find_if(places.begin(), places.end(), test));
        s.join();
      });
      all.join();
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    NOPAL_CHECK(what.empty());
  }
  return 0;
}

NOPAL_PROGRAM(in_inlets) {
  // The second child's inlet waits for the first child's end, and for its inlet.
  for (const bool by_child : {true, false}) {
    for (int round = 0; round < rounds && nopal::workers() != 1; ++round) {
      cancel_scope* stopped = nullptr;
      const auto stop = [&stopped](const support::flag& other) {
        wait_for_other(other);
        support::sleep_ms(2);
        stopped->request_stop();
        nopal::poll();
      };
      std::string what;
      bool ran = false;
      try {
        cancel_scope all{on_stop::unwind};
        stopped = &all;
        all.fork([&] {
          support::flag begun{false};
          support::flag second{false};
          cancel_scope inner{on_stop::skip, by_child ? inlet_order::serial : inlet_order::completion};
          inner.fork_inlet(
              [&](int) {
                support::set(begun);
                if (!by_child) stop(second);
              },
              [&] {
                if (by_child) {
                  support::set(begun);
                  stop(second);
                }
                support::sleep_ms(2);  // the continuation is to be stolen before the inlet
                return 1;
              });
          inner.fork_inlet(
              [&](int) {
                ran = true;
                throw std::runtime_error("the inlet's");
              },
              [&] {
                wait_for_other(begun);
                support::set(second);
                return 2;
              });
          inner.join();
        });
        all.join();
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      NOPAL_CHECK(!ran || what == "the inlet's");
    }
  }
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(in_groups) {
  check_each([](pair_of_strands& both) {
    tbb::task_group group;
    group.run([&both] { both.be_unwound(); });
    group.run([&both] { both.fail(); });
    group.wait();
  });
  check_each([](pair_of_strands& both) {
    tbb::parallel_invoke([&both] { both.be_unwound(); }, [&both] { both.fail(); });
  });
  check_each([](pair_of_strands& both) {
    tbb::parallel_for(0, pair_of_strands::places, [&both](int i) { both.run(i); });
  });
  // Whose wait is never come to.
  for (int round = 0; round < rounds && nopal::workers() != 1; ++round) {
    std::string what;
    try {
      cancel_scope all{on_stop::unwind};
      all.fork([&all] {
        support::flag thrown{false};
        tbb::task_group group;
        group.run([&thrown] {
          support::set(thrown);
          throw std::runtime_error("the task's");
        });
        while (!thrown.load(std::memory_order_acquire)) std::this_thread::yield();
        support::sleep_ms(1);
        all.request_stop();
        nopal::poll();
        group.wait();
      });
      all.join();
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    NOPAL_CHECK(what == "the task's");
  }
  return 0;
}

NOPAL_PROGRAM(in_handlers) {
  check_each([](pair_of_strands& both) {
    nopal::scope s;
    s.fork([&both] { both.be_unwound(); });
    try {
      both.fail();
    } catch (...) {
      s.join();
      throw;
    }
    s.join();
  });
  // One that the code around the scope handles is its own.
  for (int round = 0; round < rounds; ++round) {
    int left = 0;
    try {
      throw std::runtime_error("handled");
    } catch (const std::runtime_error&) {
      cancel_scope all{on_stop::unwind};
      all.fork([&all] {
        all.request_stop();
        nopal::poll();
      });
      all.join();
      ++left;
    }
    NOPAL_CHECK(left == 1);
  }
  support::check_quiet_soon();
  return 0;
}

/// A context that two groups share is reset by the one while a task of the other is still unwound by it.
NOPAL_PROGRAM(beside_a_reset) {
  if (nopal::workers() == 1) return 0;
  tbb::task_group_context shared;
  tbb::task_group first(shared);
  tbb::task_group second(shared);
  std::atomic<int> phase{0};
  const auto wait_for = [&phase](int which) {
    while (phase.load(std::memory_order_acquire) < which) std::this_thread::yield();
  };
  struct slow {
    const decltype(wait_for)& wait;
    std::atomic<int>& phase;
    ~slow() {
      phase.store(2, std::memory_order_release);
      wait(3);
    }
  };
  second.run([&] {
    cancel_scope s{on_stop::unwind};
    s.fork([&] {
      const slow ends{wait_for, phase};
      phase.store(1, std::memory_order_release);
      while (!nopal::stop_requested()) std::this_thread::yield();
      nopal::poll();
    });
    s.join();
  });
  wait_for(1);
  shared.cancel_group_execution();
  wait_for(2);
  static_cast<void>(first.wait());
  phase.store(3, std::memory_order_release);
  static_cast<void>(second.wait());
  return 0;
}

class kept_errors : public support::program_at_workers {};

TEST_P(kept_errors, of_loops) { EXPECT_TRUE(run("in_loops")); }
TEST_P(kept_errors, of_searches) { EXPECT_TRUE(run("in_searches")); }
TEST_P(kept_errors, but_not_behind_a_match) { EXPECT_TRUE(run("behind_a_match")); }
TEST_P(kept_errors, of_inlets) { EXPECT_TRUE(run("in_inlets")); }
TEST_P(kept_errors, of_groups) { EXPECT_TRUE(run("in_groups")); }
TEST_P(kept_errors, of_handlers) { EXPECT_TRUE(run("in_handlers")); }
TEST_P(kept_errors, and_no_unwinding_leaves_its_child) { EXPECT_TRUE(run("beside_a_reset")); }

INSTANTIATE_TEST_SUITE_P(tbb, kept_errors, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

}  // namespace
