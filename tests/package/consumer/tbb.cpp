// A program written for oneTBB.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#ifndef NOPAL_COMPAT_TBB
#error "these are oneTBB's own headers"
#endif

int main() {
  const long sum = tbb::parallel_reduce(
      tbb::blocked_range<long>(0, 1000), 0L,
      [](const tbb::blocked_range<long>& range, long so_far) {
        for (long i = range.begin(); i != range.end(); ++i) so_far += i;
        return so_far;
      },
      [](long a, long b) { return a + b; });
  return sum == 499500 ? 0 : 1;
}
