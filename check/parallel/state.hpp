// What the parallel checker has beside the serial one's: nodes of the fork tree, and what each thread has of its own.
//
//   node        a strand: a procedure of order.hpp, and what thread.hpp has of it
//   record      a strand, a site and a segment: what shadow memory names
//   call array  a thread's memory for call stacks; the stacks of strands that others will go on with stay in it
#ifndef NOPAL_CHECK_PARALLEL_STATE_HPP
#define NOPAL_CHECK_PARALLEL_STATE_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../races.hpp"
#include "../records.hpp"
#include "../thread.hpp"
#include "order.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

using nopal_check_parallel::accesses;
using nopal_check_parallel::position;
using nopal_check_parallel::relation;

/// When it began: views are kept by these.
struct view_segment {
  position began;
};

/// Records that are free at one time, linked.
struct record_list {
  std::uint32_t first, last;  ///< zero: none
};

struct strand_node {
  nopal_check_parallel::procedure order;
  procedure own;
  std::uint32_t fork_site;
  std::uint32_t open_scopes;  ///< of the node, with children that are not joined
  const view_segment* views;  ///< at its begin
  view_segment after;         ///< what follows the fork; of a root, its begin
  /// Of the first child of a scope since its last join: all of its children, and the views before it.
  nopal_check_parallel::family siblings;
  const view_segment* views_before;
  strand_node* opened_before;  ///< the next in such a list
  strand_node* newest_open;    ///< of the node's open scopes, the one that forked last first
  address top_before;     ///< where the frames of the strand that forked it end on the stack that it was on
  strand_node* departed;  ///< of the node, children on stacks to which joins come back; see departures.hpp
  strand_node* departed_before;  ///< the next in such a list
  // What nothing names any more when the strand has ended: records of its own frames' memory, and of its children's accesses
  // to it; and children that have no other records.
  record_list own_records;
  record_list parents_records;  ///< the same of the parent, by this one
  strand_node* ended_children;
  strand_node* next;    ///< in such a list, or of those that are free
  address parents_top;  ///< where the parent's frames end that lie above this one's; zero: on another stack
  bool lasts;           ///< other memory may name it, or what it has forked
};

/// By strand. Roots have the lesser numbers.
extern strand_node* nodes;
inline constexpr std::uint32_t most_roots = 1U << 16;

/// Of each record.
extern std::uint64_t* segments;
extern std::uint32_t* record_links;

inline void add_to_list(record_list& list, record_list more) noexcept {
  if (more.first == 0) return;
  record_links[more.last - first_of_records] = list.first;
  list.first = more.first;
  if (list.last == 0) list.last = more.last;
}

inline position position_of(std::uint32_t record) noexcept {
  return {&nodes[record_of(record).strand].order, segments[record - first_of_records]};
}

/// The begin of a call stack that grows, of one thread.
struct call_array {
  call_frame* begin;
  call_frame* end;
  std::uint64_t
      kept;  ///< how many strands have left their calls here, less those that went on here; the thread's
  /// How many went on elsewhere, with a copy. Release pairs with the acquire of the thread, which writes there then.
  std::atomic<std::uint64_t> taken;
  call_array* next;
};

inline constexpr std::size_t seen_slots = 4096;

/// Of a record to a segment of the thread's, in which that stays as it is.
struct known_relation {
  std::uint64_t segment;
  std::uint32_t record;
  relation known;
};
inline constexpr std::size_t known_relations = 256;

struct thread_state {
  position now;
  const view_segment* views;
  address top;          ///< the strand's frames on this stack lie below
  address parents_top;  ///< and its parent's from there to this; zero: on another stack
  call_array* calls;
  call_array* all_calls;
  procedure* root;
  strand_node* ended;  ///< the latest child that has ended on this thread
  procedure idle;      ///< where no strand is: what the scheduler calls
  call_frame* idle_outermost;
  bool is_known_root;
  std::uint64_t segment;  ///< the thread's, counted
  record_list free_records;
  strand_node* free_nodes;
  std::uint32_t next_record, end_record;
  std::uint32_t records_at_once;  ///< how many are taken next
  std::uint32_t next_strand, end_strand;
  char* next_piece;
  std::size_t piece_left;
  void* free_pieces[5];
  std::uint64_t generation;
  std::uint64_t mark;
  race* found;  ///< in the block that is looked at
  std::uint32_t found_count;
  known_relation relations[known_relations];
  /// Accesses that the running segment has made: of each slot the last one's address and size, with the mark.
  std::uint64_t seen[2][seen_slots];
};
extern NOPAL_CHECK_THREAD_LOCAL thread_state mine;

/// How its access stands to the running strand.
inline relation relation_of(std::uint32_t record) noexcept {
  known_relation& slot = mine.relations[record % known_relations];
  if (slot.record != record || slot.segment != mine.segment) {
    slot = {mine.segment, record, nopal_check_parallel::relate(position_of(record), mine.now)};
  }
  return slot.known;
}

/// How often all was forgotten, as no strand but a root's was there. Written by that root alone; others see it with what
/// they are handed by it, so relaxed suffices.
extern std::atomic<std::uint64_t> generation;

/// A piece of memory, zeroed or not, by its kind; given back by any thread.
void* take_piece(unsigned kind, std::size_t bytes) noexcept;
void give_piece(unsigned kind, void* piece) noexcept;
/// Kinds: cells have those of their layouts.
inline constexpr unsigned piece_of_list = 1;

/// What memory a record is for: the running strand's frames, its parent's, or other.
enum class record_for : std::uint64_t { own, parent, any };
/// A record of the running segment at a place whose site is known; see `know_site`.
std::uint32_t record_here(address at, record_for memory) noexcept;
/// So that the next record there needs no lock; with the checker's, and without.
void know_site(address at, record_for memory) noexcept;
void know_site_alone(address at, record_for memory) noexcept;
/// After `know_site` for any memory.
std::uint32_t site_known_at(address at) noexcept;

/// A thread of the program beside the first has an outermost strand that does something.
void note_root() noexcept;
/// The same with the checker's lock.
void note_root_at_work() noexcept;

/// An access of the running strand, which holds no lock of the checker's; reports what it finds.
void look_alone(address begin, std::size_t bytes, how kind, address at) noexcept;

/// With the checker's lock: `kind` at a place is in a race with what was noted as reads there by strands on that side, and is
/// told as `earlier`.
void look_at_readers(address begin, relation where, how earlier, how kind, address at) noexcept;

/// The checker's own work that needs no lock of its own.
class quietly {
public:
  quietly() noexcept : was_heeding_(self.is_heeding) {
    self.is_heeding = 0;
    ++self.works;
  }
  quietly(const quietly&) = delete;
  quietly& operator=(const quietly&) = delete;
  ~quietly() {
    --self.works;
    self.is_heeding = was_heeding_;
  }

private:
  int was_heeding_;
};

/// What the running segment has accessed is forgotten.
void forget_seen() noexcept;
/// There was a reducer, whose views name nodes.
bool are_nodes_named() noexcept;
/// All views come before the running strand, which has those of its root.
void forget_view_segments() noexcept;
/// All that is known of memory is over.
void forget_all_memory() noexcept;

}  // namespace nopal_check

#endif
