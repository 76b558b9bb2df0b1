// What waits for tasks ask of the system, counted where nothing is refused: as little for many of them as for one.
#include <gtest/gtest.h>
#include <tbb/task_group.h>

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "process/faults/interposed_calls.hpp"
#include "support/strands.hpp"

namespace {

constexpr int waits = 300;

/// Each of a function that waits itself: where it runs on another stack, its wait is there.
void wait_often() {
  int calls = 0;
  for (int i = 0; i != waits; ++i) {
    tbb::task_group group;
    group.run_and_wait([&calls] {
      tbb::task_group inner;
      inner.run_and_wait([&calls] { ++calls; });
    });
  }
  NOPAL_CHECK(calls == waits);
}

/// Prints the calls that these make once the library has begun.
void count_calls_of_waits() {
  wait_often();
  const long calls = faults::calls();
  wait_often();
  std::printf("%ld\n", faults::calls() - calls);
}

ucontext_t before;

NOPAL_PROGRAM(waits_on_a_stack_of_the_programs) {
  faults::arm();
  constexpr std::size_t bytes = std::size_t{1} << 20;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  NOPAL_CHECK(memory != MAP_FAILED);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = memory;
  context.uc_stack.ss_size = bytes;
  context.uc_link = &before;
  makecontext(&context, count_calls_of_waits, 0);
  NOPAL_CHECK(swapcontext(&before, &context) == 0);
  return munmap(memory, bytes);
}

/// Calls `f` with more than half of a stack of the pool in use.
template <class F>
[[gnu::noinline]] void with_much_stack_used(const F& f) {
  volatile char used[600'000];
  used[0] = 1;
  f();
  used[1] = used[0];
}

// The thread has a stack as small as those of the pool, so the functions go to these, and back at their ends.
NOPAL_PROGRAM(waits_on_two_stacks) {
  faults::arm();
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, std::size_t{1} << 20) == 0);
  pthread_t thread;
  NOPAL_CHECK(pthread_create(
                  &thread, &attributes,
                  [](void*) -> void* {
                    with_much_stack_used(count_calls_of_waits);
                    return nullptr;
                  },
                  nullptr) == 0);
  NOPAL_CHECK(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
  return 0;
}

/// Each waits for the next, on a stack of its own.
class chain_of_waits {
public:
  explicit chain_of_waits(int count) : groups_(static_cast<std::size_t>(count)) {}

  void start() {
    for (std::size_t i = 0; i != groups_.size(); ++i) groups_[i].run([this, i] { wait_for(i + 1); });
  }

  /// In the first, and so in all.
  void wait_for(std::size_t i) {
    if (i == groups_.size()) return;
    with_much_stack_used([this, i] { groups_[i].wait(); });
    ++passed_;
  }

  [[nodiscard]] int passed() const { return passed_; }

private:
  std::vector<tbb::task_group> groups_;
  int passed_ = 0;
};

// The thread that started the tasks does something else: only the one that waits can run them.
NOPAL_PROGRAM(deep_waits_of_the_only_worker) {
  faults::arm();
  chain_of_waits chain(waits);
  support::flag started{false};
  support::flag over{false};
  std::thread other([&] {
    chain.start();
    support::set(started);
    while (!over) support::sleep_ms(1);
  });
  while (!started) std::this_thread::yield();
  const long calls = faults::calls();
  chain.wait_for(0);
  NOPAL_CHECK(chain.passed() == waits);
  std::printf("%ld\n", faults::calls() - calls);
  support::set(over);
  other.join();
  return 0;
}

/// Of the function while the program goes on; -1 where it did not end as it should.
long calls_of(const char* function, const char* program, int workers) {
  const support::outcome seen = support::run_program(program, {{"NOPAL_WORKERS", std::to_string(workers)},
                                                               {"NOPAL_STACK_SIZE", "1M"},
                                                               {"FAULT_CALL", function},
                                                               {"FAULT_LAST", "0"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  long calls = -1;
  if (seen.exit_code == 0) std::istringstream(seen.out) >> calls;
  return calls;
}

class waits_for_tasks : public testing::TestWithParam<int> {};

// To know these may take reading all that the process has mapped.
TEST_P(waits_for_tasks, ask_once_for_the_bounds_of_a_stack) {
  for (const char* const program : {"waits_on_a_stack_of_the_programs", "waits_on_two_stacks"}) {
    const long calls = calls_of("pthread_getattr_np", program, GetParam());
    EXPECT_GE(calls, 0);
    EXPECT_LT(calls, 10) << program;
  }
}

INSTANTIATE_TEST_SUITE_P(on, waits_for_tasks, testing::Values(1, 3), testing::PrintToStringParamName());

TEST(deep_waits_of_the_only_worker, do_not_sleep_before_they_run_a_task) {
  const long calls = calls_of("futex_wait", "deep_waits_of_the_only_worker", 1);
  EXPECT_GE(calls, 0);
  EXPECT_LT(calls, 50);
}

}  // namespace
