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

children* make_children(children** from) noexcept {
  children* made = free_children;
  if (made != nullptr) {
    free_children = made->next;
  } else {
    made = static_cast<children*>(keep(sizeof(children)));
  }
  *made = {0, self.running->strand, self.segment, all_children, &all_children};
  if (all_children != nullptr) all_children->from = &made->next;
  all_children = made;
  *from = made;
  return made;
}

void free_one(children* over) noexcept {
  *over->from = over->next;
  if (over->next != nullptr) over->next->from = over->from;
  over->next = free_children;
  free_children = over;
}

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

std::uint32_t fork_site(address at) noexcept {
  const std::uint64_t key = site_key(at);
  cached_site& cached = fork_sites[key >> 56];
  if (cached.key != key) cached = {key, site_at(at)};
  return cached.site;
}

/// Whether a scope that was forked on later has children, too: then one reader of a location may be
/// joined before another that is not kept beside it.
void note_crossing(const children* of, address at) noexcept {
  if (all_children == of || all_children->forked_by != self.strand || all_children->bag == 0) return;
  if (crossing_site == 0) crossing_site = site_at(at);
}

void begin_child(children** of, address at, address stack) noexcept {
  children* among = *of;
  if (among != nullptr) note_crossing(among, at);
  if (among == nullptr) among = make_children(of);
  if (self.running + 1 == procedures_end()) fail("nopal: check: children nest deeper than 4194304\n");
  hold_over_fork();
  program_forks = true;
  const std::uint32_t site = fork_site(at);
  make_room_for_strand();  // what it collects renumbers the parent
  const std::uint32_t strand = make_strand(self.strand, site);
  *++self.running = {strand, among, self.calls, stack, false};
  self.strand = strand;
  begin_segment();
}

/// Handlers that ran in a child have returned, but for one that the child was forked in.
void forget_signal_stack(address child_stack) noexcept {
  const std::size_t below = child_stack - self.signal_stack;
  clear_mapping(self.signal_stack, below < self.signal_stack_bytes ? below : self.signal_stack_bytes);
}

void end_child() noexcept {
  const procedure ended = *self.running;
  children* const among = ended.among;
  self.calls = ended.calls;  // an exception may have passed their exits
  if (self.lowest < ended.stack) {
    clear_stack(self.lowest, ended.stack);
    self.lowest = ended.stack;
  }
  if (self.signal_stack_bytes != 0) forget_signal_stack(ended.stack);
  if (among->bag == 0) {
    among->bag = ended.strand;
    sets[ended.strand] = is_root | is_p_bag | self.number;
  } else {
    sets[ended.strand] = among->bag;
  }
  leave_events();
  --self.running;
  self.strand = self.running->strand;
  begin_segment();
  self.segment = new_view_segment();
}

}  // namespace

void make_strands() noexcept {
  sets.make(most_strands);
  origins.make(most_strands);
  sets.add(is_root);  // no strand has the number zero
  origins.add({});
}

void forget_fork_sites() noexcept {
  for (cached_site& each : fork_sites) each = {};
}

void make_room_for_strand() noexcept {
  if (sets.count == strands_to_collect()) collect();
}

std::uint32_t make_strand(std::uint32_t parent, std::uint32_t site) noexcept {
  sets.add(is_root | self.number);
  return origins.add({parent, site});
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

void nopal_check_fork(struct nopal_check_children** of) {
  if (self.running == nullptr) return;
  const at_work now;
  begin_child(reinterpret_cast<children**>(of), reinterpret_cast<address>(__builtin_return_address(0)),
              reinterpret_cast<address>(__builtin_frame_address(0)) + 2 * sizeof(void*));
}

void nopal_check_end(const void* call, std::size_t call_bytes) {
  if (self.running == nullptr || self.running->among == nullptr) return;
  const at_work now;
  end_child();
  if (call_bytes != 0) clear(reinterpret_cast<address>(call), call_bytes);
}

void nopal_check_join(struct nopal_check_children** of) {
  auto** const from = reinterpret_cast<children**>(of);
  if (*from == nullptr || self.running == nullptr) return;
  const at_work now;
  children* const over = *from;
  note_crossing(over, reinterpret_cast<address>(__builtin_return_address(0)));
  *from = nullptr;
  if (over->bag != 0) sets[over->bag] = self.strand;
  self.segment = over->segment;
  free_one(over);
  begin_segment();
}
}
