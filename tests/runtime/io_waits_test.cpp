// Strands that wait for descriptors and for time.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <nopal/io.hpp>
#include <nopal/waiting.hpp>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "support/strands.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::scope;
using std::chrono::steady_clock;
using support::sleep_ms;

/// Both ends of a pipe or of two sockets.
struct ends {
  int first = -1;
  int second = -1;
  ends() = default;
  ends(const ends&) = delete;
  ends& operator=(const ends&) = delete;
  ~ends() {
    ::close(first);
    ::close(second);
  }
};

struct pipe_ends : ends {
  pipe_ends() {
    std::array<int, 2> made{};
    NOPAL_CHECK(::pipe2(made.data(), O_CLOEXEC) == 0);
    first = made[0];
    second = made[1];
  }
};

struct socket_ends : ends {
  socket_ends() {
    std::array<int, 2> made{};
    NOPAL_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, made.data()) == 0);
    first = made[0];
    second = made[1];
  }
};

void put(int descriptor) { NOPAL_CHECK(::write(descriptor, "x", 1) == 1); }
void get(int descriptor) {
  char byte = 0;
  NOPAL_CHECK(::read(descriptor, &byte, 1) == 1);
}

void fill(int socket) {
  const std::vector<char> much(1 << 16);
  while (::send(socket, much.data(), much.size(), MSG_DONTWAIT) > 0) {
  }
}

/// What the call throws; nothing: an empty text.
template <class F>
std::string thrown_by(F f) {
  try {
    f();
  } catch (const nopal::error& thrown) {
    return thrown.what();
  }
  return "";
}

bool begins_with(const std::string& text, const char* begin) { return text.rfind(begin, 0) == 0; }

/// Each waits for what the next one writes: the worker is left, also where there is one alone.
NOPAL_PROGRAM(a_chain_of_pipes) {
  constexpr std::size_t count = 200;
  std::array<pipe_ends, count> pipes;
  scope s;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    s.fork([&pipes, i] {
      nopal::wait_readable(pipes.at(i).first);
      get(pipes.at(i).first);
      put(pipes.at(i + 1).second);
    });
  }
  put(pipes.front().second);
  s.join();
  nopal::wait_readable(pipes.back().first);
  get(pipes.back().first);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(what_is_ready) {
  const pipe_ends pipe;
  scope s;
  s.fork([&] {
    nopal::wait_writable(pipe.second);
    NOPAL_CHECK(nopal::wait_writable(pipe.second, 0ms));
    NOPAL_CHECK(!nopal::wait_readable(pipe.first, 0ms));
    put(pipe.second);
    nopal::wait_readable(pipe.first);
    NOPAL_CHECK(nopal::wait_readable(pipe.first, -1s));
    NOPAL_CHECK(nopal::wait_readable(pipe.first, steady_clock::time_point{}));
    NOPAL_CHECK(nopal::wait_readable(pipe.first, std::chrono::hours::max()));
  });
  s.join();
  // Files that cannot be polled.
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  NOPAL_CHECK(file >= 0);
  nopal::wait_readable(file);
  NOPAL_CHECK(nopal::wait_writable(file, 0ms));
  ::close(file);
  return 0;
}

NOPAL_PROGRAM(times_that_end) {
  const pipe_ends pipe;
  scope s;
  for (int i = 0; i < 20; ++i) {
    s.fork([&pipe, i] {
      const auto begin = steady_clock::now();
      const auto limit = 1ms * (i + 1);
      NOPAL_CHECK(!nopal::wait_readable(pipe.first, limit));
      NOPAL_CHECK(steady_clock::now() - begin >= limit);
      const auto end = std::chrono::system_clock::now() + limit;
      NOPAL_CHECK(!nopal::wait_readable(pipe.first, end));
      NOPAL_CHECK(std::chrono::system_clock::now() >= end);
    });
  }
  s.join();
  // And those that do not.
  s.fork([&] { NOPAL_CHECK(nopal::wait_readable(pipe.first, 1h)); });
  s.fork([&] { NOPAL_CHECK(nopal::wait_readable(pipe.first, steady_clock::now() + 1h)); });
  sleep_ms(2);
  put(pipe.second);
  s.join();
  return 0;
}

