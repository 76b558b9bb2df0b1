// What the simulation keeps of each worker, and of each scope that was stolen from.
#ifndef NOPAL_BENCH_SIMULATE_WORKER_HPP
#define NOPAL_BENCH_SIMULATE_WORKER_HPP

#include <cstdint>

#include "record/graph.hpp"
#include "simulate/deque.hpp"

namespace simulate {

using recording::none;
using recording::picoseconds;

enum class activity {
  running,   ///< a strand, until its event
  looking,   ///< for work, at one victim per step
  raising,   ///< waits for the barrier of a forced publish
  parking,   ///< announced that it goes to sleep; waits for the barrier
  dozing,    ///< asleep until the second look
  sleeping,  ///< asleep until woken
  waking,
};

struct worker {
  activity doing = activity::sleeping;
  std::uint32_t strand = 0;     ///< running: what it is known by
  std::uint32_t stack = none;   ///< running: the stack it is on
  std::uint32_t spare = none;   ///< an empty stack at hand
  std::uint32_t victim = none;  ///< raising: whose deque
  bool parked = true;           ///< announced as a sleeper, and woken by nobody yet
  bool promising = false;       ///< this round of looks saw signs of work
  int attempt = 0;              ///< in this round
  int quiet_rounds = 0;
  int looks_at_private_work = 0;
  std::uint64_t random = 1;
  std::uint64_t barriers_seen = 0;  ///< running: those it was interrupted by
  picoseconds word_free_at = 0;     ///< its deque's word is on its way to a thief until then
  simulate::deque deque;
};

/// A scope that was stolen from; the numbers of docs/join.md.
struct scope_state {
  std::int32_t steals = 0;
  std::int32_t unfinished = 0;
  std::uint32_t strand = none;  ///< that waits at the join
  std::uint32_t home = 0;       ///< stack of its frame
};

inline std::uint64_t seed_of(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15 + index + 1;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) | 1;
}

}  // namespace simulate

#endif
