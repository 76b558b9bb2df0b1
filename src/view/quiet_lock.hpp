// A lock that no checker takes for an order of the program's own strands: who comes first to it is chance.
#ifndef NOPAL_VIEW_QUIET_LOCK_HPP
#define NOPAL_VIEW_QUIET_LOCK_HPP

#include <pthread.h>

#include <nopal/version.hpp>

#include "checkers/checkers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// Holds a mutex for a block that calls nothing of the program.
class quiet_lock {
public:
  explicit quiet_lock(pthread_mutex_t& mutex) noexcept : mutex_(mutex) {
    checkers::begin_untold_order();
    pthread_mutex_lock(&mutex_);
  }
  ~quiet_lock() {
    pthread_mutex_unlock(&mutex_);
    checkers::end_untold_order();
  }
  quiet_lock(const quiet_lock&) = delete;
  quiet_lock& operator=(const quiet_lock&) = delete;

private:
  pthread_mutex_t& mutex_;
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
