// Parallel loops with each step, over numbers, iterators and ranges.
#include <cilk/cilk.h>

#include <cstdio>
#include <vector>

static std::vector<int> visits(1000);

static void print(const char* what) {
  long sum = 0;
  long places = 0;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    sum += visits[i];
    places += visits[i] * static_cast<long>(i);
    visits[i] = 0;
  }
  std::printf("%s: %ld %ld\n", what, sum, places);
}

static long fib(int n) {
  if (n < 2) return n;
  long x;
  x = cilk_spawn fib(n - 1);
  long y = fib(n - 2);
  cilk_sync;
  return x + y;
}

int main() {
  cilk_for(int i = 0; i < 1000; ++i) visits[static_cast<std::size_t>(i)] += i;
  print("up");
  cilk_for(int i = 999; i >= 0; i--) { visits[static_cast<std::size_t>(i)] += i; }
  print("down");
  cilk_for(unsigned i = 3; i < 1000u; i += 7) visits[i] += 1;
  print("up by 7");
  cilk_for(int i = 998; i > 2; i -= 5) visits[static_cast<std::size_t>(i)] += 1;
  print("down by 5");
  cilk_for(long i = 0; i <= 999; i = i + 9) visits[static_cast<std::size_t>(i)] += 1;
  print("through");
  cilk_for(std::size_t i = 0; i != visits.size(); i++) {
    if (i % 3 == 0) continue;
    for (int j = 0; j < 5; ++j) {
      if (j == 1) continue;
      if (j == 3) break;
      visits[i] += j;
    }
  }
  print("until, with jumps");
  cilk_for(auto at = visits.begin(); at != visits.end(); ++at)* at = static_cast<int>(at - visits.begin());
  print("iterators");
  cilk_for(int& each : visits) each += 2;
  print("range");
#pragma cilk grainsize 1
  cilk_for(int i = 0; i < 10; ++i) {
    long x = cilk_spawn fib(i);
    const long y = fib(i);
    cilk_sync;
    visits[static_cast<std::size_t>(i)] = static_cast<int>(x + y);
  }
  print("spawns in a loop");
  cilk_for(int i = 0; i < 20; ++i) {
    cilk_for(int j = 0; j < 50; ++j) visits[static_cast<std::size_t>(50 * i + j)] = i * j;
  }
  print("loop in a loop");
  cilk_for(int i = 5; i < 5; ++i) visits[0] += 1;
  print("empty");
  int back = -2;
  cilk_for(int i = 10; i > 0; i += back) visits[static_cast<std::size_t>(i)] += 1;
  cilk_for(int i = 10; i != 0; i += back) visits[static_cast<std::size_t>(i)] += 1;
  cilk_for(int i = 0; i < 9; i -= -1) visits[static_cast<std::size_t>(i)] += 1;
  print("negative steps");
  cilk_for(unsigned char i = 250; i != 5; ++i) visits[i] += 1;
  print("over the end of a number");
  cilk_for(int i = 0;   // comments
           i < 9 /**/;  // at each
           i += 2       // end
           ) visits[static_cast<std::size_t>(i)] += 1;
  print("comments");
  cilk_for(int i = 0; i < 9; ++i) {
    if (i == 3) goto next;
    visits[static_cast<std::size_t>(i)] += 1;
  next:;
  }
  print("a jump within");
}
