// Groups of tasks, arenas and reducers in tasks where a function of the C library fails, once or from some call on, at every point in
// the life of a small program: a wait has what all tasks did, or something tells that they could not run.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include <nopal/reducer.hpp>

#include "process/faults/interposed_calls.hpp"
#include "support/strands.hpp"

namespace {

using support::environment;

std::atomic<int> refusals{0};

/// Runs `body`; a refusal in words counts and is passed by.
template <class Body>
bool worked(const Body& body) {
  try {
    body();
    return true;
  } catch (const nopal::error&) {
  } catch (const std::bad_alloc&) {
  }
  ++refusals;
  return false;
}

/// Not the function that has the group, so that a task is pushed and none forked.
template <class F>
[[gnu::noinline]] void start(tbb::task_group& group, const F& f) {
  group.run(f);
}

/// Tasks that wait for tasks, each with a small loop.
void tree(int depth, std::atomic<int>& calls) {
  tbb::parallel_for(0, 3, [&calls](int i) { calls += i == 0 ? 1 : 0; }, tbb::simple_partitioner());
  if (depth == 0) return;
  tbb::task_group group;
  for (int i = 0; i != 2; ++i) start(group, [depth, &calls] { tree(depth - 1, calls); });
  group.wait();
}

void run_tree() {
  constexpr int depth = 3;
  std::atomic<int> calls{0};
  const bool all = worked([&calls] { tree(depth, calls); });
  NOPAL_CHECK(all ? calls == (2 << depth) - 1 : calls < 2 << depth);
}

void run_in_arena() {
  std::atomic<int> calls{0};
  const bool all = worked([&calls] {
    tbb::task_arena arena(2);
    tbb::task_group group;
    for (int i = 0; i != 4; ++i) arena.execute([&] { start(group, [&calls] { ++calls; }); });
    arena.execute([&group] { group.wait(); });
  });
  NOPAL_CHECK(all ? calls == 4 : calls <= 4);
}

void sum_in_tasks() {
  std::atomic<int> updates{0};
  long total = 0;
  const bool all = worked([&] {
    nopal::reducer<nopal::op_add<long>> sum;
    tbb::task_group group;
    for (int i = 0; i != 8; ++i) {
      start(group, [&] {
        *sum += 1;
        ++updates;
      });
    }
    group.wait();
    total = sum.value();
  });
  NOPAL_CHECK(all ? updates == 8 && total == 8 : updates <= 8);
}

void use() {
  run_tree();
  run_in_arena();
  sum_in_tasks();
}

/// Two lives of the runtime, with a thread of the program's own beside it, which is its first worker or not.
NOPAL_PROGRAM(life_of_tasks) {
  support::flag armed{false};
  std::thread other([&armed] {
    while (!armed) std::this_thread::yield();
    use();
  });
  faults::arm();
  support::set(armed);
  use();
  support::sleep_ms(10);
  use();
  other.join();
  nopal::shutdown();
  use();
  nopal::shutdown();
  std::printf("%ld %d\n", faults::calls(), refusals.load());
  return 0;
}

struct fault {
  const char* call;
  int reason;
};

struct counts {
  long calls = -1;
  int refusals = -1;
};

/// -1 where the program did not end as it should.
counts counts_in_life(const fault& with, long first, long last) {
  const environment settings = {{"NOPAL_STACK_SIZE", "64K"},
                                {"NOPAL_WORKERS", "3"},
                                {"MALLOC_PERTURB_", "165"},  // freed memory makes no sense
                                {"FAULT_CALL", with.call},
                                {"FAULT_ERRNO", std::to_string(with.reason)},
                                {"FAULT_FIRST", std::to_string(first)},
                                {"FAULT_LAST", std::to_string(last)}};
  const support::outcome seen = support::run_program("life_of_tasks", settings);
  // Of a child that is stolen, a few words have to be kept: where there is no memory for them, nobody can be told but the user.
  if (seen.signal == SIGABRT && seen.err.starts_with("nopal: no memory to keep the views of a child\n"))
    return {0, 0};
  EXPECT_EQ(seen.exit_code, 0) << with.call << " from " << first << " to " << last << ": "
                               << seen.description();
  EXPECT_TRUE(seen.err.empty() || seen.err.starts_with("nopal: ")) << seen.description();
  counts result;
  if (seen.exit_code == 0) std::istringstream(seen.out) >> result.calls >> result.refusals;
  return result;
}

constexpr long always = 1000000000;

class tasks_without : public testing::TestWithParam<fault> {};

/// The n-th call alone, then that and all later ones: each of the first, which start the runtime, then at equal distances.
TEST_P(tasks_without, it_run_or_are_refused_in_words_at_every_point) {
  constexpr long each_of = 10;
  constexpr long further_points = 6;
  const long all = counts_in_life(GetParam(), always, always).calls;
  ASSERT_GE(all, 0);  // on a busy machine nobody may have slept
  const long distance = all > each_of ? (all - each_of + further_points - 1) / further_points : 1;
  for (long n = 1; n <= all || n == 1; n += n < each_of ? 1 : distance) {
    if (counts_in_life(GetParam(), n, n).calls < 0 || counts_in_life(GetParam(), n, always).calls < 0) return;
  }
}

/// Three parts on two threads, and three more parts twice.
TEST(tasks_where_no_thread_can_become_a_worker, are_refused_each_time) {
  for (const fault& refused : {fault{"mmap", ENOMEM}, fault{"aligned_alloc", ENOMEM},
                               fault{"pthread_key_create", EAGAIN}, fault{"setspecific", ENOMEM}}) {
    EXPECT_EQ(counts_in_life(refused, 1, always).refusals, 12) << refused.call;
  }
}

INSTANTIATE_TEST_SUITE_P(of, tasks_without,
                         testing::Values(fault{"mmap", ENOMEM}, fault{"mprotect", ENOMEM},
                                         fault{"futex_wait", ENOSYS}, fault{"pthread_create", EAGAIN},
                                         fault{"malloc", ENOMEM}, fault{"calloc", ENOMEM},
                                         fault{"aligned_alloc", ENOMEM}, fault{"pthread_key_create", EAGAIN},
                                         fault{"setspecific", ENOMEM}, fault{"new", ENOMEM}),
                         [](const auto& of) { return std::string(of.param.call); });

}  // namespace
