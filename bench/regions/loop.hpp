// A loop of short bodies on each library.
#ifndef NOPAL_BENCH_REGIONS_LOOP_HPP
#define NOPAL_BENCH_REGIONS_LOOP_HPP

#include <cstdint>

namespace regions {

/// What a body does: a chain of so many steps.
struct work {
  int steps;

  void operator()(int i) const {
    auto x = static_cast<std::uint64_t>(i) | 1U;
    for (int step = 0; step != steps; ++step) {
      x = x * 6364136223846793005U + 1442695040888963407U;
      asm volatile("" : "+r"(x));
    }
  }
};

class library {
public:
  library() = default;
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  virtual ~library() = default;
  virtual void loop(int count, const work& body) = 0;
};

// Each for as many workers, the calling thread being one.
library* make_nopal(int workers);
library* make_tbb(int workers);
library* make_openmp(int workers);

}  // namespace regions

#endif