NOPAL_PROGRAM(many_sleep) {
  constexpr int count = 1000;
  std::atomic<int> awake{0};
  scope s;
  for (int i = 0; i < count; ++i) {
    s.fork([&awake] {
      const auto begun = steady_clock::now();
      nopal::sleep_for(50ms);
      NOPAL_CHECK(steady_clock::now() - begun >= 50ms);
      ++awake;
    });
  }
  s.join();
  NOPAL_CHECK(awake == count);
  nopal::sleep_for(0ms);
  nopal::sleep_until(std::chrono::system_clock::now() + 1ms);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(both_directions_and_several) {
  for (int round = 0; round < 50; ++round) {
    const socket_ends sockets;
    fill(sockets.first);
    std::atomic<int> readable{0};
    std::atomic<int> writable{0};
    scope s;
    for (int i = 0; i < 5; ++i) {
      s.fork([&] {
        nopal::wait_readable(sockets.first);
        ++readable;
      });
      s.fork([&] {
        nopal::wait_writable(sockets.first);
        ++writable;
      });
    }
    if (round % 2 == 0) sleep_ms(1);
    NOPAL_CHECK(readable == 0 && writable == 0);
    put(sockets.second);
    while (readable != 5) nopal::sleep_for(100us);
    NOPAL_CHECK(writable == 0);
    std::vector<char> much(1 << 16);
    while (::recv(sockets.second, much.data(), much.size(), MSG_DONTWAIT) > 0) {
    }
    s.join();
    NOPAL_CHECK(writable == 5);
  }
  return 0;
}

NOPAL_PROGRAM(the_other_end_goes) {
  scope s;
  pipe_ends pipe;
  socket_ends sockets;
  pipe_ends full;
  ::fcntl(full.second, F_SETFL, O_NONBLOCK);
  const std::vector<char> much(1 << 16);
  while (::write(full.second, much.data(), much.size()) > 0) {
  }
  s.fork([&] { nopal::wait_readable(pipe.first); });
  s.fork([&] { nopal::wait_readable(sockets.first); });
  s.fork([&] { nopal::wait_writable(full.second); });
  sleep_ms(2);
  ::close(std::exchange(pipe.second, -1));
  ::close(std::exchange(sockets.second, -1));
  ::close(std::exchange(full.first, -1));
  s.join();
  return 0;
}

NOPAL_PROGRAM(refused_descriptors) {
  const auto is_refused = [](int descriptor) {
    const std::string line = thrown_by([=] { nopal::wait_readable(descriptor); });
    NOPAL_CHECK(line == "nopal: a wait for a descriptor that is not open: " + std::to_string(descriptor));
  };
  is_refused(-1);
  is_refused(987);
  scope s;
  s.fork([&] { is_refused(987); });
  s.join();
  return 0;
}

/// So many descriptors that some are left before the first wait, but not all that the poller needs: it cannot
/// begin, and a later one can.
NOPAL_PROGRAM(no_descriptors_left) {
  const pipe_ends pipe;
  const rlimit few{40, 40};
  NOPAL_CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::vector<int> taken;
  for (int one = eventfd(0, 0); one >= 0; one = eventfd(0, 0)) taken.push_back(one);
  const char* const refused = "nopal: the system refuses a wait for a descriptor or for time: ";
  NOPAL_CHECK(begins_with(thrown_by([&] { nopal::wait_readable(pipe.first); }), refused));
  NOPAL_CHECK(begins_with(thrown_by([] { nopal::sleep_for(1ms); }), refused));
  for (int left = 1; left < 5; ++left) {
    ::close(taken.back());
    taken.pop_back();
    NOPAL_CHECK(thrown_by([] { nopal::sleep_for(1ms); }) == refused + std::string("Too many open files"));
  }
  for (const int one : taken) ::close(one);
  nopal::sleep_for(1ms);
  NOPAL_CHECK(!nopal::wait_readable(pipe.first, 1ms));
  return 0;
}

NOPAL_PROGRAM(closed_by_ours) {
  for (int round = 0; round < 100; ++round) {
    pipe_ends pipe;
    std::atomic<int> told{0};
    scope s;
    for (int i = 0; i < 3; ++i) {
      s.fork([&] {
        const std::string line = thrown_by([&] { nopal::wait_readable(pipe.first); });
        NOPAL_CHECK(
            begins_with(line, "nopal: nopal::close closed a descriptor while a wait for it went on: ") ||
            begins_with(line, "nopal: a wait for a descriptor that is not open: "));
        ++told;
      });
      s.fork([&] {
        char byte = 0;
        NOPAL_CHECK(nopal::read(pipe.first, &byte, 1) == -1 && nopal::last_error() == EBADF);
        ++told;
      });
    }
    if (round % 2 == 0) sleep_ms(1);
    NOPAL_CHECK(nopal::close(pipe.first) == 0);
    s.join();
    pipe.first = -1;
    NOPAL_CHECK(told == 6);
  }
  return 0;
}

/// Those who wait hear nothing of close(2); whoever waits for the number's next file does.
NOPAL_PROGRAM(closed_by_the_system) {
  pipe_ends before;
  const int number = before.first;
  nopal::event waits;
  scope s;
  s.fork([&] {
    waits.set();
    static_cast<void>(nopal::wait_readable(number, 300ms));
  });
  waits.wait();
  sleep_ms(2);
  ::close(number);
  pipe_ends next;
  NOPAL_CHECK(next.first == number);
  before.first = -1;
  s.fork([&] {
    nopal::wait_readable(number);
    get(number);
  });
  sleep_ms(2);
  put(next.second);
  s.join();
  return 0;
}

/// Threads that run no strand.
NOPAL_PROGRAM(threads_wait) {
  const pipe_ends pipe;
  std::thread other([&] {
    nopal::wait_readable(pipe.first);
    get(pipe.first);
    nopal::sleep_for(1ms);
  });
  nopal::sleep_for(2ms);
  put(pipe.second);
  other.join();
  return 0;
}

/// The polling thread uses none while nothing happens.
NOPAL_PROGRAM(processor_time) {
  const pipe_ends pipe;
  nopal::event done;
  std::thread other([&] {
    nopal::wait_readable(pipe.first);
    done.set();
  });
  nopal::sleep_for(20ms);
  const std::clock_t before = std::clock();
  sleep_ms(500);
  const std::clock_t used = std::clock() - before;
  put(pipe.second);
  other.join();
  NOPAL_CHECK(used < CLOCKS_PER_SEC / 20);
  return 0;
}

class io_waits : public support::program_at_workers {};
INSTANTIATE_TEST_SUITE_P(at_workers, io_waits, testing::Values(1, 2, 4), testing::PrintToStringParamName());

TEST_P(io_waits, leave_their_worker) { EXPECT_TRUE(run("a_chain_of_pipes")); }
TEST_P(io_waits, for_what_is_ready_are_over) { EXPECT_TRUE(run("what_is_ready")); }
TEST_P(io_waits, end_in_time_and_not_before) { EXPECT_TRUE(run("times_that_end")); }
TEST_P(io_waits, for_time_take_no_worker) { EXPECT_TRUE(run("many_sleep")); }
TEST_P(io_waits, are_for_one_direction_each) { EXPECT_TRUE(run("both_directions_and_several")); }
TEST_P(io_waits, end_when_the_other_end_goes) { EXPECT_TRUE(run("the_other_end_goes")); }
TEST_P(io_waits, for_what_is_not_open_are_refused) { EXPECT_TRUE(run("refused_descriptors")); }
TEST_P(io_waits, are_told_of_our_close) { EXPECT_TRUE(run("closed_by_ours")); }
TEST_P(io_waits, are_for_the_file_that_has_the_number) { EXPECT_TRUE(run("closed_by_the_system")); }

TEST(io_threads, wait_as_well) { EXPECT_TRUE(support::succeeds("threads_wait")); }
TEST(io_threads, that_wait_use_no_processor_time) { EXPECT_TRUE(support::succeeds("processor_time")); }
TEST(io_limits, of_descriptors_are_an_exception) { EXPECT_TRUE(support::succeeds("no_descriptors_left")); }

}  // namespace
