// A loop that forks a leaf of about a microsecond per iteration into one scope. Thieves steal the
// rest of the loop; the space it uses must not grow with the trip count.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fork_join.hpp"
#include "program.hpp"
#include "serial_work.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

// Steps that take a microsecond: the fastest of many tries, as others may use the machine.
std::int64_t steps_per_microsecond() {
  constexpr std::int64_t steps = 1'000'000;
  auto fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    volatile std::uint64_t sink = take_steps(static_cast<std::uint64_t>(attempt), steps);
    static_cast<void>(sink);
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
    fastest_ns = std::min<std::int64_t>(fastest_ns, elapsed.count());
  }
  return std::max<std::int64_t>(1, steps * 1000 / std::max<std::int64_t>(1, fastest_ns));
}

void run_leaves(std::vector<std::uint64_t>& results, std::int64_t steps) {
  scope s;
  for (std::size_t i = 0; i < results.size(); ++i) s.fork_into(results[i], take_steps, i, steps);
  s.join();
}

class loop_instance final : public instance {
public:
  explicit loop_instance(const input& with)
      : results_(static_cast<std::size_t>(with.size)), steps_(with.grain) {}
  void run() override { run_leaves(results_, steps_); }
  [[nodiscard]] bool verify() const override {
    const affine_map all_steps = steps_at_once(steps_);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (results_[i] != all_steps(i)) return false;
    }
    return true;
  }

private:
  std::vector<std::uint64_t> results_;
  std::int64_t steps_;
};

}  // namespace

const program loop_program = {
    .name = "loop",
    .summary = "a loop that forks a leaf of a microsecond per iteration",
    .size = {.meaning = "iterations",
             .usual = 1'000'000,
             .quick = 20'000,
             .paper = 20'000,
             .largest = 1'000'000'000},
    .grain = {.meaning = "steps of a leaf, by default those of a microsecond",
              .calibrate = steps_per_microsecond},
    .prepare = prepare<loop_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
