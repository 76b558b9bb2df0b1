// The 0/1 knapsack by branch and bound. Strands share the best value, and what cannot beat it is cut. Once it is as much as the whole
// problem's bound, nothing can beat it, and all that runs is stopped.
//
// Two kinds of items. Of the first, the bound stays out of reach and nothing is stopped: what is gained is what is cut earlier. Of the
// second, value is weight, and the search ends once some items fill the room.
#include <algorithm>
#include <cstddef>

#include "../programs/random.hpp"
#include "variant.hpp"

namespace searches::NOPAL_SEARCHES_VARIANT {
namespace {

struct item {
  std::int64_t value;
  std::int64_t weight;
};

struct packing {
  std::vector<item> items;  ///< by value per weight, then by weight, falling
  std::int64_t room = 0;
  std::int64_t expected = 0;       ///< by dynamic programming
  std::size_t searched_items = 0;  ///< so many last ones without forks
};

struct hunt {
  const packing& of;
  tally& counts;
  std::int64_t bound;
  stoppable* scope = nullptr;
  std::atomic<std::int64_t> best = 0;  ///< relaxed: an old one costs time, not the result
  std::atomic<bool> is_reached = false;
  stop_clock since{};
};

/// What fits of the items from there on, were they divisible.
std::int64_t bound_of(const packing& all, std::size_t next, std::int64_t room) {
  std::int64_t value = 0;
  for (; next < all.items.size() && all.items[next].weight <= room; ++next) {
    room -= all.items[next].weight;
    value += all.items[next].value;
  }
  if (next == all.items.size()) return value;
  return value + room * all.items[next].value / all.items[next].weight;
}

void offer(hunt& in, std::int64_t value) {
  std::int64_t best = in.best.load(std::memory_order_relaxed);
  while (value > best && !in.best.compare_exchange_weak(best, value, std::memory_order_relaxed)) {
  }
  if (value >= in.bound && !in.is_reached.exchange(true, std::memory_order_relaxed)) {
    in.since.stopped();
    in.scope->request_stop();
  }
}

bool can_beat_best(const hunt& in, std::size_t next, std::int64_t room, std::int64_t value) {
  return value + bound_of(in.of, next, room) > in.best.load(std::memory_order_relaxed);
}

template <class Visits>
void pack_serially(hunt& in, std::size_t next, std::int64_t room, std::int64_t value, Visits& seen) {
  if (!seen.goes_on()) return;
  if (value > in.best.load(std::memory_order_relaxed)) offer(in, value);
  if (next == in.of.items.size() || !can_beat_best(in, next, room, value)) return;
  const item& one = in.of.items[next];
  if (one.weight <= room) pack_serially(in, next + 1, room - one.weight, value + one.value, seen);
  pack_serially(in, next + 1, room, value, seen);
}

void pack(hunt& in, std::size_t next, std::int64_t room, std::int64_t value, stop_view view) {
  if (view.stopped()) return;
  if (next + in.of.searched_items >= in.of.items.size()) {
    visits seen(in.counts, [view] { return view.stopped(); });
    pack_serially(in, next, room, value, seen);
    return;
  }
  in.counts.add_nodes(1);
  offer(in, value);
  if (!can_beat_best(in, next, room, value)) return;
  const item& one = in.of.items[next];
  group both(view);
  if (one.weight <= room)
    both.fork([&in, &one, next, room, value, view] {
      pack(in, next + 1, room - one.weight, value + one.value, view);
    });
  both.fork([&in, next, room, value, view] { pack(in, next + 1, room, value, view); });
  both.join();
}

outcome run(const packing& of) {
  outcome all = timed([&](tally& counts) {
    hunt in{.of = of, .counts = counts, .bound = bound_of(of, 0, of.room)};
    stoppable whole{stop_view()};
    in.scope = &whole;
    whole.fork([&] { pack(in, 0, of.room, 0, whole.view()); });
    whole.join();
    in.since.joined(counts);
    return in.best.load(std::memory_order_relaxed);
  });
  all.is_right = all.answer == of.expected;
  return all;
}

/// By what is best in each room; all weights are multiples of `unit`.
std::int64_t best_by_table(const packing& of, std::int64_t unit) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(of.room / unit) + 1);
  for (const item& added : of.items) {
    const auto weight = static_cast<std::size_t>(added.weight / unit);
    for (std::size_t room = best.size(); room-- > weight;)
      best[room] = std::max(best[room], best[room - weight] + added.value);
  }
  return best.back();
}

/// By which rooms can be filled, a bit each; values are weights.
std::int64_t most_filled(const packing& of) {
  std::vector<std::uint64_t> filled(static_cast<std::size_t>(of.room / 64) + 1);
  filled[0] = 1;
  for (const item& added : of.items) {
    const auto words = static_cast<std::size_t>(added.weight / 64);
    const auto bits = static_cast<unsigned>(added.weight % 64);
    for (std::size_t i = filled.size(); i-- > words;) {
      filled[i] |= filled[i - words] << bits;
      if (bits != 0 && i > words) filled[i] |= filled[i - words - 1] >> (64 - bits);
    }
  }
  std::int64_t most = of.room;
  while ((filled[static_cast<std::size_t>(most / 64)] >> (most % 64) & 1) == 0) --most;
  return most;
}

void sort_items(packing& all) {
  std::sort(all.items.begin(), all.items.end(), [](const item& a, const item& b) {
    const std::int64_t left = a.value * b.weight;
    const std::int64_t right = b.value * a.weight;
    return left != right ? left > right : a.weight > b.weight;
  });
}

/// Values are about weights, which are multiples of 100 while the room is one less than a multiple.
packing out_of_reach(std::size_t count, std::uint64_t seed, std::size_t searched_items) {
  packing made{.items = std::vector<item>(count), .searched_items = searched_items};
  bench::random_sequence random(seed);
  std::int64_t hundreds = 0;
  for (item& one : made.items) {
    const auto weight = 10 + static_cast<std::int64_t>(random.next() % 100);
    one = {100 * weight + static_cast<std::int64_t>(random.next() % 33), 100 * weight};
    hundreds += weight;
  }
  sort_items(made);
  made.room = hundreds / 2 * 100 + 99;
  made.expected = best_by_table(made, 100);
  return made;
}

packing to_be_filled(std::size_t count, std::int64_t largest, std::uint64_t seed,
                     std::size_t searched_items) {
  packing made{.items = std::vector<item>(count), .searched_items = searched_items};
  bench::random_sequence random(seed);
  std::int64_t all = 0;
  for (item& one : made.items) {
    const std::int64_t weight =
        largest / 2 + static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(largest / 2));
    one = {weight, weight};
    all += weight;
  }
  sort_items(made);
  made.room = all / 2;
  made.expected = most_filled(made);
  return made;
}

}  // namespace

std::vector<search> knapsack_searches(bool quick) {
  const packing cut = quick ? out_of_reach(22, 1, 10) : out_of_reach(30, 1, 14);
  const packing filled = quick ? to_be_filled(24, 10'000, 1, 10) : to_be_filled(36, 20'000'000, 1, 14);
  return {{"knapsack " + std::to_string(cut.items.size()) + ", cut", [cut] { return run(cut); }},
          {"knapsack " + std::to_string(filled.items.size()) + ", filled", [filled] { return run(filled); }}};
}

}  // namespace searches::NOPAL_SEARCHES_VARIANT
