// Fibonacci numbers by the double recursion: a fork at every level and next to no work beside it,
// so its time is the cost of fork and join.
#include "fork_join.hpp"
#include "measure/one_real_call.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

#ifdef NOPAL_PROGRAM_PLAIN

// The barriers keep the compiler from turning the second call into a loop.
NOPAL_ONE_REAL_CALL long fib(int n) {
  if (n < 2) return n;
  long x = fib(n - 1);
  asm volatile("" : "+r"(x));
  long y = fib(n - 2);
  asm volatile("" : "+r"(y));
  return x + y;
}

#elif defined(NOPAL_PROGRAM_HAS_INVOKE)

long fib(int n) {
  if (n < 2) return n;
  long x;
  long y;
  invoke([&] { x = fib(n - 1); }, [&] { y = fib(n - 2); });
  return x + y;
}

#else

long fib(int n) {
  if (n < 2) return n;
  long x;
  scope s;
  s.fork_into(x, fib, n - 1);
  long y = fib(n - 2);
  s.join();
  return x + y;
}

#endif

long fib_by_iteration(int n) {
  long previous = 1;
  long current = 0;
  for (int i = 0; i < n; ++i) {
    const long next = previous + current;
    previous = current;
    current = next;
  }
  return current;
}

class fib_instance final : public instance {
public:
  explicit fib_instance(const input& with) : n_(static_cast<int>(with.size)) {}
  void run() override { result_ = fib(n_); }
  [[nodiscard]] bool verify() const override { return result_ == fib_by_iteration(n_); }

private:
  int n_;
  long result_ = -1;
};

}  // namespace

const program fib_program = {
    .name = "fib",
    .summary = "Fibonacci number by double recursion, a fork at every level",
    .size = {.meaning = "n", .usual = 41, .quick = 32, .paper = 42, .largest = 60, .suite = 39},
    .grain = {},
    .prepare = prepare<fib_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
