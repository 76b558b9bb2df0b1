// The code of docs/io.md.
#include <nopal/io.hpp>
#include <nopal/scope.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>

namespace {

using namespace std::chrono_literals;

// snippet: echo
void echo(int connection) {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = nopal::read(connection, buffer.data(), buffer.size());
    if (got <= 0 || nopal::write(connection, buffer.data(), static_cast<std::size_t>(got)) < got) break;
  }
  nopal::close(connection);
}

void serve(int listener) {
  nopal::scope connections;
  for (int one = nopal::accept(listener); one >= 0; one = nopal::accept(listener)) {
    connections.fork(echo, one);
  }
  connections.join();
}
// end snippet

// snippet: limit
bool answers(int connection) {
  char byte = 0;
  if (!nopal::wait_readable(connection, 500ms)) return false;  // 500 ms are over
  return nopal::read(connection, &byte, 1) == 1;
}
// end snippet

}  // namespace

int main() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (listen(listener, 100) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return 1;
  }
  bool right = true;
  nopal::scope s;
  s.fork(serve, listener);
  for (int i = 0; i < 10; ++i) {
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    right = nopal::connect(connection, reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
            nopal::write(connection, "x", 1) == 1 && answers(connection) && right;
    nopal::close(connection);
  }
  shutdown(listener, SHUT_RDWR);  // no more connections: `accept` fails
  s.join();
  nopal::close(listener);
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
