// A plug-in that computes in parallel, with a libnopal of its own or a shared one behind it.
#include <nopal/nopal.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

// Ends while the plug-in is unloaded.
nopal::reducer<nopal::op_add<long>> calls;

}  // namespace

extern "C" __attribute__((visibility("default"))) long plugin_fib(int n) {
  try {
    return fib(n);
  } catch (const nopal::error&) {
    return -1;
  }
}

extern "C" __attribute__((visibility("default"))) long plugin_sum(int n) {
  *calls += 1;
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::parallel_for(0, n, [&](int i) { *sum += i; });
  return sum.value();
}
