// Exceptions of children in scopes that unwind: where the strand beside them is unwound, they leave all the same.
#include <nopal/parallel.hpp>
#include <nopal/searches.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/living.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using nopal::on_stop;
using nopal::scope;

constexpr int rounds = 100;

/// What leaves the join of a scope that unwinds of which `child(scope)` is forked; empty: nothing.
template <class Child>
std::string thrown_by(const Child& child) {
  try {
    cancel_scope all{on_stop::unwind};
    all.fork([&] { child(all); });
    all.join();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Forks a child that stops `all` and throws; what follows runs elsewhere, unless there is one worker, where nothing
/// does.
[[gnu::always_inline]] inline void fork_what_throws(scope& s, cancel_scope& all, support::flag& on,
                                                    const char* what) {
  s.fork([&all, &on, what] {
    support::wait_for_continuation(on);
    all.request_stop();
    throw std::runtime_error(what);
  });
  support::set(on);
  while (!all.stop_requested()) std::this_thread::yield();
}

NOPAL_PROGRAM(an_error_beside_what_is_unwound) {
  for (int round = 0; round < rounds; ++round) {
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  support::flag on{false};
                  scope s;
                  fork_what_throws(s, all, on, "by a fork");
                  s.fork([] {});
                  s.join();
                }) == "by a fork");
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  support::flag on{false};
                  scope s;
                  fork_what_throws(s, all, on, "by a question");
                  nopal::poll();
                  s.join();
                }) == "by a question");
    // From a strand of a strand of the child, and past a scope that skips.
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  scope outer;
                  outer.fork([&all] {
                    const cancel_scope skips;
                    support::flag on{false};
                    scope s;
                    fork_what_throws(s, all, on, "from below");
                    nopal::poll();
                    s.join();
                  });
                  outer.join();
                }) == "from below");
  }
  support::check_quiet();
  return 0;
}

/// Of several one leaves, and the others end.
NOPAL_PROGRAM(several_errors_beside_what_is_unwound) {
  struct counted : std::runtime_error {
    counted(const char* what, std::atomic<int>& alive) : std::runtime_error(what), one(alive) {}
    support::living one;
  };
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> alive{0};
    const std::string what = thrown_by([&alive](cancel_scope& all) {
      const auto fails = [&all, &alive] {
        support::flag on{false};
        scope s;
        s.fork([&] {
          support::wait_briefly(on);  // all workers may be here
          all.request_stop();
          throw counted("one of them", alive);
        });
        support::set(on);
        while (!all.stop_requested()) std::this_thread::yield();
        nopal::poll();
        s.join();
      };
      scope s;
      try {
        s.fork(fails);
        s.fork(fails);
        fails();
      } catch (...) {
        s.join();
        throw;
      }
      s.join();
    });
    NOPAL_CHECK(what == "one of them" && alive == 0);
  }
  support::check_quiet();
  return 0;
}

/// An earlier child was unwound: it tells of nothing, so the later one's error leaves.
NOPAL_PROGRAM(an_error_after_a_child_that_is_unwound) {
  for (int round = 0; round < rounds; ++round) {
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  support::flag on{false};
                  scope s;
                  s.fork([&] {
                    support::wait_for_continuation(on);
                    while (nopal::workers() != 1 && !all.stop_requested()) std::this_thread::yield();
                    nopal::poll();
                  });
                  support::set(on);
                  s.fork([&all] {
                    all.request_stop();
                    throw std::runtime_error("the later one");
                  });
                  s.join();
                }) == "the later one");
  }
  support::check_quiet();
  return 0;
}

/// Where the program's own exception is in flight, the rule for those holds: a child's is dropped.
NOPAL_PROGRAM(an_error_beside_another) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    bool caught = false;
    const std::string what = thrown_by([&caught](cancel_scope& all) {
      try {
        support::flag on{false};
        scope s;
        fork_what_throws(s, all, on, "a child's");
        throw std::logic_error("the strand's own");
      } catch (const std::logic_error&) {
        caught = true;
      }
    });
    NOPAL_CHECK(caught && what.empty());
    // One that leaves the child of the scope wins over what was kept there.
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  try {
                    support::flag on{false};
                    scope s;
                    fork_what_throws(s, all, on, "a child's");
                    nopal::poll();
                  } catch (const nopal::stopped&) {
                    throw std::runtime_error("from the handler");
                  }
                }) == "from the handler");
    // A handler that takes `stopped` hides no error.
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  try {
                    support::flag on{false};
                    scope s;
                    fork_what_throws(s, all, on, "a child's");
                    nopal::poll();
                  } catch (const nopal::stopped&) {
                  }
                }) == "a child's");
  }
  support::check_quiet();
  return 0;
}

/// What a handler has is not lost at a join in it.
NOPAL_PROGRAM(an_error_handled_at_a_join) {
  for (int round = 0; round < rounds; ++round) {
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  support::flag on{false};
                  scope s;
                  s.fork([&] {
                    support::wait_for_continuation(on);
                    all.request_stop();
                  });
                  support::set(on);
                  try {
                    while (!all.stop_requested()) std::this_thread::yield();
                    throw std::runtime_error("the strand's");
                  } catch (const std::runtime_error&) {
                    s.join();
                    throw;
                  }
                }) == "the strand's");
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(errors_in_patterns_that_are_unwound) {
  for (int round = 0; round < rounds; ++round) {
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  nopal::parallel_invoke(
                      [&all] {
                        all.request_stop();
                        throw std::runtime_error("the first function's");
                      },
                      [] {}, [] {}, [] {});
                }) == "the first function's");
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  nopal::parallel_race(
                      [&all] {
                        all.request_stop();
                        throw std::runtime_error("the first racer's");
                      },
                      [] { throw std::runtime_error("the second racer's"); },
                      [&all] {
                        while (!all.stop_requested()) std::this_thread::yield();
                        nopal::poll();
                      });
                }) == "the first racer's");
    NOPAL_CHECK(thrown_by([](cancel_scope& all) {
                  support::flag on{false};
                  nopal::parallel_invoke(
                      [&] {
                        support::wait_for_continuation(on);
                        all.request_stop();
                      },
                      [&] {
                        support::set(on);
                        while (!all.stop_requested()) std::this_thread::yield();
                        throw std::runtime_error("the last function's");
                      });
                }) == "the last function's");
  }
  support::check_quiet();
  return 0;
}

class kept_in_children : public support::program_at_workers {};

TEST_P(kept_in_children, leave_in_place_of_the_unwinding) {
  EXPECT_TRUE(run("an_error_beside_what_is_unwound"));
}
TEST_P(kept_in_children, are_one_of_several) { EXPECT_TRUE(run("several_errors_beside_what_is_unwound")); }
TEST_P(kept_in_children, leave_after_a_child_that_was_unwound) {
  EXPECT_TRUE(run("an_error_after_a_child_that_is_unwound"));
}
TEST_P(kept_in_children, give_way_to_others_of_the_program) { EXPECT_TRUE(run("an_error_beside_another")); }
TEST_P(kept_in_children, outlast_a_join_in_their_handler) { EXPECT_TRUE(run("an_error_handled_at_a_join")); }
TEST_P(kept_in_children, leave_patterns) { EXPECT_TRUE(run("errors_in_patterns_that_are_unwound")); }

INSTANTIATE_TEST_SUITE_P(at_workers, kept_in_children, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace
