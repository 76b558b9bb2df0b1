// Records, numbers of strands, and small pieces of memory: each thread takes many at once.
#include "../records.hpp"

#include "../copies.hpp"
#include "../tables.hpp"
#include "state.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

table<record> records;
std::uint64_t* segments;
std::uint32_t* record_links;
std::uint32_t record_limit = end_of_records - first_of_records;
NOPAL_CHECK_THREAD_LOCAL thread_state mine;

namespace {

constexpr std::uint32_t most_at_once = 4096;
constexpr std::uint32_t least_at_once = 16;
constexpr std::uint32_t most_found_again = 1U << 14;
constexpr std::uint64_t step_of_marks = std::uint64_t{1} << 52;  // above are addresses, and sizes
constexpr std::size_t bytes_at_once = std::size_t{1} << 22;

std::uint32_t new_record_number() noexcept {
  if (mine.next_record == mine.end_record) {
    // Relaxed: the number alone is asked for.
    const std::uint32_t many = mine.records_at_once;
    const std::uint32_t first = __atomic_fetch_add(&records.count, many, __ATOMIC_RELAXED);
    if (first >= record_limit - 2 * most_at_once) {
      fail("nopal: check: more than 1006632960 accesses to remember between two joins of the program's first "
           "strand: check a smaller input, or serially\n");
    }
    mine.next_record = first_of_records + first;
    mine.end_record = mine.next_record + many;
    if (many < most_at_once) mine.records_at_once = 2 * many;
  }
  return mine.next_record++;
}

std::uint32_t free_record_number() noexcept {
  record_list& free = mine.free_records;
  if (free.first == 0) return new_record_number();
  const std::uint32_t taken = free.first;
  free.first = record_links[taken - first_of_records];
  if (free.first == 0) free.last = 0;
  return taken;
}

/// The same place has a record for each kind of memory.
std::uint64_t record_key(address at, record_for memory) noexcept {
  return site_key(at) + static_cast<std::uint64_t>(memory) * hash_step;
}

}  // namespace

void make_records() noexcept {
  records.make(std::size_t{record_limit});
  segments = static_cast<std::uint64_t*>(reserve_dense(record_limit * sizeof(std::uint64_t)));
  record_links = static_cast<std::uint32_t*>(reserve_dense(record_limit * sizeof(std::uint32_t)));
}

void forget_seen() noexcept {
  if ((mine.mark += step_of_marks) != 0) return;
  fill(mine.seen, 0, sizeof mine.seen);
  mine.mark = step_of_marks;
}

void start_segment() noexcept {
  forget_seen();
  // Relaxed: see there.
  const std::uint64_t now = generation.load(std::memory_order_relaxed);
  if (mine.generation != now || mine.records_at_once == 0) {
    mine.generation = now;
    leave_records();
    mine.free_records = {};
    mine.free_nodes = nullptr;
    mine.next_strand = mine.end_strand = 0;
    for (cached_record& each : self.cache) each = {};
  }
  ++mine.segment;
}

void leave_records() noexcept {
  mine.next_record = mine.end_record = 0;
  mine.records_at_once = least_at_once;
}

void know_site(address at, record_for memory) noexcept {
  const std::uint64_t key = record_key(at, memory);
  cached_record& cached = cached_for(key);
  if (cached.key == key) return;
  cached = {key, 0, 0, site_at(at)};
  // Calls of recursions tell more sites apart than caches have room for.
  if (sites_found_again == most_found_again) narrow_calls_after(most_found_again);
}

void know_site_alone(address at, record_for memory) noexcept {
  const std::uint64_t key = record_key(at, memory);
  if (cached_for(key).key == key) return;
  take_checker();
  know_site(at, memory);
  leave_checker();
}

std::uint32_t site_known_at(address at) noexcept { return cached_for(record_key(at, record_for::any)).site; }

std::uint32_t record_here(address at, record_for memory) noexcept {
  cached_record& cached = cached_for(record_key(at, memory));
  if (cached.before == mine.segment) return cached.record;
  strand_node& node = nodes[self.strand];
  std::uint32_t made;
  if (memory == record_for::any) {
    node.lasts = true;
    made = new_record_number();
  } else {
    made = free_record_number();
    add_to_list(memory == record_for::own ? node.own_records : node.parents_records, {made, made});
  }
  record_of(made) = {self.strand, cached.site};
  segments[made - first_of_records] = mine.now.segment;
  cached.before = mine.segment;
  return cached.record = made;
}

void* take_piece(unsigned kind, std::size_t bytes) noexcept {
  void*& free = mine.free_pieces[kind];
  if (free != nullptr) {
    void* const taken = free;
    free = *static_cast<void**>(taken);
    return taken;
  }
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes > mine.piece_left) {
    mine.next_piece = static_cast<char*>(reserve(bytes_at_once));
    mine.piece_left = bytes_at_once;
  }
  void* const made = mine.next_piece;
  mine.next_piece += bytes;
  mine.piece_left -= bytes;
  return made;
}

void give_piece(unsigned kind, void* piece) noexcept {
  *static_cast<void**>(piece) = mine.free_pieces[kind];
  mine.free_pieces[kind] = piece;
}

}  // namespace nopal_check
