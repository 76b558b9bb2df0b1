// Latent forks, real code, between a strand that makes them, thieves, and the signals of those that ask.
#ifndef NOPAL_TESTS_EXPLORE_LATENT_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_LATENT_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

enum class latent_fault {
  none,
  push_relaxed,  ///< the store of `bottom` releases nothing
};

struct latent_scenario {
  static constexpr std::int32_t usual_capacity = 8;
  /// f fork, latent if the limit says so; i the same, called in place; g the same, with a child that copies its arguments first,
  /// and k once it has; e fork, eager in any case; u call code without tables; r return from the youngest call; | join what
  /// was stolen, and begin a region anew; z stay in the youngest function for a while, l for good.
  std::string owner;
  /// Per thief: s steal, f force a publication, p poison the limit, a ask; n go to sleep; d be asleep, from the start; m be about to sleep for good, from the start; z wait
  /// until nothing else moves; j be there at all; w look for work as a worker does, to the end.
  std::vector<std::string> thieves;
  bool root = false;                       ///< the strand is on the stack of its thread
  bool alone = false;                      ///< at first there is no other worker
  bool poisoned = false;                   ///< the limit at the start
  std::int32_t capacity = usual_capacity;  ///< of the deque
  bool hasty = false;                      ///< a sleeper's look may come too early
  bool nothing_latent = false;             ///< so the owner has answered before
  int watcher = 0;                         ///< the thief that keeps the watch at the start
  int looks = 3;                           ///< so many waits of a thief may end by themselves
  latent_fault fault = latent_fault::none;
};

/// Each continuation is taken once, by the owner or by a thief, and complete. Entries are in serial order, and no latent fork
/// that may be promoted is older than one. Whoever takes an entry back gets its own. Nobody sleeps for good beside a latent
/// fork that can be had.
std::unique_ptr<model> make_latent_model(const latent_scenario& with);

}  // namespace explore

#endif
