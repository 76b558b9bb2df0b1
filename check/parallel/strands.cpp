// Strands on several threads. What forks and joins tell says where each begins, ends and goes on; the scheduler tells nothing.
//
// A strand takes along: its node, its segment, where its frames end on its stack, its calls, its locks, and what is ignored.
// Calls stay in the array of the thread that it leaves. Who goes on with it there finds them as they were; who goes on
// elsewhere copies those of its procedure, and those before by which sites are told apart. An array is not written below
// what is kept there before all of that was taken.
#include "../strands.hpp"

#include "../lock_numbers.hpp"
#include "../locks.hpp"
#include "../shadow.hpp"
#include "../tables.hpp"
#include "call_arrays.hpp"
#include "departures.hpp"
#include "open_scopes.hpp"
#include "state.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

strand_node* nodes;
std::atomic<std::uint64_t> generation;
bool program_forks;
std::uint32_t crossing_site;

namespace {

constexpr std::uint32_t most_nodes = 1U << 29;
constexpr std::uint32_t nodes_at_once = 256;
std::uint32_t roots;
std::atomic<std::uint32_t> nodes_given{most_roots};
atomic_changes all_changes;
bool has_several_roots;  ///< under the checker's lock: see `forget_all`

std::uint32_t take_node() noexcept {
  if (strand_node* const free = mine.free_nodes; free != nullptr) {
    mine.free_nodes = free->next;
    return free->own.strand;
  }
  if (mine.next_strand == mine.end_strand) {
    // Relaxed: the number alone is asked for.
    mine.next_strand = nodes_given.fetch_add(nodes_at_once, std::memory_order_relaxed);
    mine.end_strand = mine.next_strand + nodes_at_once;
    if (mine.end_strand > most_nodes) {
      fail("nopal: check: more than 536805376 forks between two joins of the program's first strand: check a "
           "smaller input, or serially\n");
    }
  }
  return mine.next_strand++;
}

strand_node& node_of(std::uint32_t strand) noexcept { return nodes[strand]; }
strand_node& running_node() noexcept { return nodes[self.strand]; }

/// What others go on with.
struct kept_strand {
  std::uint32_t strand;
  std::uint32_t lock_set;
  std::uint64_t segment;
  address here;  ///< the stack pointer before a fork, after which it may be of another; zero: before a join
  address top;   ///< see thread_state
  call_frame* calls;
  call_array* in;
  const view_segment* views;
  strand_node* child;  ///< that was forked; null: before a join
  int ignores;
};
static_assert(sizeof(kept_strand) <= sizeof(nopal_check_kept));

void heed() noexcept { self.is_heeding = self.ignores == 0 ? 1 : 0; }

kept_strand kept_now(address here, address top) noexcept {
  ++mine.calls->kept;
  return {self.strand, self.lock_set, mine.now.segment, here,    top,
          self.calls,  mine.calls,    mine.views,       nullptr, self.ignores};
}

/// Nothing of the program runs on this thread.
void leave_strand() noexcept {
  self.running = &mine.idle;
  self.strand = mine.idle.strand;
  self.calls = self.outermost = mine.idle_outermost;
  self.calls_end = mine.idle_outermost + most_calls - 1;
  self.lock_set = 0;
  self.is_heeding = 0;
  self.ignores = 1;
}

/// With the locks that were there.
void forget_frames(address begin, address end) noexcept {
  if (has_locks && begin < end) {
    take_checker();
    forget_locks(begin, end - begin);
    leave_checker();
  }
  clear_stack(begin, end);
}

/// Before a segment is over.
void end_use() noexcept {
  if (self.last_user_end == 0) return;
  take_checker();
  end_last_use();
  leave_checker();
}

/// Whether what this thread has run since the fork is the child, to its end.
bool has_ended_here(const kept_strand& after_fork) noexcept {
  return mine.ended != nullptr && mine.ended->order.parent == &node_of(after_fork.strand).order &&
         mine.ended->order.forked_at + 1 == after_fork.segment;
}

/// The child that has ended was not stolen from: what is its parent's ends with that.
void take_over(strand_node& parent, strand_node& child) noexcept {
  add_to_list(parent.own_records, child.parents_records);
  if (child.lasts) {
    parent.lasts = true;
    return;
  }
  child.next = parent.ended_children;
  parent.ended_children = &child;
}

/// The strand ends.
void free_all(strand_node& ended) noexcept {
  add_to_list(mine.free_records, ended.own_records);
  ended.own_records = {};
  if (are_nodes_named()) ended.ended_children = nullptr;
  while (ended.ended_children != nullptr) {
    strand_node* const child = ended.ended_children;
    ended.ended_children = child->next;
    child->next = mine.free_nodes;
    mine.free_nodes = child;
  }
}

void go_on(const kept_strand& kept, address here, address frame) noexcept {
  procedure& own = node_of(kept.strand).own;
  self.strand = kept.strand;
  self.running = &own;
  self.lock_set = kept.lock_set;
  self.ignores = kept.ignores;
  mine.now = {&node_of(kept.strand).order, kept.segment};
  if (mine.calls == kept.in) {
    --mine.calls->kept;
    self.calls = kept.calls;
    if (kept.here != 0 && has_ended_here(kept)) take_over(node_of(kept.strand), *mine.ended);
    mine.ended = nullptr;
  } else {
    take_calls(kept.calls, *kept.in, own);
  }
  self.calls_end = mine.calls->end;
  self.outermost = mine.calls->begin;
  // What is stolen goes on near the begin of a stack that was free.
  constexpr address near = 4096;
  const bool is_same_stack = kept.here == 0 || here + near - kept.here < 2 * near;
  mine.top = is_same_stack ? kept.top : here + room_for_arguments(kept.here, kept.top, frame);
  if (!is_same_stack) depart(node_of(kept.strand), *kept.child);
  mine.parents_top = mine.top == own.stack ? node_of(kept.strand).parents_top : 0;
  self.lowest = here;
}

/// No strand but the root's is there, nor has been seen by another thread: all that was is over. Relaxed: who forks later hands
/// it on.
void forget_all() noexcept {
  const std::uint32_t used = __atomic_load_n(&records.count, __ATOMIC_RELAXED);
  constexpr std::uint32_t enough = 1U << 20;
  if (used < enough && nodes_given.load(std::memory_order_relaxed) < enough) return;
  take_checker();
  if (!has_several_roots) {
    forget_all_memory();
    forget_view_segments();
    __atomic_store_n(&records.count, 0, __ATOMIC_RELAXED);
    nodes_given.store(most_roots, std::memory_order_relaxed);
    running_node().own_records = {};
    running_node().ended_children = nullptr;
    generation.fetch_add(1, std::memory_order_relaxed);
  }
  leave_checker();
}

/// The child of the strand that both descend from, on the way to an earlier one; or to the running one.
const nopal_check_parallel::procedure* separated(const nopal_check_parallel::procedure* its) noexcept {
  using namespace nopal_check_parallel::order_steps;
  const nopal_check_parallel::procedure* ours = mine.now.in;
  const std::uint64_t depth = its->depth < ours->depth ? its->depth : ours->depth;
  const auto* const its_line = ancestor_at(its, depth);
  const auto* const our_line = ancestor_at(ours, depth);
  if (its_line == our_line) {
    if (its->depth > depth) return ancestor_at(its, depth + 1);
    return ours->depth > depth ? ancestor_at(ours, depth + 1) : ours;
  }
  const auto* one = its_line;
  const auto* other = our_line;
  go_to_siblings(one, other);
  return one->forked_at < other->forked_at ? one : other;
}

}  // namespace

