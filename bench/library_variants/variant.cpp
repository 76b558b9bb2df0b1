// One alternative of the library, presented as a peer is. Defined by the build: VARIANT_NAME, VARIANT_TITLE, the
// policy VARIANT_RECLAIM and its call VARIANT_RECLAIM_WITH.
#include <nopal/nopal.hpp>

#include "peers/peer.hpp"
#include "runner/runtime_counts.hpp"
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
          .idiom = "the text of the nopal columns",
          .is_variant = true};
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

void add_counts(run_record& record) { add_runtime_counts(record, before, after); }

}  // namespace bench::peer
