// Random irregular trees of forks whose strands update reducers, against the same trees run serially: global reducers and those
// that strands make, scopes within scopes, nested entry through a C callback, several threads at once. Prints its seed; the
// environment gives NOPAL_STRESS_SEED and NOPAL_STRESS_SECONDS. A watchdog ends the run when nothing moves any more.
#include <nopal/nopal.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "run_settings.hpp"
#include "support/affine.hpp"
#include "support/watchdog.hpp"

namespace {

using stress::mix;
using support::affine;
using support::op_affine;

std::atomic<std::uint64_t> leaves{0};

/// The serial program: what a reducer does, without one.
template <class Monoid>
class variable {
public:
  typename Monoid::value_type& operator*() { return value_; }
  typename Monoid::value_type* operator->() { return &value_; }
  const typename Monoid::value_type& value() { return value_; }

private:
  typename Monoid::value_type value_ = Monoid::identity();
};

struct serial {
  using scope = stress::serial_scope;
  template <class Monoid>
  using reducer = variable<Monoid>;
};

struct parallel {
  using scope = nopal::scope;
  template <class Monoid>
  using reducer = nopal::reducer<Monoid>;
};

/// What the strands of a tree update.
template <class Program>
struct variables {
  typename Program::template reducer<op_affine> map;
  typename Program::template reducer<nopal::op_vector_append<std::uint32_t>> words;
  typename Program::template reducer<nopal::op_add<std::uint64_t>> sum;

  void update(std::uint64_t seed) {
    map->then(seed | 1, seed >> 7);
    if (seed % 3 == 0) {
      words->push_back(static_cast<std::uint32_t>(seed));
    }
    if (seed % 5 == 0) {
      *sum += seed;
    }
  }

  template <class Other>
  bool operator==(variables<Other>& other) {
    return map.value() == other.map.value() && words.value() == other.words.value() &&
           sum.value() == other.sum.value();
  }
};

template <class Program>
void tree(variables<Program>& all, std::uint64_t seed, int depth);

template <class Program>
void leaf(variables<Program>& all, std::uint64_t seed) {
  const std::uint64_t rounds = seed % 97 == 0 ? 20000 : seed % 300;
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    state = state * 6364136223846793005U + 1;
  }
  leaves.fetch_add(1, std::memory_order_relaxed);
  all.update(state);
}

/// What is sorted brings along what its comparisons update.
template <class Program>
struct sorted {
  int value;
  variables<Program>* all;
};

template <class Program>
int compare(const void* left, const void* right) {
  const auto& a = *static_cast<const sorted<Program>*>(left);
  const auto& b = *static_cast<const sorted<Program>*>(right);
  typename Program::scope scope;
  scope.fork([&a, &b] { tree(*a.all, mix(static_cast<std::uint64_t>(a.value * 31 + b.value)), 1); });
  a.all->update(static_cast<std::uint64_t>(a.value));
  scope.join();
  return (a.value > b.value) - (a.value < b.value);
}

/// Forks from below code that knows nothing of forks.
template <class Program>
void sort_with_callback(variables<Program>& all, std::uint64_t seed) {
  sorted<Program> values[6];
  for (std::uint64_t i = 0; i < 6; ++i) {
    values[i] = {static_cast<int>(mix(seed + i) % 10), &all};
  }
  std::qsort(values, 6, sizeof values[0], compare<Program>);
}

/// Reducers of a strand's own, one of which outlives the scope within; their values go to those of all.
template <class Program>
void with_reducers_of_its_own(variables<Program>& all, std::uint64_t seed, int depth) {
  variables<Program> own;
  const auto on_the_heap = std::make_unique<variables<Program>>();
  {
    typename Program::scope scope;
    scope.fork([&own, seed, depth] { tree(own, mix(seed + 1), depth - 1); });
    on_the_heap->update(seed);
    scope.fork([&on_the_heap, seed, depth] { tree(*on_the_heap, mix(seed + 2), depth - 1); });
    own.update(seed);
    scope.join();
  }
  all.update(own.map.value().summand);
  all.update(on_the_heap->map.value().factor);
  all.update(own.words.value().size() * 15);
}

template <class Program>
void tree(variables<Program>& all, std::uint64_t seed, int depth) {
  if (depth <= 0) {
    return leaf(all, seed);
  }
  const int children = static_cast<int>(mix(seed) % 5) + 1;
  typename Program::scope scope;
  for (int i = 0; i < children; ++i) {
    const std::uint64_t below = mix(seed * 7 + static_cast<std::uint64_t>(i));
    all.update(below);
    // The comparisons have trees of depth 1.
    switch (below % 19 == 0 && depth == 1 ? 3 : below % 19) {
    case 0: scope.fork([&all, below] { sort_with_callback(all, below); }); break;
    case 1: scope.fork([&all, below, depth] { with_reducers_of_its_own(all, below, depth - 1); }); break;
    case 2: with_reducers_of_its_own(all, below, depth - 1); break;
    case 3: scope.join(); break;
    case 4: {
      typename Program::scope inner;
      inner.fork([&all, below, depth] { tree(all, below, depth - 1); });
      all.update(seed);
      inner.join();
      break;
    }
    default: scope.fork([&all, below, depth] { tree(all, below, depth - 1); });
    }
  }
  all.update(seed);
  scope.join();
  all.update(mix(seed));
}

bool same(std::uint64_t seed, int depth) {
  variables<serial> expected;
  tree(expected, seed, depth);
  variables<parallel> got;
  tree(got, seed, depth);
  const bool equal = got == expected;
  if (!equal) {
    std::printf("tree %llu of depth %d: other values than the serial program's\n",
                static_cast<unsigned long long>(seed), depth);
  }
  return equal;
}

/// This thread's, at most.
bool view_sets_came_back() {
  const nopal::statistics counts = nopal::stats();
  std::printf("%llu sets of views at most\n", static_cast<unsigned long long>(counts.view_sets_peak));
  return counts.view_sets_in_use <= 1;
}

}  // namespace

int main() {
  const support::watchdog watchdog(leaves);
  return stress::run_forests(same, 5, 4) && view_sets_came_back() ? 0 : 1;
}
