// Quicksort in place of random 32-bit values: one side of every partition is forked.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "fork_join.hpp"
#include "program.hpp"
#include "random_values.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

using value = random_values::value;

value median(value a, value b, value c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

// Hoare's partition: equal values go to both sides, so many of them do no harm.
// Returns m with first < m < last, nothing in [first, m) greater than anything in [m, last).
value* partition(value* first, value* last) {
  const value pivot = median(*first, first[(last - first) / 2], last[-1]);
  value* low = first;
  value* high = last - 1;
  for (;;) {
    while (*low < pivot) ++low;
    while (pivot < *high) --high;
    if (low >= high) break;
    std::swap(*low++, *high--);
  }
  return low == first ? first + 1 : low;
}

void quicksort(value* first, value* last, std::ptrdiff_t grain) {
  if (last - first <= grain) {
    std::sort(first, last);
    return;
  }
  value* const middle = partition(first, last);
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { quicksort(first, middle, grain); }, [=] { quicksort(middle, last, grain); });
#else
  scope s;
  s.fork(quicksort, first, middle, grain);
  quicksort(middle, last, grain);
  s.join();
#endif
}

class quicksort_instance final : public instance {
public:
  explicit quicksort_instance(const input& with)
      : values_(with), grain_(std::max<std::ptrdiff_t>(with.grain, 2)) {}
  void run() override { quicksort(values_.begin(), values_.end(), grain_); }
  [[nodiscard]] bool verify() const override { return values_.are_sorted(); }

private:
  random_values values_;
  std::ptrdiff_t grain_;
};

}  // namespace

const program quicksort_program = {
    .name = "quicksort",
    .summary = "quicksort in place of random 32-bit values",
    .size = {.meaning = "values",
             .usual = 14'000'000,
             .quick = 1'000'000,
             .paper = 100'000'000,
             .largest = 4'000'000'000},
    .grain = {.meaning = "values sorted serially", .usual = 1000},
    .prepare = prepare<quicksort_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
