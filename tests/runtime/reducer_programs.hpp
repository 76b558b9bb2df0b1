// What the programs of the reducer tests share: monoids whose order shows, values that are counted, and random programs that
// run with forks and without.
#ifndef NOPAL_TESTS_RUNTIME_REDUCER_PROGRAMS_HPP
#define NOPAL_TESTS_RUNTIME_REDUCER_PROGRAMS_HPP

#include <nopal/nopal.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/affine.hpp"
#include "support/strands.hpp"

namespace reducers {

using nopal::reducer;
using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

using string_reducer = reducer<nopal::op_string_append>;
using vector_reducer = reducer<nopal::op_vector_append<std::uint32_t>>;

using support::affine;
using support::op_affine;

/// In a child: lets somebody else have the chance to steal its parent's continuation.
inline void invite_thief(const flag& stolen) {
  if (nopal::workers() == 1) return;
  for (int i = 0; i < 20 && !stolen.load(std::memory_order_acquire); ++i) std::this_thread::yield();
}

/// Text whose instances are counted.
struct counted_text {
  counted_text() { ++alive; }
  counted_text(const counted_text&) = delete;
  counted_text& operator=(const counted_text&) = delete;
  ~counted_text() { --alive; }

  std::string said;
  static inline std::atomic<long> alive{0};
  static inline std::atomic<long> reductions{0};
};

struct op_counted_text {
  using value_type = counted_text;
  static counted_text identity() { return {}; }
  static void reduce(counted_text& left, counted_text&& right) {
    ++counted_text::reductions;
    left.said += right.said;
  }
};

/// A fork whose continuation is stolen, if there is anybody to steal it: `child` begins afterwards, or before on one worker.
#define FORK_AND_BE_STOLEN(in, ...)                                                                          \
  do {                                                                                                       \
    ::support::flag continued{false};                                                                        \
    ::support::flag begun{false};                                                                            \
    (in).fork([&continued, &begun, child = __VA_ARGS__] {                                                    \
      ::support::wait_for_continuation(continued);                                                           \
      ::support::set(begun);                                                                                 \
      child();                                                                                               \
    });                                                                                                      \
    ::support::set(continued);                                                                               \
    while (!begun.load(std::memory_order_acquire)) std::this_thread::yield();                                \
  } while (false)

/// What a scope does in the serial program.
class serial_scope {
public:
  template <class Child>
  void fork(Child child) {
    child();
  }
  void join() {}
};

struct serial_world {
  using scope = serial_scope;
  static constexpr bool may_be_stolen = false;
  std::string text;
  std::vector<std::uint32_t> words;
  affine map;

  void say(std::uint32_t word) {
    text += std::to_string(word) + ' ';
    words.push_back(word);
    map.then(word * 2 + 1, word);
  }
};

struct parallel_world {
  using scope = nopal::scope;
  static constexpr bool may_be_stolen = true;
  string_reducer text;
  vector_reducer words;
  reducer<op_affine> map;

  void say(std::uint32_t word) {
    *text += std::to_string(word) + ' ';
    words->push_back(word);
    map->then(word * 2 + 1, word);
  }
};

inline std::uint32_t next(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<std::uint32_t>(state >> 33);
}

/// A function that says words, forks children that do likewise, joins now and then, opens scopes within its scope, and calls.
template <class World>
void random_strand(World& world, std::uint64_t seed, int depth) {
  std::uint64_t state = seed;
  constexpr std::uint32_t most_steps = 6;
  support::flag continued[most_steps] = {};
  typename World::scope outer;
  const std::uint32_t steps = 1 + next(state) % most_steps;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint64_t below = state;
    switch (depth <= 0 ? 0 : next(state) % 6) {
    case 0: world.say(next(state) % 1000); break;
    case 1:
    case 2:
    case 3: {
      outer.fork([&world, below, depth, &stolen = continued[i]] {
        if (World::may_be_stolen) invite_thief(stolen);
        random_strand(world, below * 31 + 1, depth - 1);
      });
      set(continued[i]);
      if (next(state) % 4 == 0) outer.join();
      break;
    }
    case 4: {
      typename World::scope inner;
      for (std::uint64_t k = 0; k < 2 + state % 2; ++k) {
        inner.fork([&world, below, depth, k] { random_strand(world, below * 37 + k, depth - 1); });
        world.say(next(state) % 1000);
      }
      inner.join();
      break;
    }
    default: random_strand(world, below * 41 + 3, depth - 2); break;
    }
  }
  outer.join();
  world.say(next(state) % 1000);
}

}  // namespace reducers

#endif
