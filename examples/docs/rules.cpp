// What the rules page shows: each rule kept, and what the library says where it can see one broken.
#include <alloca.h>

#include <nopal/nopal.hpp>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int work(int n) { return n * n; }

// snippet: declared_before
int sum_of_two(int a, int b) {
  int x;           // first what children write,
  nopal::scope s;  // then the scope: its destructor waits before x dies
  s.fork_into(x, work, a);
  const int y = work(b);
  s.join();
  return x + y;
}
// end snippet

// snippet: joined_before
int doubled(int a) {
  int x = 0;
  nopal::scope s;
  s.fork_into(x, work, a);
  s.join();  // without it, x is read here while the child may still run
  return 2 * x;
}
// end snippet

// snippet: foreign_scope
[[gnu::noinline]] void fork_for_somebody(nopal::scope& s) {
  s.fork(work, 2);  // throws nopal::error: another function made this scope
}

bool is_refused() {
  nopal::scope s;
  s.fork(work, 1);
  try {
    fork_for_somebody(s);
  } catch (const nopal::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return true;
  }
  return false;
}
// end snippet

// snippet: locks
std::mutex log_mutex;
std::vector<std::string> log_lines;

void note(const char* text) {
  const std::lock_guard lock(log_mutex);  // taken and given back by one strand, with no fork between
  log_lines.emplace_back(text);
}

void noted_work(int n) {
  note("begin");  // the lock is free again here
  nopal::scope s;
  s.fork(work, n);
  note("between fork and join");
  s.join();
  note("end");
}
// end snippet

// snippet: thread_local
thread_local long calls = 0;

[[gnu::noinline]] void count_call() { ++calls; }  // does not fork: the address is looked up here, each time

void counted_work(int n) {
  count_call();
  nopal::scope s;
  s.fork(work, n);
  count_call();  // maybe another thread's counter
  s.join();
}
// end snippet

// snippet: alloca
void with_scratch(std::size_t bytes) {
  char* const scratch = static_cast<char*>(alloca(bytes));  // before the scope
  std::memset(scratch, 0, bytes);
  nopal::scope s;
  s.fork([scratch, bytes] { scratch[bytes - 1] = 'x'; });
  work(1);
  s.join();
}
// end snippet

// snippet: exceptions
int first_of_two_failures() {
  try {
    nopal::scope s;
    s.fork([] { throw std::runtime_error("1"); });
    s.fork([] { throw std::runtime_error("2"); });
    s.join();
  } catch (const std::runtime_error& e) {
    return e.what()[0] - '0';  // always 1, as in the serial program
  }
  return 0;
}
// end snippet

// snippet: both_may_throw
int half(int n) {
  if (n == 1) throw std::runtime_error("1");
  if (n == 2) throw std::runtime_error("2");
  return n;
}

int sum_of_halves(int a, int b) {
  int x;
  int y;
  nopal::scope s;
  s.fork_into(x, half, a);
  s.fork_into(y, half, b);  // not y = half(b), whose exception would win over that of the first half
  s.join();
  return x + y;
}
// end snippet

int first_failure_of_halves() {
  try {
    return sum_of_halves(1, 2);
  } catch (const std::runtime_error& e) {
    return e.what()[0] - '0';
  }
}

// snippet: loop_variable
int sum_of_squares(int n) {
  std::vector<int> squares(static_cast<std::size_t>(n));
  nopal::scope s;
  for (int i = 0; i < n; ++i) {
    s.fork([&squares, i] { squares[static_cast<std::size_t>(i)] = work(i); });  // i by value: [&] is a race
  }
  s.join();
  int sum = 0;
  for (const int square : squares) sum += square;
  return sum;
}
// end snippet

// snippet: setjmp
std::jmp_buf on_error;  // of one strand at a time; a thread_local would be another thread's after a fork

[[noreturn, gnu::noinline]] void fail() { std::longjmp(on_error, 1); }

int survives_an_error() {
  volatile int rows = 0;
  volatile int result = 0;  // a child's results change as well
  nopal::scope s;
  if (setjmp(on_error) == 0) {
    s.fork_into(result, work, 2);
    rows = rows + 1;
    fail();  // comes back here, on whichever stack the function is by now
  }
  s.join();
  return rows + result;
}
// end snippet

}  // namespace

int main() {
  bool right = sum_of_two(3, 4) == 25 && doubled(3) == 18;
  right = right && is_refused();
  noted_work(1);
  counted_work(1);
  with_scratch(100);
  right = right && log_lines.size() == 3 && log_lines.back() == "end";
  for (int run = 0; run < 1000; ++run) right = right && first_of_two_failures() == 1;
  for (int run = 0; run < 1000; ++run) right = right && first_failure_of_halves() == 1;
  right = right && sum_of_halves(3, 4) == 7 && sum_of_squares(4) == 14;
  for (int run = 0; run < 1000; ++run) right = right && survives_an_error() == 5;
  return right ? 0 : 1;
}
