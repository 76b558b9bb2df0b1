#include <omp.h>

#include "loop.hpp"

namespace regions {
namespace {

struct with_openmp final : library {
  explicit with_openmp(int workers) { omp_set_num_threads(workers); }
  void loop(int count, const work& body) override {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; ++i) body(i);
  }
};

}  // namespace

library* make_openmp(int workers) { return new with_openmp(workers); }

}  // namespace regions
