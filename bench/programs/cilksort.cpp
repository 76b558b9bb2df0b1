// Parallel merge sort, with parallel merges, of random 32-bit values: merge_sort.hpp.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "merge_sort.hpp"
#include "program.hpp"
#include "random_values.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

using value = random_values::value;

class cilksort_instance final : public instance {
public:
  explicit cilksort_instance(const input& with)
      : values_(with), spare_(values_.size()), grain_(std::max<std::ptrdiff_t>(with.grain, 4)) {}
  void run() override { merge_sort<value>({values_.begin(), values_.end()}, spare_.data(), grain_); }
  [[nodiscard]] bool verify() const override { return values_.are_sorted(); }

private:
  random_values values_;
  std::vector<value> spare_;
  std::ptrdiff_t grain_;
};

}  // namespace

const program cilksort_program = {
    .name = "cilksort",
    .summary = "merge sort of random 32-bit values, merges forked too",
    .size = {.meaning = "values",
             .usual = 12'000'000,
             .quick = 200'000,
             .paper = 100'000'000,
             .largest = 4'000'000'000},
    .grain = {.meaning = "values sorted or merged serially", .usual = 2048},
    .prepare = prepare<cilksort_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
