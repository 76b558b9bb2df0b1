// What the interface's comments and the page of rules promise, where no other test is about it: arguments and their ends, forks without
// memory, waits for earlier strands, locks, threads that strands make, scopes at the edges of their use.
#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nopal/nopal.hpp>

#include "support/strands.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

// A sanitizer has its own, and memory is not counted then.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMORY_IS_WATCHED
#endif
#endif
#if !defined(MEMORY_IS_WATCHED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

/// Counts what is done to it, and can only be moved.
class only_moved {
public:
  explicit only_moved(int value) noexcept : value_(value) { ++alive; }
  only_moved(only_moved&& other) noexcept : value_(std::exchange(other.value_, -1)) { ++alive; }
  only_moved& operator=(only_moved&&) = delete;
  ~only_moved() { --alive; }
  [[nodiscard]] int value() const noexcept { return value_; }
  static inline std::atomic<int> alive{0};

private:
  int value_;
};

/// The child's copies are made before the continuation goes on, whose changes it does not see, and end with the child, not with the
/// join: a stolen one too.
NOPAL_PROGRAM(arguments_are_the_childs) {
  for (int i = 0; i < 300; ++i) {
    flag went_on{false};
    flag over{false};
    int plain = i;
    std::string text(40, 'a');
    int seen = -1;
    std::string seen_text;
    scope s;
    s.fork(
        [&, owned = only_moved(i)](only_moved mine, int number, const std::string& said) {
          wait_for_continuation(went_on);
          seen = owned.value() == mine.value() ? number : -1;
          seen_text = said;
        },
        only_moved(i), plain, text);
    plain = -2;
    text.assign(40, 'b');
    set(went_on);
    s.fork([&over] { set(over); });
    if (nopal::workers() == 1) NOPAL_CHECK(only_moved::alive == 0);
    while (only_moved::alive != 0) std::this_thread::yield();  // before the join
    s.join();
    NOPAL_CHECK(seen == i && seen_text == std::string(40, 'a') && over);
  }
  support::check_quiet();
  return 0;
}

/// What is thrown away with an exception of the child has ended too.
NOPAL_PROGRAM(arguments_end_where_the_child_throws) {
  for (int i = 0; i < 300; ++i) {
    flag went_on{false};
    bool caught = false;
    try {
      scope s;
      s.fork(
          [&went_on](const only_moved& mine) {
            wait_for_continuation(went_on);
            throw mine.value();
          },
          only_moved(i));
      set(went_on);
      s.join();
    } catch (int value) {
      caught = value == i;
    }
    NOPAL_CHECK(caught && only_moved::alive == 0);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(forks_without_memory) {
  support::use_runtime();
  static_cast<void>(support::fib(20));
  const long before = allocations;
  for (int i = 0; i < 20; ++i) NOPAL_CHECK(support::fib(20) == 6765);
  NOPAL_CHECK(allocations == before);
  return 0;
}

long threads_now() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

/// A scope starts nothing, nor does its join; the first fork does.
NOPAL_PROGRAM(a_scope_without_a_fork) {
  const long before = threads_now();
  for (int i = 0; i < 3; ++i) {
    scope s;
    s.join();
    s.join();
  }
  NOPAL_CHECK(threads_now() == before);
  support::use_runtime();
  NOPAL_CHECK(threads_now() >= before + nopal::workers() - 1);  // a sanitizer has some too
  scope again;
  again.join();
  again.fork([] {});
  again.join();
  again.join();
  support::check_quiet();
  return 0;
}

/// A strand may wait for what comes before it in serial order, other than by a join: on one worker too.
NOPAL_PROGRAM(waits_for_earlier_strands) {
  struct chain {
    static void from(int position, std::vector<std::atomic<int>>& done) {
      const auto at = static_cast<std::size_t>(position);
      if (at == done.size()) return;
      scope s;
      s.fork([&done, at] {
        support::burn(static_cast<int>(at) % 7 * 100);
        done[at] = 1;
      });
      while (at != 0 && done[at - 1] == 0) std::this_thread::yield();
      from(position + 1, done);
      s.join();
    }
  };
  for (int i = 0; i < 20; ++i) {
    std::vector<std::atomic<int>> done(50);
    chain::from(0, done);
    for (const std::atomic<int>& one : done) NOPAL_CHECK(one == 1);
  }
  support::check_quiet();
  return 0;
}

/// A lock that one strand takes and gives back without a fork between.
NOPAL_PROGRAM(locks_within_strands) {
  std::mutex mutex;
  long sum = 0;
  struct tree {
    static void of(int depth, std::mutex& lock, long& count) {
      {
        const std::lock_guard guard(lock);
        ++count;
      }
      if (depth == 0) return;
      scope s;
      s.fork(of, depth - 1, std::ref(lock), std::ref(count));
      {
        const std::lock_guard guard(lock);
        ++count;
      }
      of(depth - 1, lock, count);
      s.join();
    }
  };
  tree::of(14, mutex, sum);
  NOPAL_CHECK(sum == (1 << 15) - 1 + (1 << 14) - 1);
  support::check_quiet();
  return 0;
}

thread_local long calls = 0;
std::atomic<long> all_calls{0};
[[gnu::noinline]] void count_call() {
  ++calls;
  all_calls.fetch_add(1, std::memory_order_relaxed);
}
[[gnu::noinline]] long calls_here() { return std::exchange(calls, 0); }

/// Each call is counted on some thread, and on one alone.
NOPAL_PROGRAM(thread_local_counts_add_up) {
  struct tree {
    static void of(int depth) {
      count_call();
      if (depth == 0) return;
      scope s;
      s.fork(of, depth - 1);
      count_call();
      of(depth - 1);
      count_call();
      s.join();
      count_call();
    }
  };
  std::atomic<long> collected{0};
  std::atomic<int> threads{0};
  tree::of(14);
  // Every worker once: each waits for the others in a long body.
  scope s;
  for (int i = 1; i < nopal::workers(); ++i) {
    s.fork([&] {
      collected += calls_here();
      ++threads;
      while (threads < nopal::workers()) std::this_thread::yield();
    });
  }
  collected += calls_here();
  ++threads;
  while (threads < nopal::workers()) std::this_thread::yield();
  s.join();
  NOPAL_CHECK(collected == all_calls);
  return 0;
}

/// Strands make threads, which fork, whose strands make threads; each waits for its own by std::thread's join.
NOPAL_PROGRAM(threads_made_by_strands) {
  struct family {
    static long of(int depth) {
      if (depth == 0) return support::fib(12);
      long left = 0;
      long right = 0;
      scope s;
      s.fork([&left, depth] {
        std::thread child([&left, depth] { left = of(depth - 1); });
        child.join();
      });
      right = of(depth - 1);
      s.join();
      return left + right;
    }
  };
  for (int i = 0; i < 10; ++i) NOPAL_CHECK(family::of(5) == 32 * 144);
  support::check_quiet();
  return 0;
}

[[noreturn]] void throw_at(int depth) { throw std::runtime_error(std::to_string(depth)); }

/// An exception from the bottom of a thousand scopes, each of which has a child beside it.
NOPAL_PROGRAM(an_exception_through_a_thousand_scopes) {
  struct deep {
    static void at(int depth, std::atomic<int>& children) {
      if (depth == 1000) throw_at(depth);
      scope s;
      s.fork([&children] { ++children; });
      s.fork(at, depth + 1, std::ref(children));
      s.join();
    }
  };
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> children{0};
    std::string said;
    try {
      deep::at(0, children);
    } catch (const std::runtime_error& what) {
      said = what.what();
    }
    NOPAL_CHECK(said == "1000" && children == 1000);
  }
  support::check_quiet();
  return 0;
}

/// A stack of many kinds of frames, on which every continuation is stolen: results of all sizes, over-aligned and large locals.
struct alignas(128) wide {
  long values[32] = {};
};

long with_wide_locals(int depth) {
  wide mine;
  for (long& one : mine.values) one = depth;
  NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(&mine) % alignof(wide) == 0);
  if (depth == 0) return 1;
  wide result;
  flag went_on{false};
  scope s;
  s.fork_into(result, [&went_on, copy = mine, depth] {
    wait_for_continuation(went_on);
    NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(&copy) % alignof(wide) == 0);
    wide twice = copy;
    for (long& one : twice.values) one += depth;
    return twice;
  });
  set(went_on);
  const long below = with_wide_locals(depth - 1);
  s.join();
  for (const long one : mine.values) NOPAL_CHECK(one == depth);
  for (const long one : result.values) NOPAL_CHECK(one == 2 * depth);
  return below + 1;
}

