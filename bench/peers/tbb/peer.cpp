#include "peers/peer.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include "runner/warm_up.hpp"

namespace bench::peer {

identity who() {
  return {.name = "tbb",
          .title = "oneTBB",
          .version = TBB_runtime_version(),
          .idiom = "parallel_invoke, task_group where forks are in a loop"};
}

void run_with(int workers, const std::function<void()>& timed) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(workers));
  tbb::task_arena arena(workers);
  arena.execute([&] {
    warm_up(workers, [](int count, const auto& leaf) {
      tbb::parallel_for(0, count, 1, [&leaf](int) { leaf(); }, tbb::simple_partitioner());
    });
    timed();
  });
}

void add_counts(run_record&) {}

}  // namespace bench::peer
