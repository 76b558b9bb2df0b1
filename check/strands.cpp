#include "strands.hpp"

#include <cstddef>

#include "collect.hpp"
#include "events.hpp"
#include "locks.hpp"
#include "races.hpp"
#include "records.hpp"
#include "shadow.hpp"
#include "sites.hpp"
#include "views.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

table<std::uint32_t> sets;
table<origin> origins;
bool program_forks;
children* all_children;
std::uint32_t crossing_site;

namespace {

constexpr std::size_t most_strands = std::size_t{1} << 29;
children* free_children;

/// Of those that are free.
inline children* take_children(children** from) noexcept {
  children* const made = free_children;
  free_children = made->next;
  *made = {0, self.running->strand, self.segment, all_children, &all_children};
  if (all_children != nullptr) all_children->from = &made->next;
  all_children = made;
  *from = made;
  return made;
}

children* make_children(children** from) noexcept {
  if (free_children == nullptr) {
    free_children = static_cast<children*>(keep(sizeof(children)));
    free_children->next = nullptr;
  }
  return take_children(from);
}

void free_one(children* over) noexcept {
  *over->from = over->next;
  if (over->next != nullptr) over->next->from = over->from;
  over->next = free_children;
  free_children = over;
}

/// Whether a segment's begin has more to do than set some numbers.
inline bool is_unusual() noexcept { return has_threads || held_races != 0; }

/// A segment begins: no record is of it yet.
void begin_segment() noexcept {
  end_last_use();
  start_segment();
}

/// Sites of forks are few: the last ones.
struct cached_site {
  std::uint64_t key;
  std::uint32_t site;
};
cached_site fork_sites[256];

inline cached_site& cached_fork_site(std::uint64_t key) noexcept { return fork_sites[key >> 56]; }

std::uint32_t fork_site(address at) noexcept {
  const std::uint64_t key = site_key(at);
  cached_site& cached = cached_fork_site(key);
  if (cached.key != key) cached = {key, site_at(at)};
  return cached.site;
}

/// Whether a scope that was forked on later has children, too: then one reader of a location may be
/// joined before another that is not kept beside it.
void note_crossing(const children* of, address at) noexcept {
  if (all_children == of || all_children->forked_by != self.strand || all_children->bag == 0) return;
  if (crossing_site == 0) crossing_site = site_at(at);
}

/// What is left to do where there is room for all.
[[gnu::always_inline]] inline void begin_child_of(children* among, std::uint32_t site,
                                                  address stack) noexcept {
  const std::uint32_t strand = make_strand(self.strand, site);
  *++self.running = {strand, among, self.calls, stack, false};
  self.strand = strand;
  begin_segment();
}

[[gnu::noinline]] void begin_child(children** of, address at, address stack) noexcept {
  const at_work now;
  children* among = *of;
  if (among != nullptr) note_crossing(among, at);
  if (among == nullptr) among = make_children(of);
  if (self.running + 1 == procedures_end(self)) fail("nopal: check: children nest deeper than 4194304\n");
  if (self.lock_set != 0) hold_over_fork();
  program_forks = true;
  const std::uint32_t site = fork_site(at);
  make_room_for_strand();  // what it collects renumbers the parent
  begin_child_of(among, site, stack);
}

/// Handlers that ran in a child have returned, but for one that the child was forked in.
void forget_signal_stack(address child_stack) noexcept {
  const std::size_t below = child_stack - self.signal_stack;
  clear_mapping(self.signal_stack, below < self.signal_stack_bytes ? below : self.signal_stack_bytes);
}

/// But for its frames.
[[gnu::always_inline]] inline void end_child_of(procedure* ended) noexcept {
  children* const among = ended->among;
  self.calls = ended->calls;  // an exception may have passed their exits
  const std::uint32_t strand = ended->strand;
  if (among->bag == 0) {
    among->bag = strand;
    sets[strand] = is_root | is_p_bag | self.number;
  } else {
    sets[strand] = among->bag;
  }
  self.running = ended - 1;
  self.strand = ended[-1].strand;
  begin_segment();
  self.segment = new_view_segment();
}

/// Where nothing else than its frames is to be left.
[[gnu::noinline]] void end_child_with_frames(procedure* ended) noexcept {
  begin_quick_work();
  clear_stack(self.lowest, ended->stack);
  self.lowest = ended->stack;
  end_child_of(ended);
  end_quick_work();
}

[[gnu::noinline]] void end_child(address call, std::size_t call_bytes) noexcept {
  const at_work now;
  procedure* const ended = self.running;
  if (self.lowest < ended->stack) {
    clear_stack(self.lowest, ended->stack);
    self.lowest = ended->stack;
  }
  if (self.signal_stack_bytes != 0) forget_signal_stack(ended->stack);
  leave_events();
  end_child_of(ended);
  if (call_bytes != 0) clear(call, call_bytes);
}

[[gnu::always_inline]] inline void join_all(children** of) noexcept {
  children* const over = *of;
  *of = nullptr;
  if (over->bag != 0) sets[over->bag] = self.strand;
  self.segment = over->segment;
  free_one(over);
  begin_segment();
}

[[gnu::noinline]] void join_slowly(children** of, address at) noexcept {
  const at_work now;
  note_crossing(*of, at);
  join_all(of);
}

}  // namespace

