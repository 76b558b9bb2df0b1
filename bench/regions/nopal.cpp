#include <nopal/nopal.hpp>

#include "loop.hpp"

namespace regions {
namespace {

struct with_nopal final : library {
  explicit with_nopal(int workers) { nopal::configure({.workers = workers}); }
  void loop(int count, const work& body) override { nopal::parallel_for(0, count, body); }
};

}  // namespace

library* make_nopal(int workers) { return new with_nopal(workers); }

}  // namespace regions
