// The slow push, of which there are two: the common one, compiled to use general registers only (publish.cpp), and that for
// all the rest (push.cpp). Each looks whether it may push, and what is to be known of exceptions; the steps are here.
#ifndef NOPAL_SCHEDULER_PUSH_HPP
#define NOPAL_SCHEDULER_PUSH_HPP

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// What nopal_push_and_publish leaves for nopal_push_slow_path to do.
enum push_rest : int {
  nothing_left = 0,
  all_of_it = 1,
  only_to_wake = 2,
};

/// Whether a fork that is pushed now may be taken before it is popped. By the only worker there is, nobody's, but of a task: a thread that
/// begins to wait for the task's group becomes a worker and takes it, and has to be told the mode of a region that began before.
[[gnu::always_inline]] inline bool may_be_taken(const runtime& all, const worker* self) noexcept {
  return all.table_used.load(std::memory_order_relaxed) > 1 || self->outer != nullptr;
}

/// Tells thieves the floating-point mode of the fork that is about to be pushed. Before the push: a thief that forces a publish may
/// take the entry as soon as it is there.
[[gnu::always_inline]] inline void tell_float_control(worker* self) noexcept {
  set_float_control_of(self->deque.setting, arch::float_control());
}

/// A root may change its floating-point mode while no scope of it is outstanding, and thieves are told of the mode at slow pushes. So
/// the first push onto the empty deque of a root's own strand must be one: its entry becomes public, hence its pop is slow
/// and, if that leaves the deque empty, poisons the limit again (nopal_pop_slow). If a push cannot publish, the next is slow too:
/// what looks public then may be so only until the thief that raises the split has settled it. Strands away from their root's stack
/// are inside of a scope of it.
[[gnu::always_inline]] inline void keep_oldest_public(worker* self, std::int32_t published) noexcept {
  NOPAL_FAULT_DOES("oldest private", return);
  NOPAL_FAULT_DOES("raised taken for public", if (deque::has_public(self->deque)) return);
  if (published == 0 && is_root_stack(get(self->deque.strand.stack))) {
    deque::poison(self->deque);
  }
}

/// Pushes `frame`, for which there is room. Whether its continuation is to be offered to thieves. Without a process-wide
/// barrier nothing may stay private: each push comes by here and publishes, each pop is an exchange.
[[gnu::always_inline]] inline bool push_entry(const runtime& all, worker* self, nopal_frame* frame,
                                              bool barrier_works) noexcept {
  NOPAL_FAULT_OMITS("mode told late", tell_float_control(self));
  deque::append(self->deque, frame);
  NOPAL_DISTURB();
  if (barrier_works) {
    deque::unpoison(self->deque);
    NOPAL_FAULT_DOES("mode told late", tell_float_control(self));
  }
  return !barrier_works || may_be_taken(all, self);
}

/// Makes up to `most` entries public, as deque::publish does. Thieves have been told of exceptions, or `record...` tells them.
template <class... Record>
[[gnu::always_inline]] inline void publish_entries(worker* self, std::int32_t most,
                                                   Record... record) noexcept {
  const std::int32_t published = deque::publish(self->deque, most, record...);
  if (published > 0) {
    self->counts.publishes.add();
  }
  NOPAL_DISTURB();
  keep_oldest_public(self, published);
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
