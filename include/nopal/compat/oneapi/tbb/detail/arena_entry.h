// Coming into an arena.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ARENA_ENTRY_H
#define NOPAL_COMPAT_TBB_DETAIL_ARENA_ENTRY_H

#include <new>

#include "arena_state.h"
#include "exception.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// A call into an arena, with a seat; a thread that is in it already has one.
class arena_entry {
public:
  explicit arena_entry(arena_state* arena) : arena_(arena) {
    arena->refer();  // the arena may be ended meanwhile
#ifndef NOPAL_ELIDE
    if (!begin()) {
      arena->forget();
      throw_exception(std::bad_alloc());
    }
#endif
  }
  arena_entry(const arena_entry&) = delete;
  arena_entry& operator=(const arena_entry&) = delete;
  ~arena_entry() {
#ifndef NOPAL_ELIDE
    nopal_end_pinned(&call_);
    if (is_extra_ && arena_->is_extra(this_thread_key())) {
      arena_->leave_extra();
    }
#endif
    arena_->forget();
  }
  [[nodiscard]] arena_state* arena() const noexcept { return arena_; }

private:
#ifndef NOPAL_ELIDE
  /// Where the only place is reserved nobody else may come, and who has it may wait for this call, in another arena or elsewhere: once it
  /// seems to, the call goes on beside that thread, as one of oneTBB's does at once. False: there is no memory.
  bool begin() noexcept {
    const bool may_be_extra = arena_->most() == 1 && !arena_->admits_workers();
    while (may_be_extra) {
      const int refused = nopal_begin_in_arena_patiently(&call_, arena_->seats());
      if (refused != 2) {
        return refused == 0;
      }
      if (arena_->try_enter_extra()) {
        is_extra_ = nopal_begin_beside_arena(&call_, arena_->seats()) == 0;
        if (!is_extra_) {
          arena_->leave_extra();
        }
        return is_extra_;
      }
    }
    return nopal_begin_in_arena(&call_, arena_->seats()) == 0;
  }
#endif

  arena_state* const arena_;
#ifndef NOPAL_ELIDE
  nopal_pinned call_;
  bool is_extra_ = false;
#endif
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
