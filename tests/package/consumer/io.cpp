// A program of a user's that waits by libnopal-io.
#include <nopal/io.hpp>
#include <nopal/scope.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdio>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  char byte = 0;
  ssize_t got = 0;
  nopal::scope s;
  s.fork_into(got, nopal::read, ends[0], &byte, 1U);
  nopal::sleep_for(std::chrono::milliseconds(1));
  const ssize_t put = nopal::write(ends[1], "x", 1);
  s.join();
  std::printf("%zd written, %zd read: %c\n", put, got, byte);
  return put == 1 && got == 1 && byte == 'x' ? 0 : 1;
}
