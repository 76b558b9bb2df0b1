// A task for the threads that run what nobody waits for, or what its group alone waits for.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_TASK_H
#define NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_TASK_H

#include <exception>
#include <utility>

#include <nopal/detail/thrown.hpp>

#include "arena_reference.h"
#include "arena_state.h"
#include "context.h"
#include "exception.h"
#include "task_counts.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// A call in an arena, or in none.
class enqueued_task {
public:
  explicit enqueued_task(arena_state* arena) noexcept : arena_(arena) {}
  enqueued_task(const enqueued_task&) = delete;
  enqueued_task& operator=(const enqueued_task&) = delete;
  virtual ~enqueued_task() = default;

  /// In the arena, which the caller has entered.
  virtual void call() noexcept = 0;
  [[nodiscard]] arena_state* arena() const noexcept { return arena_.get(); }

  enqueued_task* next = nullptr;
  /// Whose task it is, for which a child of fork(2) may wait too; null: nobody waits for it
  task_counts* group = nullptr;
  int refused = 0;  ///< how often its arena was full, up to a limit

private:
  arena_reference arena_;
};

/// In the order in which they came.
struct enqueued_line {
  enqueued_task* first;
  enqueued_task* last;

  void append(enqueued_task* task) noexcept {
    (last != nullptr ? last->next : first) = task;
    last = task;
  }
};

template <class F>
class enqueued_call final : public enqueued_task {
public:
  template <class Source>
  enqueued_call(arena_state* arena, Source&& f) : enqueued_task(arena), f_(std::forward<Source>(f)) {}
  void call() noexcept override {
    NOPAL_TBB_TRY {
      task_group_context context(task_group_context::isolated);
      const algorithm self(context, arena());
      self.call(f_);
    }
    NOPAL_TBB_CATCH {
      if (nopal::NOPAL_MODE_NAMESPACE::detail::handles_end_of_thread()) {
        nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception().keep();
      }
      std::terminate();
    }
  }

private:
  F f_;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
