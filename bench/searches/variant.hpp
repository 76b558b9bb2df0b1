// The scopes that a source here is compiled on; it is one of several variants, each in a namespace of its own.
//
// Each has
//   stop_view  what a strand asks whether it is to stop; handed to each function that forks or searches
//   group      a scope of a strand that may be stopped from further out: fork, join
//   stoppable  one that can be stopped itself: fork_inlet, request_stop, stop_requested and view as well
#ifndef NOPAL_BENCH_SEARCHES_VARIANT_HPP
#define NOPAL_BENCH_SEARCHES_VARIANT_HPP

#ifdef NOPAL_SEARCHES_POLLED
#include "polled.hpp"
#elif defined(NOPAL_SEARCHES_SIMULATED)
#include "virtual/simulated.hpp"
#elif defined(NOPAL_SEARCHES_TBB)
#include "tbb.hpp"
#else
#include "speculative.hpp"
#endif

#include "searches.hpp"

namespace searches::NOPAL_SEARCHES_VARIANT {

std::vector<search> queens_searches(bool quick);
std::vector<search> knapsack_searches(bool quick);
std::vector<search> fifteen_searches(bool quick);
std::vector<search> sat_searches(bool quick);
std::vector<search> connect4_searches(bool quick);
std::vector<search> ranges_searches(bool quick);

library make_library();

}  // namespace searches::NOPAL_SEARCHES_VARIANT

#endif
