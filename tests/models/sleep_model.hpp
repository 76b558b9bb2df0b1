// Sleep and wake-up, real code, between a worker that forks and others that look for work.
#ifndef NOPAL_TESTS_EXPLORE_SLEEP_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_SLEEP_MODEL_HPP

#include <memory>
#include <string>

#include "models/explorer.hpp"

namespace explore {

enum class sleep_fault {
  none,
  no_look,      ///< a sleeper does not look for work after its announcement
  no_barrier,   ///< nor does it pass the process-wide barrier before that look
  unannounced,  ///< the owner finds the number of sleepers unchanged
  unpoisoned,   ///< the owner never finds its limit poisoned
  no_wake,      ///< sleepers are not woken
};

struct sleep_scenario {
  std::string owner;  ///< + push, - pop, as a function that forks does it
  int thieves = 1;
  bool poisoned = false;  ///< the owner's limit at the start
  /// A sleeper's second look may come too early: then it may sleep beside one entry, whose owner's next push wakes it.
  bool hasty = false;
  bool elsewhere = false;      ///< sleepers are kept off their wakers' CPUs
  int strangers = 0;           ///< threads of the program that wait for roots of their own
  bool short_regions = false;  ///< pushes wake nobody while somebody looks up for them
  bool beats = false;          ///< each thief expects a region once, as a timer wakes it
  int refusals = 0;            ///< so many process-wide barriers of a thief the system may refuse
  sleep_fault fault = sleep_fault::none;
};

/// When nothing moves any more, each entry was taken once, and nobody sleeps beside one that is there to be taken.
std::unique_ptr<model> make_sleep_model(const sleep_scenario& with);

}  // namespace explore

#endif
