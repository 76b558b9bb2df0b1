// Tasks that the end of another one has begin.
//
// In the serial elision a task is called where it begins, and has others begin at its end. There the call that began the first of
// a chain begins them all, one after the other: nested, they would be as deep as the chain is long.
#ifndef NOPAL_COMPAT_TBB_DETAIL_BEGUN_TASKS_H
#define NOPAL_COMPAT_TBB_DETAIL_BEGUN_TASKS_H

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

#ifdef NOPAL_ELIDE

// One strand after the other has them, in a checked program: no race of the program's.
#ifdef NOPAL_CHECKED
#define NOPAL_TBB_UNCHECKED [[gnu::noinline]] __attribute__((no_sanitize("thread")))
#else
#define NOPAL_TBB_UNCHECKED
#endif

/// One that may begin.
class begun_task {
  friend class begun_tasks;
  begun_task* next_ = nullptr;
};

/// Of the call that begins them. Oldest first.
class begun_tasks {
public:
  NOPAL_TBB_UNCHECKED void append(begun_task& task) noexcept {
    (last_ == nullptr ? first_ : last_->next_) = &task;
    last_ = &task;
  }
  /// Null: there is none.
  NOPAL_TBB_UNCHECKED begun_task* take() noexcept {
    begun_task* const found = first_;
    if (found != nullptr) {
      first_ = found->next_;
      last_ = first_ == nullptr ? nullptr : last_;
      found->next_ = nullptr;
    }
    return found;
  }

  /// Where ends of tasks leave them; null: these begin at once.
  NOPAL_TBB_UNCHECKED static begun_tasks* of_thread() noexcept { return of_thread_; }
  NOPAL_TBB_UNCHECKED static void set_of_thread(begun_tasks* now) noexcept { of_thread_ = now; }

private:
  begun_task* first_ = nullptr;
  begun_task* last_ = nullptr;
  static inline constinit thread_local begun_tasks* of_thread_ = nullptr;
};

#undef NOPAL_TBB_UNCHECKED

/// Calls `begin`, or leaves that to the call that began the task whose end this is.
inline void begin_in_turn(begun_task& task, void (*begin)(begun_task&)) noexcept {
  if (begun_tasks* const outer = begun_tasks::of_thread()) {
    outer->append(task);
    return;
  }
  begun_tasks own;
  own.append(task);
  begun_tasks::set_of_thread(&own);
  while (begun_task* const one = own.take()) {
    begin(*one);
  }
  begun_tasks::set_of_thread(nullptr);
}

/// While it lives, a task's own code runs: what that has begin, it may wait for.
class begins_at_once {
public:
  begins_at_once() noexcept : before_(begun_tasks::of_thread()) { begun_tasks::set_of_thread(nullptr); }
  begins_at_once(const begins_at_once&) = delete;
  begins_at_once& operator=(const begins_at_once&) = delete;
  ~begins_at_once() { begun_tasks::set_of_thread(before_); }

private:
  begun_tasks* const before_;
};

#else

class begun_task {};
inline void begin_in_turn(begun_task& task, void (*begin)(begun_task&)) noexcept { begin(task); }
struct begins_at_once {
  begins_at_once() noexcept {}  // NOLINT(modernize-use-equals-default): or it were unused
};

#endif

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
