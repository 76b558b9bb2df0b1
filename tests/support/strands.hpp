// What the programs of the runtime tests are made of: steals that surely happen, work of a given length, resident
// memory, quiet statistics.
#ifndef NOPAL_TESTS_SUPPORT_STRANDS_HPP
#define NOPAL_TESTS_SUPPORT_STRANDS_HPP

#include <nopal/nopal.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <thread>

#include "support/program.hpp"

namespace support {

using flag = std::atomic<bool>;

/// Whether a sanitizer watches this build: it keeps freed memory for a while, and memory of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool watched = true;
#elif defined(__has_feature)
inline constexpr bool watched = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool watched = false;
#endif

inline void sleep_ms(long milliseconds) {
  timespec left{milliseconds / 1000, milliseconds % 1000 * 1000000};
  // A question for latent forks interrupts it.
  while (nanosleep(&left, &left) != 0) {
  }
}

/// In a child: waits for what its parent's continuation sets, so that the continuation must be stolen. On one worker
/// nobody could steal it, and the child returns at once.
inline void wait_for_continuation(const flag& set) {
  if (nopal::workers() == 1) return;
  while (!set.load(std::memory_order_acquire)) std::this_thread::yield();
}

/// The same while exceptions are handled: then only the owner can make its continuations public, at a fork.
inline void fork_until_continued(const flag& set) {
  if (nopal::workers() == 1) return;
  while (!set.load(std::memory_order_acquire)) {
    nopal::scope s;
    s.fork([] { std::this_thread::yield(); });
    s.join();
  }
}

/// The same where nobody promises a steal: forks that are older than an exception in flight wait until it has landed.
inline void wait_briefly(const flag& set) {
  for (int i = 0; i < 200 && !set.load(std::memory_order_acquire); ++i) std::this_thread::yield();
}

inline void set(flag& one) { one.store(true, std::memory_order_release); }

/// Work that no compiler removes.
inline void burn(int rounds) {
  for (int i = 0; i < rounds; ++i) asm volatile("" : : "r"(i));
}

inline pid_t thread_id() { return static_cast<pid_t>(syscall(SYS_gettid)); }

inline long resident_kib() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long total = 0;
  long resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) return -1;
  std::fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

inline long fib_serial(int n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

inline long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

/// Forks, steals for sure, joins.
inline void use_runtime() {
  flag went_on{false};
  nopal::scope s;
  s.fork([&] { wait_for_continuation(went_on); });
  set(went_on);
  NOPAL_CHECK(fib(17) == 1597);
  s.join();
}

inline bool shutdown_is_refused() {
  try {
    nopal::shutdown();
  } catch (const nopal::error&) {
    return true;
  }
  return false;
}

/// With every scope joined the counts must balance: each steal was joined, each stack came back.
inline void check_quiet() {
  const nopal::statistics now = nopal::stats();
  NOPAL_CHECK(now.total.steals == now.joins_with_children);
  NOPAL_CHECK(now.total.stacks_taken == now.total.stacks_returned);
  NOPAL_CHECK(now.stacks_in_use == 0);
}

/// The same where tasks were waited for: their workers go on to their schedulers a little later.
inline void check_quiet_soon() {
  for (nopal::statistics now = nopal::stats();
       now.total.stacks_taken != now.total.stacks_returned || now.stacks_in_use != 0; now = nopal::stats()) {
    sleep_ms(1);
  }
  check_quiet();
}

}  // namespace support

#endif
