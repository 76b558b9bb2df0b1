// Pools that start again: their workers are those of before, on other threads.
#include <gtest/gtest.h>

#include <nopal/detail/pinned.h>

#include <nopal/observer.hpp>
#include <nopal/runtime.hpp>
#include <nopal/waiting.hpp>

#include <pthread.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>

#include "scheduler/worker.hpp"
#include "support/strands.hpp"

namespace {

using nopal::internal::this_worker;

/// In a continuation on a thread of the pool: the scheduler of a call that stays there must use that thread's stack.
void expect_own_scheduler_stack() {
  support::flag stolen{false};
  nopal::scope s;
  s.fork([&stolen] { support::wait_for_continuation(stolen); });
  nopal::internal::worker* const outer = this_worker();
  NOPAL_CHECK(outer->of_pool);
  nopal_pinned call;
  NOPAL_CHECK(nopal_begin_pinned(&call) == 0);
  NOPAL_CHECK(this_worker() != outer);
  NOPAL_CHECK(this_worker()->scheduler_stack_pointer == outer->scheduler_stack_pointer);
  nopal_end_pinned(&call);
  stolen = true;
  s.join();
}

NOPAL_PROGRAM(starts_again_with_other_stacks) {
  // Threads with larger stacks are not given those of earlier threads.
  for (std::size_t size = std::size_t{64} << 10; size <= std::size_t{4} << 20; size *= 4) {
    nopal::configuration with;
    with.workers = 2;
    with.stack_size = size;
    nopal::configure(with);
    expect_own_scheduler_stack();
    nopal::shutdown();
  }
  return 0;
}

NOPAL_PROGRAM(starts_again_with_a_bad_variable) {
  std::atexit([] {
    if (support::fib(12) != 144) _exit(1);
  });
  NOPAL_CHECK(support::fib(15) == 610);
  nopal::shutdown();
  setenv("NOPAL_RECLAIM", "sometimes", 1);
  return support::fib(15) == 610
             ? 3
             : 4;  // the variable is read in the slow push of a thread that was a worker before
}

constexpr std::size_t bytes_of_thread = std::size_t{4} << 20;
constexpr std::size_t bytes_of_small_thread = std::size_t{1} << 20;

/// How far below a function that leaves little room on its stack of `bytes` a task of its group runs; negative: above.
std::ptrdiff_t wait_with_little_room(std::size_t bytes) {
  volatile char used[600'000];
  used[0] = 1;
  __asm__ volatile("" : : "r"(used) : "memory");  // all of it is there, whatever is used
  std::ptrdiff_t below = 0;
  tbb::task_group group;
  group.run_and_wait([&used, &below] {
    // No variable of its own: sanitizers put those elsewhere.
    below = &used[0] - static_cast<volatile char*>(__builtin_frame_address(0));
  });
  NOPAL_CHECK(sizeof used < bytes);
  return below;
}

/// The thread has no room left, so its tasks run on stacks of the pool.
void* wait_in_two_lives(void*) {
  volatile char used[bytes_of_thread / 16 * 13];
  used[0] = 1;
  __asm__ volatile("" : : "r"(used) : "memory");  // all of it is there, whatever is used
  for (const std::size_t bytes : {std::size_t{8} << 20, std::size_t{1} << 20}) {
    nopal::configuration with;
    with.workers = 1;
    with.stack_size = bytes;
    nopal::configure(with);
    std::ptrdiff_t below = 0;
    tbb::task_group group;
    group.run_and_wait([&below, bytes] { below = wait_with_little_room(bytes); });
    const bool stays = below > 0 && below < 200'000;
    NOPAL_CHECK(stays == (bytes > bytes_of_thread));
    nopal::shutdown();
  }
  NOPAL_CHECK(used[0] == 1);
  return nullptr;
}

// As a rule the system puts the stacks of the second life where those of the first were.
NOPAL_PROGRAM(starts_again_with_smaller_stacks) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, bytes_of_thread) == 0);
  pthread_t thread;
  NOPAL_CHECK(pthread_create(&thread, &attributes, wait_in_two_lives, nullptr) == 0);
  return pthread_join(thread, nullptr);
}

