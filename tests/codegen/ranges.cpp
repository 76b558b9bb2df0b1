// Bodies of loops in oneTBB's interface that store numbers: of the type of the range's bounds, and through the items
// themselves. ranges_test.py reads their machine code.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>

#include <cstddef>
#include <vector>

namespace {

using range = tbb::blocked_range<std::size_t>;

[[gnu::noinline]] void loop_with_stores(const std::size_t* in, std::size_t* out, std::size_t count) {
  tbb::parallel_for(range(0, count), [=](const range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) out[i] = in[i] + 5;
  });
}

[[gnu::noinline]] void loop_over_items(std::vector<int>& items) {
  tbb::parallel_for_each(items.begin(), items.end(), [](int& item) { item += 5; });
}

}  // namespace

int main() {
  constexpr std::size_t count = 100'000;
  const std::vector<std::size_t> in(count, 2);
  std::vector<std::size_t> out(count);
  loop_with_stores(in.data(), out.data(), count);
  std::vector<int> items(count, 2);
  loop_over_items(items);
  return out == std::vector<std::size_t>(count, 7) && items == std::vector<int>(count, 7) ? 0 : 1;
}
