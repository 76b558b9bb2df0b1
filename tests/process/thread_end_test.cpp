// Threads that pthread_exit and pthread_cancel end inside a scope: as in the serial program where nothing was stolen, else the
// process ends with one line.
#include <gtest/gtest.h>

#include <pthread.h>
#include <semaphore.h>

#include <cstring>

#include <nopal/detail/pinned.h>
#include <nopal/parallel.hpp>

#include "os/os.hpp"
#include "support/strands.hpp"

extern "C" void end_thread_in_c(void (*first)(), void (*meanwhile)());
extern "C" void end_thread_in_c_without_tables(void (*first)(), void (*meanwhile)());

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

/// The whole life of a thread; what it returned.
void* run_thread(void (*body)()) {
  pthread_t thread;
  const auto start = [](void* called) -> void* {
    reinterpret_cast<void (*)()>(called)();
    return nullptr;
  };
  NOPAL_CHECK(pthread_create(&thread, nullptr, start, reinterpret_cast<void*>(body)) == 0);
  void* result = nullptr;
  NOPAL_CHECK(pthread_join(thread, &result) == 0);
  return result;
}

int destroyed = 0;
struct counted {
  ~counted() { ++destroyed; }
};

template <class End>
void end_at_depth(int depth, End end) {
  const counted before;
  scope s;
  const counted behind;
  s.fork([copy = counted(), depth, end] {
    if (depth == 0) {
      end();
    } else {
      end_at_depth(depth - 1, end);
    }
  });
  s.join();
}

void* ended() { return &destroyed; }

void cancel_oneself() {
  NOPAL_CHECK(pthread_cancel(pthread_self()) == 0);
  pthread_testcancel();
}

/// The runtime and the worker of the thread that ended serve others as before.
void check_unharmed() {
  for (int i = 0; i < 3; ++i) {
    run_thread(support::use_runtime);
    support::use_runtime();
    nopal::shutdown();
  }
  support::check_quiet();
}

NOPAL_PROGRAM(exit_in_an_unstolen_child) {
  NOPAL_CHECK(run_thread([] { end_at_depth(5, [] { pthread_exit(ended()); }); }) == ended());
  // Two in each frame, and the copy that each child owns; another two of each are temporary.
  NOPAL_CHECK(destroyed >= 18);
  check_unharmed();
  return 0;
}

NOPAL_PROGRAM(cancelled_in_an_unstolen_child) {
  NOPAL_CHECK(run_thread([] { end_at_depth(5, cancel_oneself); }) == PTHREAD_CANCELED);
  NOPAL_CHECK(destroyed >= 18);
  check_unharmed();
  return 0;
}

/// Calls that stay on their thread have a worker of their own, which is left as well.
NOPAL_PROGRAM(exit_in_a_pinned_call) {
  const auto body = [] {
    end_at_depth(2,
                 [] { nopal::detail::call_pinned([] { end_at_depth(2, [] { pthread_exit(ended()); }); }); });
  };
  NOPAL_CHECK(run_thread(body) == ended());
  NOPAL_CHECK(destroyed >= 18);
  check_unharmed();
  return 0;
}

NOPAL_PROGRAM(cancelled_at_any_instruction_of_a_child) {
  NOPAL_CHECK(run_thread([] {
                end_at_depth(2, [] {
                  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
                  pthread_cancel(pthread_self());
                  for (;;) support::burn(1);
                });
              }) == PTHREAD_CANCELED);
  check_unharmed();
  return 0;
}

/// A request that comes in time for the start: what that reads is not left half-read.
NOPAL_PROGRAM(cancelled_before_the_first_fork) {
  const auto fork_and_end = [] {
    NOPAL_CHECK(pthread_cancel(pthread_self()) == 0);
    support::use_runtime();
    pthread_testcancel();
  };
  NOPAL_CHECK(run_thread(fork_and_end) == PTHREAD_CANCELED);
  check_unharmed();
  return 0;
}

flag child_is_over{false};

/// Comes home by the inner scope's join, with a stolen child of the outer one outstanding.
void exit_with_a_child_outstanding() {
  static flag stolen_once{false};
  static flag stolen_twice{false};
  static flag ends{false};
  const counted before;
  scope outer;
  {
    scope inner;
    inner.fork([] { wait_for_continuation(stolen_once); });
    set(stolen_once);
    outer.fork([] {
      wait_for_continuation(stolen_twice);
      wait_for_continuation(ends);
      support::sleep_ms(10);
      set(child_is_over);
    });
    set(stolen_twice);
    inner.join();
  }
  set(ends);
  pthread_exit(ended());
}

