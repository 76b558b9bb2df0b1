// What a thread has in an arena that runs what was enqueued there.
#ifndef NOPAL_COMPAT_TBB_DETAIL_PERMIT_H
#define NOPAL_COMPAT_TBB_DETAIL_PERMIT_H

#include <chrono>

#include "arena_reference.h"
#include "arena_state.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// For one call, or for several one after the other, or none. Such threads count as workers: there is one less of them in an arena than the pool has workers, the program's
/// thread being one, and none has a reserved place. Where all are reserved, one comes beyond these: at once where there is one place
/// alone, else once it is `late` and nobody of the program has come.
class permit {
public:
  permit() = default;
  permit(const permit&) = delete;
  permit& operator=(const permit&) = delete;
  ~permit() { leave(); }

  [[nodiscard]] bool is_held() const noexcept { return kind_ != kind::none; }
  [[nodiscard]] bool is_for(const arena_state* arena) const noexcept { return arena_.get() == arena; }

  /// For a call there. One that is held is for that arena. `workers`: of the pool.
  bool enter(arena_state* arena, int workers, bool late) noexcept {
    if (arena == nullptr || is_held()) {
      return true;
    }
#ifndef NOPAL_ELIDE
    if (arena->admits_workers()) {
      kind_ = arena->try_enter_server(workers > 1 ? workers - 1 : 1) ? kind::ordinary : kind::none;
    } else if ((late || arena->most() == 1) && arena->try_enter_extra()) {
      kind_ = kind::extra;
    }
    arena->refuses_servers(!is_held());
    if (is_held()) {
      arena_ = arena_reference(arena);
      entered_ = clock::now();
    }
#else
    static_cast<void>(workers);
    static_cast<void>(late);
#endif
    return is_held();
  }
  /// The call is over. For calls one after the other it stays: to leave may wake others. But not for long, nor where somebody waits.
  void end_call() noexcept {
#ifndef NOPAL_ELIDE
    constexpr std::chrono::milliseconds most(1);
    if (kind_ != kind::ordinary || arena_.get()->is_waited_for() || clock::now() - entered_ > most) {
      leave();
    }
#endif
  }
  void leave() noexcept {
#ifndef NOPAL_ELIDE
    arena_state* const arena = arena_.get();
    if (kind_ == kind::ordinary) {
      arena->leave_server();
    } else if (kind_ == kind::extra && arena->is_extra(this_thread_key())) {
      arena->leave_extra();
    }
    if (is_held()) {
      arena->refuses_servers(false);
    }
#endif
    kind_ = kind::none;
    arena_ = arena_reference();
  }

  /// Its thread blocks, and does not count meanwhile; or goes on.
  void block() const noexcept {
#ifndef NOPAL_ELIDE
    if (kind_ == kind::ordinary) {
      arena_.get()->block_server();
    }
#endif
  }
  void go_on() const noexcept {
#ifndef NOPAL_ELIDE
    if (kind_ == kind::ordinary) {
      arena_.get()->unblock_server();
    }
#endif
  }

private:
  enum class kind : char { none, ordinary, extra };
  kind kind_ = kind::none;
  using clock = std::chrono::steady_clock;
  arena_reference arena_;  // where it has one
  clock::time_point entered_;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
