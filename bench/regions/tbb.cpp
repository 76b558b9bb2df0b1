#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include "loop.hpp"

namespace regions {
namespace {

struct with_tbb final : library {
  explicit with_tbb(int workers)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)) {}
  void loop(int count, const work& body) override { tbb::parallel_for(0, count, body); }

  tbb::global_control limit;
};

}  // namespace

library* make_tbb(int workers) { return new with_tbb(workers); }

}  // namespace regions
