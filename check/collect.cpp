#include "collect.hpp"

#include <algorithm>

#include "copies.hpp"
#include "events.hpp"
#include "lists.hpp"
#include "records.hpp"
#include "shadow.hpp"
#include "sites.hpp"
#include "strands.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

constexpr std::uint32_t least = 1U << 15;

}  // namespace

std::uint32_t record_limit = least;
std::uint32_t strand_limit = least;

namespace {

table<std::uint32_t> new_sets;
table<origin> new_origins;
table<record> new_records;
std::uint32_t* strand_numbers;  // by the old number of a strand: the new one; zero: none yet
std::uint32_t* record_numbers;
constexpr std::uint32_t is_used = ~std::uint32_t{0};  ///< in place of a new number

constexpr std::size_t most = std::size_t{1} << 29;
constexpr std::size_t most_new = std::size_t{1} << 26;
constexpr std::size_t most_kept_bytes = std::size_t{1} << 22;

/// By root and fork: one strand for all that are alike. Those that have set an event, or belong to one that has, are not:
/// by root and child.
number_map* classes;
number_map* setters;  ///< the children

bool has_set_events(std::uint32_t child) noexcept { return setters->count() != 0 && setters->at(child) != 0; }
std::uint64_t key_of_setter(std::uint32_t new_root, std::uint32_t child) noexcept {
  return std::uint64_t{1} << 63 | std::uint64_t{new_root} << 32 | child;
}

/// Roots first, each with its own number.
void keep_root(std::uint32_t strand) noexcept {
  if (strand == 0 || strand_numbers[strand] != 0) return;
  new_sets.add(sets[strand]);
  const std::uint32_t parent = origins[strand].parent;
  strand_numbers[strand] = new_origins.add({strand_numbers[parent], origins[strand].site});
}

void keep_all_roots() noexcept {
  for (thread* each = all_threads; each != nullptr; each = each->next_thread) {
    for (procedure* p = first_procedure(*each); p <= each->running; ++p) keep_root(p->strand);
  }
  for (children* each = all_children; each != nullptr; each = each->next) {
    if (each->bag != 0) {
      // Its fork is what the bag's first child was separated by.
      new_sets.add(sets[each->bag]);
      const std::uint32_t parent = strand_numbers[each->forked_by];
      const std::uint32_t child = separated_child(each->bag);
      const std::uint32_t number = new_origins.add({parent, origins[child].site});
      strand_numbers[each->bag] = number;
      if (has_set_events(child)) classes->at(key_of_setter(number, child)) = number;
    }
  }
}

std::uint32_t new_strand(std::uint32_t strand) noexcept {
  std::uint32_t& number = strand_numbers[strand];
  if (number != 0) return number;
  const std::uint32_t root = root_of(strand);
  const std::uint32_t new_root = strand_numbers[root];
  if (new_root == 0) return number = 1;  // of a thread that is over
  if ((sets[root] & is_p_bag) == 0) return number = new_root;
  const std::uint32_t child = separated_child(strand);
  const std::uint32_t fork = origins[child].site;
  const bool is_setter = has_set_events(child);
  if (!is_setter && new_origins[new_root].site == fork && !has_set_events(separated_child(root)))
    return number = new_root;
  std::uint32_t& alike =
      classes->at(is_setter ? key_of_setter(new_root, child) : std::uint64_t{new_root} << 32 | fork);
  if (alike == 0) {
    new_sets.add(new_root);
    alike = new_origins.add({new_origins[new_root].parent, fork});
  }
  return number = alike;
}

/// By new strand and site, in the memory of the records' numbers: a record is kept once, but for what was done before and
/// after something from which on records count. That is so of all strands: those around one that sets an event, and
/// those that they have joined, are of the same child once it is over.
number_map* known_records;
std::uint32_t period_begin;  ///< the first new record since the last such end

std::uint32_t new_record(std::uint32_t number) noexcept {
  if (number < first_of_records) return number;
  std::uint32_t& kept = record_numbers[number - first_of_records];
  if (kept == 0 || kept == is_used) {
    const record& old = record_of(number);
    const std::uint32_t strand = new_strand(old.strand);
    std::uint32_t& same = known_records->at(std::uint64_t{strand} << 32 | old.site);
    if (same == 0 || same < period_begin) same = first_of_records + new_records.add({strand, old.site});
    kept = same;
  }
  return kept;
}

cell used(cell known) noexcept {
  if (is_list(known)) return known;
  for (const std::uint32_t number : {known.writer, known.reader}) {
    if (number >= first_of_records) record_numbers[number - first_of_records] = is_used;
  }
  return known;
}

/// Old ends of records, and what becomes of them.
constexpr std::size_t most_ends = std::size_t{1} << 26;
table<std::uint32_t> old_ends;  ///< each once, in order
table<std::uint32_t> new_ends;

void add_end(std::uint32_t& end) noexcept {
  if (end != 0 && old_ends.count < most_ends) old_ends.add(end);
}
void renumber_end(std::uint32_t& end) noexcept {
  if (end == 0) return;
  const std::uint32_t* const place =
      std::lower_bound(old_ends.elements, old_ends.elements + old_ends.count, end);
  // One for which there was no room ends where all do.
  const auto i = static_cast<std::uint32_t>(place - old_ends.elements);
  end = i < new_ends.count ? new_ends[i] : first_of_records + new_records.count;
}

/// Of events and waits, and of what threads have changed atomically.
void visit_ends(void (*visit)(std::uint32_t& end)) noexcept {
  visit_ends_of_events(visit);
  for (thread* each = all_threads; each != nullptr; each = each->next_thread) {
    for (std::uint32_t* end :
         {&each->own_changes.latest.records_end, &each->own_changes.before.records_end, &each->last_user_end})
      visit(*end);
  }
}

void find_ends() noexcept {
  old_ends.count = new_ends.count = 0;
  visit_ends(add_end);
  std::sort(old_ends.elements, old_ends.elements + old_ends.count);
  old_ends.count = static_cast<std::uint32_t>(
      std::unique(old_ends.elements, old_ends.elements + old_ends.count) - old_ends.elements);
}

/// Where there are such ends new records are in the order of the old ones, so that what came before is still told from
/// what came after.
void number_in_order(std::uint32_t old_count) noexcept {
  visit_cells(used);
  for (std::uint32_t i = 1; i < lists.count; ++i) {
    if (lists[i].record != 0) record_numbers[lists[i].record - first_of_records] = is_used;
  }
  std::uint32_t passed = 0;
  for (std::uint32_t i = 0; i < old_count; ++i) {
    for (; passed < old_ends.count && old_ends[passed] <= first_of_records + i; ++passed) {
      new_ends.add(period_begin = first_of_records + new_records.count);
    }
    if (record_numbers[i] == is_used) new_record(first_of_records + i);
  }
  for (; passed < old_ends.count; ++passed) new_ends.add(first_of_records + new_records.count);
}

cell renumbered(cell old) noexcept {
  if (is_list(old)) return old;
  return {new_record(old.writer), new_record(old.reader)};
}

template <class T>
void exchange(table<T>& now, table<T>& made, std::uint32_t old_count) noexcept {
  const table<T> before = now;
  now = made;
  made = {before.elements, 0};
  const std::size_t bytes = (std::size_t{old_count} + 1) * sizeof(T);
  if (bytes > most_kept_bytes) empty(before.elements, bytes);
}

/// All zero again. Pages that are used again soon stay.
void zero(void* memory, std::size_t bytes) noexcept {
  if (bytes > most_kept_bytes) {
    empty(memory, bytes);
  } else {
    fill(memory, 0, bytes);
  }
}

/// As many new ones as there are old ones or cells to be visited at the next time: that costs little for each.
std::uint32_t limit_after(std::uint32_t count) noexcept {
  const std::size_t cells = shadow_bytes() / sizeof(cell);
  return count + static_cast<std::uint32_t>(
                     std::clamp<std::size_t>(std::max<std::size_t>(count, cells), least, most_new));
}

void make_room() noexcept {
  if (strand_numbers != nullptr) return;
  new_sets.make(most);
  new_origins.make(most);
  new_records.make(std::size_t{end_of_records - first_of_records});
  old_ends.make(most_ends);
  new_ends.make(most_ends);
  strand_numbers = static_cast<std::uint32_t*>(reserve(most * sizeof(std::uint32_t)));
  record_numbers = static_cast<std::uint32_t*>(
      reserve(std::size_t{end_of_records - first_of_records} * sizeof(std::uint32_t)));
}

void renumber_threads() noexcept {
  for (thread* each = all_threads; each != nullptr; each = each->next_thread) {
    for (procedure* p = first_procedure(*each); p <= each->running; ++p)
      p->strand = strand_numbers[p->strand];
    for (atomic_change* one : {&each->own_changes.latest, &each->own_changes.before})
      one->strand = strand_numbers[one->strand];
    each->strand = strand_numbers[each->strand];
    if (each->first_own != 0) each->first_own = first_of_records + new_records.count;
    each->first_record = has_threads ? ~0U : first_of_records + new_records.count;
    for (cached_record& cached : each->cache) cached.record = 0;
    forget_unchanged(*each);
  }
  for (children* each = all_children; each != nullptr; each = each->next) {
    each->bag = strand_numbers[each->bag];
    each->forked_by = strand_numbers[each->forked_by];
  }
}

}  // namespace

