// What the checker knows of a thread.
//
//   strand      a node of the sets in strands.hpp: a procedure, that is, a child or a root
//   record      a strand and a site: what shadow memory names
//   site        a program counter and the call stack around it
//   segment     a stretch of one procedure without a fork, a join, or a change of locks in it
//
// Invariant: a record that is not less than `first_record` is of the running segment.
#ifndef NOPAL_CHECK_THREAD_HPP
#define NOPAL_CHECK_THREAD_HPP

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

// No object is constructed: no access asks whether one was.
#define NOPAL_CHECK_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

namespace [[gnu::visibility("hidden")]] nopal_check {

using address = std::uintptr_t;

/// A call that has not returned.
struct call_frame {
  address caller;        ///< where it was called from
  std::uint64_t hashed;  ///< of all callers up to here
  std::uint64_t key;     ///< of as many of them as tell sites apart, when it began
  address stack;         ///< the stack pointer at its entry; the outermost one's is above all
};

struct children;

/// A child that has not returned, or the root.
struct procedure {
  std::uint32_t strand;
  children* among;    ///< null: a root
  call_frame* calls;  ///< the calls at its begin
  address stack;      ///< its frames lie below
  bool has_counted;   ///< it has changed something atomically
};

/// Something was changed atomically.
struct atomic_change {
  std::uint32_t strand;
  std::uint32_t records_end;  ///< records from before are less
};

/// The latest, and the latest by another strand.
struct atomic_changes {
  atomic_change latest;
  atomic_change before;
};

/// The last record that was made for a program counter and the calls around it.
struct alignas(32) cached_record {
  std::uint64_t key;
  /// A cell's word, where the record has been put in such a cell in the segment that it is of, and whether by a write;
  /// `no_word`: none yet.
  std::uint64_t before;
  std::uint32_t record;
  std::uint32_t site;
};

/// What shadow memory keeps of a cell: records; zero: none. A `writer` that is less than
/// `first_of_records` is a list's number.
struct cell {
  std::uint32_t writer;
  std::uint32_t reader;
  friend bool operator==(const cell&, const cell&) = default;
};

inline constexpr unsigned cached_bits = 10;
inline constexpr std::size_t cached_records = std::size_t{1} << cached_bits;
inline constexpr std::size_t unchanged_cells = 4;
inline constexpr cell no_cell{0, 1};  ///< which is in no shadow memory
inline constexpr std::uint64_t no_word = std::uint64_t{1} << 32;
inline constexpr std::size_t most_calls = std::size_t{1} << 22;
/// Empty ones before the outermost call, so that each has as many around it as sites tell apart.
inline constexpr std::size_t calls_before = 16;
inline constexpr std::size_t most_procedures = std::size_t{1} << 22;

struct thread {
  /// Whether accesses are looked at. Others than zero only between `begin_thread` and `end_thread`.
  int is_heeding;
  int works;    ///< how many `at_work` there are: what is allocated then is the checker's own
  int ignores;  ///< how many reasons there are not to heed accesses
  std::uint32_t first_record;
  std::uint32_t
      first_own;  ///< records of the running strand that are less come before its last signal of an event
  std::uint32_t strand;
  std::uint32_t lock_set;  ///< see locks.hpp; zero: none held
  atomic_changes own_changes;
  atomic_changes* changes;  ///< of the strands that may be parallel to this thread's
  std::uint32_t
      excused_end;  ///< what lesser records say is in no race with what is looked at; see allocation.cpp
  std::uint32_t
      last_user_end;        ///< zero, or it has let go of a last reference: see `hold_for_free` in races.cpp
  std::uint32_t number;     ///< from 1, of the thread
  std::uint64_t segment;    ///< of views, see views.cpp
  call_frame* calls;        ///< the innermost one
  call_frame* calls_end;    ///< the last that there is room for
  call_frame* outermost;    ///< where they begin
  call_frame* first_calls;  ///< where those of the thread's own begin
  procedure* running;       ///< the innermost one
  address stack_begin;      ///< the lowest address of its stack
  address stack_end;
  address lowest;          ///< the lowest of its stack that shadow memory may know
  std::size_t list_bytes;  ///< how much of its stack, from the end on, may have lists of records
  procedure* outermost_procedure;
  address signal_stack;  ///< what handlers of signals run on, by sigaltstack
  std::size_t signal_stack_bytes;
  thread* next_thread;
  thread** from_thread;
  /// Cells that a read of the running segment leaves as they are, whatever memory they stand for.
  cell unchanged[unchanged_cells];
  cached_record cache[cached_records];
};

extern thread* all_threads;

inline procedure* first_procedure(const thread& t) noexcept { return t.outermost_procedure; }
inline procedure* procedures_end(const thread& t) noexcept { return t.outermost_procedure + most_procedures; }

extern NOPAL_CHECK_THREAD_LOCAL thread self;

/// Whether the program has more than one thread, now or before: then each look takes the lock.
extern bool has_threads;
/// Those of the program that began and have not ended, the first one left out. Relaxed, without a partner: it decides
/// only whether a wait says that it has no end, and nothing is read after it.
extern std::atomic<int> other_threads;

/// Whether what the program allocates and maps is to be known: also where accesses are not looked at.
inline bool notes_memory() noexcept { return self.running != nullptr && self.works == 0; }

void begin_thread() noexcept;
void end_thread() noexcept;
/// In a child of fork(2), which has no other thread.
void keep_this_thread_alone() noexcept;

void take_checker() noexcept;
void leave_checker() noexcept;

/// The checker's own work: nothing that it does is looked at, and no other thread does any.
class at_work {
public:
  at_work() noexcept : was_heeding_(self.is_heeding) {
    self.is_heeding = 0;
    ++self.works;  // before the lock: a handler that comes now must not wait for it
    if (has_threads) take_checker();
  }
  at_work(const at_work&) = delete;
  at_work& operator=(const at_work&) = delete;
  ~at_work() {
    if (has_threads) leave_checker();
    --self.works;
    self.is_heeding = was_heeding_;
  }
  /// Whether accesses were looked at before.
  [[nodiscard]] bool was_heeding() const noexcept { return was_heeding_ != 0; }

private:
  int was_heeding_;
};

/// As `at_work` where there is one thread, and accesses are heeded: one addition for both numbers.
inline constexpr std::uint64_t quick_work = (std::uint64_t{1} << 32) - 1;
static_assert(offsetof(thread, works) == offsetof(thread, is_heeding) + 4 && sizeof(int) == 4);
static_assert(std::endian::native == std::endian::little);
inline void add_to_heeding(thread& t, std::uint64_t step) noexcept {
  std::uint64_t both;
  __builtin_memcpy(&both, &t.is_heeding, sizeof both);
  both += step;
  __builtin_memcpy(&t.is_heeding, &both, sizeof both);
}
inline void begin_quick_work(thread& t = self) noexcept { add_to_heeding(t, quick_work); }
inline void end_quick_work(thread& t = self) noexcept { add_to_heeding(t, -quick_work); }

}  // namespace nopal_check

#endif