void make_strands() noexcept {
  nodes = static_cast<strand_node*>(reserve(std::size_t{most_nodes} * sizeof(strand_node)));
  has_threads = true;
}

void begin_root() noexcept {
  const quietly now;
  self.changes = &all_changes;
  if (++roots == most_roots) fail("nopal: check: more than 65535 threads\n");
  self.strand = roots;
  strand_node& node = node_of(roots);
  mine.now = nopal_check_parallel::begin_root(node.order);
  mine.root = self.running = &node.own;
  auto* const made = static_cast<call_array*>(reserve(sizeof(call_array)));
  made->begin = self.outermost;
  made->end = self.calls_end;
  mine.calls = mine.all_calls = made;
  mine.idle = {roots, nullptr, nullptr, 0, false};
  mine.idle_outermost = mine.idle.calls = reserve_calls();
  mine.idle.calls->stack = ~address{0};
  mine.mark = std::uint64_t{1} << 52;
  mine.found = static_cast<race*>(reserve(3 * block_bytes * sizeof(race)));
  mine.generation = generation.load(std::memory_order_relaxed);
  mine.top = self.stack_end;
  node.after = {mine.now};
  node.views = mine.views = &node.after;
}

void note_root() noexcept {
  if (mine.is_known_root || self.strand == 1) return;
  take_checker();
  note_root_at_work();
  leave_checker();
}

void note_root_at_work() noexcept {
  if (mine.is_known_root || self.strand == 1) return;
  mine.is_known_root = true;
  has_several_roots = true;
  start_segment();
}

void make_room_for_strand() noexcept {}
void forget_fork_sites() noexcept {}

std::uint32_t separating_fork(std::uint32_t strand) noexcept {
  // The order is the first member of its node.
  return reinterpret_cast<const strand_node*>(separated(&node_of(strand).order))->fork_site;
}

}  // namespace nopal_check

using namespace nopal_check;

namespace {

kept_strand& as_kept(nopal_check_kept* kept) noexcept { return *reinterpret_cast<kept_strand*>(kept); }
/// The first child of a scope since its last join.
strand_node*& first_child(nopal_check_children** of) noexcept { return *reinterpret_cast<strand_node**>(of); }

}  // namespace

