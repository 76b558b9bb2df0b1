#include "peers/peer.hpp"

#include <omp.h>

#include <fmt/format.h>

#include "programs/fork_join.hpp"
#include "runner/warm_up.hpp"

namespace bench::peer {

identity who() {
#ifdef __clang__
  return {.name = "libomp",
          .title = "OpenMP tasks, LLVM's libomp",
          .version = fmt::format("{} (OpenMP {})", __clang_major__, _OPENMP),
          .idiom = "task and taskwait, the last child run by its parent; default wait policy, no binding"};
#else
  return {.name = "gomp",
          .title = "OpenMP tasks, GCC's libgomp",
          .version = fmt::format("{} (OpenMP {})", __GNUC__, _OPENMP),
          .idiom = "task and taskwait, the last child run by its parent; default wait policy, no binding"};
#endif
}

void run_with(int workers, const std::function<void()>& timed) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(workers)
  {
    // Every thread is up before one of them starts; the others take tasks at the barrier that ends the region.
#pragma omp barrier
#pragma omp single
    {
      warm_up<scope>(workers);
      timed();
    }
  }
}

void add_counts(run_record&) {}

}  // namespace bench::peer
