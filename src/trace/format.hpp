// What a traced process leaves in its file, for whoever reads that: a page about the process, then a ring
// of records for each worker. The file is the process's memory, so it is complete however that ends.
//
// Invariants: one thread at a time writes a ring; a record's first word is the last to be written, and
// is zero while the record is not whole; the latest `capacity` records of a ring are there, and `next`
// says how many there were in all.
#ifndef NOPAL_TRACE_FORMAT_HPP
#define NOPAL_TRACE_FORMAT_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace trace {

/// What a record tells of the thread whose ring it is in. The low byte of its first word.
enum class what : std::uint8_t {
  none = 0,
  begins,        ///< the thread is a worker from here on; argument: see `worker_word`
  ends,          ///< it is none any more
  runs,          ///< it leaves the scheduler for a strand; the record before says for which
  stops,         ///< it is back in the scheduler; argument: a `stop_reason`
  steals,        ///< argument: see `steal_word`
  starts_ready,  ///< a ready strand; argument: where it goes on
  starts_task,   ///< argument: the task's code
  goes_on,       ///< a strand after its join or wait; argument: its frame
  arrives,       ///< at a join that has outstanding children; argument: the frame
  waits,         ///< for an event, a future or a mutex; argument: the frame
  sleeps,        ///< until `wakes_up`
  wakes_up,
  wakes,     ///< another worker; argument: its index
  asks,      ///< another thread for latent forks, by a signal; argument: its index
  promotes,  ///< argument: how many latent forks
  sits,      ///< takes a seat; argument: the arena
  gets_up,   ///< gives one back; argument: the arena
  reclaims,  ///< argument: pages of stacks that went back to the system
  forks,     ///< one of many; argument: where its continuation goes on
  last = forks,
};

enum stop_reason : std::uint64_t { stopped_at_join = 0, stopped_at_end = 1, stopped_to_call = 2 };

struct record {
  std::uint64_t ticks_and_what;  ///< ticks since the file's beginning, by 8 bits up
  std::uint64_t argument;
};
static_assert(sizeof(record) == 16);

inline constexpr int index_bits = 16;
inline constexpr std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1;

/// The thread's number, whether it is one of the pool, and the worker's index.
constexpr std::uint64_t worker_word(int thread, bool of_pool, int index) noexcept {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(thread)) << 32 |
         static_cast<std::uint64_t>(of_pool) << index_bits |
         (static_cast<std::uint64_t>(static_cast<std::uint32_t>(index)) & index_mask);
}

/// Where the strand goes on, and from whom it was taken.
constexpr std::uint64_t steal_word(std::uint64_t address, int victim) noexcept {
  return address << index_bits |
         (static_cast<std::uint64_t>(static_cast<std::uint32_t>(victim)) & index_mask);
}

/// Ticks of the processor, and what the system's clock (CLOCK_MONOTONIC) said then.
struct clock_pair {
  std::uint64_t ticks;
  std::uint64_t ns;
};

inline constexpr std::size_t page_bytes = 4096;
inline constexpr char magic[8] = {'N', 'o', 'p', 'a', 'l', 'T', 'r', '1'};

/// The first page of the file.
struct file_header {
  char magic[8];
  std::uint64_t ring_bytes;  ///< of each ring, with the page before its records
  std::uint64_t rings;       ///< so many follow
  clock_pair began;
  clock_pair ended;               ///< zero as long as the process goes on, or if it was killed
  std::uint64_t process;          ///< its number
  std::uint64_t image;            ///< tells this program of others that the process ran
  std::uint64_t program_headers;  ///< where the program's are in its memory; for its functions' names
  char program[1024];             ///< its path
  std::uint64_t loaded_ns;        ///< when the library was there, by the system's clock; 0: not known
};
static_assert(sizeof(file_header) <= page_bytes);

/// The first page of a ring.
struct ring_header {
  std::uint64_t next;      ///< records so far; also by a handler of the thread, between two steps of it
  std::uint64_t capacity;  ///< a power of two
  clock_pair seen;         ///< the last one of this thread
};

/// A ring as it is mapped.
struct ring {
  ring_header header;
  char rest_of_page[page_bytes - sizeof(ring_header)];
  record records[1];  ///< `capacity`
};
static_assert(offsetof(ring, records) == page_bytes);

}  // namespace trace
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
