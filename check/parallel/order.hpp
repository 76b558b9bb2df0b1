// The order of strands that run on several threads, for a race detector that does: of any two, whether one comes before the
// other or both are parallel, and then which the serial program runs first.
//
// A procedure is the root or one child. It counts segments: one more with each fork and each join in it. A child knows its
// parent, the parent's segment that forked it, and its family: the children of one scope between two joins, which are joined
// together. A position is a procedure and a segment. Two positions are ordered by the procedure that both are in, or
// descend from, and by where their lines part there; nothing else is looked at, so no strand waits for another and none is
// told of steals. The lines part after O(log depth) steps: each procedure has a jump to an ancestor, as E. W. Myers has
// them ("An applicative random-access stack", 1983). That fork trees with numbers suffice was shown for binary forks by
// J. Mellor-Crummey (SC 1991) and by S. Westrick and others ("DePa", PPoPP 2022).
//
// Invariants:
//
//   1. A procedure is written by the strand that forks it, before the child and the continuation begin, and never again.
//   2. A family's `joined_at` is written once, by the strand that joins it, before what follows the join.
//   3. Segments of a procedure only grow; so a join that comes after a fork has a greater number than that.
//
// So `joined_at` needs no order of its own: where the join comes before the running strand, that has been handed on by the
// scheduler's forks and joins, which are release and acquire, and the number is seen; where it does not, both "not yet" and
// the number are greater than what it is compared with, by invariant 3.
#ifndef NOPAL_CHECK_PARALLEL_ORDER_HPP
#define NOPAL_CHECK_PARALLEL_ORDER_HPP

#include <atomic>
#include <cstdint>

