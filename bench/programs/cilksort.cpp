// Parallel merge sort, with parallel merges, of random 32-bit values: merge_sort.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "merge_sort.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

using value = std::uint32_t;

class cilksort_instance final : public instance {
public:
  explicit cilksort_instance(const input& with)
      : values_(static_cast<std::size_t>(with.size)), spare_(values_.size()),
        grain_(std::max<std::ptrdiff_t>(with.grain, 4)) {
    random_sequence random(with.seed);
    for (value& v : values_) v = static_cast<value>(random.next());
    fingerprint_ = fingerprint();
  }
  void run() override {
    merge_sort<value>({values_.data(), values_.data() + values_.size()}, spare_.data(), grain_);
  }
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
  std::vector<value> spare_;
  std::ptrdiff_t grain_;
  std::uint64_t fingerprint_;
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
