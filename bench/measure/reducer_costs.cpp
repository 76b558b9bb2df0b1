#include "measure/reducer_costs.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>

#include <nopal/reducer.hpp>

#include "programs/in_halves.hpp"
#include "programs/random.hpp"

namespace measure {
namespace {

using word = std::int64_t;
using index = std::ptrdiff_t;

/// What the minima and maxima are of, in place of endless random numbers: they cost no time and little of the cache.
class random_words {
public:
  static constexpr std::size_t count = 1024;

  random_words() {
    bench::random_sequence random(1);
    for (std::int32_t& each : words_) each = static_cast<std::int32_t>(random.next() >> 32);
  }
  /// What place `place` meets in round `round`.
  [[nodiscard]] word at(index round, int place) const {
    return words_[(static_cast<std::size_t>(round) + 37 * static_cast<std::size_t>(place)) % count];
  }

private:
  std::array<std::int32_t, count> words_;
};
const random_words values;

// Each kind of place: how it is updated in a round, and what it holds after the rounds 0 to `rounds`, done `times` over.

/// Volatile: each update is a load and a store, as each of the others'.
template <int N>
class plain_words {
public:
  void update(index, int place) { words_[place] = words_[place] + 1; }
  [[nodiscard]] bool has(int place, index rounds, index times) { return words_[place] == rounds * times; }

private:
  alignas(64) volatile word words_[N] = {};
};

template <int N>
class atomic_words {
public:
  void update(index, int place) { words_[place].fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool has(int place, index rounds, index times) { return words_[place] == rounds * times; }

private:
  alignas(64) std::atomic<word> words_[N] = {};
};

template <int N>
class locked_words {
public:
  locked_words() {
    for (locked_word& each : words_) pthread_spin_init(&each.lock, PTHREAD_PROCESS_PRIVATE);
  }
  void update(index, int place) {
    locked_word& at = words_[place];
    pthread_spin_lock(&at.lock);
    at.value = at.value + 1;
    pthread_spin_unlock(&at.lock);
  }
  [[nodiscard]] bool has(int place, index rounds, index times) {
    return words_[place].value == rounds * times;
  }

private:
  struct locked_word {
    pthread_spinlock_t lock;
    volatile word value = 0;
  };
  alignas(64) locked_word words_[N];
};

template <int N>
class sums {
public:
  void update(index, int place) { *reducers_[place] += 1; }
  [[nodiscard]] bool has(int place, index rounds, index times) {
    return reducers_[place].value() == rounds * times;
  }

private:
  alignas(64) nopal::reducer<nopal::op_add<word>> reducers_[N];
};

/// The least of what each place meets, or with std::greater the greatest.
template <int N, class Monoid, class Less>
class extremes {
public:
  void update(index round, int place) {
    const word met = values.at(round, place);
    word& mine = *reducers_[place];
    if (Less()(met, mine)) mine = met;
  }
  [[nodiscard]] bool has(int place, index rounds, index) {
    word expected = Monoid::identity();
    for (index round = 0; round < std::min<index>(rounds, random_words::count); ++round)
      expected = std::min(expected, values.at(round, place), Less());
    return reducers_[place].value() == expected;
  }

private:
  alignas(64) nopal::reducer<Monoid> reducers_[N];
};

template <int N>
using minima = extremes<N, nopal::op_min<word>, std::less<word>>;
template <int N>
using maxima = extremes<N, nopal::op_max<word>, std::greater<word>>;

/// Rounds first to last: each updates all places in turn.
template <class Places, int N>
[[gnu::noinline]] void take_rounds(Places* places, index first, index last) {
  for (index round = first; round < last; ++round) {
// As many updates for each turn of the loop, whatever N is.
#pragma GCC unroll 4
    for (int place = 0; place < N; ++place) places->update(round, place);
  }
}

template <template <int> class Places, int N>
update_result time_places(const update_order& order) {
  const index rounds = std::max<index>(1, static_cast<index>(order.updates) / N);
  // A fork is nothing beside what it forks.
  constexpr index chunk = std::max<index>(1, 4096 / N);
  const auto places = std::make_unique<Places<N>>();
  const auto pass = [rounds, at = places.get()] {
    bench::NOPAL_PROGRAM_VARIANT::in_halves(
        0, rounds, chunk, [at](index first, index last) { take_rounds<Places<N>, N>(at, first, last); });
  };
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < order.passes; ++i) pass();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  update_result result{elapsed.count(), true};
  for (int place = 0; place < N; ++place)
    result.verified = places->has(place, rounds, order.passes) && result.verified;
  return result;
}

template <template <int> class Places>
update_result time_kind(const update_order& order) {
  switch (order.places) {
  case 4: return time_places<Places, 4>(order);
  case 16: return time_places<Places, 16>(order);
  case 64: return time_places<Places, 64>(order);
  case 256: return time_places<Places, 256>(order);
  case 1024: return time_places<Places, 1024>(order);
  default: throw std::invalid_argument("no such number of places");
  }
}

}  // namespace

update_result time_updates(const update_order& order) {
  if (order.kind == "array") return time_kind<plain_words>(order);
  if (order.kind == "atomic") return time_kind<atomic_words>(order);
  if (order.kind == "lock") return time_kind<locked_words>(order);
  if (order.kind == "add") return time_kind<sums>(order);
  if (order.kind == "min") return time_kind<minima>(order);
  if (order.kind == "max") return time_kind<maxima>(order);
  throw std::invalid_argument("no such kind of updates");
}

}  // namespace measure
