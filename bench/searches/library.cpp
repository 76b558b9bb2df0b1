// What a variant has to offer.
#include <iterator>

#include "variant.hpp"

#ifdef NOPAL_SEARCHES_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#elif !defined(NOPAL_ELIDE)
#include <nopal/runtime.hpp>
#endif

namespace searches::NOPAL_SEARCHES_VARIANT {
namespace {

std::vector<search> all_searches(bool quick) {
  std::vector<search> all;
  for (const auto& made : {queens_searches(quick), knapsack_searches(quick), fifteen_searches(quick),
                           sat_searches(quick), connect4_searches(quick), ranges_searches(quick)})
    all.insert(all.end(), made.begin(), made.end());
  return all;
}

void with_workers([[maybe_unused]] int workers, const std::function<void()>& runs) {
#ifdef NOPAL_SEARCHES_TBB
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(workers));
  oneapi::tbb::task_arena arena(workers);
  arena.execute(runs);
#else
#ifndef NOPAL_ELIDE
  nopal::configure({.workers = workers});
#endif
  runs();
#endif
}

}  // namespace

library make_library() {
#ifdef NOPAL_ELIDE
  return {"serial", true, all_searches, with_workers};
#elif defined(NOPAL_SEARCHES_POLLED)
  return {"polled", false, all_searches, with_workers};
#elif defined(NOPAL_SEARCHES_TBB)
  return {"oneTBB", false, all_searches, with_workers};
#else
  return {"Nopal", false, all_searches, with_workers};
#endif
}

}  // namespace searches::NOPAL_SEARCHES_VARIANT
