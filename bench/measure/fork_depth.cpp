#include "measure/fork_depth.hpp"

#include <utility>

#include <nopal/scope.hpp>

namespace measure {

long take_fork_depth() {
  nopal::fork_depth& depth = nopal::this_thread_fork_depth;
  return std::exchange(depth.maximum, depth.current);
}

}  // namespace measure
