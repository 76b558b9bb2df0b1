#include "measure/fork_steps.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include <nopal/nopal.hpp>

#include "measure/one_real_call.hpp"

// The steps are cut from the fork itself, hence the library's inner names.

namespace measure {
namespace {

using function = long(int);

NOPAL_ONE_REAL_CALL long serial(int n) {
  if (n < 2) return n;
  long x = serial(n - 1);
  asm volatile("" : "+r"(x));  // keeps the compiler from turning a call into a loop
  long y = serial(n - 2);
  asm volatile("" : "+r"(y));
  return x + y;
}

// The child's entry: a function of its own that calls the child and stores the result.
NOPAL_ONE_REAL_CALL void enter(long* result, function* child, int n) { *result = child(n); }

NOPAL_ONE_REAL_CALL long with_entry(int n) {
  if (n < 2) return n;
  long x;
  enter(&x, with_entry, n - 1);
  const long y = with_entry(n - 2);
  return x + y;
}

// The frame: where a thief would find what it needs, and the look at it in the join.
NOPAL_ONE_REAL_CALL long with_frame(int n) {
  if (n < 2) return n;
  long x;
  nopal::scope s;
  enter(&x, with_frame, n - 1);
  asm volatile("" : : "r"(&s) : "memory");  // anybody may have changed it
  const long y = with_frame(n - 2);
  s.join();
  return x + y;
}

// The continuation: the registers a thief would go on with. The entry comes by way of the routine that records them.
void enter_recorded(nopal_frame*, void*, long* result, function* child, int n) { *result = child(n); }

NOPAL_ONE_REAL_CALL long with_continuation(int n) {
  if (n < 2) return n;
  long x;
  nopal_frame frame;
  nopal_make_frame(&frame);
  using entry = void (*)(nopal_frame*, void*, long*, function*, int);
  reinterpret_cast<entry>(&nopal_enter_fork)(&frame, reinterpret_cast<void*>(&enter_recorded), &x,
                                             with_continuation, n - 1);
  const long y = with_continuation(n - 2);
  if (frame.steals != 0) nopal_throw_foreign_scope(&frame);
  return x + y;
}

// And the deque: all of it.
long whole(int n) {
  if (n < 2) return n;
  long x;
  nopal::scope s;
  s.fork_into(x, whole, n - 1);
  const long y = whole(n - 2);
  s.join();
  return x + y;
}

double seconds_per_fork(function* fib) {
  constexpr int n = 24;
  constexpr double forks = 75024;  // fib(n + 1) - 1
  double least = std::numeric_limits<double>::max();
  for (int run = 0; run < 400; ++run) {
    const auto start = std::chrono::steady_clock::now();
    volatile long result = fib(n);
    static_cast<void>(result);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    least = std::min(least, elapsed.count());
  }
  return least / forks;
}

}  // namespace

std::vector<fork_step> measure_fork_steps() {
  return {{"two calls, serially", seconds_per_fork(serial)},
          {"the child's entry: arguments, result", seconds_per_fork(with_entry)},
          {"the scope: frame pointer, look at it in the join", seconds_per_fork(with_frame)},
          {"the continuation: seven registers stored", seconds_per_fork(with_continuation)},
          {"the deque: push and pop", seconds_per_fork(whole)}};
}

}  // namespace measure