namespace [[gnu::visibility("hidden")]] nopal_check_parallel {

inline constexpr std::uint64_t not_yet = ~std::uint64_t{0};

/// Children of one scope that are joined together.
struct family {
  std::atomic<std::uint64_t> joined_at{not_yet};  ///< the first segment of the parent's after the join
};

struct procedure {
  const procedure* parent;  ///< null: a root
  const procedure* jump;    ///< an ancestor; of a root itself
  const family* among;
  std::uint64_t forked_at;  ///< the parent's segment before the fork
  std::uint64_t depth;
};

/// Where a strand is.
struct position {
  const procedure* in;
  std::uint64_t segment;
};

/// Of an earlier access to the running strand. That which the serial program runs first is on the left.
enum class relation : std::uint8_t { before, parallel_on_the_left, parallel_on_the_right };

inline bool is_parallel(relation one) noexcept { return one != relation::before; }

inline position begin_root(procedure& made) noexcept {
  made = {nullptr, &made, nullptr, 0, 0};
  return {&made, 0};
}

/// The strand forks: `made` is the child, and `now` becomes the continuation's. O(1).
inline position fork(position& now, const family& among, procedure& made) noexcept {
  const procedure* const parent = now.in;
  const procedure* const next = parent->jump;
  const bool has_equal_steps = parent->depth - next->depth == next->depth - next->jump->depth;
  made = {parent, has_equal_steps ? next->jump : parent, &among, now.segment, parent->depth + 1};
  ++now.segment;
  return {&made, 0};
}

/// The strand has joined all of a family. O(1).
inline void join(position& now, family& over) noexcept {
  ++now.segment;
  // Relaxed: see above. Pairs with the load in is_joined.
  over.joined_at.store(now.segment, std::memory_order_relaxed);
}

namespace order_steps {

/// Whether a child was joined in this segment of its parent's or before.
inline bool is_joined(const procedure& child, std::uint64_t by) noexcept {
  // Relaxed: see above. Pairs with the store in join.
  return child.among->joined_at.load(std::memory_order_relaxed) <= by;
}

inline const procedure* ancestor_at(const procedure* of, std::uint64_t depth) noexcept {
  while (of->depth > depth) of = of->jump->depth >= depth ? of->jump : of->parent;
  return of;
}

/// Where the lines of two different procedures of one depth part: siblings, or different roots.
inline void go_to_siblings(const procedure*& one, const procedure*& other) noexcept {
  while (one->parent != other->parent) {
    const bool part_above = one->jump != other->jump;
    one = part_above ? one->jump : one->parent;
    other = part_above ? other->jump : other->parent;
  }
}

}  // namespace order_steps

/// How an access that was made at `earlier`, before now in time, stands to the strand that runs. Of what descends from different
/// roots, which are threads of the program, nothing is known: it is taken to come before.
/// O(log depth).
inline relation relate(position earlier, position now) noexcept {
  using namespace order_steps;
  if (earlier.in == now.in) return relation::before;
  const std::uint64_t depth = earlier.in->depth < now.in->depth ? earlier.in->depth : now.in->depth;
  const procedure* its = ancestor_at(earlier.in, depth);
  const procedure* ours = ancestor_at(now.in, depth);
  if (its == ours) {
    if (its == now.in) {
      const procedure* const child = ancestor_at(earlier.in, depth + 1);
      return is_joined(*child, now.segment) ? relation::before : relation::parallel_on_the_left;
    }
    const procedure* const child = ancestor_at(now.in, depth + 1);
    return earlier.segment <= child->forked_at ? relation::before : relation::parallel_on_the_right;
  }
  go_to_siblings(its, ours);
  if (its->parent == nullptr) return relation::before;
  // Ours runs, so it is not joined: what was forked later is parallel to it.
  if (its->forked_at > ours->forked_at) return relation::parallel_on_the_right;
  return is_joined(*its, ours->forked_at) ? relation::before : relation::parallel_on_the_left;
}

/// Whether one comes first in the serial program.
inline bool is_left_of(position one, position other) noexcept {
  using namespace order_steps;
  if (one.in == other.in) return one.segment < other.segment;
  const std::uint64_t depth = one.in->depth < other.in->depth ? one.in->depth : other.in->depth;
  const procedure* its = ancestor_at(one.in, depth);
  const procedure* ours = ancestor_at(other.in, depth);
  if (its == ours) {
    if (its == one.in) return one.segment <= ancestor_at(other.in, depth + 1)->forked_at;
    return ancestor_at(one.in, depth + 1)->forked_at < other.segment;
  }
  go_to_siblings(its, ours);
  return its->forked_at < ours->forked_at;
}

/// What is known of some bytes: who wrote last, and of those that have read since, of which none comes after another, the
/// leftmost and the rightmost. Numbers of records; zero: nobody.
///
/// These suffice (Mellor-Crummey): what is parallel to a reader that is not kept, and comes later in time, is parallel to one
/// of the two. What comes after all that is kept is kept in their place.
struct accesses {
  std::uint32_t writer;
  std::uint32_t leftmost;
  std::uint32_t rightmost;
};

/// The running strand writes. `relation_of(record)` is how the record's access stands to it; `found(record, is_write)` is called
/// for each that the write is in a race with.
template <class RelationOf, class Found>
inline void note_write(accesses& known, std::uint32_t record, RelationOf relation_of, Found found) {
  const auto ask = [&](std::uint32_t earlier, bool is_write) {
    if (earlier != 0 && is_parallel(relation_of(earlier))) found(earlier, is_write);
  };
  ask(known.writer, true);
  ask(known.leftmost, false);
  if (known.rightmost != known.leftmost) ask(known.rightmost, false);
  known = {record, 0, 0};
}

/// The same of a read.
template <class RelationOf, class Found>
inline void note_read(accesses& known, std::uint32_t record, RelationOf relation_of, Found found) {
  if (known.writer != 0 && is_parallel(relation_of(known.writer))) found(known.writer, true);
  if (known.leftmost == 0) {
    known.leftmost = known.rightmost = record;
    return;
  }
  const relation left = relation_of(known.leftmost);
  const relation right = known.rightmost == known.leftmost ? left : relation_of(known.rightmost);
  if (left != relation::parallel_on_the_left) known.leftmost = record;
  if (right != relation::parallel_on_the_right) known.rightmost = record;
}

}  // namespace nopal_check_parallel

#endif
