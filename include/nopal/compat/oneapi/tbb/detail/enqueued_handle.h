// Handles that are enqueued.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_HANDLE_H
#define NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_HANDLE_H

#include <utility>

#include "current.h"
#include "enqueued.h"
#include "task_handle.h"
#include "task_record.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

struct call_of_handle {
  explicit call_of_handle(task_handle&& ready) noexcept : task(std::move(ready)) {}
  task_handle task;
  void operator()() noexcept {
    const execution* const now = current();
    handle_access::call(task, now != nullptr ? now->arena : nullptr);
  }
};

/// Runs a group's task in an arena, as one that is counted in its group.
inline void enqueue_handle(arena_state* arena, task_handle&& handle) {
  run_handle(handle, arena, [](task_handle& ready, arena_state* in) {
    task_counts* const group = handle_access::tasks(ready);
    // Without memory for it the handle has the task still.
    auto* const call = new enqueued_call<call_of_handle>(in, std::move(ready));
    call->group = group;
    enqueued::push(call);
  });
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