extern "C" {

void* nopal_check_branch(nopal_check_children** of, nopal_check_kept* kept) {
  const auto at = reinterpret_cast<address>(__builtin_return_address(0));
  self.is_heeding = 0;
  const quietly now;
  if (self.strand < most_roots) note_root();
  program_forks = true;
  end_use();
  if (self.lock_set != 0) {
    take_checker();
    hold_over_fork();
    leave_checker();
  }
  know_site_alone(at, record_for::any);
  const std::uint32_t strand = take_node();
  strand_node& child = node_of(strand);
  strand_node*& first = first_child(of);
  if (first == nullptr) {
    first = &child;
    // Relaxed: no one knows it yet.
    child.siblings.joined_at.store(nopal_check_parallel::not_yet, std::memory_order_relaxed);
    ++running_node().open_scopes;
    open_scope(running_node(), child, mine.views);
  } else if (running_node().newest_open != first) {
    close_scope(running_node(), *first);
    open_scope(running_node(), *first, mine.views);
  }
  nopal_check_parallel::fork(mine.now, first->siblings, child.order);
  // All that is below is the child's, or the scheduler's. Away from its frame the strand may leave this stack for good, with
  // what calls have passed above.
  const auto here = reinterpret_cast<address>(__builtin_dwarf_cfa());
  const address frame = *static_cast<const address*>(__builtin_frame_address(0));
  if (is_away(here, mine.top, frame)) clear_stack(begin_of_passed(running_node(), mine.top, frame), mine.top);
  child.own = {strand, reinterpret_cast<children*>(first), self.calls, here, false};
  child.fork_site = site_known_at(at);
  child.open_scopes = 0;
  child.newest_open = nullptr;
  child.departed = nullptr;
  child.top_before = mine.top;
  child.views = mine.views;
  child.after = {mine.now};
  child.own_records = child.parents_records = {};
  child.ended_children = nullptr;
  child.parents_top = mine.top == running_node().own.stack ? mine.top : 0;
  child.lasts = false;
  as_kept(kept) = kept_now(here, mine.top);
  as_kept(kept).views = &child.after;
  as_kept(kept).child = &child;
  ++self.ignores;  // until the child begins: what follows is the scheduler's
  return &child;
}

void nopal_check_begin(void* made) {
  auto& child = *static_cast<strand_node*>(made);
  child.own.calls = self.calls;
  mine.top = child.own.stack;
  mine.parents_top = child.parents_top;
  if (self.lowest > mine.top) self.lowest = mine.top;
  --self.ignores;
  self.strand = child.own.strand;
  self.running = &child.own;
  mine.now = {&child.order, 0};
  mine.views = child.views;
  start_segment();
  heed();
}

void nopal_check_leave() {
  const address end = mine.top;
  {
    const quietly now;
    end_use();
    forget_frames(self.lowest, end);
    mine.ended = &running_node();
    free_all(*mine.ended);
  }
  leave_strand();
}

void nopal_check_keep(nopal_check_children** of, nopal_check_kept* kept) {
  const auto here = reinterpret_cast<address>(__builtin_dwarf_cfa());
  {
    const quietly now;
    end_use();
    const address top = come_back(running_node(), reinterpret_cast<children*>(first_child(of)));
    as_kept(kept) = kept_now(0, top != 0 ? top : mine.top);
    // What it used of a stack that it leaves is for others.
    forget_frames(self.lowest, top != 0 ? mine.top : here);
  }
  leave_strand();
}

void nopal_check_go_on(const nopal_check_kept* kept) {
  const kept_strand& from = *reinterpret_cast<const kept_strand*>(kept);
  self.is_heeding = 0;
  {
    const quietly now;
    // The caller's frame pointer: who forks has one.
    const address frame = *static_cast<const address*>(__builtin_frame_address(0));
    go_on(from, reinterpret_cast<address>(__builtin_dwarf_cfa()), frame);
    mine.views = from.views;
    start_segment();
  }
  heed();
}

void nopal_check_join(nopal_check_children** of) {
  strand_node* const first = first_child(of);
  if (first == nullptr) return;
  const quietly now;
  first_child(of) = nullptr;
  end_use();
  nopal_check_parallel::join(mine.now, first->siblings);
  strand_node& node = running_node();
  if (close_scope(node, *first)) {
    mine.views = first->views_before;
  } else {
    strand_node& after_all = node_of(take_node());
    after_all.after = {mine.now};
    mine.views = &after_all.after;
  }
  --node.open_scopes;
  // The views of the program's first strand are those that it began with.
  if (self.strand == 1 && node.open_scopes == 0) forget_all();
  start_segment();
}

void nopal_check_fork(nopal_check_children**) {
  fail("nopal: check: a file was compiled without NOPAL_CHECKED_PARALLEL and linked with "
       "nopal_check_parallel: "
       "compile and link all of it with the flags of nopal-check-parallel, or of nopal-check\n");
}
void nopal_check_end(const void*, std::size_t) {}
}
