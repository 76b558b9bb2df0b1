// One function of the C library fails, once, from some call on, or every now and then, at every point in the life of a
// small program: the answer is right or refused, in words, and nothing hangs or crashes.
#include <gtest/gtest.h>

#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "process/faults/interposed_calls.hpp"
#include "stack/pool.hpp"
#include "support/fibril_fork.h"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::environment;
using support::flag;

int refusals = 0;

/// Runs `body`; a refusal in words counts and is passed by.
template <class Body>
bool worked(Body body) {
  try {
    body();
    return true;
  } catch (const nopal::error&) {
  } catch (const std::bad_alloc&) {  // as `new` itself, for the error's own text, may say
  }
  ++refusals;
  return false;
}

/// As deep as there are stacks at first, and deeper: each level's continuation is likely on a stack of its own.
long sum_of_depth(int depth) {
  if (depth == 0) return 0;
  long below = 0;
  flag went_on{false};
  scope s;
  s.fork([&] { support::wait_briefly(went_on); });
  s.fork_into(below, sum_of_depth, depth - 1);
  support::set(went_on);
  const long here = support::fib(5);
  s.join();
  return below + here;
}

struct stop {};

/// Exceptions cross stolen scopes.
long sum_of_caught(int n) {
  long caught = 0;
  for (int i = 0; i < n; ++i) {
    try {
      scope s;
      s.fork([] { throw stop(); });
      support::fib(6);
      s.join();
    } catch (const stop&) {
      ++caught;
    }
  }
  return caught;
}

void use() {
  long answer = 0;
  if (worked([&answer] { answer = support::fib(14); })) NOPAL_CHECK(answer == 377);
  if (worked([&answer] { answer = sum_of_depth(30); })) NOPAL_CHECK(answer == 30 * 5);
  if (worked([&answer] { answer = sum_of_caught(20); })) NOPAL_CHECK(answer == 20);
}

/// Two lives of the runtime, with a thread of the program's own beside it, and a pool that has slept in between.
NOPAL_PROGRAM(life) {
  // Thread creation of the test's own must not be what is refused.
  flag armed{false};
  std::thread other([&armed] {
    while (!armed) std::this_thread::yield();
    use();
  });
  // The first key there is: what an unset one of the runtime's would be taken for.
  pthread_key_t own_key;
  NOPAL_CHECK(pthread_key_create(&own_key, nullptr) == 0 && pthread_setspecific(own_key, &own_key) == 0);
  faults::arm();
  support::set(armed);
  for (int round = 0; round < 2; ++round) {
    use();
    support::sleep_ms(2);
    use();
    if (round == 0) {
      other.join();
      nopal::shutdown();
    }
  }
  nopal::shutdown();
  NOPAL_CHECK(pthread_getspecific(own_key) == &own_key);
  std::printf("%ld %d\n", faults::calls(), refusals);
  return 0;
}

/// More unfinished forks of one worker than a deque holds at first.
long sum_of_nested(int depth) {
  if (depth == 0) return 0;
  long below = 0;
  scope s;
  s.fork_into(below, sum_of_nested, depth - 1);
  s.join();
  return below + 1;
}

NOPAL_PROGRAM(outgrows_its_deque) {
  NOPAL_CHECK(sum_of_nested(200) == 200);
  faults::arm();
  NOPAL_CHECK(!worked([] { sum_of_nested(300); }) && refusals == 1);
  NOPAL_CHECK(sum_of_nested(200) == 200);
  support::check_quiet();
  return 0;
}

/// Children of one scope that has been stolen from: all that they throw is kept until its join.
int children_that_throw(int count) {
  flag went_on{false};
  try {
    scope s;
    s.fork([&] { support::wait_for_continuation(went_on); });
    support::set(went_on);
    for (int i = 0; i < count; ++i) s.fork([i] { throw i; });
    s.join();
  } catch (const int first) {
    return first;
  }
  return -1;
}

NOPAL_PROGRAM(keeps_exceptions_without_memory) {
  NOPAL_CHECK(children_that_throw(3) == 0);
  faults::arm();
  for (int i = 0; i < 10; ++i) NOPAL_CHECK(children_that_throw(40) == 0);
  return 0;
}

NOPAL_PROGRAM(keeps_too_many_exceptions_without_memory) {
  NOPAL_CHECK(children_that_throw(3) == 0);
  faults::arm();
  return children_that_throw(80);
}

NOPAL_PROGRAM(starts_pools) {
  for (const char* const nth : {"1", "2", "3"}) {
    setenv("FAULT_FIRST", nth, 1);
    setenv("FAULT_LAST", nth, 1);
    nopal::internal::stack_pool pool;
    faults::arm();
    NOPAL_CHECK(pool.start({64 << 10, 2, nopal::reclaim::lazy, nopal::reclaim_call::dontneed}));
    NOPAL_CHECK(faults::calls() > 3);  // the refused one, and those of another region
    nopal_stack* const stack = pool.take(nullptr);
    NOPAL_CHECK(stack != nullptr);
    pool.give(stack);
    pool.stop();
  }
  return 0;
}

