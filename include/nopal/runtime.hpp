// The runtime: configuration before first use, statistics, shutdown.
#ifndef NOPAL_RUNTIME_HPP
#define NOPAL_RUNTIME_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <nopal/detail/export.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// When the pages of a suspended stack go back to the system.
enum class reclaim : int {
  /// Only while more than a small multiple of the workers' number of suspended stacks hold unused
  /// pages
  lazy,
  eager,  ///< at every suspension
  never,  ///< not before the runtime shuts down
};

/// How unused stack pages are given back.
enum class reclaim_call : int {
  dontneed,  ///< MADV_DONTNEED: at once; touching them again faults in zeroed pages
  free,      ///< MADV_FREE: when the system runs short; until then they count as resident
};

/// What becomes of an environment variable whose value is not understood. For libraries, which must
/// not end the programs that they are in.
enum class bad_setting : int {
  /// Where the settings are first needed: one line on stderr, and the program ends with exit code 2
  exit,
  refuse,       ///< the call of configure() that says this, and later ones, throw `error` with that line
  use_default,  ///< one line on stderr, and the variable counts as unset
};

/// What a program may set before the runtime starts. A zero or `-1`, which each member is until it
/// is set, names nothing: the choice is an earlier call's, else that of the environment variable of
/// the same meaning, else the runtime's. `pin` is a number here: 0 says no. In C 0 names nothing in
/// any member, and `nopal_pin_no` is -1.
struct configuration {
  int workers = 0;             ///< threads that execute strands, the caller included; NOPAL_WORKERS
  std::size_t stack_size = 0;  ///< bytes per stack, from 64 KiB; NOPAL_STACK_SIZE
  nopal::reclaim reclaim = static_cast<nopal::reclaim>(-1);  ///< NOPAL_RECLAIM
  int pin = -1;           ///< 1 binds each worker thread to a CPU, 0 does not; NOPAL_PIN=1|0
  int reclaim_with = -1;  ///< a `reclaim_call`; NOPAL_RECLAIM_WITH=dontneed|free
  bad_setting on_bad_setting = static_cast<bad_setting>(-1);  ///< NOPAL_ON_BAD_SETTING=exit|default
};

/// What the runtime cannot do as asked: configuring it after its start, no memory for stacks, wrong
/// use of a scope.
class NOPAL_EXPORT error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Counts of one worker, from its start. Read while the pool works, they are a snapshot.
struct worker_statistics {
  std::uint64_t steals = 0;         ///< continuations taken from another worker
  std::uint64_t failed_steals = 0;  ///< looks at a victim that brought nothing
  std::uint64_t suspensions = 0;    ///< strands that waited at a join
  /// Strands resumed at a join by their last child, or at once
  std::uint64_t resumptions = 0;
  std::uint64_t publishes = 0;  ///< batches of private work made public by their owner
  /// Batches made public by a thief, through a process-wide barrier
  std::uint64_t forced_publishes = 0;
  std::uint64_t parks = 0;            ///< times the worker went to sleep
  std::uint64_t wakes = 0;            ///< sleepers this worker woke
  std::uint64_t stacks_taken = 0;     ///< stacks taken from the pool
  std::uint64_t stacks_returned = 0;  ///< stacks given back to the pool
  std::uint64_t pages_reclaimed = 0;  ///< stack pages given back to the system
  std::uint64_t promotions = 0;       ///< latent forks that were made stealable
  std::uint64_t signals_sent = 0;     ///< questions by signal for a thread's latent forks
  /// Walks for latent forks that ended at code without unwind tables
  std::uint64_t walks_cut_short = 0;
};

/// Counts of the whole runtime.
struct statistics {
  int workers = 0;  ///< threads that execute strands
  /// Sums over `per_worker` and over threads that have left
  worker_statistics total;
  /// One entry per worker now known, adopted threads included
  std::vector<worker_statistics> per_worker;
  /// Children that a join found stolen; equals steals when quiet
  std::uint64_t joins_with_children = 0;
  std::uint64_t stacks_in_use = 0;  ///< stacks outside the pool now
  /// The most at once, those at hand for the next steal included
  std::uint64_t stacks_peak = 0;
  std::uint64_t stacks_mapped = 0;       ///< stacks that exist, in the pool or outside
  std::uint64_t stack_pages_in_use = 0;  ///< resident pages of all stacks now
  std::uint64_t stack_pages_peak = 0;    ///< bound on the most resident stack pages at once
  /// Sets of reducers' views: of running strands, and of finished children not joined yet
  std::uint64_t view_sets_in_use = 0;
  std::uint64_t view_sets_peak = 0;  ///< the most at once
};

/// The number of threads that execute strands: the worker threads and the calling one. Starts
/// nothing.
[[nodiscard]] NOPAL_EXPORT int workers();

/// Sets what `with` names; the rest stays as earlier calls have set it. `configure({})`, which
/// names nothing, leaves everything to the environment again. Throws `error` once the runtime has
/// started, and with `bad_setting::refuse` where a variable has a value that is not understood; it
/// sets nothing then.
NOPAL_EXPORT void configure(const configuration& with);

/// The calling thread's index, from 0 to below `workers()` plus the adopted threads and the substitutes
/// of blocked ones; -1 outside the runtime.
[[nodiscard]] NOPAL_EXPORT int worker_index() noexcept;

/// Counts now; exact when the pool is quiet.
[[nodiscard]] NOPAL_EXPORT statistics stats();

/// Stops the worker threads and returns every stack. Throws `error` in a child, and while strands
/// run elsewhere. The next fork starts anew.
NOPAL_EXPORT void shutdown();

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
