// Adoption, the end of a thread, start and stop of the runtime: real code, between threads of the program that follow
// scripts and the threads of the pool that they start.
#ifndef NOPAL_TESTS_EXPLORE_LIFE_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_LIFE_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

struct life_scenario {
  /// Per thread of the program: + push, - pop or wait until the thief is done, w wake somebody as a push does, v look whether a visit is possible of
  /// everybody, e end, x stop the runtime unless some strand is active, q end the process, s use a stack as a wait for a group does,
  /// a ask for a stop and give it up, b be a thread of the pool without a strand until that leaves, k be one that takes a strand
  /// unless it sees a stop: that forks, and blocks until the fork was run on. Each function that forks joins before e and x.
  std::vector<std::string> program;
  /// What each thread of the pool does when it has left the pool and is about to end.
  std::string pool_end = {};
  int pool_threads = 1;
  bool first_thread_over = false;  ///< of the process, which is none of these
  int adopted_at_first = 0;        ///< the runtime runs already, and so many of these threads forked before
  bool poisoned = true;            ///< their limits; else their first fork is on the fast path
  int lives = 1;                   ///< of the runtime, at most
  bool hasty = false;              ///< a sleeper's second look may come too early
  int threads_granted = 100;       ///< the system refuses more
  int substitutes = 0;             ///< threads that take the places of those that block
  int values_granted = 100;        ///< the system refuses room for more values of a thread-specific key
  bool relaxed_table = false;      ///< a fault: workers enter the table without release
};

/// Each fork is run on once; nobody uses a worker, a stack or a thread's exception state that is gone; the runtime is started
/// once at a time; whoever stops it comes back; every worker has a place of its own.
std::unique_ptr<model> make_life_model(const life_scenario& with);

}  // namespace explore

#endif