/// Calls `act` on a thread of the pool that has no strand.
class at_exit_from_work : public nopal::observer {
public:
  explicit at_exit_from_work(void (*act)()) : act_(act) { observe(); }
  ~at_exit_from_work() override { observe(false); }

  void on_exit(bool is_worker) override {
    if (is_worker) {
      act_();
      ++called_;
    }
  }
  [[nodiscard]] bool is_called() const { return called_ != 0; }

private:
  void (*const act_)();
  std::atomic<int> called_{0};
};

void work_until_called(const at_exit_from_work& one) {
  while (!one.is_called()) {
    {
      support::flag stolen{false};
      nopal::scope s;
      s.fork([&stolen] { support::wait_for_continuation(stolen); });
      stolen = true;
      s.join();
    }
    support::sleep_ms(1);  // for the thread of the pool to go to sleep
  }
}

NOPAL_PROGRAM(a_thread_of_the_pool_without_a_strand_stops_the_runtime) {
  const at_exit_from_work one([] { NOPAL_CHECK(support::shutdown_is_refused()); });
  work_until_called(one);
  return 0;
}

NOPAL_PROGRAM(a_thread_of_the_pool_without_a_strand_exits) {
  const at_exit_from_work one([] { std::exit(7); });
  work_until_called(one);
  return 0;
}

// It would wait for itself.
TEST(second_lives, follow_no_stop_by_a_thread_of_the_pool) {
  EXPECT_TRUE(
      support::succeeds("a_thread_of_the_pool_without_a_strand_stops_the_runtime", support::on_workers(2)));
  const support::outcome ended =
      support::run_program("a_thread_of_the_pool_without_a_strand_exits", support::on_workers(2));
  EXPECT_EQ(ended.exit_code, 7) << ended.description();
}

/// Waits for tasks that block, on a stack that has no room for them: they run on stacks of the pool.
void* wait_without_room(void* is_over) {
  volatile char used[bytes_of_small_thread / 16 * 11];
  for (std::size_t i = 0; i < sizeof used; i += 4096) used[i] = 1;
  // On a busy machine each life of the runtime takes long.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (int i = 0; i < 200 && std::chrono::steady_clock::now() < end; ++i) {
    tbb::task_group group;
    group.run([] {
      support::flag went_on{false};
      nopal::scope s;
      s.fork([&went_on] { nopal::blocking([&went_on] { went_on.wait(false); }); });
      went_on = true;
      went_on.notify_one();
      s.join();
    });
    group.wait();
  }
  NOPAL_CHECK(used[0] == 1);
  support::set(*static_cast<support::flag*>(is_over));
  return nullptr;
}

NOPAL_PROGRAM(waits_without_room_beside_shutdowns) {
  support::flag is_over{false};
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, bytes_of_small_thread) == 0);
  pthread_t thread;
  NOPAL_CHECK(pthread_create(&thread, &attributes, wait_without_room, &is_over) == 0);
  while (!is_over.load(std::memory_order_acquire)) {
    static_cast<void>(support::shutdown_is_refused());
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return pthread_join(thread, nullptr);
}

TEST(second_lives, begin_for_strands_that_block_on_stacks_of_the_pool) {
  EXPECT_TRUE(support::succeeds("waits_without_room_beside_shutdowns", support::on_workers(2)));
}

TEST(second_lives, have_waits_see_how_much_room_there_is) {
  EXPECT_TRUE(support::succeeds("starts_again_with_smaller_stacks"));
}

TEST(second_lives, end_the_program_at_a_bad_variable) {
  const support::outcome ended =
      support::run_program("starts_again_with_a_bad_variable", {{"NOPAL_WORKERS", "2"}});
  EXPECT_EQ(ended.exit_code, 2) << ended.description();
}

TEST(second_lives, run_calls_that_stay_on_the_new_threads_stacks) {
  EXPECT_TRUE(support::succeeds("starts_again_with_other_stacks"));
}

}  // namespace
