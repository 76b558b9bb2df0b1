// Tutorial, checking: a sum that is read before the child has written its half.
#include <nopal/nopal.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

long sum(const long* from, const long* to) {
  if (to - from < 1000) return std::accumulate(from, to, 0L);
  const long* middle = from + (to - from) / 2;
  long left;
  nopal::scope s;
  s.fork_into(left, sum, from, middle);
  const long right = sum(middle, to);
  return left + right;  // a join is missing before this line
}

int main() {
  const std::vector<long> ones(10000, 1);
  std::printf("%ld\n", sum(ones.data(), ones.data() + ones.size()));
}
