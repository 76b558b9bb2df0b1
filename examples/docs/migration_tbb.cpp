// oneTBB's calls, in Nopal's words.
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <vector>

namespace {

// snippet: group
long fib(int n) {
  if (n < 2) return n;
  long x, y;
  nopal::scope group;              // tbb::task_group group;
  group.fork_into(x, fib, n - 1);  // group.run([&] { x = fib(n - 1); });
  y = fib(n - 2);
  group.join();  // group.wait();
  return x + y;
}
// end snippet

// snippet: range
void add(std::vector<int>& to, const std::vector<int>& from) {
  // tbb::parallel_for(tbb::blocked_range<std::size_t>(0, to.size()), [&](const auto& range) { ... });
  nopal::parallel_for(std::size_t{0}, to.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) to[i] += from[i];
  });
}
// end snippet

// snippet: enumerable
nopal::holder<std::vector<int>> scratch;    // tbb::enumerable_thread_specific<std::vector<int>> scratch;
nopal::reducer<nopal::op_add<long>> total;  // tbb::combinable<long> total;

void use(int n) {
  scratch->assign(static_cast<std::size_t>(n), 1);   // scratch.local().assign(...)
  for (const int value : *scratch) *total += value;  // total.local() += value
}
// end snippet

}  // namespace

int main() {
  std::vector<int> to(10'000, 1);
  add(to, to);
  nopal::parallel_for(0, 100, use);
  return fib(20) == 6765 && to == std::vector<int>(10'000, 2) && total.value() == 4950 ? 0 : 1;
}
