// The same interface in the serial elision, which needs no library.
#define NOPAL_ELIDE
#include <gtest/gtest.h>

#include <fcntl.h>
#include <nopal/io.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace {

using namespace std::chrono_literals;

TEST(io_elided, waits_and_sleeps) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(nopal::wait_readable(ends[0], 2ms));
  nopal::sleep_for(2ms);
  nopal::sleep_until(std::chrono::system_clock::now() + 1ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 4ms);
  nopal::wait_writable(ends[1]);
  std::thread other([&] {
    char byte = 0;
    nopal::wait_readable(ends[0]);
    EXPECT_EQ(nopal::read(ends[0], &byte, 1), 1);
  });
  EXPECT_EQ(nopal::write(ends[1], "x", 1), 1);
  other.join();
  EXPECT_EQ(nopal::close(ends[0]), 0);
  EXPECT_THROW(nopal::wait_readable(ends[0]), nopal::error);
  EXPECT_THROW(nopal::wait_readable(-1), nopal::error);
  EXPECT_EQ(nopal::close(ends[1]), 0);
  EXPECT_EQ(nopal::close(ends[1]), -1);
  EXPECT_EQ(nopal::last_error(), EBADF);
}

TEST(io_elided, calls_repeat_where_they_would_have_to_wait) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  std::thread other([&] {
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(nopal::write(ends[1], "x", 1), 1);
  });
  char byte = 0;
  EXPECT_EQ(nopal::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  other.join();
  nopal::close(ends[0]);
  nopal::close(ends[1]);
}

}  // namespace
