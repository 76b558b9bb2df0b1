// A program with THREAD_LOCAL_KB kilobytes of thread_local data, which the C library puts on each thread's stack: all workers start,
// and each uses its own.
#include <nopal/nopal.hpp>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <thread>

#include "support/watchdog.hpp"

namespace {

constexpr std::size_t bytes = std::size_t{THREAD_LOCAL_KB} << 10;
thread_local char data[bytes];
std::atomic<int> arrived{0};

/// Each thread finds zeroes, whose first use makes pages of them.
[[gnu::noinline]] bool fill() {
  bool was_empty = true;
  for (std::size_t i = 0; i < bytes; i += 1024) {
    was_empty = was_empty && data[i] == 0;
    data[i] = 1;
  }
  return was_empty;
}

std::atomic<int> filled{0};

/// Comes back once every worker is in one, so each has its own.
void meet() {
  if (fill()) ++filled;
  ++arrived;
  while (arrived < nopal::workers()) std::this_thread::yield();
}

/// One strand per worker, in halves.
void meet_all(int strands) {
  if (strands == 1) return meet();
  nopal::scope s;
  s.fork(meet_all, strands / 2);
  meet_all(strands - strands / 2);
  s.join();
}

}  // namespace

int main() {
  support::print_workers_on_alarm();
  alarm(30);  // a worker that did not start never arrives
  std::thread([] { fill(); }).join();
  meet_all(nopal::workers());
  if (filled != nopal::workers()) {
    std::printf("%d of %d workers have %zu bytes of their own\n", filled.load(), nopal::workers(), bytes);
    return 1;
  }
  return 0;
}
