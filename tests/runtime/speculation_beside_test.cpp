// Scopes that can be stopped beside exceptions, tokens, waits, patterns and new processes, and stopped at random.
#include <nopal/parallel.hpp>
#include <nopal/speculate.h>
#include <nopal/speculate.hpp>
#include <nopal/waiting.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/living.hpp"
#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using nopal::on_stop;
using nopal::scope;

// --- unwinding -----------------------------------------------------------------------------------------

void unwound_tree(int depth, std::atomic<int>& alive, std::atomic<int>& reached) {
  const support::living one(alive);
  nopal::poll();
  if (depth == 0) {
    ++reached;
    return;
  }
  scope s;
  s.fork(unwound_tree, depth - 1, std::ref(alive), std::ref(reached));
  unwound_tree(depth - 1, alive, reached);
  s.join();
}

NOPAL_PROGRAM(unwinding_runs_destructors) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> alive{0};
    std::atomic<int> reached{0};
    std::atomic<bool> requested{false};
    bool thrown_past = false;
    try {
      cancel_scope s{on_stop::unwind};
      s.fork(unwound_tree, 14, std::ref(alive), std::ref(reached));
      s.fork([&] {
        const support::living one(alive);
        s.request_stop();
        requested = true;
        unwound_tree(3, alive, reached);
        reached = 1 << 20;
      });
      // A thief may have begun here before the request.
      const bool too_late = requested;
      s.fork([&reached, too_late] {
        if (too_late) reached = 1 << 20;
      });
      s.join();
      NOPAL_CHECK(s.stop_requested());
    } catch (...) {
      thrown_past = true;
    }
    NOPAL_CHECK(!thrown_past && alive == 0 && reached <= 1 << 14);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(unwinding_ends_at_its_scope) {
  std::atomic<int> after{0};
  cancel_scope outer{on_stop::unwind};
  outer.fork([&] {
    cancel_scope inner{on_stop::unwind};
    inner.fork([&] {
      inner.request_stop();
      nopal::poll();
      after += 100;
    });
    inner.join();
    // In the child of `outer`, which goes on.
    nopal::poll();
    NOPAL_CHECK(nopal::stop_requested() && !outer.stop_requested());
    ++after;
  });
  outer.join();
  NOPAL_CHECK(after == 1 && !outer.stop_requested());
  // In the scope's own function forks are skipped, and nothing is thrown.
  outer.request_stop();
  outer.fork([&] { after += 100; });
  nopal::poll();
  support::fib(5);
  outer.join();
  NOPAL_CHECK(after == 1);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(unwinding_throws_nothing_from_destructors) {
  struct forks_at_end {
    std::atomic<int>& ended;
    ~forks_at_end() {
      scope s;
      s.fork([this] { ended += 100; });
      s.join();
      nopal::poll();
      ++ended;
    }
  };
  std::atomic<int> ended{0};
  cancel_scope s{on_stop::unwind};
  s.fork([&] {
    const forks_at_end one{ended};
    s.request_stop();
    nopal::poll();
    ended += 1000;
  });
  s.join();
  NOPAL_CHECK(ended == 1);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(exceptions_of_what_was_begun_are_kept) {
  for (int round = 0; round < 100; ++round) {
    int caught = 0;
    try {
      cancel_scope s;
      s.fork([&s] {
        s.request_stop();
        throw 1;
      });
      s.fork([] { throw 2; });
      s.join();
    } catch (int what) {
      caught = what;
    }
    NOPAL_CHECK(caught == 1);
  }
  support::check_quiet();
  return 0;
}

// --- tokens --------------------------------------------------------------------------------------------

#ifdef __cpp_lib_jthread
NOPAL_PROGRAM(tokens) {
  std::stop_source source;
  std::stop_token later;
  {
    cancel_scope s{source.get_token()};
    later = s.token();
    cancel_scope inner;
    const std::stop_token of_inner = inner.token();
    int told = 0;
    const std::stop_callback callback(of_inner, [&told] { ++told; });
    const bool shielded = nopal::shield([&] {
      cancel_scope apart;
      const std::stop_token token = apart.token();
      source.request_stop();
      return !token.stop_requested();
    });
    NOPAL_CHECK(shielded && told == 1);
    NOPAL_CHECK(s.stop_requested() && inner.stop_requested() && of_inner.stop_requested());
    inner.fork([&told] { ++told; });
    inner.join();
    NOPAL_CHECK(told == 1);
  }
  NOPAL_CHECK(later.stop_requested());
  {
    const cancel_scope already{source.get_token()};
    NOPAL_CHECK(already.stop_requested());
  }
  {
    cancel_scope never;
    later = never.token();
  }
  NOPAL_CHECK(!later.stop_requested());
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(tokens_inside_scopes_of_c) {
  nopal_cancel_scope outer;
  nopal_cancel_scope_init(&outer, nopal_inlets_by_completion);
  std::stop_token later;
  {
    cancel_scope inner;
    const std::stop_token token = inner.token();
    later = token;
    NOPAL_CHECK(!token.stop_requested());
    NOPAL_CHECK(nopal_cancel_scope_stop(&outer) == 0);
    NOPAL_CHECK(token.stop_requested() && inner.stop_requested());
    bool begun = false;
    inner.fork([&begun] { begun = true; });
    inner.join();
    NOPAL_CHECK(!begun);
  }
  nopal_cancel_scope_destroy(&outer);
  NOPAL_CHECK(later.stop_requested() && !nopal::stop_requested());
  support::check_quiet();
  return 0;
}
#else
NOPAL_PROGRAM(tokens) { return 0; }
NOPAL_PROGRAM(tokens_inside_scopes_of_c) { return 0; }
#endif

// --- beside other things -------------------------------------------------------------------------------

NOPAL_PROGRAM(waits_in_stopped_scopes) {
  for (int round = 0; round < 50; ++round) {
    nopal::event ready;
    std::atomic<int> wrong{0};
    cancel_scope s;
    s.fork([&] {
      {
        cancel_scope own;
        own.fork([&] {
          ready.wait();
          // Suspended and resumed, it is where it was.
          if (!nopal::stop_requested()) ++wrong;
          scope inner;
          inner.fork([&] { ++wrong; });
        });
        own.request_stop();
        ready.set();
        own.join();
      }
      if (nopal::stop_requested()) ++wrong;
    });
    support::fib(8);
    s.join();
    NOPAL_CHECK(wrong == 0 && !s.stop_requested());
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(patterns_are_whole_or_not_begun) {
  std::minstd_rand random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<unsigned> values(60'000);
    for (unsigned& value : values) value = static_cast<unsigned>(random());
    std::vector<unsigned> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::vector<unsigned> stable = values;
    std::vector<unsigned> sums(values.size());
    const std::vector<unsigned> before = values;
    cancel_scope s;
    s.fork([&] { nopal::parallel_sort(values); });
    s.fork([&] { nopal::parallel_stable_sort(stable, std::greater<>()); });
    s.fork([&] { nopal::parallel_inclusive_scan(before.begin(), before.end(), sums.begin()); });
    s.fork([&] { s.request_stop(); });
    s.join();
    NOPAL_CHECK(values == sorted || values == before);
    NOPAL_CHECK(stable == before || std::equal(stable.begin(), stable.end(), sorted.rbegin()));
    std::vector<unsigned> whole(values.size());
    std::partial_sum(before.begin(), before.end(), whole.begin());
    NOPAL_CHECK(sums == whole || sums == std::vector<unsigned>(values.size()));
    const auto [a, b] = nopal::parallel_invoke([] { return std::string("a"); }, [] { return 2; });
    NOPAL_CHECK(a == "a" && b == 2);
  }
  support::check_quiet();
  return 0;
}

/// A strand that goes on in a child of fork(2), or while the pool is started anew by another thread.
NOPAL_PROGRAM(scopes_go_on_in_a_new_process) {
  support::fib(5);
  cancel_scope s;
  const pid_t child = support::split();
  if (child != 0) {
    support::exited_with_0(child);
    return 0;
  }
  support::fib(5);
  s.request_stop();
  int begun_here = 0;
  s.fork([&begun_here] { ++begun_here; });
  s.join();
  _exit(nopal::stop_requested() && begun_here == 0 ? 0 : 1);
}

NOPAL_PROGRAM(scopes_go_on_when_the_pool_starts_again) {
  nopal::configure({.workers = 1});
  support::fib(5);
  std::atomic<int> step{0};
  const auto await = [&step](int wanted) {
    while (step < wanted) std::this_thread::yield();
  };
  std::thread other([&] {
    support::fib(5);
    cancel_scope s;
    step = 1;
    await(2);
    s.request_stop();
    int begun_here = 0;
    s.fork([&begun_here] { ++begun_here; });
    s.join();
    NOPAL_CHECK(nopal::stop_requested() && begun_here == 0);
  });
  await(1);
  nopal::shutdown();
  nopal::configure({.workers = 4});
  support::fib(5);
  step = 2;
  other.join();
  return 0;
}

/// At random moments. Whatever began is over at the join, and has run to its end.
NOPAL_PROGRAM(stops_at_random) {
  const auto seed = std::random_device()();
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    std::atomic<int> alive{0};
    std::atomic<int> ended{0};
    std::atomic<int> entered{0};
    const int stops_at = static_cast<int>(random() % 200);
    {
      cancel_scope s;
      struct tree {
        static void run(int depth, cancel_scope& all, std::atomic<int>& left, std::atomic<int>& in,
                        std::atomic<int>& out, support::living one) {
          ++in;
          if (--left == 0) all.request_stop();
          if (depth > 0) {
            scope here;
            for (int i = 0; i < 3; ++i) {
              here.fork(run, depth - 1, std::ref(all), std::ref(left), std::ref(in), std::ref(out), one);
            }
            here.join();
          }
          ++out;
        }
      };
      std::atomic<int> left{stops_at};
      s.fork(tree::run, 5, std::ref(s), std::ref(left), std::ref(entered), std::ref(ended),
             support::living(alive));
      s.fork(tree::run, 4, std::ref(s), std::ref(left), std::ref(entered), std::ref(ended),
             support::living(alive));
      s.join();
      if (entered != ended || alive != 0) std::fprintf(stderr, "the seed is %u\n", seed);
      NOPAL_CHECK(entered == ended && alive == 0);
      NOPAL_CHECK(s.stop_requested() == (left <= 0 && stops_at > 0));
    }
    NOPAL_CHECK(!nopal::stop_requested());
  }
  support::check_quiet();
  return 0;
}

class speculation_beside : public support::program_at_workers {};

TEST_P(speculation_beside, unwinding_runs_destructors) { EXPECT_TRUE(run("unwinding_runs_destructors")); }
TEST_P(speculation_beside, unwinding_ends_at_its_scope) { EXPECT_TRUE(run("unwinding_ends_at_its_scope")); }
TEST_P(speculation_beside, unwinding_throws_nothing_from_destructors) {
  EXPECT_TRUE(run("unwinding_throws_nothing_from_destructors"));
}
TEST_P(speculation_beside, exceptions_of_what_was_begun_are_kept) {
  EXPECT_TRUE(run("exceptions_of_what_was_begun_are_kept"));
}
TEST_P(speculation_beside, tokens) { EXPECT_TRUE(run("tokens")); }
TEST_P(speculation_beside, tokens_inside_scopes_of_c) { EXPECT_TRUE(run("tokens_inside_scopes_of_c")); }
TEST_P(speculation_beside, waits_in_stopped_scopes) { EXPECT_TRUE(run("waits_in_stopped_scopes")); }
TEST_P(speculation_beside, patterns_are_whole_or_not_begun) {
  EXPECT_TRUE(run("patterns_are_whole_or_not_begun"));
}
TEST_P(speculation_beside, goes_on_in_a_new_process) { EXPECT_TRUE(run("scopes_go_on_in_a_new_process")); }
TEST(speculation_once, goes_on_when_the_pool_starts_again) {
  EXPECT_TRUE(support::succeeds("scopes_go_on_when_the_pool_starts_again"));
}
TEST_P(speculation_beside, stops_at_random) { EXPECT_TRUE(run("stops_at_random")); }

INSTANTIATE_TEST_SUITE_P(at_workers, speculation_beside, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace
