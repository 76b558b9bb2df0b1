// How the code that gives items says that there are no more.
#ifndef NOPAL_COMPAT_TBB_DETAIL_FLOW_CONTROL_H
#define NOPAL_COMPAT_TBB_DETAIL_FLOW_CONTROL_H

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {
struct flow_access;
}  // namespace nopal_detail

/// What code that gives items is called with.
class flow_control {
public:
  /// There are no more: what this call returns is no item.
  void stop() noexcept { is_stopped_ = true; }

private:
  friend struct nopal_detail::flow_access;
  flow_control() noexcept = default;

  bool is_stopped_ = false;
};

namespace nopal_detail {

struct flow_access {
  static flow_control make() noexcept { return {}; }
  static bool is_stopped(const flow_control& control) noexcept { return control.is_stopped_; }
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
