// Quicksort in place of random 32-bit values: one side of every partition is forked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fork_join.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

using value = std::uint32_t;

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
      : values_(static_cast<std::size_t>(with.size)), grain_(std::max<std::ptrdiff_t>(with.grain, 2)) {
    random_sequence random(with.seed);
    for (value& v : values_) v = static_cast<value>(random.next());
    fingerprint_ = fingerprint();
  }
  void run() override { quicksort(values_.data(), values_.data() + values_.size(), grain_); }
  [[nodiscard]] bool verify() const override {
    return std::is_sorted(values_.begin(), values_.end()) && fingerprint() == fingerprint_;
  }

private:
  // Depends on the values and how often each occurs, not on their order.
  [[nodiscard]] std::uint64_t fingerprint() const {
    std::uint64_t sum = 0;
    for (const value v : values_) sum += mix(v + std::uint64_t{1});
    return sum;
  }

  std::vector<value> values_;
  std::ptrdiff_t grain_;
  std::uint64_t fingerprint_;
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