/// What is refused once may be granted later, and is not handed out before.
NOPAL_PROGRAM(takes_stacks_that_were_refused) {
  setenv("FAULT_FIRST", "2", 1);
  setenv("FAULT_LAST", "3", 1);
  nopal::internal::stack_pool pool;
  NOPAL_CHECK(pool.start({64 << 10, 2, nopal::reclaim::lazy, nopal::reclaim_call::dontneed}));
  faults::arm();
  nopal_stack* const first = pool.take(nullptr);
  NOPAL_CHECK(first != nullptr && faults::calls() == 1);
  NOPAL_CHECK(pool.take(nullptr) == nullptr && pool.take(first->low) == nullptr);
  NOPAL_CHECK(faults::calls() == 3 && pool.measure().mapped == 1);
  nopal_stack* const second = pool.take(first->low);
  NOPAL_CHECK(second != nullptr && second->high < first->low && faults::calls() == 4);
  std::memset(first->low, 1, first->size_bytes());
  std::memset(second->low, 1, second->size_bytes());
  pool.give(first);
  NOPAL_CHECK(pool.take(nullptr) == first && faults::calls() == 4);
  return 0;
}

NOPAL_PROGRAM(forks_in_c) {
  faults::arm();
  return fibril_fork_of_many_arguments() == 511.75 ? 0 : 1;
}

struct fault {
  const char* call;
  int reason;
};

std::string describe(const environment& with) {
  std::string text;
  for (const auto& [name, value] : with) text.append(name).append("=").append(value).append(" ");
  return text;
}

/// Each line of the runtime starts with its name and there are no more than a few.
bool is_clear(const std::string& said) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < said.size(); ++lines) {
    if (said.compare(at, 7, "nopal: ") != 0) return false;
    const std::size_t end = said.find('\n', at);
    if (end == std::string::npos) return false;
    at = end + 1;
  }
  return lines <= 16;  // one per try to start the runtime, at most
}

/// How often the call was made and how often that was told as an error; -1 where the program did not end as it should.
struct counts {
  long calls = -1;
  int refusals = -1;
};

counts counts_in_life(const fault& with, long first, long last, long step, const environment& more = {}) {
  environment settings = {{"NOPAL_STACK_SIZE", "64K"},
                          {"NOPAL_PIN", "1"},
                          {"NOPAL_RECLAIM", "eager"},
                          {"MALLOC_PERTURB_", "165"},  // freed memory makes no sense
                          {"FAULT_CALL", with.call},
                          {"FAULT_ERRNO", std::to_string(with.reason)},
                          {"FAULT_FIRST", std::to_string(first)},
                          {"FAULT_LAST", std::to_string(last)},
                          {"FAULT_STEP", std::to_string(step)}};
  settings.insert(settings.end(), more.begin(), more.end());
  // Finding out about the machine allocates; it is asked for the number of workers where nobody gives one.
  if (std::strcmp(with.call, "new") != 0) settings.emplace_back("NOPAL_WORKERS", "3");
  const support::outcome seen = support::run_program("life", settings);
  EXPECT_EQ(seen.exit_code, 0) << describe(settings) << seen.description();
  EXPECT_TRUE(is_clear(seen.err)) << describe(settings) << seen.description();
  counts result;
  if (seen.exit_code == 0) std::istringstream(seen.out) >> result.calls >> result.refusals;
  return result;
}

long calls_in_life(const fault& with, long first, long last, long step) {
  return counts_in_life(with, first, last, step).calls;
}

constexpr long always = 1000000000;

class injection : public testing::TestWithParam<fault> {};

TEST_P(injection, always) { EXPECT_GE(calls_in_life(GetParam(), 1, always, 1), 1); }

TEST_P(injection, every_nth) {
  for (const long step : {2, 3, 5, 16, 61}) EXPECT_GE(calls_in_life(GetParam(), step, always, step), 0);
}

/// Where a thread cannot become a worker, every fork of every part of the program says so: two threads, three parts each
/// time.
TEST(injection_for_ever, is_told_at_each_fork_where_nothing_can_run) {
  for (const fault& refused : {fault{"mmap", ENOMEM}, fault{"aligned_alloc", ENOMEM},
                               fault{"pthread_key_create", EAGAIN}, fault{"setspecific", ENOMEM}}) {
    EXPECT_EQ(counts_in_life(refused, 1, always, 1).refusals, 15) << refused.call;
  }
}

/// What a thread of the pool allocates before its first steal: the mask that it is pinned by.
TEST(injection_elsewhere, ends_no_thread_of_the_pool) {
  for (const char* const call : {"new", "malloc", "aligned_alloc"}) {
    for (const long first : {1, 2, 3}) {
      const counts seen = counts_in_life({call, ENOMEM}, first, first + 2, 1, {{"FAULT_ELSEWHERE", "1"}});
      EXPECT_GE(seen.calls, 1) << call;
    }
  }
}

