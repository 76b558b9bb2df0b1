// Which strands are parallel to the one that runs: the bags of SP-bags (M. Feng and C. E. Leiserson,
// "Efficient detection of determinacy races in Cilk programs", SPAA 1997) in disjoint sets.
//
// A procedure's S-bag has itself and what has ended and comes before its running segment; its root
// is the procedure. The P-bag of a scope has the children that ended and are not joined, with all
// that they have joined. A strand is parallel to the running one exactly if it is in a P-bag of the
// same thread. Here each scope has a P-bag of its own, where Cilk's procedures have one.
#ifndef NOPAL_CHECK_STRANDS_HPP
#define NOPAL_CHECK_STRANDS_HPP

#include <cstdint>

#include "tables.hpp"
#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Children of one scope that are not joined.
struct children {
  std::uint32_t bag;        ///< the root of its P-bag; zero: none has ended yet
  std::uint32_t forked_by;  ///< the procedure of the first fork
  std::uint64_t segment;    ///< of views, before the first fork
  children* next;           ///< of all that are there, or of those that are free
  children** from;
};

inline constexpr std::uint32_t is_root = 1U << 31;
inline constexpr std::uint32_t is_p_bag = 1U << 30;  // beside the thread's number, in a root

/// Where a child was forked.
struct origin {
  std::uint32_t parent;  ///< the strand that forked it; zero: a root
  std::uint32_t site;
};

extern table<std::uint32_t> sets;  ///< by strand: `is_root` with the above, or the next on the way there
extern table<origin> origins;      ///< by strand
extern bool program_forks;         ///< a fork was seen
extern children* all_children;     ///< the latest first
extern std::uint32_t
    crossing_site;  ///< where scopes were first forked on or joined in no nested order; zero: nowhere

/// Of `strand`, which is on no other path than those that this shortens.
inline std::uint32_t root_of(std::uint32_t strand) noexcept {
  for (;;) {
    const std::uint32_t next = sets[strand];
    if ((next & is_root) != 0) return strand;
    const std::uint32_t after = sets[next];
    if ((after & is_root) != 0) return next;
    sets[strand] = after;
    strand = after;
  }
}

inline bool is_parallel(std::uint32_t strand) noexcept {
  return sets[root_of(strand)] == (is_root | is_p_bag | self.number);
}

/// May give all strands new numbers.
void make_room_for_strand() noexcept;
/// Other code gets addresses of some that forked.
void forget_fork_sites() noexcept;
/// After the above.
inline std::uint32_t make_strand(std::uint32_t parent, std::uint32_t site) noexcept {
  sets.add(is_root | self.number);
  return origins.add({parent, site});
}

void make_strands() noexcept;
/// The thread's outermost strand.
void begin_root() noexcept;

/// The outermost ended child that a strand is of, or the strand itself.
std::uint32_t separated_child(std::uint32_t strand) noexcept;

/// The fork that made `strand` parallel to what runs: that of the above.
std::uint32_t separating_fork(std::uint32_t strand) noexcept;

}  // namespace nopal_check

#endif
