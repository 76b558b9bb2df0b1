// The standard library's parallel algorithms on Nopal: nothing here names it.
#include <algorithm>
#include <cstdio>
#include <execution>
#include <vector>

int main() {
  std::vector<int> v(1'000'000);
  int next = 0;
  for (int& x : v) x = ++next * 37 % 1009;
  std::sort(std::execution::par, v.begin(), v.end());
  std::printf("from %d to %d\n", v.front(), v.back());
  return std::is_sorted(v.begin(), v.end()) ? 0 : 1;
}
