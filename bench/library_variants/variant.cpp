// One alternative of the library, presented as a peer is. Defined by the build: VARIANT_NAME, VARIANT_TITLE, the
// policy VARIANT_RECLAIM and its call VARIANT_RECLAIM_WITH.
#include <nopal/nopal.hpp>

#include "peers/peer.hpp"
#include "runner/warm_up.hpp"

namespace bench::peer {
namespace {

nopal::statistics before;
nopal::statistics after;

}  // namespace

identity who() {
  return {.name = VARIANT_NAME,
          .title = VARIANT_TITLE,
          .version = NOPAL_VERSION_STRING,
          .idiom = "the text of the nopal columns"};
}

void run_with(int workers, const std::function<void()>& timed) {
  nopal::configure({.workers = workers,
                    .reclaim = nopal::reclaim::VARIANT_RECLAIM,
                    .reclaim_with = static_cast<int>(nopal::reclaim_call::VARIANT_RECLAIM_WITH)});
  // The first fork starts the threads.
  warm_up<nopal::scope>(workers);
  before = nopal::stats();
  timed();
  after = nopal::stats();
}

void add_counts(run_record& record) {
  const auto counted = [](auto member) { return after.total.*member - before.total.*member; };
  record.steals = counted(&nopal::worker_statistics::steals);
  record.failed_steals = counted(&nopal::worker_statistics::failed_steals);
  record.suspensions = counted(&nopal::worker_statistics::suspensions);
  record.publishes = counted(&nopal::worker_statistics::publishes);
  record.forced_publishes = counted(&nopal::worker_statistics::forced_publishes);
  record.parks = counted(&nopal::worker_statistics::parks);
  record.pages_reclaimed = counted(&nopal::worker_statistics::pages_reclaimed);
  record.stacks_peak = after.stacks_peak;
  record.stack_pages_peak = after.stack_pages_peak;
}

}  // namespace bench::peer
