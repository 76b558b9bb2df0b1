// Calls of the system that wait as strands: servers, descriptors that block and that do not, failures.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <nopal/io.hpp>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

#include "support/strands.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::scope;

void read_all(int descriptor, char* buffer, std::size_t count) {
  for (std::size_t got = 0; got < count;) {
    const ssize_t more = nopal::read(descriptor, buffer + got, count - got);
    NOPAL_CHECK(more > 0);
    got += static_cast<std::size_t>(more);
  }
}

void write_all(int descriptor, const char* buffer, std::size_t count) {
  for (std::size_t put = 0; put < count;) {
    const ssize_t more = nopal::write(descriptor, buffer + put, count - put);
    NOPAL_CHECK(more > 0);
    put += static_cast<std::size_t>(more);
  }
}

/// Sends back what comes, until the end.
void echo(int connection) {
  std::array<char, 256> buffer;
  for (;;) {
    const ssize_t got = nopal::read(connection, buffer.data(), buffer.size());
    NOPAL_CHECK(got >= 0);
    if (got == 0) break;
    write_all(connection, buffer.data(), static_cast<std::size_t>(got));
  }
  NOPAL_CHECK(nopal::close(connection) == 0);
}

struct loopback {
  int listener = -1;
  sockaddr_in address{};
  explicit loopback(int flags) : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    NOPAL_CHECK(::bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0);
    NOPAL_CHECK(::listen(listener, 1000) == 0);
    NOPAL_CHECK(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  }
  loopback(const loopback&) = delete;
  loopback& operator=(const loopback&) = delete;
  ~loopback() { ::close(listener); }
};

void ask(const loopback& server, int flags, int rounds) {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  NOPAL_CHECK(connection >= 0);
  NOPAL_CHECK(nopal::connect(connection, reinterpret_cast<const sockaddr*>(&server.address),
                             sizeof server.address) == 0);
  for (int round = 0; round < rounds; ++round) {
    std::array<char, 64> said{};
    std::array<char, 64> heard{};
    std::memset(said.data(), 'a' + round, said.size());
    write_all(connection, said.data(), said.size());
    read_all(connection, heard.data(), heard.size());
    NOPAL_CHECK(said == heard);
  }
  NOPAL_CHECK(nopal::close(connection) == 0);
}

/// All connections are open at once: each client waits for all others between its rounds.
int serve(int count, int flags) {
  const loopback server(flags);
  scope s;
  s.fork([&] {
    scope connections;
    for (int i = 0; i < count; ++i) {
      const int connection = nopal::accept(server.listener, nullptr, nullptr, flags | SOCK_CLOEXEC);
      NOPAL_CHECK(connection >= 0);
      connections.fork([connection] { echo(connection); });
    }
    connections.join();
  });
  for (int i = 0; i < count; ++i) {
    s.fork([&] { ask(server, flags, 5); });
  }
  s.join();
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(a_loopback_server) { return serve(300, SOCK_NONBLOCK); }
NOPAL_PROGRAM(a_loopback_server_that_blocks) { return serve(50, 0); }

/// Pairs of sockets, of which all are open at once.
NOPAL_PROGRAM(a_thousand_connections) {
  constexpr int count = 1000;
  const rlimit enough{2 * count + 100, 2 * count + 100};
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  NOPAL_CHECK(before.rlim_cur >= enough.rlim_cur || setrlimit(RLIMIT_NOFILE, &enough) == 0);
  std::vector<std::array<int, 2>> pairs(count);
  for (auto& pair : pairs) {
    NOPAL_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) == 0);
  }
  std::atomic<int> right{0};
  scope s;
  for (const auto& pair : pairs) s.fork([&pair] { echo(pair[0]); });
  for (const auto& pair : pairs) {
    s.fork([&pair, &right] {
      for (int round = 0; round < 10; ++round) {
        std::array<char, 8> heard{};
        write_all(pair[1], "12345678", heard.size());
        read_all(pair[1], heard.data(), heard.size());
        right += std::memcmp(heard.data(), "12345678", heard.size()) == 0 ? 1 : 0;
      }
      NOPAL_CHECK(nopal::close(pair[1]) == 0);
    });
  }
  s.join();
  NOPAL_CHECK(right == 10 * count);
  support::check_quiet();
  return 0;
}

