// Waits where the system's word is not the whole truth: registrations that outlive a number, calls that would
// block although poll(2) says they would not, local sockets, and times beyond the clock's own numbers.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <nopal/io.hpp>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <thread>

#include "support/strands.hpp"

namespace {

using namespace std::chrono_literals;

/// The processor time of the process meanwhile, in seconds.
template <class Act>
double processor_time(Act act) {
  const std::clock_t before = std::clock();
  act();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

NOPAL_PROGRAM(closed_after_its_time) {
  int ends[2];
  NOPAL_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const int lives_on = ::dup(ends[0]);
  NOPAL_CHECK(!nopal::wait_readable(ends[0], 5ms));
  NOPAL_CHECK(nopal::close(ends[0]) == 0);
  NOPAL_CHECK(::write(ends[1], "x", 1) == 1);
  NOPAL_CHECK(processor_time([] { std::this_thread::sleep_for(500ms); }) < 0.2);
  NOPAL_CHECK(nopal::close(lives_on) == 0 && nopal::close(ends[1]) == 0);
  return 0;
}

/// Of close(2) no wait hears, and nobody takes registrations back: after a wait that is over, and during one.
NOPAL_PROGRAM(closed_by_the_system) {
  for (const auto time : {5ms, 100ms}) {
    int ends[2];
    NOPAL_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    const int lives_on = ::dup(ends[0]);
    std::thread waiter([time, end = ends[0]] {
      try {
        NOPAL_CHECK(!nopal::wait_readable(end, time));
      } catch (const nopal::error&) {  // it looks once more at its end
      }
    });
    std::this_thread::sleep_for(50ms);
    ::close(ends[0]);
    waiter.join();
    NOPAL_CHECK(::write(ends[1], "x", 1) == 1);
    NOPAL_CHECK(processor_time([] { std::this_thread::sleep_for(500ms); }) < 0.1);
    NOPAL_CHECK(nopal::close(lives_on) == 0 && nopal::close(ends[1]) == 0);
  }
  return 0;
}

NOPAL_PROGRAM(ready_for_less) {
  const int counter = ::eventfd(5, EFD_NONBLOCK | EFD_CLOEXEC);
  std::thread reader([counter] {
    std::this_thread::sleep_for(500ms);
    std::uint64_t value = 0;
    NOPAL_CHECK(::read(counter, &value, sizeof value) == sizeof value);
  });
  const double used = processor_time([counter] {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - 1;  // has room only beside nothing
    NOPAL_CHECK(nopal::write(counter, &most, sizeof most) == sizeof most);
  });
  reader.join();
  NOPAL_CHECK(used < 0.2);
  return 0;
}

/// Two are told of one byte; who gets it closes the file, and another one gets the number.
NOPAL_PROGRAM(closed_by_the_first) {
  int ends[2];
  NOPAL_CHECK(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  int others[2] = {-1, -1};
  int got = 0;
  int refused = 0;
  const auto reader = [&] {
    char c = 0;
    if (nopal::read(ends[0], &c, 1) != 1) {
      refused += nopal::last_error() == EBADF ? 1 : 0;
      return;
    }
    NOPAL_CHECK(c == 'x');
    ++got;
    NOPAL_CHECK(nopal::close(ends[0]) == 0);
    NOPAL_CHECK(::pipe2(others, O_CLOEXEC | O_NONBLOCK) == 0 && others[0] == ends[0]);
    NOPAL_CHECK(::write(others[1], "y", 1) == 1);
  };
  nopal::scope s;
  s.fork(reader);
  s.fork(reader);
  nopal::sleep_for(10ms);
  NOPAL_CHECK(::write(ends[1], "x", 1) == 1);
  s.join();
  NOPAL_CHECK(got == 1 && refused == 1);
  return 0;
}

/// A listener with no room left, and who connects to it while a signal comes.
int connects_when_there_is_room(int flags) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // A name of the system's choice, in no folder.
  NOPAL_CHECK(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(sa_family_t)) == 0);
  socklen_t length = sizeof address;
  NOPAL_CHECK(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  NOPAL_CHECK(::listen(listener, 0) == 0);
  const int first = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  NOPAL_CHECK(::connect(first, reinterpret_cast<const sockaddr*>(&address), length) == 0);
  struct sigaction interrupts{};
  interrupts.sa_handler = [](int) {};
  sigaction(SIGUSR1, &interrupts, nullptr);
  const int second = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  std::thread accepts([listener, caller = pthread_self()] {
    std::this_thread::sleep_for(50ms);
    pthread_kill(caller, SIGUSR1);
    std::this_thread::sleep_for(50ms);
    ::close(::accept(listener, nullptr, nullptr));
  });
  NOPAL_CHECK(nopal::connect(second, reinterpret_cast<const sockaddr*>(&address), length) == 0);
  NOPAL_CHECK(::send(second, "x", 1, MSG_NOSIGNAL) == 1);
  accepts.join();
  for (const int each : {listener, first, second}) NOPAL_CHECK(nopal::close(each) == 0);
  return 0;
}

NOPAL_PROGRAM(full_listeners) {
  return connects_when_there_is_room(0) + connects_when_there_is_room(SOCK_NONBLOCK);
}

NOPAL_PROGRAM(times_beyond_numbers) {
  using std::chrono::steady_clock;
  using std::chrono::system_clock;
  int ends[2];
  NOPAL_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  nopal::sleep_until(steady_clock::time_point::min());
  nopal::sleep_until(system_clock::time_point::min());
  NOPAL_CHECK(!nopal::wait_readable(ends[0], steady_clock::time_point::min()));
  using coarse = std::chrono::time_point<system_clock, std::chrono::hours>;
  NOPAL_CHECK(!nopal::wait_readable(ends[0], coarse::min()));
  std::thread writer([end = ends[1]] {
    std::this_thread::sleep_for(20ms);
    NOPAL_CHECK(::write(end, "x", 1) == 1);
  });
  NOPAL_CHECK(nopal::wait_readable(ends[0], coarse::max()));
  NOPAL_CHECK(nopal::wait_readable(ends[0], steady_clock::time_point::max()));
  writer.join();
  return nopal::close(ends[0]) + nopal::close(ends[1]);
}

class io_odd_files : public support::program_at_workers {};
INSTANTIATE_TEST_SUITE_P(at_workers, io_odd_files, testing::Values(1, 2), testing::PrintToStringParamName());

TEST_P(io_odd_files, that_live_on_are_not_polled) { EXPECT_TRUE(run("closed_after_its_time")); }
TEST_P(io_odd_files, that_live_on_are_not_polled_when_only_the_system_closes_their_number) {
  EXPECT_TRUE(run("closed_by_the_system"));
}
TEST_P(io_odd_files, that_are_ready_for_less_are_not_asked_all_the_time) {
  EXPECT_TRUE(run("ready_for_less"));
}
TEST_P(io_odd_files, of_local_listeners_are_connected_to_when_there_is_room) {
  EXPECT_TRUE(run("full_listeners"));
}
TEST(io_odd_numbers, that_are_another_files_are_not_read) {
  EXPECT_TRUE(support::succeeds("closed_by_the_first", support::on_workers(1)));
}
TEST_P(io_odd_files, are_waited_for_until_any_time) { EXPECT_TRUE(run("times_beyond_numbers")); }

}  // namespace
