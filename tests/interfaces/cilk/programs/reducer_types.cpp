// OpenCilk's reducers whose type says that they are one.
#include <cilk/cilk.h>
#include <cilk/opadd_reducer.h>

#include <cstdio>
#include <string>

cilk::opadd_reducer<long> everywhere = 3;
namespace inner {
static ::cilk::opadd_reducer<double> halves(0.5);
}

using namespace cilk;

static void count(int n) {
  if (n < 2) {
    ++everywhere;
    inner::halves += 0.5;
    return;
  }
  cilk_spawn count(n - 1);
  count(n - 2);
  cilk_sync;
}

template <class T>
static T sum(int n) {
  opadd_reducer<T> total = T(1);
  cilk_for(int i = 0; i < n; ++i) total += static_cast<T>(i);
  return total;
}

/// With an end of its own, and memory that somebody has to give back.
struct text {
  std::string words;
  text(int) {}
  text& operator+=(const text& other) {
    words += other.words;
    return *this;
  }
};

int main() {
  count(15);
  std::printf("%ld %g\n", everywhere, inner::halves);
  std::printf("%d %ld %g\n", sum<int>(1000), sum<long>(5000), sum<double>(777));
  cilk::opadd_reducer<text> all = 0;
  opadd_reducer<unsigned> first = 1, second{2};
  cilk_for(int i = 0; i < 300; ++i) {
    all.words += i % 30 == 0 ? "long enough to be no short string: " + std::to_string(i) : std::string();
    first += static_cast<unsigned>(i);
    second += 2 * first - first;
    first += 0;
  }
  std::printf("%s %u\n", all.words.c_str(), first);
  return second == 0;
}
