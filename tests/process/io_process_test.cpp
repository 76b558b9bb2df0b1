// Strands that wait for descriptors and time, as a process splits and as it ends.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <nopal/io.hpp>
#include <nopal/runtime.hpp>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "process/on_the_pool.hpp"
#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::scope;
using support::exited_with_0;
using support::split;

struct pipe_ends {
  std::array<int, 2> made{};
  pipe_ends() { NOPAL_CHECK(::pipe2(made.data(), O_CLOEXEC) == 0); }
  [[nodiscard]] int reads() const { return made[0]; }
  [[nodiscard]] int writes() const { return made[1]; }
};

/// Strands that wait for one another's bytes, and for time.
void use_io() {
  const pipe_ends pipe;
  scope s;
  s.fork([&] {
    char byte = 0;
    NOPAL_CHECK(nopal::read(pipe.reads(), &byte, 1) == 1);
  });
  nopal::sleep_for(1ms);
  NOPAL_CHECK(nopal::write(pipe.writes(), "x", 1) == 1);
  s.join();
  ::close(pipe.reads());
  ::close(pipe.writes());
}

NOPAL_PROGRAM(splits) {
  use_io();
  for (int i = 0; i < 10; ++i) {
    const pid_t child = split();
    if (child == 0) {
      use_io();
      const pid_t grandchild = split();
      if (grandchild == 0) {
        use_io();
        std::exit(0);
      }
      exited_with_0(grandchild);
      std::exit(0);
    }
    use_io();
    exited_with_0(child);
  }
  return 0;
}

/// What the child does with a descriptor takes nothing from those who wait for it in the parent.
NOPAL_PROGRAM(splits_while_others_wait) {
  const pipe_ends pipe;
  std::atomic<int> woken{0};
  std::thread one([&] {
    nopal::wait_readable(pipe.reads());
    ++woken;
  });
  std::thread sleeper([] { nopal::sleep_for(50ms); });
  nopal::sleep_for(5ms);
  for (int i = 0; i < 5; ++i) {
    const pid_t child = split();
    if (child == 0) {
      NOPAL_CHECK(!nopal::wait_readable(pipe.reads(), 1ms));
      use_io();
      NOPAL_CHECK(nopal::close(pipe.reads()) == 0);
      // The threads that `one` and `sleeper` name are the parent's.
      _exit(0);
    }
    exited_with_0(child);
  }
  NOPAL_CHECK(woken == 0);
  NOPAL_CHECK(::write(pipe.writes(), "x", 1) == 1);
  one.join();
  sleeper.join();
  return 0;
}

NOPAL_PROGRAM(shutdowns) {
  for (int i = 0; i < 20; ++i) {
    use_io();
    nopal::shutdown();
    nopal::sleep_for(100us);
  }
  scope s;
  bool is_refused = false;
  s.fork([&] { nopal::sleep_for(20ms); });
  is_refused = support::shutdown_is_refused();
  s.join();
  NOPAL_CHECK(is_refused);
  nopal::shutdown();
  return 0;
}

/// `exit` in a strand, while others wait.
NOPAL_PROGRAM(exits_while_strands_wait) {
  static const pipe_ends pipe;
  scope s;
  for (int i = 0; i < 20; ++i) {
    s.fork([] { nopal::wait_readable(pipe.reads()); });
    s.fork([] { nopal::sleep_for(1h); });
  }
  nopal::sleep_for(2ms);
  std::exit(0);
}

/// The end of the process waits for a thread that waits by us.
struct joins_at_the_end {
  const pipe_ends pipe;
  std::thread waits;
  std::thread sleeps;
  ~joins_at_the_end() {
    NOPAL_CHECK(::write(pipe.writes(), "x", 1) == 1);
    waits.join();
    sleeps.join();
    nopal::sleep_for(1ms);
  }
};

NOPAL_PROGRAM(waits_beyond_the_end_of_main) {
  static joins_at_the_end late;
  late.waits = std::thread([] { nopal::wait_readable(late.pipe.reads()); });
  late.sleeps = std::thread([] { nopal::sleep_for(50ms); });
  nopal::sleep_for(5ms);
  return 0;
}

/// Signals are for the threads of the program.
NOPAL_PROGRAM(signals_meet_others) {
  static std::atomic<pthread_t> met{};
  struct sigaction handler{};
  handler.sa_handler = [](int) { met = pthread_self(); };
  NOPAL_CHECK(sigaction(SIGUSR1, &handler, nullptr) == 0);
  nopal::sleep_for(1ms);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  NOPAL_CHECK(pthread_sigmask(SIG_BLOCK, &one, nullptr) == 0);
  NOPAL_CHECK(kill(getpid(), SIGUSR1) == 0);
  nopal::sleep_for(10ms);
  NOPAL_CHECK(met.load() == pthread_t{});
  NOPAL_CHECK(pthread_sigmask(SIG_UNBLOCK, &one, nullptr) == 0);
  NOPAL_CHECK(pthread_equal(met.load(), pthread_self()) != 0);
  return 0;
}

class io_process : public support::program_at_workers {};
INSTANTIATE_TEST_SUITE_P(at_workers, io_process, testing::Values(1, 2, 4), testing::PrintToStringParamName());

TEST_P(io_process, splits) { EXPECT_TRUE(run("splits")); }
TEST_P(io_process, splits_while_others_wait) { EXPECT_TRUE(run("splits_while_others_wait")); }
TEST_P(io_process, stops_the_runtime) { EXPECT_TRUE(run("shutdowns")); }
TEST_P(io_process, ends_while_strands_wait) { EXPECT_TRUE(run("exits_while_strands_wait")); }
TEST_P(io_process, waits_beyond_the_end_of_main) { EXPECT_TRUE(run("waits_beyond_the_end_of_main")); }
TEST_P(io_process, has_signals_elsewhere) { EXPECT_TRUE(run("signals_meet_others")); }

}  // namespace
