// What a thread has in an arena that runs what was enqueued there.
#ifndef NOPAL_COMPAT_TBB_DETAIL_PERMIT_H
#define NOPAL_COMPAT_TBB_DETAIL_PERMIT_H

#include "arena_state.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// For one call, or none. Such threads count as workers: there is one less of them in an arena than the pool has workers, the program's
/// thread being one, and none has a reserved place. Where all are reserved, one comes beyond these: at once where there is one place
/// alone, else once it is `late` and nobody of the program has come.
class permit {
public:
  permit() = default;
  permit(const permit&) = delete;
  permit& operator=(const permit&) = delete;
  ~permit() { leave(); }

  /// `workers`: of the pool.
  bool enter(arena_state* arena, int workers, bool late) noexcept {
    leave();
    if (arena == nullptr) {
      return true;
    }
#ifndef NOPAL_ELIDE
    if (arena->admits_workers()) {
      kind_ = arena->try_enter_server(workers > 1 ? workers - 1 : 1) ? kind::ordinary : kind::none;
    } else if ((late || arena->most() == 1) && arena->try_enter_extra()) {
      kind_ = kind::extra;
    }
    arena_ = kind_ != kind::none ? arena : nullptr;
#else
    static_cast<void>(workers);
    static_cast<void>(late);
#endif
    return kind_ != kind::none;
  }
  void leave() noexcept {
#ifndef NOPAL_ELIDE
    if (kind_ == kind::ordinary) {
      arena_->leave_server();
    } else if (kind_ == kind::extra && arena_->is_extra(this_thread_key())) {
      arena_->leave_extra();
    }
#endif
    kind_ = kind::none;
    arena_ = nullptr;
  }

  /// Its thread blocks, and does not count meanwhile; or goes on.
  void block() const noexcept {
#ifndef NOPAL_ELIDE
    if (kind_ == kind::ordinary) {
      arena_->block_server();
    }
#endif
  }
  void go_on() const noexcept {
#ifndef NOPAL_ELIDE
    if (kind_ == kind::ordinary) {
      arena_->unblock_server();
    }
#endif
  }

private:
  enum class kind : char { none, ordinary, extra };
  kind kind_ = kind::none;
  arena_state* arena_ = nullptr;  // where it has one
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