NOPAL_PROGRAM(exit_at_home_with_a_stolen_child) {
  NOPAL_CHECK(run_thread(exit_with_a_child_outstanding) == ended());
  NOPAL_CHECK(child_is_over && destroyed == 1);
  check_unharmed();
  return 0;
}

/// What runs at the end of such a thread may fork, and wait for what was stolen.
struct forks_at_end {
  ~forks_at_end() {
    for (int i = 0; i < 20; ++i) support::use_runtime();
    ++destroyed;
  }
};
thread_local forks_at_end at_end;

NOPAL_PROGRAM(fork_in_last_destructors) {
  const auto body = [] {
    static_cast<void>(&at_end);
    support::use_runtime();
    pthread_exit(ended());
  };
  for (int i = 0; i < 5; ++i) NOPAL_CHECK(run_thread(body) == ended());
  NOPAL_CHECK(destroyed == 5);
  check_unharmed();
  return 0;
}

NOPAL_PROGRAM(knows_that_its_thread_ends) {
  struct told {
    ~told() { destroyed += nopal::internal::os::thread_is_ending() ? 1 : 0; }
  };
  const auto body = [] {
    const told at_its_end;
    NOPAL_CHECK(!nopal::internal::os::thread_is_ending());
    pthread_exit(nullptr);
  };
  run_thread(body);
  NOPAL_CHECK(destroyed == 1);
  return 0;
}

template <class Body>
void on_a_pool_thread(Body body) {
  flag went_on{false};
  scope s;
  s.fork([&went_on] { wait_for_continuation(went_on); });
  body();
  set(went_on);
  s.join();
}

NOPAL_PROGRAM(exit_on_the_pool) {
  support::no_core();
  on_a_pool_thread([] { pthread_exit(nullptr); });
  return 0;
}

NOPAL_PROGRAM(exit_on_the_pool_in_an_unstolen_child) {
  support::no_core();
  on_a_pool_thread([] { end_at_depth(3, [] { pthread_exit(nullptr); }); });
  return 0;
}

NOPAL_PROGRAM(exit_on_the_pool_in_a_pinned_call) {
  support::no_core();
  on_a_pool_thread(
      [] { nopal::detail::call_pinned([] { end_at_depth(3, [] { pthread_exit(nullptr); }); }); });
  return 0;
}

/// As many strands as workers, each on a thread of its own, end these at the same time.
NOPAL_PROGRAM(exit_on_all_threads_at_once) {
  support::no_core();
  std::atomic<int> arrived = 0;
  nopal::parallel_for(0, nopal::workers(), 1, [&arrived](int) {
    for (++arrived; arrived < nopal::workers();) std::this_thread::yield();
    end_at_depth(1, [] { pthread_exit(nullptr); });
  });
  return 0;
}

/// The child's own handler, or an exception that a function with a scope handles while it forks.
NOPAL_PROGRAM(exit_in_a_handler_of_the_child) {
  const auto body = [] {
    end_at_depth(3, [] {
      try {
        throw 1;
      } catch (int) {
        end_at_depth(0, [] {});
        pthread_exit(ended());
      }
    });
  };
  NOPAL_CHECK(run_thread(body) == ended());
  NOPAL_CHECK(destroyed >= 12);
  check_unharmed();
  return 0;
}

NOPAL_PROGRAM(exit_in_a_child_forked_in_a_handler) {
  support::no_core();
  run_thread([] {
    try {
      throw 1;
    } catch (int) {
      end_at_depth(0, [] { pthread_exit(nullptr); });
    }
  });
  return 0;
}

NOPAL_PROGRAM(exit_in_a_stolen_child) {
  support::no_core();
  run_thread([] {
    flag went_on{false};
    scope s;
    s.fork([&went_on] {
      wait_for_continuation(went_on);
      pthread_exit(nullptr);
    });
    set(went_on);
    s.join();
  });
  return 0;
}

flag continues_in_c{false};

void wait_in_c() { wait_for_continuation(continues_in_c); }

/// If somebody steals, the continuation is elsewhere and stays there: its function's frame lies on a stack that is over.
void stay_in_c() {
  set(continues_in_c);
  for (;;) support::sleep_ms(1000);
}

