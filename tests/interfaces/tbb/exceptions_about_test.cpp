// Functions that a wait runs on another stack, as its own has little room: what is handled and in flight where they are waited for is so
// in them too.
#include <gtest/gtest.h>
#include <tbb/task_group.h>

#include <pthread.h>

#include <exception>
#include <thread>

#include "support/foreign_exception.hpp"
#include "support/handled.hpp"
#include "support/strands.hpp"

namespace {

using support::handled;

/// Calls `f` with more than half of a stack of the pool in use.
template <class F>
[[gnu::noinline]] void with_much_stack_used(const F& f) {
  char used[600'000];
  asm volatile("" : : "r"(used) : "memory");  // all of it is there
  f();
  asm volatile("" : : "r"(used) : "memory");
}

/// On a thread with a stack as small as those of the pool.
void on_a_small_stack(void (*body)()) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, std::size_t{1} << 20) == 0);
  pthread_t thread;
  const auto call = [](void* argument) -> void* {
    reinterpret_cast<void (*)()>(argument)();
    return nullptr;
  };
  NOPAL_CHECK(pthread_create(&thread, &attributes, call, reinterpret_cast<void*>(body)) == 0);
  NOPAL_CHECK(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

/// On another stack.
template <class F>
void run_elsewhere(const F& f) {
  with_much_stack_used([&f] {
    const char* const here = static_cast<const char*>(__builtin_frame_address(0));
    tbb::task_group group;
    group.run_and_wait([&f, here] {
      const auto distance = here - static_cast<const char*>(__builtin_frame_address(0));
      NOPAL_CHECK(distance < 0 || distance > 600'000);
      f();
    });
  });
}

/// A task that nobody else is there for.
template <class F>
void run_and_await_elsewhere(const F& f) {
  with_much_stack_used([&f] {
    tbb::task_group group;
    group.run(f);
    group.wait();
  });
}

/// What is about as this number is handled, and that number in what it is inside of.
void throw_on(int number) {
  NOPAL_CHECK(handled() == number && std::uncaught_exceptions() == 0);
  int caught = 0;
  try {
    throw;
  } catch (const int thrown) {
    caught = thrown;
  }
  NOPAL_CHECK(caught == number && handled() == number && std::uncaught_exceptions() == 0);
}

/// Each handler inside of the last one, on a stack of its own.
void handle(int level, int levels) {
  try {
    throw level;
  } catch (const int) {
    run_elsewhere([level, levels] {
      throw_on(level);
      if (level != levels) handle(level + 1, levels);
      throw_on(level);
    });
    throw_on(level);
    if (nopal::workers() == 1) run_and_await_elsewhere([level] { throw_on(level); });
    // Leaving the function, it leaves the wait.
    int caught = 0;
    try {
      run_elsewhere([] { throw; });
    } catch (const int thrown) {
      caught = thrown;
    }
    NOPAL_CHECK(caught == level);
    throw_on(level);
  }
  NOPAL_CHECK(handled() == level - 1 && std::uncaught_exceptions() == 0);
}

NOPAL_PROGRAM(handlers_wait) {
  on_a_small_stack([] { handle(1, 5); });
  support::check_quiet_soon();
  return 0;
}

void unwind(int level, int levels);

class waits_in_destructor {
public:
  waits_in_destructor(int in_flight, int levels) : in_flight_(in_flight), levels_(levels) {}
  waits_in_destructor(const waits_in_destructor&) = delete;
  waits_in_destructor& operator=(const waits_in_destructor&) = delete;
  ~waits_in_destructor() {
    check();
    run_elsewhere([this] {
      check();
      if (in_flight_ != levels_) unwind(in_flight_ + 1, levels_);
      check();
    });
    check();
    if (nopal::workers() == 1) run_and_await_elsewhere([this] { check(); });
  }

private:
  void check() const {
    NOPAL_CHECK(std::uncaught_exceptions() == in_flight_);
    NOPAL_CHECK(std::current_exception() == nullptr);
  }

  int in_flight_;
  int levels_;
};

void unwind(int level, int levels) {
  try {
    const waits_in_destructor last(level, levels);
    throw level;
  } catch (const int thrown) {
    NOPAL_CHECK(thrown == level && handled() == level && std::uncaught_exceptions() == level - 1);
  }
}

NOPAL_PROGRAM(destructors_wait) {
  on_a_small_stack([] { unwind(1, 5); });
  support::check_quiet_soon();
  return 0;
}

/// The function's strands are the handler's too, on any thread.
void fork_in_handler() {
  try {
    throw 7;
  } catch (const int) {
    run_elsewhere([] {
      support::flag went_on{false};
      nopal::scope s;
      s.fork([&] {
        NOPAL_CHECK(handled() == 7);
        support::fork_until_continued(went_on);
        NOPAL_CHECK(handled() == 7);
      });
      NOPAL_CHECK(handled() == 7);
      support::set(went_on);
      s.join();
      NOPAL_CHECK(handled() == 7);
    });
    NOPAL_CHECK(handled() == 7);
  }
  NOPAL_CHECK(handled() == 0);
}

NOPAL_PROGRAM(functions_fork) {
  on_a_small_stack([] {
    for (int round = 0; round != 20; ++round) fork_in_handler();
  });
  support::check_quiet_soon();
  return 0;
}

volatile bool raising = true;  // not known to the compiler

// Such an exception leaves its handler by `throw;`, and ends with the handler that catches it then.
void end_foreign_of_handler() {
  try {
    if (raising) support::raise_foreign(5);
  } catch (...) {
    run_elsewhere([] {
      try {
        throw;
      } catch (...) {
        NOPAL_CHECK(support::foreign_living == 1);
      }
      NOPAL_CHECK(support::foreign_living == 0);
    });
  }
  NOPAL_CHECK(support::foreign_living == 0 && support::last_foreign_ended() == 5);
}

NOPAL_PROGRAM(function_ends_exception) {
  on_a_small_stack(end_foreign_of_handler);
  return 0;
}

class exceptions_about : public support::program_at_workers {};

TEST_P(exceptions_about, are_handled_in_functions_on_other_stacks) { EXPECT_TRUE(run("handlers_wait")); }
TEST_P(exceptions_about, are_in_flight_in_functions_on_other_stacks) { EXPECT_TRUE(run("destructors_wait")); }
TEST_P(exceptions_about, are_handled_in_strands_of_such_functions) { EXPECT_TRUE(run("functions_fork")); }
TEST_P(exceptions_about, end_in_such_functions) { EXPECT_TRUE(run("function_ends_exception")); }

INSTANTIATE_TEST_SUITE_P(tbb, exceptions_about, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
