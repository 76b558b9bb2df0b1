// Best-first branch and bound, beside answers found by other means.
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "support/living.hpp"
#include "support/strands.hpp"

namespace {

using nopal::parallel_find_best;

// --- knapsacks: gains ------------------------------------------------------------------------------------

struct item {
  int weight;
  int value;
};
struct packing {
  std::size_t next = 0;
  int weight = 0;
  int value = 0;
};

/// By dynamic programming.
int most_packed(const std::vector<item>& items, int capacity) {
  std::vector<int> best(static_cast<std::size_t>(capacity) + 1);
  for (const item& one : items) {
    for (int left = capacity; left >= one.weight; --left) {
      int& here = best[static_cast<std::size_t>(left)];
      here = std::max(here, best[static_cast<std::size_t>(left - one.weight)] + one.value);
    }
  }
  return best.back();
}

struct knapsack {
  std::vector<item> items;
  int capacity;

  /// What fits, and a part of the first item that does not.
  [[nodiscard]] double bound(const packing& from) const {
    double most = from.value;
    int left = capacity - from.weight;
    for (std::size_t i = from.next; i < items.size(); ++i) {
      if (items[i].weight > left) return most + static_cast<double>(items[i].value) * left / items[i].weight;
      left -= items[i].weight;
      most += items[i].value;
    }
    return most;
  }
  [[nodiscard]] std::vector<packing> expand(const packing& from) const {
    std::vector<packing> result;
    if (from.next == items.size()) return result;
    const item& one = items[from.next];
    if (from.weight + one.weight <= capacity) {
      result.push_back({from.next + 1, from.weight + one.weight, from.value + one.value});
    }
    result.push_back({from.next + 1, from.weight, from.value});
    return result;
  }
};

knapsack random_knapsack(std::mt19937& random, std::size_t number) {
  knapsack result;
  int sum = 0;
  for (std::size_t i = 0; i < number; ++i) {
    const int weight = 10 + static_cast<int>(random() % 90);
    result.items.push_back({weight, weight + static_cast<int>(random() % 20)});
    sum += weight;
  }
  std::sort(result.items.begin(), result.items.end(),
            [](const item& a, const item& b) { return a.value * b.weight > b.value * a.weight; });
  result.capacity = sum / 2;
  return result;
}

NOPAL_PROGRAM(knapsacks) {
  const auto seed = std::random_device()();
  std::mt19937 random(seed);
  for (int round = 0; round < 40; ++round) {
    const knapsack one = random_knapsack(random, 5 + random() % 25);
    const auto best = parallel_find_best(
        packing{}, [&one](const packing& from) { return one.expand(from); },
        [](const packing& from) { return static_cast<double>(from.value); },
        [&one](const packing& from) { return one.bound(from); }, std::greater<>());
    const int most = most_packed(one.items, one.capacity);
    if (!best || best->value != most)
      std::fprintf(stderr, "the seed is %lu\n", static_cast<unsigned long>(seed));
    NOPAL_CHECK(best && best->value == most && best->weight <= one.capacity);
  }
  support::check_quiet();
  return 0;
}

// --- paths: costs ----------------------------------------------------------------------------------------

/// On a grid of costs, from its corner: nodes are paths' ends, answers those at the other corner.
struct place {
  int x = 0;
  int y = 0;
  int cost = 0;
};
constexpr int side = 9;

/// One worker expands what the queue of a serial search does, in its order, and the answer is as good on several.
NOPAL_PROGRAM(paths) {
  std::minstd_rand random(5);
  for (int round = 0; round < 10; ++round) {
    std::vector<int> costs(side * side);
    for (int& cost : costs) cost = 1 + static_cast<int>(random() % 9);
    const auto rest = [](const place& at) { return at.cost + 2 * (side - 1) - at.x - at.y; };
    std::atomic<int> expanded{0};
    const auto expand = [&](const place& at) {
      ++expanded;
      std::vector<place> result;
      const auto go = [&](int x, int y) {
        if (x < side && y < side) {
          result.push_back({x, y, at.cost + costs[static_cast<std::size_t>(y * side + x)]});
        }
      };
      go(at.x + 1, at.y);
      go(at.x, at.y + 1);
      return result;
    };
    const auto answer = [](const place& at) {
      return at.x == side - 1 && at.y == side - 1 ? std::optional<int>(at.cost) : std::nullopt;
    };
    const std::optional<place> best = parallel_find_best(place{}, expand, answer, rest);
    std::vector<int> least(side * side, 0);
    for (int i = 1; i < side * side; ++i) {
      const int x = i % side;
      const int y = i / side;
      const int left = x > 0 ? least[static_cast<std::size_t>(i - 1)] : 1 << 20;
      const int above = y > 0 ? least[static_cast<std::size_t>(i - side)] : 1 << 20;
      least[static_cast<std::size_t>(i)] = std::min(left, above) + costs[static_cast<std::size_t>(i)];
    }
    NOPAL_CHECK(best && best->cost == least.back());
    // Of all paths' ends, those whose bound is less than the answer have to be looked at, and some of those
    // that equal it.
    int below = 0;
    int equal = 0;
    std::vector<place> all{place{}};
    while (!all.empty()) {
      const place at = all.back();
      all.pop_back();
      if (rest(at) > best->cost) continue;
      ++(rest(at) < best->cost ? below : equal);
      const int kept = expanded;
      for (const place& next : expand(at)) all.push_back(next);
      expanded = kept;
    }
    NOPAL_CHECK(expanded >= below);
    NOPAL_CHECK(nopal::workers() > 1 || expanded <= below + equal);
  }
  support::check_quiet();
  return 0;
}

// --- the rest --------------------------------------------------------------------------------------------

std::vector<int> two_children(int of) {
  return of < 2000 ? std::vector<int>{2 * of + 1, 2 * of + 2} : std::vector<int>{};
}

NOPAL_PROGRAM(no_answer) {
  int looked_at = 0;
  const auto none = parallel_find_best(
      0, [](int) { return std::vector<int>{}; },
      [&looked_at](int) {
        ++looked_at;
        return std::optional<int>();
      },
      [](int node) { return node; });
  NOPAL_CHECK(!none && looked_at == 1);
  const auto all = parallel_find_best(
      0, two_children, [](int node) { return node == 1234 ? std::optional<int>(0) : std::nullopt; },
      [](int) { return 0; });
  NOPAL_CHECK(all && *all == 1234);
  support::check_quiet();
  return 0;
}

/// Nodes that can be copied and neither moved nor assigned; each ends once.
NOPAL_PROGRAM(nodes_end_once) {
  struct counted {
    int number;
    support::living alive;
  };
  std::atomic<int> alive{0};
  {
    const auto best = parallel_find_best(
        counted{1, support::living(alive)},
        [](const counted& from) {
          std::vector<counted> children;
          for (int i = 0; i < 2 && from.number < 500; ++i)
            children.push_back({from.number * 2 + i, from.alive});
          return children;
        },
        [](const counted& from) { return from.number; }, [](const counted&) { return 1000; },
        std::greater<>());
    NOPAL_CHECK(best && best->number == 999 && alive == 1);
  }
  NOPAL_CHECK(alive == 0);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(what_is_thrown) {
  for (int round = 0; round < 50; ++round) {
    for (int where = 0; where < 3; ++where) {
      std::atomic<int> looked_at{0};
      int caught = 0;
      const auto at = [&looked_at, where](int part) {
        if (part == where && ++looked_at == 300) throw 7;
      };
      try {
        static_cast<void>(parallel_find_best(
            0,
            [&at](int node) {
              at(0);
              return two_children(node);
            },
            [&at](int) {
              at(1);
              return std::optional<int>();
            },
            [&at](int node) {
              at(2);
              return node;
            }));
      } catch (int what) {
        caught = what;
      }
      NOPAL_CHECK(caught == 7);
    }
  }
  support::check_quiet();
  return 0;
}

/// A comparison that throws leaves nothing that others trip over.
NOPAL_PROGRAM(comparisons_that_throw) {
  for (int round = 1; round < 400; ++round) {
    std::atomic<int> compared{0};
    int caught = 0;
    try {
      static_cast<void>(parallel_find_best(
          0, two_children, [](int) { return std::optional<int>(); }, [](int node) { return node; },
          [&compared, round](int a, int b) {
            if (++compared == 10 * round) throw 7;
            return a < b;
          }));
    } catch (int what) {
      caught = what;
    }
    NOPAL_CHECK(caught == 7);
  }
  support::check_quiet();
  return 0;
}

/// A comparison that goes on on another worker than it began on leaves that one no strand that compares.
NOPAL_PROGRAM(comparisons_that_fork) {
  using namespace std::chrono_literals;
  for (int round = 0; round < 10; ++round) {
    const auto expand = [](int node) {
      std::this_thread::sleep_for(100us);
      return node < 64 ? std::vector<int>{2 * node, 2 * node + 1} : std::vector<int>{};
    };
    const auto value = [](int node) { return node < 64 ? std::nullopt : std::optional<int>(node); };
    const auto bound = [](int node) {
      while (node < 64) node *= 2;
      return node;
    };
    const auto best = parallel_find_best(1, expand, value, bound, [](int a, int b) {
      bool is_less = false;
      nopal::scope s;
      s.fork([&] {
        std::this_thread::sleep_for(20us);
        is_less = a < b;
      });
      std::this_thread::sleep_for(40us);
      s.join();
      return is_less;
    });
    NOPAL_CHECK(best && *best == 64);
  }
  support::check_quiet();
  return 0;
}

/// A search that is narrow, again and again, is wide again behind that: each wide level waits until two strands have
/// a node of it in hand.
NOPAL_PROGRAM(narrow_and_wide) {
  struct node {
    int level = 0;
    int place = 0;
  };
  constexpr int levels = 50;
  const int wanted = std::min(nopal::workers(), 2);
  std::atomic<int> inside{0};
  std::vector<std::atomic<bool>> met(levels);
  const auto expand = [&](const node& from) {
    std::vector<node> children;
    if (from.level == levels) return children;
    if (from.level % 2 == 0) {
      // Others find nothing meanwhile.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      for (int i = 0; i < 20; ++i) children.push_back({from.level + 1, i});
      return children;
    }
    if (from.place != 0) {
      ++inside;
      for (int i = 0; i < 2000 && !met[static_cast<std::size_t>(from.level)]; ++i) {
        if (inside >= wanted) met[static_cast<std::size_t>(from.level)] = true;
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      }
      --inside;
    } else {
      children.push_back({from.level + 1, 0});
    }
    return children;
  };
  static_cast<void>(parallel_find_best(
      node{}, expand, [](const node&) { return std::optional<int>(); },
      // Of a level, the one that leads on comes last.
      [](const node& at) { return 2 * at.level + (at.place == 0 ? 1 : 0); }));
  for (int level = 1; level < levels; level += 2) NOPAL_CHECK(met[static_cast<std::size_t>(level)]);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(in_stopped_scopes) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> looked_at{0};
    std::atomic<int> late{0};
    support::flag asked{false};
    nopal::cancel_scope s;
    static_cast<void>(parallel_find_best(
        1, [](int node) { return std::vector<int>{node + 1, node + 1}; },  // without end
        [&](int) {
          if (asked) ++late;
          if (++looked_at == 100) {
            s.request_stop();
            asked = true;
          }
          return std::optional<int>();
        },
        [](int node) { return node; }));
    // Each strand that had the next node already.
    NOPAL_CHECK(looked_at >= 100 && late <= nopal::workers());
  }
  // As from every pattern, `stopped` leaves it where a fork would throw that.
  int after = 0;
  nopal::cancel_scope s{nopal::on_stop::unwind};
  s.fork([&] {
    s.request_stop();
    static_cast<void>(parallel_find_best(
        1, [](int) { return std::vector<int>(); }, [](int) { return std::optional<int>(1); },
        [](int node) { return node; }));
    ++after;
  });
  s.join();
  NOPAL_CHECK(after == 0);
  support::check_quiet();
  return 0;
}

class best_search : public support::program_at_workers {};

TEST_P(best_search, packs_knapsacks) { EXPECT_TRUE(run("knapsacks")); }
TEST_P(best_search, expands_no_more_than_it_must) { EXPECT_TRUE(run("paths")); }
TEST_P(best_search, may_find_nothing) { EXPECT_TRUE(run("no_answer")); }
TEST_P(best_search, ends_each_node_once) { EXPECT_TRUE(run("nodes_end_once")); }
TEST_P(best_search, throws_what_was_thrown) { EXPECT_TRUE(run("what_is_thrown")); }
TEST_P(best_search, throws_what_comparisons_throw) { EXPECT_TRUE(run("comparisons_that_throw")); }
TEST_P(best_search, takes_comparisons_that_fork) { EXPECT_TRUE(run("comparisons_that_fork")); }
TEST_P(best_search, is_wide_again_after_it_was_narrow) { EXPECT_TRUE(run("narrow_and_wide")); }
TEST_P(best_search, is_stopped) { EXPECT_TRUE(run("in_stopped_scopes")); }

INSTANTIATE_TEST_SUITE_P(at_workers, best_search, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace
