// Segments, forks and the ends of children. Joins and steals are in scopes.cpp.

#include "profile/nests.hpp"
#include "profile/observation.hpp"
#include "profile/preemption.hpp"
#include "profile/scopes.hpp"
#include "sanitizers/sanitizers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

/// Records that lie around, at most so many of them, are looked at for a frame.
constexpr int most_looks = 64;

bool is_region_open(const fork_record* root) noexcept { return root->open_scopes != 0; }

/// The record of the fork of `frame` that the strand is in; null: it has none. Forks inside of it
/// whose ends were not seen are forgotten.
fork_record* innermost_of(strand_state& self, const nopal_frame* frame) noexcept {
  fork_record* found = self.top;
  for (int looks = 0; found != nullptr && found->frame != frame; found = found->parent) {
    if (++looks == most_looks) {
      return nullptr;
    }
  }
  return found;
}

/// Whether a child of that site is around. Of a recursion very deep in others: it is taken for one.
bool is_around(site_number site, const fork_record* innermost) noexcept {
  int looks = 0;
  for (const fork_record* one = innermost; one != nullptr && looks != most_looks;
       one = one->parent, ++looks) {
    if (one->site == site && one->scope != nullptr) {
      return true;
    }
  }
  return looks == most_looks;
}

fork_record* make_fork(strand_state& self, scope_record* scope, const nopal_frame* frame) noexcept {
  fork_record* const made = pool<fork_record>::take();
  fork_record* const parent = self.top;
  const site_number site = number_of(frame->resume_address);
  const std::uint64_t bit = std::uint64_t{1} << site % 64;
  made->parent = parent;
  made->scope = scope;
  made->frame = frame;
  made->site = site;
  made->nest = nest_in(parent->nest, site);
  made->is_nested = (parent->sites_around & bit) != 0 && is_around(site, parent);
  made->is_sampled = false;
  made->is_unobserved.store(false, std::memory_order_relaxed);
  made->sites_around = parent->sites_around | bit;
  made->at_fork = self.now;
  made->began = self.stopped;
  forget_children(*made);
  made->before.become(parent->own);
  made->own.count = 0;
  made->stray_work.store(0, std::memory_order_relaxed);
  made->stray_span.store(0, std::memory_order_relaxed);
  return made;
}

/// What the child tells the fork around, and the site.
void count_child(strand_state& self, fork_record* fork, std::uint64_t work, std::uint64_t span) noexcept {
  fork_record* const parent = fork->parent;
  site_counts& site = self.counts->sites[fork->site];
  site.all_work.add(work);
  if (!fork->is_nested) {
    site.work.add(work);
  }
  note_last(*parent, fork->site, work);
  learn(self, *fork, work, span);
  if (parent->first_work == 0) {
    parent->first_site = fork->site;
    parent->first_work = work + 1;
  }
}

/// The longest of the scope's children so far.
void offer_path(fork_record* fork, const lengths& at_end) noexcept {
  scope_record* const scope = fork->scope;
  if (at_end.burdened > scope->longest_burdened) {
    scope->longest_burdened = at_end.burdened;
  }
  if (at_end.span > scope->longest) {
    scope->longest = at_end.span;
    scope->longest_shares.become(fork->before);
    scope->longest_shares.add(fork->own);
  }
}

/// The length at the child's end, with that of strands in it that nobody else counts.
lengths length_at_end(const strand_state& self, const fork_record* fork) noexcept {
  lengths result = self.now;
  result.work += fork->stray_work.load(std::memory_order_acquire);
  const std::uint64_t stray = fork->stray_span.load(std::memory_order_relaxed);
  result.span = stray > result.span ? stray : result.span;
  result.burdened = result.burdened > result.span ? result.burdened : result.span;
  return result;
}

/// Strands in the child that had no records have added to its part of the path side by side.
void settle_strays(fork_record* fork, const lengths& at_end) noexcept {
  if (fork->stray_work.load(std::memory_order_relaxed) != 0) {
    fork->own.count = 0;
    fork->own.add(fork->nest, at_end.span - fork->at_fork.span);
  }
}

/// The piece of so many ticks without what is not the program's.
std::uint64_t own_part(strand_state& self, std::uint64_t ticks) noexcept {
  std::atomic<std::uint64_t>& known = self.counts->cost[static_cast<int>(self.kind)];
  const std::uint64_t cost = known.load(std::memory_order_relaxed);
  if (ticks < cost + this_machine.first_cost) {
    constexpr std::uint64_t down = 9;
    const std::uint64_t next = ticks >= cost ? cost + 1 : cost > down ? cost - down : 0;
    known.store(next < this_machine.most_cost ? next : this_machine.most_cost, std::memory_order_relaxed);
  }
  if (ticks >= this_machine.long_piece) {
    return without_preemption(self, ticks);
  }
  return ticks > cost ? ticks - cost : 0;
}

