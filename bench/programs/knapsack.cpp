// The 0/1 knapsack problem by branch and bound: a fork for every item that still fits, no cut-off.
//
// All strands share the best value so far and cut what cannot beat it, so the work depends on when a good
// value is found. The instances are made so that it hardly does: items come in order of value per weight
// and taking one is tried before leaving it, so the first packings are nearly the best; and weights are
// multiples of 100 while the capacity is one less than a multiple, so the bound stays above what any
// packing reaches. Of the seeds tried, none had more than 0.3 % fewer nodes with the optimum known
// beforehand. Instances of different seeds differ several times in their work: compare within a seed.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fork_join.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

struct item {
  std::int64_t value;
  std::int64_t weight;
};

// Equal ratios come in the order of the weights: the same everywhere.
bool has_more_value_per_weight(const item& a, const item& b) {
  const std::int64_t left = a.value * b.weight;
  const std::int64_t right = b.value * a.weight;
  return left != right ? left > right : a.weight > b.weight;
}

/// The items, and the best value that any strand has found.
class search {
public:
  explicit search(const std::vector<item>& items) : end_(items.data() + items.size()) {}

  [[nodiscard]] bool is_end(const item* next) const { return next == end_; }
  [[nodiscard]] std::int64_t best() const { return best_.load(std::memory_order_relaxed); }

  // Only the number itself is shared, and an old one costs time, not the result: nothing to order.
  void offer(std::int64_t value) {
    std::int64_t best = this->best();
    while (value > best && !best_.compare_exchange_weak(best, value, std::memory_order_relaxed)) {
    }
  }

  /// No later item has more value per weight than `next`, so filling the room with it bounds what is left.
  [[nodiscard]] bool can_beat_best(const item& next, std::int64_t room, std::int64_t value) const {
    return (best() - value) * next.weight < room * next.value;
  }

private:
  const item* end_;
  std::atomic<std::int64_t> best_ = 0;
};

void pack(search* in, const item* next, std::int64_t room, std::int64_t value) {
  in->offer(value);
  if (in->is_end(next) || !in->can_beat_best(*next, room, value)) return;
  if (next->weight > room) {
    pack(in, next + 1, room, value);
    return;
  }
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { pack(in, next + 1, room - next->weight, value + next->value); },
         [=] { pack(in, next + 1, room, value); });
#else
  scope s;
  s.fork(pack, in, next + 1, room - next->weight, value + next->value);
  pack(in, next + 1, room, value);
  s.join();
#endif
}

std::int64_t best_value_by_table(const std::vector<item>& items, std::int64_t capacity) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(capacity) + 1);  // by room, with the items so far
  for (const item& added : items) {
    const auto weight = static_cast<std::size_t>(added.weight);
    for (std::size_t room = best.size(); room-- > weight;) {
      best[room] = std::max(best[room], best[room - weight] + added.value);
    }
  }
  return best.back();
}

class knapsack_instance final : public instance {
public:
  explicit knapsack_instance(const input& with) : items_(static_cast<std::size_t>(with.size)) {
    random_sequence random(with.seed);
    std::int64_t hundreds = 0;
    for (item& made : items_) {
      const auto weight = 10 + static_cast<std::int64_t>(random.next() % 100);
      made.weight = 100 * weight;
      made.value = made.weight + static_cast<std::int64_t>(random.next() % 33);
      hundreds += weight;
    }
    std::sort(items_.begin(), items_.end(), has_more_value_per_weight);
    capacity_ = hundreds / 2 * 100 + 99;
  }
  void run() override {
    search in(items_);
    pack(&in, items_.data(), capacity_, 0);
    result_ = in.best();
  }
  [[nodiscard]] bool verify() const override { return result_ == best_value_by_table(items_, capacity_); }

private:
  std::vector<item> items_;
  std::int64_t capacity_;
  std::int64_t result_ = -1;
};

}  // namespace

const program knapsack_program = {
    .name = "knapsack",
    .summary = "0/1 knapsack by branch and bound, a fork for every item that fits",
    .size = {.meaning = "items", .usual = 32, .quick = 20, .paper = 32, .largest = 60},
    .grain = {},
    .prepare = prepare<knapsack_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
