// pthread_exit and pthread_cancel in bodies and tasks: as in the serial program where the end leaves through calls alone, one line where
// others wait for what is left.
#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include <nopal/openmp.hpp>
#include <nopal/parallel.hpp>
#include <nopal/sort.hpp>

#include "support/strands.hpp"

void end_in_task_without_exceptions();

namespace {

int destroyed = 0;
struct counted {
  ~counted() { ++destroyed; }
};

void* ended() { return &destroyed; }

// Not known to the compiler, which would call what follows unreachable.
volatile bool ending = true;

void end() {
  const counted here;
  if (ending) pthread_exit(ended());
}

/// The whole life of a thread; what it returned.
void* run_thread(void (*body)()) {
  pthread_t thread;
  const auto start = [](void* called) -> void* {
    const counted below;
    reinterpret_cast<void (*)()>(called)();
    return nullptr;
  };
  NOPAL_CHECK(pthread_create(&thread, nullptr, start, reinterpret_cast<void*>(body)) == 0);
  void* result = nullptr;
  NOPAL_CHECK(pthread_join(thread, &result) == 0);
  return result;
}

/// A thread that ends in `body` leaves nothing behind.
void ends_in(void (*body)()) {
  destroyed = 0;
  NOPAL_CHECK(run_thread(body) == ended());
  NOPAL_CHECK(destroyed == 2);
  for (int i = 0; i < 3; ++i) {
    run_thread(support::use_runtime);
    support::use_runtime();
  }
  support::check_quiet_soon();
}

NOPAL_PROGRAM(ends_in_bodies) {
  ends_in([] {
    tbb::parallel_for(
        0, 100,
        [](int i) {
          if (i == 77) end();
        },
        tbb::simple_partitioner());
  });
  ends_in([] {
    static_cast<void>(tbb::parallel_reduce(
        tbb::blocked_range<int>(0, 100), 0,
        [](const tbb::blocked_range<int>& part, int sum) {
          if (part.begin() >= 50) end();
          return sum;
        },
        std::plus<>(), tbb::simple_partitioner()));
  });
  ends_in([] {
    nopal::parallel_for(0, 100, 1, [](int i) {
      if (i == 77) end();
    });
  });
  ends_in([] {
    const std::vector<int> all(100);
    static_cast<void>(nopal::parallel_find_if(all.begin(), all.end(), [&all](const int& one) {
      if (&one == &all[77]) end();
      return false;
    }));
  });
  ends_in([] { nopal::parallel_invoke([] {}, [] {}, end); });
  return 0;
}

NOPAL_PROGRAM(ends_with_a_group_that_was_not_waited_for) {
  static std::atomic<int> calls{0};
  ends_in([] {
    tbb::task_group group;
    for (int i = 0; i != 10; ++i) group.run([] { ++calls; });
    end();
  });
  NOPAL_CHECK(calls <= 10);
  return 0;
}

void no_core() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

int refused(void (*body)()) {
  no_core();
  run_thread(body);
  return 0;
}

NOPAL_PROGRAM(in_a_task) {
  return refused([] {
    tbb::task_group group;
    group.run(end);
    group.wait();
  });
}
NOPAL_PROGRAM(in_a_called_task) {
  return refused([] {
    tbb::task_group group;
    group.run_and_wait(end);
  });
}
NOPAL_PROGRAM(in_a_loop_in_a_task) {
  return refused([] {
    tbb::task_group group;
    group.run_and_wait([] {
      tbb::parallel_for(0, 10, [](int i) {
        if (i == 0) end();
      });
    });
  });
}
NOPAL_PROGRAM(in_a_task_elsewhere) {
  return refused([] {
    std::atomic<bool> has_begun{false};
    tbb::task_group group;
    group.run([&] {
      has_begun = true;
      end();
    });
    while (nopal::workers() > 1 && !has_begun) std::this_thread::yield();
    group.wait();
  });
}
NOPAL_PROGRAM(in_a_cancelled_task) {
  return refused([] {
    tbb::task_group group;
    group.run_and_wait([] {
      pthread_cancel(pthread_self());
      pthread_testcancel();
    });
  });
}
NOPAL_PROGRAM(in_a_task_without_exceptions) { return refused(end_in_task_without_exceptions); }
NOPAL_PROGRAM(in_an_enqueued_task) {
  return refused([] {
    tbb::task_arena arena(2);
    arena.enqueue(end);
    support::sleep_ms(10000);
  });
}
NOPAL_PROGRAM(in_a_comparison) {
  return refused([] {
    std::vector<int> all(1 << 16);
    unsigned state = 1;
    for (int& one : all) one = static_cast<int>((state = state * 1103515245U + 12345U) >> 8U);
    std::atomic<int> comparisons{0};
    nopal::parallel_stable_sort(all.begin(), all.end(), [&](int a, int b) {
      if (++comparisons == 900000) end();
      return a < b;
    });
  });
}
NOPAL_PROGRAM(in_a_root_region) {
  return refused([] { nopal::openmp::root_region(end); });
}

class thread_ends : public support::program_at_workers {};

TEST_P(thread_ends, with_a_group_that_was_not_waited_for) {
  EXPECT_TRUE(run("ends_with_a_group_that_was_not_waited_for"));
}
TEST_P(thread_ends, in_what_others_wait_for_with_one_line) {
  for (const char* const program :
       {"in_a_task", "in_a_called_task", "in_a_loop_in_a_task", "in_a_task_elsewhere", "in_a_cancelled_task",
        "in_a_task_without_exceptions", "in_an_enqueued_task", "in_a_comparison", "in_a_root_region"}) {
    const support::outcome seen = support::run_program(program, support::on_workers(GetParam()));
    EXPECT_EQ(seen.signal, SIGABRT) << program << " " << seen.description();
    EXPECT_EQ(seen.err.find("nopal: a thread "), 0U) << program << " " << seen.description();
    EXPECT_EQ(seen.err.find('\n'), seen.err.size() - 1) << program << " " << seen.description();
  }
}
// Where somebody steals, nobody can say that nothing was stolen.
TEST(thread_ends_alone, in_bodies_of_loops_and_searches_as_in_the_serial_program) {
  EXPECT_TRUE(support::succeeds("ends_in_bodies", support::on_workers(1)));
}

INSTANTIATE_TEST_SUITE_P(tbb, thread_ends, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
