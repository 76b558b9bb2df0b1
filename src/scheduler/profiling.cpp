#include "scheduler/profiling.hpp"

#include "os/os.hpp"
#include "os/report_file.hpp"
#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Of workers whose strand has gone without a note for so long.
constexpr std::uint64_t without_note_ns = 100'000;

void poison_those_without_notes(std::uint64_t now) noexcept {
  runtime& all = the_runtime();
  const locked guard(all);
  for_each_worker(all, [now](worker* one) {
    const std::uint64_t mark = get(one->profile.mark);
    if (get(one->profile.unrecorded_in) != nullptr && now > mark &&
        profile::as_ns(now - mark) > without_note_ns) {
      deque::poison(one->deque);
    }
  });
}

/// Of a thread of the program that is a worker, and has not forked yet: it may have begun with a task, a scope that can be
/// stopped, or a call in an arena.
bool has_not_begun(const worker* self) noexcept {
  return self->profile.top == nullptr && self->profile.root == nullptr && self->outer == nullptr &&
         !self->of_pool;
}

/// What a strand takes along.
void hand_on(const profile::strand_state& from, profile::strand_state& to) noexcept {
  to.top = from.top;
  set(to.unrecorded_in, from.unrecorded_in);
  to.mark = from.mark;
  to.now = from.now;
  to.kind = from.kind;
  to.looked = from.looked;
}

}  // namespace

void start_profile(const char* file, int workers) noexcept {
  if (file != nullptr && !deque::shows_public_pops) {
    os::write_stderr("nopal: NOPAL_PROFILE: this build of the library, with another deque, cannot profile\n");
  } else if (file != nullptr) {
    profile::ask_workers = poison_those_without_notes;
    static_cast<void>(profile::start(file, workers));
  }
}

void finish_profile() noexcept {
  if (profile::is_on()) {
    if (worker* const self = this_worker()) {
      profile::stop(self->profile);
    }
    profile::finish();
  }
}

void begin_profiled_thread(worker* self) noexcept {
  if (profile::is_on()) {
    self->profile.is_first_thread = os::current_thread_id() == os::process_number();
    profile::begin_thread(self->profile);
  }
}

profile::lengths end_profiled_piece(worker* self) noexcept {
  if (has_not_begun(self)) {
    begin_profiled_thread(self);
  }
  profile::stop(self->profile);
  const profile::lengths result = self->profile.now;
  profile::go_on(self->profile, profile::after::other);
  return result;
}

void note_push(worker* self, nopal_frame* frame, bool is_adopted) noexcept {
  if (is_adopted || has_not_begun(self)) {
    begin_profiled_thread(self);
    profile::stop(self->profile);
  }
  profile::note_fork(self->profile, frame);
}

void end_push(worker* self) noexcept {
  await_fork(self);
  profile::go_on(self->profile, profile::after::fork);
}

void note_pop(worker* self, const nopal_frame* frame) noexcept {
  profile::note_child(self->profile, frame);
  await_fork(self);
  profile::go_on(self->profile, profile::after::child);
}

void begin_profiled_call(worker* outer, worker* nested) noexcept {
  if (profile::is_on()) {
    if (has_not_begun(outer)) {
      begin_profiled_thread(outer);
    }
    hand_on(outer->profile, nested->profile);
    if (nested->profile.counts == nullptr) {
      nested->profile.counts = outer->profile.counts;  // of the same thread
    }
  }
}

void end_profiled_call(worker* outer, const worker* nested) noexcept {
  if (profile::is_on()) {
    hand_on(nested->profile, outer->profile);
  }
}

void leave_profiled(worker* self) noexcept {
  if (profile::is_on()) {
    profile::stop(self->profile);
    hand_on(self->profile, self->kept_profile);
    self->profile.top = nullptr;
  }
}

void come_back_profiled(worker* self) noexcept {
  if (profile::is_on()) {
    hand_on(self->kept_profile, self->profile);
    go_on_profiled(self, profile::after::other);
  }
}

void set_aside::begin(worker* self, while_it what) noexcept {
  profile::strand_state& state = self->profile;
  if (what == while_it::waits) {
    if (has_not_begun(self)) {
      begin_profiled_thread(self);
    }
    if (state.top == nullptr) {
      return;
    }
    leave_profiled(self);
    set(state.unrecorded_in, nullptr);
  } else {
    profile::stop(state);
    hand_on(state, self->outer->profile);  // where it is from
    set(state.unrecorded_in, nullptr);
    profile::begin_task(state, profile::after::join);
    await_fork(self);
  }
  self_ = self;
  what_ = what;
}

void set_aside::end() noexcept {
  if (this_worker() != self_) {
    return;  // the runtime was stopped meanwhile
  }
  if (what_ == while_it::waits) {
    come_back_profiled(self_);
    return;
  }
  profile::strand_state& state = self_->profile;
  profile::end_task(state);
  const profile::processor_look last = state.looked;
  hand_on(self_->outer->profile, state);
  state.looked = last;
  go_on_profiled(self_, profile::after::join);
}

/// nopal_suspend_at_join, on the strand's stack. Non-zero: nothing was stolen, and the join is over.
extern "C" __attribute__((visibility("hidden"))) int nopal_profile_join(nopal_frame* frame) noexcept {
  worker* const self = this_worker();
  profile::stop(self->profile);
  const bool is_over = profile::join_phantom(self->profile, frame);
  if (is_over) {
    go_on_profiled(self, profile::after::join);
  }
  return is_over ? 1 : 0;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
