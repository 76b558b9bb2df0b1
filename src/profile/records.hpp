// What the profiler knows of a fork that is open, of a scope that forks, and of a strand.
//
// A length is that of a path from the beginning of the strand's root to here: `work` is that of the
// serial program, `span` that of the longest path, `burdened` the same with what a steal costs at
// each continuation. A fork gives both sides the length that it has; a join takes the longer one.
// docs/profile.md has the argument.
//
//   fork_record   one fork whose child is not over; its child's strand alone writes it, but for the
//                 fields of strays
//   scope_record  one scope from its first recorded fork to its join; its address lies in the frame,
//                 where the floating-point mode is while a strand is suspended
//   strand_state  of the strand that a worker runs; the worker's own
#ifndef NOPAL_PROFILE_RECORDS_HPP
#define NOPAL_PROFILE_RECORDS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// In ticks.
struct lengths {
  std::uint64_t work;
  std::uint64_t span;
  std::uint64_t burdened;
};

using site_number = std::uint32_t;
inline constexpr site_number outside_site = 0;  ///< code that no fork is around
inline constexpr site_number other_sites = 1;   ///< all for which there is no number left
inline constexpr site_number most_sites = 1024;

/// A site, and the sites around it: see nests.hpp.
using nest_number = std::uint32_t;
inline constexpr nest_number outside_nest = 0;  ///< code that no fork is around
inline constexpr nest_number other_nests = 1;   ///< several, of several sites

/// The part of a path that lies in children of each nest. Of more than there is room for, the shortest that has another
/// of its site is one with that, of the site alone; if all sites differ, the shortest two are one.
struct path_shares {
  static constexpr std::uint32_t most = 16;
  struct share {
    nest_number nest;
    std::uint64_t ticks;
  };
  std::uint32_t count;
  share at[most];

  void add(nest_number nest, std::uint64_t ticks) noexcept;
  void add(const path_shares& others) noexcept;
  void become(const path_shares& other) noexcept;

private:
  void merge(nest_number nest, std::uint64_t ticks) noexcept;
};

struct scope_record;
struct counts_table;

struct fork_record {
  fork_record* parent;  ///< the fork whose child forked; null: this stands for the root
  scope_record* scope;  ///< null: this stands for the root
  const nopal_frame* frame;
  site_number site;
  nest_number nest;
  bool is_nested;                   ///< a fork of the same site is around
  bool is_sampled;                  ///< all forks in the child are recorded, however short
  std::atomic<bool> is_unobserved;  ///< no fork in the child is recorded
  std::uint64_t sites_around;       ///< one bit for each, by the number's remainder
  lengths at_fork;
  std::uint64_t began;      ///< the moment
  std::uint64_t predicted;  ///< work of the child
  // Of the first child that ended in this one, and of the last of each site, while there are few.
  site_number first_site;
  std::uint64_t first_work;
  struct last_child {
    site_number site;
    std::uint64_t work;  ///< and one; 0: there was none
  };
  static constexpr std::uint32_t most_last = 4;
  last_child last[most_last];
  std::uint32_t next_last;
  path_shares before;  ///< of the strand that forked, since its own fork
  path_shares own;     ///< of the child
  // Of strands in this child that no record of theirs says more about.
  std::atomic<std::uint64_t> stray_work;
  std::atomic<std::uint64_t> stray_span;
  // Of a root.
  counts_table* told;          ///< where its result goes
  std::uint32_t open_scopes;   ///< begun by the root itself: while there are some, this is a region
  std::uint64_t region_began;  ///< the moment
  lengths region_from;
};

struct scope_record {
  fork_record* parent;
  lengths next;  ///< of the continuation of its last fork
  bool is_real;  ///< something was stolen since the last join
  bool is_wait;  ///< not of a scope, but of a strand that waits for something else
  // Guarded by `lock` once something was stolen: children that are over.
  std::atomic_flag lock;
  std::uint64_t stolen_work;
  std::uint64_t longest;
  std::uint64_t longest_burdened;
  path_shares longest_shares;
  // While the strand is suspended.
  lengths suspended;
  std::uint64_t float_control;
};

/// What the piece that runs now came after.
enum class after : std::uint8_t { fork, child, join, other };

/// What the system says of the thread that runs a strand, and when.
struct processor_look {
  std::uint64_t at;            ///< the moment; 0: never
  std::uint64_t processor_ns;  ///< that the thread had a processor until then
  std::uint64_t own_waits;     ///< how often it had waited of itself
  std::uint64_t ready_at;      ///< the moment of the next, which takes longer to ask for
  std::uint64_t ready_ns;      ///< that others had its processor while it was ready
};

struct strand_state {
  fork_record* top;            ///< the innermost fork around; null: not known
  fork_record* unrecorded_in;  ///< around forks without a record; thieves read it
  scope_record* joining;       ///< between the two steps of a join
  std::uint64_t mark;          ///< when the piece began
  std::uint64_t stopped;       ///< when it ended, while its worker is in a hook
  lengths now;                 ///< when the piece began
  after kind;
  bool is_first_thread;  ///< of the process
  /// The worker's strands were let go without records since all latent forks were last promoted
  bool has_left_latent;
  processor_look looked;
  fork_record* root;  ///< of the thread's own strands
  counts_table* counts;
};

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
