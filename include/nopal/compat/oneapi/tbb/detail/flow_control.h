// How the code that gives items says that there are no more: a pipeline's first filter, and an input node of a flow graph.
#ifndef NOPAL_COMPAT_TBB_DETAIL_FLOW_CONTROL_H
#define NOPAL_COMPAT_TBB_DETAIL_FLOW_CONTROL_H

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// What code that gives items is called with.
class flow_control {
public:
  /// There are no more: what this call returns is no item.
  void stop() noexcept { is_pipeline_stopped = true; }

  bool is_pipeline_stopped = false;  ///< for the library: the name by which oneTBB's flow graphs ask
};

namespace nopal_detail {

struct flow_access {
  static flow_control make() noexcept { return {}; }
  static bool is_stopped(const flow_control& control) noexcept { return control.is_pipeline_stopped; }
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