void note_stray(strand_state& self) noexcept {
  fork_record* const around = self.top;
  if (around == nullptr || around->scope == nullptr) {
    return;
  }
  around->stray_work.fetch_add(self.now.work - around->at_fork.work, std::memory_order_relaxed);
  std::uint64_t seen = around->stray_span.load(std::memory_order_relaxed);
  // Release pairs with the acquire above.
  while (seen < self.now.span &&
         !around->stray_span.compare_exchange_weak(seen, self.now.span, std::memory_order_release)) {
  }
}

}  // namespace

void stop(strand_state& self) noexcept {
  const std::uint64_t at = now();
  // The record around is handed on by steals and joins, of which ThreadSanitizer is not told.
  const sanitizers::unseen here;
  self.stopped = at;
  fork_record* const top = self.top;
  if (top == nullptr) {
    return;
  }
  const std::uint64_t ticks = at > self.mark ? own_part(self, at - self.mark) : 0;
  self.mark = at;
  std::uint64_t span = ticks;
  std::uint64_t burdened = ticks;
  if (top->is_unobserved.load(std::memory_order_relaxed)) {
    span = expected_span(top->site, ticks);
    self.counts->unobserved_work.add(ticks);
  } else if (top->scope == nullptr && top->told != nullptr && !is_region_open(top)) {
    self.counts->outside.add(ticks);
  }
  self.counts->sites[top->site].own_work.add(ticks);
  if (top->is_sampled) {
    self.counts->sites[top->site].sampled_work.add(ticks);
  }
  self.counts->all_work.add(ticks);
  self.now.work += ticks;
  self.now.span += span;
  self.now.burdened += burdened;
  top->own.add(top->nest, span);
}

void go_on(strand_state& self, after kind) noexcept {
  const std::uint64_t at = now();
  // Of kind `other` the thread may have waited for long; in a longer hook others had its processor.
  if (kind != after::other && self.counts != nullptr && at - self.stopped < this_machine.long_piece) {
    self.counts->in_hooks.add(at - self.stopped);
  }
  const bool looks = kind == after::other || is_look_old(self, at);
  if (looks) {
    begin_pieces(self);
  }
  self.kind = kind;
  self.mark = looks ? now() : at;
}

void note_fork(strand_state& self, nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  if (self.top == nullptr) {
    return;
  }
  if (is_unobserved(self) && !turns_out_long(self)) {
    return;
  }
  scope_record* scope = frame->steals != 0 ? scope_of(frame) : nullptr;
  if (scope == nullptr) {
    scope = make_scope(self.top);
    begin_region(self);
    set_scope(frame, scope);
    frame->steals = 1;
    __atomic_store_n(&frame->unfinished, -1, __ATOMIC_RELAXED);
  }
  // Of forks of this scope whose ends were not seen.
  self.top = scope->parent;
  scope->next = self.now;
  scope->next.burdened += this_machine.burden;
  fork_record* const fork = make_fork(self, scope, frame);
  self.top = fork;
  self.counts->forks.add(1);
  self.counts->sites[fork->site].forks.add(1);
  observe_or_not(self, *fork);
  if (fork->is_sampled) {
    self.counts->sites[fork->site].sampled_forks.add(1);
  }
}

void note_child(strand_state& self, const nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  fork_record* const fork = innermost_of(self, frame);
  if (fork == nullptr || fork->scope == nullptr) {
    return;
  }
  self.top = fork;
  const lengths at_end = length_at_end(self, fork);
  settle_strays(fork, at_end);
  if (fork->scope->is_real) {
    const scope_lock guard(*fork->scope);
    offer_path(fork, at_end);
  } else {
    offer_path(fork, at_end);
  }
  count_child(self, fork, at_end.work - fork->at_fork.work, at_end.span - fork->at_fork.span);
  self.now = {at_end.work, fork->at_fork.span, fork->at_fork.burdened + this_machine.burden};
  self.top = fork->parent;
  leave_unobserved(self, *fork);
  pool<fork_record>::give(fork);
}

void note_stolen_child(strand_state& self, const nopal_frame* frame) noexcept {
  const sanitizers::unseen here;
  fork_record* const fork = innermost_of(self, frame);
  if (fork == nullptr || fork->scope == nullptr) {
    note_stray(self);
  } else {
    const lengths at_end = length_at_end(self, fork);
    settle_strays(fork, at_end);
    const std::uint64_t work = at_end.work - fork->at_fork.work;
    {
      const scope_lock guard(*fork->scope);
      fork->scope->stolen_work += work;
      offer_path(fork, at_end);
    }
    site_counts& site = self.counts->sites[fork->site];
    site.all_work.add(work);
    if (!fork->is_nested) {
      site.work.add(work);
    }
    learn(self, *fork, work, at_end.span - fork->at_fork.span);
    leave_unobserved(self, *fork);
    pool<fork_record>::give(fork);
  }
  self.top = nullptr;
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