/// Much more than fits, in both kinds of descriptors.
template <class Make>
void move_much(Make make, bool blocks) {
  std::array<int, 2> ends{};
  make(ends.data());
  std::vector<char> said(3'000'000);
  std::iota(said.begin(), said.end(), '\0');
  std::vector<char> heard(said.size());
  scope s;
  s.fork([&] { read_all(ends[0], heard.data(), heard.size()); });
  if (blocks) {
    NOPAL_CHECK(nopal::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()));
  } else {
    write_all(ends[1], said.data(), said.size());
  }
  s.join();
  NOPAL_CHECK(said == heard);
  NOPAL_CHECK(nopal::close(ends[1]) == 0);
  NOPAL_CHECK(nopal::read(ends[0], heard.data(), 1) == 0);
  NOPAL_CHECK(nopal::close(ends[0]) == 0);
}

NOPAL_PROGRAM(much_is_moved) {
  move_much([](int* ends) { NOPAL_CHECK(::pipe2(ends, 0) == 0); }, true);
  move_much([](int* ends) { NOPAL_CHECK(::pipe2(ends, O_NONBLOCK) == 0); }, false);
  move_much([](int* ends) { NOPAL_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }, true);
  move_much([](int* ends) { NOPAL_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0); },
            false);
  return 0;
}

/// One gets each byte, of a pipe that blocks: the others' reads block, and no worker.
NOPAL_PROGRAM(several_read_one_pipe) {
  std::array<int, 2> ends{};
  NOPAL_CHECK(::pipe2(ends.data(), 0) == 0);
  constexpr int count = 20;
  scope s;
  for (int i = 0; i < count; ++i) {
    s.fork([&] {
      char byte = 0;
      NOPAL_CHECK(nopal::read(ends[0], &byte, 1) == 1);
    });
  }
  for (int i = 0; i < count; ++i) {
    nopal::sleep_for(200us);
    NOPAL_CHECK(nopal::write(ends[1], "x", 1) == 1);
  }
  s.join();
  return 0;
}

template <class F>
void fails_with(int error, F call) {
  NOPAL_CHECK(call() == -1);
  NOPAL_CHECK(nopal::last_error() == error);
}

NOPAL_PROGRAM(failures) {
  char byte = 0;
  fails_with(EBADF, [&] { return nopal::read(987, &byte, 1); });
  fails_with(EBADF, [&] { return nopal::write(987, &byte, 1); });
  fails_with(EBADF, [] { return nopal::accept(987); });
  fails_with(EBADF, [] { return nopal::close(987); });
  std::array<int, 2> ends{};
  NOPAL_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  fails_with(ENOTSOCK, [&] { return nopal::accept(ends[0]); });
  signal(SIGPIPE, SIG_IGN);
  NOPAL_CHECK(nopal::close(ends[0]) == 0);
  fails_with(EPIPE, [&] { return nopal::write(ends[1], &byte, 1); });
  // Nobody listens there.
  const loopback gone(0);
  NOPAL_CHECK(::shutdown(gone.listener, SHUT_RDWR) == 0);
  for (const int flags : {0, static_cast<int>(SOCK_NONBLOCK)}) {
    const int one = ::socket(AF_INET, SOCK_STREAM | flags, 0);
    fails_with(ECONNREFUSED, [&] {
      return nopal::connect(one, reinterpret_cast<const sockaddr*>(&gone.address), sizeof gone.address);
    });
    NOPAL_CHECK(nopal::close(one) == 0);
  }
  // Of a disk.
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  std::array<char, 4> magic{};
  NOPAL_CHECK(nopal::read(file, magic.data(), 4) == 4 && std::memcmp(magic.data(), "\177ELF", 4) == 0);
  NOPAL_CHECK(nopal::read(file, magic.data(), 0) == 0 && nopal::close(file) == 0);
  return 0;
}

class io_calls : public support::program_at_workers {};
INSTANTIATE_TEST_SUITE_P(at_workers, io_calls, testing::Values(1, 2, 4), testing::PrintToStringParamName());

TEST_P(io_calls, serve_a_loopback) { EXPECT_TRUE(run("a_loopback_server")); }
TEST_P(io_calls, serve_a_loopback_that_blocks) { EXPECT_TRUE(run("a_loopback_server_that_blocks")); }
TEST_P(io_calls, serve_a_thousand_connections) { EXPECT_TRUE(run("a_thousand_connections")); }
TEST_P(io_calls, move_more_than_fits) { EXPECT_TRUE(run("much_is_moved")); }
TEST_P(io_calls, that_block_take_no_worker) { EXPECT_TRUE(run("several_read_one_pipe")); }
TEST_P(io_calls, fail_as_the_systems) { EXPECT_TRUE(run("failures")); }

}  // namespace
