#include "lists.hpp"

#include "locks.hpp"
#include "races.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

table<listed> lists;

namespace {

std::uint32_t free_ones;

std::uint32_t take_one(const listed& value) noexcept {
  if (free_ones == 0) {
    if (lists.count == first_of_records - 1)
      fail("nopal: check: more than 67108862 accesses with locks to remember\n");
    return lists.add(value);
  }
  const std::uint32_t taken = free_ones;
  free_ones = lists[taken].next;
  lists[taken] = value;
  return taken;
}

void make_list(cell& known) noexcept {
  std::uint32_t first = 0;
  if (known.writer != 0) first = take_one({known.writer, 0, first, how::write});
  if (known.reader != 0) first = take_one({known.reader, 0, first, how::read});
  known = {first, 0};
}

/// Of its block on the stack and of all above.
void note_list(address begin) noexcept {
  if (begin - self.stack_begin >= self.stack_end - self.stack_begin) return;
  const std::size_t above = self.stack_end - begin / block_bytes * block_bytes;
  if (self.list_bytes < above) self.list_bytes = above;
}

bool says_as_much(how one, how other) noexcept { return one == how::write || other == how::read; }

inline bool is_parallel_to_this(const listed& entry) noexcept {
  const std::uint32_t strand = record_of(entry.record).strand;
  return strand != self.strand && is_parallel(strand);
}

bool has_many(std::uint32_t first) noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t i = first; i != 0 && count < sets_apart::many; i = lists[i].next) ++count;
  return count == sets_apart::many;
}

/// Whether others say as much as an access with these locks, whatever a later one holds that is in a race with it: where
/// many with locks of their own run beside it.
[[gnu::noinline]] bool is_said_by_many(std::uint32_t first, how kind, std::uint32_t locks) noexcept {
  sets_apart others(locks);
  for (std::uint32_t i = first; i != 0 && !others.are_many(); i = lists[i].next) {
    if (says_as_much(lists[i].kind, kind) && is_parallel_to_this(lists[i])) others.add(lists[i].locks);
  }
  return others.are_many();
}

/// For one that runs beside the access.
inline void compare(const listed& entry, const race& access, std::uint32_t locks) noexcept {
  if (access.kind == how::read && entry.kind == how::read) return;
  const bool are_atomic = locks == atomics_alone && entry.locks == atomics_alone;
  if (are_atomic && is_known_order(entry.record, entry.kind, access)) return;
  race both = access;
  both.earlier = entry.record;
  both.earlier_kind = entry.kind;
  if (are_atomic) {
    found_order(both, false);
  } else if (are_disjoint(locks, entry.locks)) {
    found_race(both);
  } else {
    found_order(both, share_a_lock(locks, entry.locks));
  }
}

}  // namespace

void make_lists() noexcept {
  lists.make(first_of_records);
  lists.add({});
}

void look_in_list(cell& known, const race& access, std::uint32_t locks) noexcept {
  const how kind = access.kind;
  if (!is_list(known)) {
    make_list(known);
    note_list(access.begin);
  }
  bool is_new = true;
  int alike = 0;
  std::uint32_t* link = &known.writer;
  while (*link != 0) {
    const std::uint32_t number = *link;
    listed& entry = lists[number];
    const bool runs_beside = is_parallel_to_this(entry);
    if (runs_beside) compare(entry, access, locks);
    const bool is_same =
        entry.kind == kind && is_part(locks, entry.locks, false) && is_part(entry.locks, locks, false);
    // Those that held the same over other forks are alike: of them the latest tell.
    constexpr int enough = 8;
    if ((!runs_beside && says_as_much(kind, entry.kind) && is_part(locks, entry.locks, false)) ||
        (is_same && ++alike > enough)) {
      *link = entry.next;
      entry.next = free_ones;
      free_ones = number;
      continue;
    }
    if ((runs_beside || is_own(entry.record)) && says_as_much(entry.kind, kind) &&
        is_part(entry.locks, locks, true))
      is_new = false;
    link = &entry.next;
  }
  if (is_new && !(has_many(known.writer) && is_said_by_many(known.writer, kind, locks))) {
    // It may collect numbers, those of the list included.
    const std::uint32_t record = record_at(access.at);
    known.writer = take_one({record, locks, known.writer, kind});
  }
  const listed only = lists[known.writer];
  if (only.next == 0 && only.locks == 0) {
    free_list(known.writer);
    known = only.kind == how::write ? cell{only.record, 0} : cell{0, only.record};
  }
}

void free_list(std::uint32_t first) noexcept {
  std::uint32_t last = first;
  while (lists[last].next != 0) last = lists[last].next;
  lists[last].next = free_ones;
  free_ones = first;
}

std::uint32_t copy_list(std::uint32_t first) noexcept {
  std::uint32_t copied = 0;
  std::uint32_t* link = &copied;
  for (std::uint32_t i = first; i != 0; i = lists[i].next) {
    *link = take_one({lists[i].record, lists[i].locks, 0, lists[i].kind});
    link = &lists[*link].next;
  }
  return copied;
}

void mark_listed_locks(unsigned char* is_used, std::uint32_t) noexcept {
  for (std::uint32_t i = 1; i < lists.count; ++i) is_used[lists[i].locks] = 1;
}

}  // namespace nopal_check
