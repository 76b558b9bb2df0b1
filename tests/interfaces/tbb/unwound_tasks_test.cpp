// Tasks that a stopped scope unwinds, on threads whose own code is no part of that scope; and callbacks of tokens, which
// stay on their thread.
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>
#include <tbb/task_group.h>

#include <atomic>
#include <stdexcept>
#include <string>
#ifdef __cpp_lib_jthread
#include <stop_token>
#endif

#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using nopal::on_stop;

constexpr int rounds = 20;

/// Not for ever: nobody promises that another thread comes.
void wait_a_while_for(const support::flag& set) {
  for (int i = 0; i < 50 && !set.load(std::memory_order_acquire); ++i) support::sleep_ms(1);
}

/// A thread waits in a handler, and runs a task of a scope there that another thread has made.
NOPAL_PROGRAM(in_handlers_of_others) {
  const auto first = support::thread_id();
  int unwound = 0;
  for (int round = 0; round < rounds && nopal::workers() != 1; ++round) {
    support::flag on_first{false};
    std::string what = "nothing";
    try {
      throw std::runtime_error("of who waits");
    } catch (const std::runtime_error&) {
      try {
        support::flag begun{false};
        tbb::task_group group;
        group.run([&] {
          support::set(begun);
          if (support::thread_id() == first) return;
          cancel_scope all{on_stop::unwind};
          all.fork([&] {
            tbb::task_group inner;
            for (int i = 0; i <= nopal::workers(); ++i) {
              inner.run([&] {
                if (support::thread_id() == first) {
                  support::set(on_first);
                } else {
                  wait_a_while_for(on_first);  // and leaves one to it
                }
                all.request_stop();
                nopal::poll();
              });
            }
            wait_a_while_for(on_first);
            inner.wait();
          });
          all.join();
        });
        wait_a_while_for(begun);
        group.wait();
      } catch (const std::exception& error) {
        what = error.what();
      }
    }
    NOPAL_CHECK(what == "nothing");
    unwound += on_first ? 1 : 0;
  }
  NOPAL_CHECK(unwound != 0 || nopal::workers() == 1);
  support::check_quiet_soon();
  return 0;
}

/// The wait that throws `stopped` is in a handler of the scope: that error leaves, wherever the task ran.
NOPAL_PROGRAM(of_a_handler) {
  for (int round = 0; round < rounds; ++round) {
    std::string what = "nothing";
    try {
      cancel_scope all{on_stop::unwind};
      all.fork([&all] {
        try {
          throw std::runtime_error("the error");
        } catch (const std::runtime_error&) {
          support::flag begun{false};
          tbb::task_group group;
          group.run([&] {
            support::set(begun);
            all.request_stop();
            nopal::poll();
          });
          if (nopal::workers() != 1) wait_a_while_for(begun);
          group.wait();
        }
      });
      all.join();
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    NOPAL_CHECK(what == "the error");
  }
  support::check_quiet_soon();
  return 0;
}

#ifdef __cpp_lib_jthread
struct callback_that_forks {
  pid_t* begun;
  pid_t* ended;
  void operator()() const noexcept {
    nopal::shield([this] {
      *begun = support::thread_id();
      support::flag goes_on{false};
      nopal::scope s;
      s.fork([&goes_on] { wait_a_while_for(goes_on); });
      support::set(goes_on);
      support::sleep_ms(2);  // the child ends first, and the strand would go on here
      s.join();
      *ended = support::thread_id();
    });
  }
};

/// In a strand that no thread of the program has begun.
void stop_with_callback() {
  pid_t begun = 0;
  pid_t ended = 1;
  {
    cancel_scope all;
    const std::stop_callback calls(all.token(), callback_that_forks{&begun, &ended});
    all.request_stop();
  }
  NOPAL_CHECK(begun == ended);
}

NOPAL_PROGRAM(callbacks) {
  for (int round = 0; round < rounds; ++round) {
    nopal::scope s;
    s.fork([] { support::sleep_ms(1); });
    s.fork([] { stop_with_callback(); });
    s.join();
  }
  support::check_quiet_soon();
  return 0;
}
#else
NOPAL_PROGRAM(callbacks) { return 0; }
#endif

class unwound_tasks : public support::program_at_workers {};

TEST_P(unwound_tasks, in_handlers_of_others) { EXPECT_TRUE(run("in_handlers_of_others")); }
TEST_P(unwound_tasks, of_a_handler) { EXPECT_TRUE(run("of_a_handler")); }
TEST_P(unwound_tasks, and_callbacks_stay) { EXPECT_TRUE(run("callbacks")); }

INSTANTIATE_TEST_SUITE_P(tbb, unwound_tasks, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
