// The variant of the searches that runs in virtual time. Within its namespace, what they use of the library and of
// searches.hpp means what is here.
#ifndef NOPAL_BENCH_SEARCHES_VIRTUAL_SIMULATED_HPP
#define NOPAL_BENCH_SEARCHES_VIRTUAL_SIMULATED_HPP

#include "counts.hpp"
#include "find.hpp"
#include "scopes.hpp"

#define NOPAL_SEARCHES_HAS_FIND

namespace searches::NOPAL_SEARCHES_VARIANT {

namespace nopal = virtual_time;
using virtual_time::stop_clock;
using virtual_time::tally;
using virtual_time::timed;
using virtual_time::visits;

struct stop_view {
  [[nodiscard]] bool stopped() const { return nopal::stop_requested(); }
};

class group : public nopal::scope {
public:
  explicit group(stop_view) {}
};

class stoppable : public nopal::cancel_scope {
public:
  explicit stoppable(stop_view) {}
  [[nodiscard]] stop_view view() const { return {}; }
};

}  // namespace searches::NOPAL_SEARCHES_VARIANT

#endif