void make_strands() noexcept {
  sets.make(most_strands);
  origins.make(most_strands);
  sets.add(is_root);  // no strand has the number zero
  origins.add({});
}

void begin_root() noexcept {
  self.changes = &self.own_changes;
  make_room_for_strand();
  self.strand = make_strand(0, 0);
}

void forget_fork_sites() noexcept {
  for (cached_site& each : fork_sites) each = {};
}

[[gnu::noinline]] void make_room_for_strand() noexcept {
  if (sets.count == strand_limit) collect();
}

std::uint32_t separated_child(std::uint32_t strand) noexcept {
  // Procedures that have not ended are roots without a P-bag.
  for (;;) {
    const std::uint32_t parent = origins[strand].parent;
    if (parent == 0 || (sets[parent] & (is_root | is_p_bag)) == is_root) return strand;
    strand = parent;
  }
}

std::uint32_t separating_fork(std::uint32_t strand) noexcept { return origins[separated_child(strand)].site; }

}  // namespace nopal_check

using namespace nopal_check;

extern "C" {

// Each does at once what needs nothing that is rare, and calls nothing but what ends it.

void nopal_check_fork(struct nopal_check_children** of) {
  procedure* const running = self.running;
  if (running == nullptr) return;
  auto** const from = reinterpret_cast<children**>(of);
  const auto at = reinterpret_cast<address>(__builtin_return_address(0));
  const address stack = reinterpret_cast<address>(__builtin_dwarf_cfa());
  const std::uint64_t key = site_key(at);
  const cached_site& cached = cached_fork_site(key);
  children* const among = *from;
  // Where it is the latest scope it crosses none; where its site is known it is not the first fork.
  if ((among != nullptr ? all_children != among : free_children == nullptr) || cached.key != key ||
      is_unusual() || self.lock_set != 0 || self.is_heeding == 0 || running + 1 == procedures_end(self) ||
      sets.count == strand_limit)
    return begin_child(from, at, stack);
  begin_quick_work();
  begin_child_of(among != nullptr ? among : take_children(from), cached.site, stack);
  end_quick_work();
}

void nopal_check_end(const void* call, std::size_t call_bytes) {
  procedure* const ended = self.running;
  if (ended == nullptr || ended->among == nullptr) return;
  if (is_unusual() || self.is_heeding == 0 || call_bytes != 0 || self.signal_stack_bytes != 0 || has_waits)
    return end_child(reinterpret_cast<address>(call), call_bytes);
  if (self.lowest < ended->stack) return end_child_with_frames(ended);
  begin_quick_work();
  end_child_of(ended);
  end_quick_work();
}

void nopal_check_join(struct nopal_check_children** of) {
  auto** const from = reinterpret_cast<children**>(of);
  if (*from == nullptr || self.running == nullptr) return;
  // Where it is the latest scope it crosses none.
  if (is_unusual() || self.is_heeding == 0 || all_children != *from)
    return join_slowly(from, reinterpret_cast<address>(__builtin_return_address(0)));
  begin_quick_work();
  join_all(from);
  end_quick_work();
}
}
