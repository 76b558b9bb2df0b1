// Joins, steals, and strands that are suspended.

#include "profile/scopes.hpp"

#include "profile/observation.hpp"
#include "sanitizers/sanitizers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

/// The join: the longer of both paths, and all work.
void settle(strand_state& self, scope_record* scope, const lengths& arrived) noexcept {
  self.top = scope->parent;
  self.now = arrived;
  self.now.work += scope->stolen_work;
  if (scope->longest > self.now.span) {
    self.now.span = scope->longest;
    if (self.top != nullptr) {
      self.top->own.become(scope->longest_shares);
    }
  }
  if (scope->longest_burdened > self.now.burdened) {
    self.now.burdened = scope->longest_burdened;
  }
  pool<scope_record>::give(scope);
}

fork_record* make_root(counts_table* told) noexcept {
  fork_record* const made = pool<fork_record>::take();
  made->parent = nullptr;
  made->scope = nullptr;
  made->frame = nullptr;
  made->site = outside_site;
  made->nest = outside_nest;
  made->is_sampled = false;
  made->is_unobserved.store(false, std::memory_order_relaxed);
  made->sites_around = 0;
  made->at_fork = {};
  made->predicted = ~std::uint64_t{0};
  forget_children(*made);
  made->own.count = 0;
  made->told = told;
  made->open_scopes = 0;
  return made;
}

void have_counts(strand_state& self) noexcept {
  if (self.counts == nullptr) {
    self.counts = make_counts();
  }
}

}  // namespace

scope_record* make_scope(fork_record* parent) noexcept {
  scope_record* const made = pool<scope_record>::take();
  made->parent = parent;
  made->is_real = false;
  made->is_wait = false;
  made->lock.clear(std::memory_order_relaxed);
  made->stolen_work = 0;
  made->longest = 0;
  made->longest_burdened = 0;
  made->longest_shares.count = 0;
  return made;
}

void begin_thread(strand_state& self) noexcept {
  const sanitizers::unseen here;
  have_counts(self);
  if (self.root == nullptr) {
    self.root = make_root(self.counts);
    self.counts->root = self.root;
    self.now = {};
  }
  self.top = self.root;
  begin_pieces(self);
  self.kind = after::other;
  self.mark = self.is_first_thread && self.mark == 0 ? this_machine.began_ticks : now();
}

void begin_task(strand_state& self, after kind) noexcept {
  const sanitizers::unseen here;
  have_counts(self);
  self.top = make_root(nullptr);
  self.now = {};
  go_on(self, kind);
}

void end_task(strand_state& self) noexcept {
  const sanitizers::unseen here;
  stop(self);
  fork_record* const root = self.top;
  if (self.counts != nullptr && root != nullptr && root->scope == nullptr && root->told == nullptr) {
    self.counts->tasks_work.add(self.now.work);
    if (self.now.span > self.counts->tasks_span.get()) {
      self.counts->longest_task.tell(self.now, 0, root->own);
    }
    self.counts->tasks_span.raise_to(self.now.span);
    self.counts->tasks_burdened.raise_to(self.now.burdened);
    pool<fork_record>::give(root);
  }
  self.top = nullptr;
}

void note_steal(nopal_frame* frame, fork_record* around) noexcept {
  const sanitizers::unseen here;
  if (frame->steals != 0) {
    scope_record* const scope = scope_of(frame);
    if (!scope->is_real) {
      // The phantom goes. The child may have ended meanwhile, and counted.
      scope->is_real = true;
      frame->steals = 0;
      __atomic_add_fetch(&frame->unfinished, 1, __ATOMIC_ACQ_REL);
    }
    return;
  }
  scope_record* const scope = make_scope(around);
  set_scope(frame, scope);
  scope->is_real = true;
  scope->next = around == nullptr ? lengths{} : around->at_fork;
}

void begin_stolen(strand_state& self, const nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  have_counts(self);
  const scope_record* const scope = scope_of(frame);
  self.top = scope->parent;
  self.now = scope->next;
  self.unrecorded_in = nullptr;
  if (self.top != nullptr && self.top->is_unobserved.load(std::memory_order_relaxed)) {
    __atomic_store_n(&self.unrecorded_in, self.top, __ATOMIC_RELAXED);
  }
}

void note_arrival(strand_state& self, nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  scope_record* const scope = self.joining;
  self.joining = nullptr;
  scope->suspended = self.now;
  scope->float_control = get_place(frame);
  set_scope(frame, scope);
  self.top = nullptr;
}

void note_wait(strand_state& self, nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  self.joining = make_scope(self.top);
  self.joining->is_wait = true;
  note_arrival(self, frame);
}

void note_resumption(strand_state& self, nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  have_counts(self);
  scope_record* const scope = scope_of(frame);
  set_place(frame, scope->float_control);
  const bool was_join = !scope->is_wait;
  settle(self, scope, scope->suspended);
  self.unrecorded_in =
      self.top != nullptr && self.top->is_unobserved.load(std::memory_order_relaxed) ? self.top : nullptr;
  if (was_join) {
    end_region(self);
  }
}

bool join_phantom(strand_state& self, nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  scope_record* const scope = scope_of(frame);
  if (scope->is_real) {
    self.joining = scope;
    return false;
  }
  settle(self, scope, self.now);
  end_region(self);
  __atomic_store_n(&frame->unfinished, 0, __ATOMIC_RELAXED);
  return true;
}

bool is_stolen_from(const nopal_frame* frame) noexcept {
  return frame->steals != 0 && scope_of(frame)->is_real;
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