NOPAL_PROGRAM(exit_in_a_child_in_c) {
  support::no_core();
  run_thread([] { end_thread_in_c(wait_in_c, stay_in_c); });
  return 0;
}

NOPAL_PROGRAM(exit_in_a_child_in_c_without_tables) {
  support::no_core();
  run_thread([] { end_thread_in_c_without_tables(wait_in_c, stay_in_c); });
  return 0;
}

class thread_end : public support::program_at_workers {};

TEST_P(thread_end, is_known) { EXPECT_TRUE(run("knows_that_its_thread_ends")); }
TEST_P(thread_end, leaves_the_start_complete) { EXPECT_TRUE(run("cancelled_before_the_first_fork")); }
TEST_P(thread_end, lets_its_last_destructors_fork) { EXPECT_TRUE(run("fork_in_last_destructors")); }
INSTANTIATE_TEST_SUITE_P(at_workers, thread_end, testing::Values(1, 2, 7), testing::PrintToStringParamName());

// Without a number of workers the start reads files, where a thread may be cancelled.
TEST(thread_end_by_default, leaves_the_start_complete) {
  EXPECT_TRUE(support::succeeds("cancelled_before_the_first_fork"));
}

// Where somebody steals, nobody can say that nothing was stolen.
TEST(ended_thread, passes_unstolen_forks_by_exit) {
  EXPECT_TRUE(support::succeeds("exit_in_an_unstolen_child", support::on_workers(1)));
}
TEST(ended_thread, passes_calls_that_stay_on_their_thread) {
  EXPECT_TRUE(support::succeeds("exit_in_a_pinned_call", support::on_workers(1)));
}
TEST(ended_thread, passes_unstolen_forks_by_cancellation) {
  EXPECT_TRUE(support::succeeds("cancelled_in_an_unstolen_child", support::on_workers(1)));
}
TEST(ended_thread, passes_unstolen_forks_by_asynchronous_cancellation) {
  EXPECT_TRUE(support::succeeds("cancelled_at_any_instruction_of_a_child", support::on_workers(1)));
}
TEST(ended_thread, waits_at_home_for_stolen_children) {
  EXPECT_TRUE(support::succeeds("exit_at_home_with_a_stolen_child", support::on_workers(3)));
}

void expect_one_line(const char* program, int workers, const char* beginning) {
  const support::outcome seen = support::run_program(program, support::on_workers(workers));
  EXPECT_EQ(seen.signal, SIGABRT) << program << " " << seen.description();
  EXPECT_EQ(seen.err.find(beginning), 0U) << program << " " << seen.description();
  EXPECT_EQ(seen.err.find('\n'), seen.err.size() - 1) << program << " " << seen.description();
}

TEST(ended_thread, elsewhere_is_one_line_and_the_end_of_the_process) {
  for (const char* const program : {"exit_on_the_pool", "exit_on_the_pool_in_an_unstolen_child",
                                    "exit_on_the_pool_in_a_pinned_call", "exit_in_a_stolen_child"}) {
    for (const int workers : {2, 7}) expect_one_line(program, workers, "nopal: a thread was ended (");
  }
}
/// Another thread's line of the same kind would not say more.
TEST(ended_thread, says_so_once_if_several_end) {
  for (int i = 0; i < 10; ++i)
    expect_one_line("exit_on_all_threads_at_once", 7, "nopal: a thread was ended (");
}
TEST(ended_thread, leaves_a_handler_of_its_child) {
  EXPECT_TRUE(support::succeeds("exit_in_a_handler_of_the_child", support::on_workers(1)));
}
/// By the C++ library, which keeps no forced unwinding beside an exception that is handled.
TEST(ended_thread, terminates_in_a_child_forked_in_a_handler) {
  for (const int workers : {1, 7}) {
    const support::outcome seen =
        support::run_program("exit_in_a_child_forked_in_a_handler", support::on_workers(workers));
    EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
    EXPECT_EQ(seen.err.find("terminat"), 0U) << seen.description();
  }
}
TEST(ended_thread, in_a_child_in_c_is_one_line_and_the_end_of_the_process) {
  for (const int workers : {1, 2, 7}) {
    expect_one_line("exit_in_a_child_in_c", workers, "nopal: a thread ends in a child of code ");
    // The unwinder finds no way, so the thread is over at once, and only its end can tell.
    expect_one_line("exit_in_a_child_in_c_without_tables", workers, "nopal: a thread ended inside a scope (");
  }
}

}  // namespace
