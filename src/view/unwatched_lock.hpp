// A lock that no checker takes for an order of the program's own strands: who comes first to it is
// chance.
#ifndef NOPAL_VIEW_UNWATCHED_LOCK_HPP
#define NOPAL_VIEW_UNWATCHED_LOCK_HPP

#include <pthread.h>

#include <nopal/version.hpp>

#include "sanitizers/sanitizers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// Holds a mutex for a block that calls nothing of the program.
class unwatched_lock {
public:
  explicit unwatched_lock(pthread_mutex_t& mutex) noexcept : mutex_(mutex) {
    sanitizers::begin_ignoring_sync();
    pthread_mutex_lock(&mutex_);
  }
  ~unwatched_lock() {
    pthread_mutex_unlock(&mutex_);
    sanitizers::end_ignoring_sync();
  }
  unwatched_lock(const unwatched_lock&) = delete;
  unwatched_lock& operator=(const unwatched_lock&) = delete;

private:
  pthread_mutex_t& mutex_;
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