/// The n-th call alone, then that and all later ones, for n over the whole life: each of the first, which start the runtime,
/// then at equal distances.
TEST_P(injection, at_every_point) {
  constexpr long each_of = 10;
  constexpr long further_points = 10;
  const long all = calls_in_life(GetParam(), always, always, 1);
  ASSERT_GE(all, 1);
  const long distance = all > each_of ? (all - each_of + further_points - 1) / further_points : 1;
  for (long n = 1; n <= all; n += n < each_of ? 1 : distance) {
    if (calls_in_life(GetParam(), n, n, 1) < 0 || calls_in_life(GetParam(), n, always, 1) < 0) return;
  }
}

/// Few stacks at first, so that the pool grows as long as it is let.
TEST(injection_of_growth, at_every_point) {
  constexpr long to_the_least = 6;  // 256 stacks are asked for, then half as many each time
  EXPECT_GT(calls_in_life({"mmap", ENOMEM}, 1, to_the_least, 1), to_the_least + 4);
  for (long last = to_the_least + 1; last < to_the_least + 8; ++last) {
    EXPECT_GE(calls_in_life({"mmap", ENOMEM}, 1, last, 1), 0);
  }
}

TEST(injection_of_deque_memory, refuses_the_fork_that_needs_more_of_it) {
  const support::outcome seen =
      support::run_program("outgrows_its_deque", {{"NOPAL_WORKERS", "1"}, {"FAULT_CALL", "aligned_alloc"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
}

TEST(injection_of_exception_memory, is_bridged_by_the_reserve_and_ends_the_program_in_words_beyond_it) {
  const environment with{{"NOPAL_WORKERS", "2"}, {"FAULT_CALL", "new"}};
  EXPECT_TRUE(support::succeeds("keeps_exceptions_without_memory", with));
  const support::outcome seen = support::run_program("keeps_too_many_exceptions_without_memory", with);
  EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
  EXPECT_TRUE(seen.err.starts_with("nopal: no memory to keep the exception of a child\n")) << seen.err;
}

TEST(injection_of_pool_memory, makes_a_smaller_region_whichever_allocation_is_refused) {
  EXPECT_TRUE(support::succeeds("starts_pools", {{"FAULT_CALL", "new"}}));
}

TEST(injection_of_pool_memory, hands_no_stack_out_that_the_system_refuses) {
  EXPECT_TRUE(support::succeeds("takes_stacks_that_were_refused", {{"FAULT_CALL", "mprotect"}}));
}

TEST(injection_in_c, ends_the_program_in_words_where_a_thread_cannot_fork) {
  const support::outcome seen =
      support::run_program("forks_in_c", {{"NOPAL_WORKERS", "1"}, {"FAULT_CALL", "aligned_alloc"}});
  EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
  EXPECT_TRUE(seen.err.starts_with("nopal: fork: this thread cannot become a worker: ")) << seen.err;
  EXPECT_TRUE(is_clear(seen.err)) << seen.err;
}

INSTANTIATE_TEST_SUITE_P(of, injection,
                         testing::Values(fault{"mmap", ENOMEM}, fault{"mprotect", ENOMEM},
                                         fault{"madvise", EAGAIN}, fault{"mincore", EAGAIN},
                                         fault{"futex_wait", ENOSYS}, fault{"membarrier", EPERM},
                                         fault{"pthread_create", EAGAIN}, fault{"sigaltstack", ENOMEM},
                                         fault{"malloc", ENOMEM}, fault{"aligned_alloc", ENOMEM},
                                         fault{"pthread_key_create", EAGAIN}, fault{"setspecific", ENOMEM},
                                         fault{"new", ENOMEM}, fault{"pthread_sigmask", EINVAL},
                                         fault{"own_affinity", EPERM}),
                         [](const auto& of) { return std::string(of.param.call); });

/// A wake that is refused for good after it worked would leave a thread asleep for ever: the one refusal that ends a program.
TEST(injection_of_futex_wake, is_sat_out_or_ends_the_program_in_words) {
  for (const long step : {1, 2, 3, 7}) {
    EXPECT_GE(calls_in_life({"futex_wake", ENOSYS}, 1, always, step), 0) << step;
    EXPECT_GE(calls_in_life({"futex_wake", ENOSYS}, 2, always, step + 1), 0) << step;
  }
  for (const long first : {2, 3, 5, 9}) {
    const support::outcome seen = support::run_program("life", {{"NOPAL_WORKERS", "3"},
                                                                {"FAULT_CALL", "futex_wake"},
                                                                {"FAULT_ERRNO", std::to_string(EPERM)},
                                                                {"FAULT_FIRST", std::to_string(first)}});
    if (seen.exit_code == 0) continue;  // nobody slept after that call
    EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
    EXPECT_EQ(seen.err, "nopal: the system refuses to wake a sleeping worker: Operation not permitted\n");
  }
}

}  // namespace
