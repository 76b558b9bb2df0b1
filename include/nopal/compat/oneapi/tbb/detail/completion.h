// Whether a child is over, as its parent's continuation can tell before the join.
#ifndef NOPAL_COMPAT_TBB_DETAIL_COMPLETION_H
#define NOPAL_COMPAT_TBB_DETAIL_COMPLETION_H

#include <atomic>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Set by one strand, and seen by another with all that came before.
class completion {
public:
  void set() noexcept { done_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_set() const noexcept { return done_.load(std::memory_order_acquire); }

private:
  std::atomic<bool> done_{false};
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