void collect() noexcept {
  make_room();
  const std::uint32_t old_strands = sets.count;
  const std::uint32_t old_records = records.count;
  number_map known;
  known_records = &known;
  number_map alike;
  classes = &alike;
  number_map have_set;
  setters = &have_set;
  visit_setters([](std::uint32_t strand) { setters->at(separated_child(strand)) = 1; });
  new_sets.add(is_root);
  new_origins.add({});
  new_sets.add(is_root);  // strands of threads that are over
  new_origins.add({});
  keep_all_roots();
  period_begin = 0;
  find_ends();
  if (old_ends.count != 0) number_in_order(old_records);
  visit_cells(renumbered);
  for (std::uint32_t i = 1; i < lists.count; ++i) {
    if (lists[i].record != 0) lists[i].record = new_record(lists[i].record);
  }
  renumber_events(new_strand);
  visit_ends(renumber_end);
  renumber_threads();
  exchange(sets, new_sets, old_strands);
  exchange(origins, new_origins, old_strands);
  exchange(records, new_records, old_records);
  narrow_calls_after(old_records);
  find_waits_anew();
  zero(strand_numbers, (std::size_t{old_strands} + 1) * sizeof(std::uint32_t));
  zero(record_numbers, (std::size_t{old_records} + 1) * sizeof(std::uint32_t));
  known.release();
  alike.release();
  have_set.release();
  strand_limit = limit_after(sets.count);
  record_limit = limit_after(records.count);
}

}  // namespace nopal_check