NOPAL_PROGRAM(over_aligned_locals_arguments_and_results) {
  for (int i = 0; i < 20; ++i) NOPAL_CHECK(with_wide_locals(40) == 41);
  support::check_quiet();
  return 0;
}

/// Far more workers than the processors that the program may use.
NOPAL_PROGRAM(many_workers_on_two_processors) {
  cpu_set_t allowed;
  NOPAL_CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  cpu_set_t two;
  CPU_ZERO(&two);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &two);
  }
  NOPAL_CHECK(sched_setaffinity(0, sizeof two, &two) == 0);
  for (int i = 0; i < 5; ++i) NOPAL_CHECK(support::fib(22) == 17711);
  support::use_runtime();
  support::check_quiet();
  return 0;
}

class promises : public support::program_at_workers {};

TEST_P(promises, a_childs_arguments_are_its_own_and_end_with_it) {
  EXPECT_TRUE(run("arguments_are_the_childs"));
}
TEST_P(promises, a_childs_arguments_end_where_it_throws) {
  EXPECT_TRUE(run("arguments_end_where_the_child_throws"));
}
TEST_P(promises, a_fork_takes_no_memory) { EXPECT_TRUE(run("forks_without_memory")); }
TEST_P(promises, a_scope_without_a_fork_starts_nothing) { EXPECT_TRUE(run("a_scope_without_a_fork")); }
TEST_P(promises, a_strand_may_wait_for_earlier_ones) { EXPECT_TRUE(run("waits_for_earlier_strands")); }
TEST_P(promises, a_strand_may_lock_between_forks) { EXPECT_TRUE(run("locks_within_strands")); }
TEST_P(promises, a_function_without_forks_finds_its_threads_variables) {
  EXPECT_TRUE(run("thread_local_counts_add_up"));
}
TEST_P(promises, threads_made_by_strands_may_fork) { EXPECT_TRUE(run("threads_made_by_strands")); }
TEST_P(promises, an_exception_may_pass_a_thousand_scopes) {
  EXPECT_TRUE(run("an_exception_through_a_thousand_scopes"));
}
TEST_P(promises, alignment_holds_in_stolen_strands) {
  EXPECT_TRUE(run("over_aligned_locals_arguments_and_results"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, promises, testing::Values(1, 2, 7), testing::PrintToStringParamName());

TEST(many_workers, on_two_processors_give_the_answer) {
  EXPECT_TRUE(support::succeeds("many_workers_on_two_processors", support::on_workers(300)));
}

}  // namespace
