// What the runtime asks of the operating system, and nothing more.
//
// Everything above this header is free of system calls; everything below it (`src/os/<system>`)
// knows no scheduler, deque or stack. Functions keep no state between calls, so a child of fork(2)
// needs no repair here. Unless said otherwise a failure leaves its reason in `errno`, and nothing
// throws but std::bad_alloc, from the functions that return vectors and read files.
#ifndef NOPAL_SRC_OS_OS_HPP
#define NOPAL_SRC_OS_OS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nopal/detail/machine.h>
#include <nopal/version.hpp>

extern "C" {
/// Defined by the scheduler: the stack pointer with which a longjmp to an activation goes on. Ends
/// the program if the jump is impossible.
char* nopal_jump_destination(const void* frame_pointer, char* stack_pointer) noexcept;
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

// ---------------------------------------------------------------------------------------------
// Memory. Addresses and sizes are multiples of the page size.

[[nodiscard]] std::size_t page_size() noexcept;

/// Zeroed, readable, writable memory that takes pages as they are touched, one small page at a
/// time: no swap is reserved and no huge page is used, so a stack costs what it touches. Executable
/// where the program's own stacks are because it or one of its libraries asked for that. nullptr on
/// failure.
[[nodiscard]] void* map_stack_memory(std::size_t bytes) noexcept;

/// The same for what is no stack and never executable; swap is reserved.
[[nodiscard]] void* map_memory(std::size_t bytes) noexcept;

/// As map_stack_memory, but any access faults until `allow_stack_memory`. Until then it counts as address
/// space alone, and against no limit on memory or data. nullptr on failure.
[[nodiscard]] void* reserve_stack_memory(std::size_t bytes) noexcept;

/// Makes a part of what `reserve_stack_memory` returned as `map_stack_memory` would have it. False
/// if the system refuses.
[[nodiscard]] bool allow_stack_memory(void* address, std::size_t bytes) noexcept;

/// Zeroed memory in chunks of whole pages, of which each is to lie in the next of the nodes, over and over. Where the
/// system refuses, or has no such node, chunks lie where they do anyway. nullptr on failure. Takes the pages at once
/// where chunks are larger than a page or a node is named twice, and other nodes are.
[[nodiscard]] void* map_interleaved(std::size_t bytes, const int* nodes, std::size_t count,
                                    std::size_t chunk) noexcept;

/// Bytes that the process may still map: the largest number there is without a limit, 0 if the
/// system does not tell.
[[nodiscard]] std::size_t address_space_left() noexcept;

/// The process's limit on locked memory, if `reserved`, a fresh reservation, counts against it, as
/// under mlockall(2); else the largest number there is.
[[nodiscard]] std::size_t lock_limit_on(void* reserved) noexcept;

/// Has this thread allocate once: the C library makes a thread's heap at its first allocation, which takes some hundred
/// microseconds where others use memory at the same time.
void prepare_allocation() noexcept;

/// Makes any access to the range fault.
[[nodiscard]] bool protect_none(void* address, std::size_t bytes) noexcept;

/// Removes the mapping, or any whole pages of one.
void unmap(void* address, std::size_t bytes) noexcept;

/// Gives the range's pages back and keeps the mapping. Its contents are gone: a later read finds
/// zeroes or, where the pages were freed lazily and not yet taken, what was there. `free_lazily`
/// falls back to giving them back at once where the system knows no other way. False if neither was
/// possible (locked memory).
bool discard_pages(void* address, std::size_t bytes, bool free_lazily) noexcept;

/// Pages of the range that are in memory now; lazily freed ones count until the system takes them.
[[nodiscard]] std::size_t resident_pages(const void* address, std::size_t bytes) noexcept;

// ---------------------------------------------------------------------------------------------
// Threads.

/// Looks up the C library's longjmp, which ours stands in front of, once. A program that refers to
/// this function links ours.
void prepare_long_jumps() noexcept;

/// Where a new thread's stack comes from. `library`: from the C library, which uses the stacks of
/// ended threads again; in a child of fork(2) also those of threads that only the parent has.
/// `fresh_mapping`: from a mapping that held nothing before, and lasts until the thread is joined.
enum class stack_from : bool { library, fresh_mapping };

/// A thread made by `start_thread`, until it is joined.
class thread_handle {
public:
  [[nodiscard]] bool joinable() const noexcept { return joinable_; }

private:
  friend int start_thread(void (*entry)(void*), void* argument, std::size_t stack_bytes,
                          thread_handle& thread, stack_from from) noexcept;
  friend int join_thread(thread_handle& thread) noexcept;

  std::uintptr_t native_ = 0;  // the system's own handle
  bool joinable_ = false;
  void* mapping_ = nullptr;  // with the stack; null: it is the C library's
  std::size_t mapped_bytes_ = 0;
};

/// Runs `entry(argument)` on a new thread with `stack_bytes` of stack (0: the system's default),
/// beside what the C library puts there, as thread_local data. The thread blocks every signal but
/// those that its own instructions and calls raise (SIGSEGV, SIGFPE, SIGPIPE, ...) and SIGPROF:
/// signals sent to the process go to the program's own threads. Returns 0 or an errno value, and
/// leaves errno alone. A fresh mapping needs a size.
[[nodiscard]] int start_thread(void (*entry)(void*), void* argument, std::size_t stack_bytes,
                               thread_handle& thread, stack_from from = stack_from::library) noexcept;

/// Signals 1 to 64, from the lowest bit on.
using signal_bits = std::uint64_t;

/// What the calling thread blocks; everything if the system does not tell.
[[nodiscard]] signal_bits blocked_signals() noexcept;

/// In a child of fork(2) whose only thread was made by `start_thread`: the thread blocks no more
/// signals than its starter, which blocked `starters`. Changes nothing if the thread has blocked
/// other signals itself since.
void block_as_starter(signal_bits starters) noexcept;

/// Waits for the thread to end. Returns 0 or an errno value.
int join_thread(thread_handle& thread) noexcept;

/// Names the calling thread in debuggers and profilers; the system keeps the first 15 characters.
void name_current_thread(const char* name) noexcept;

/// The CPUs that the calling thread may run on, in order. Empty if the system does not tell.
[[nodiscard]] std::vector<int> current_affinity();

/// The same of the process's first thread; the caller's, if that thread has ended.
[[nodiscard]] std::vector<int> first_threads_affinity();

/// Lets the calling thread run on the listed CPUs only: what `current_affinity` returned earlier
/// undoes a pin.
bool set_current_affinity(const std::vector<int>& cpus);

/// Lets the calling thread run on one CPU only.
bool pin_current_thread(int cpu);

/// The CPU that the calling thread is on, which may change at once; -1 if the system does not tell.
[[nodiscard]] int current_cpu() noexcept;

/// Where the system keeps the number of the CPU that the calling thread is on, or was on last, for
/// any thread to read (relaxed) until this one ends. Null if it does not keep it.
[[nodiscard]] const std::uint32_t* this_threads_cpu() noexcept;

/// The system's number of the calling thread.
[[nodiscard]] int current_thread_id() noexcept;

/// A set of CPUs, one bit each.
struct cpu_bits {
  std::uint64_t words[16];
};

/// Forbids a thread of this process to run on `cpu`, and stores its mask until then in `before`.
/// Moves the thread if it is there. False, and nothing changes, if the thread may run nowhere else,
/// the system refuses, or it counts more CPUs than `cpu_bits` has.
bool forbid_cpu(int thread_id, int cpu, cpu_bits& before) noexcept;

/// Whether the thread may still run on `before` without `cpu`, which it was left with; else somebody changed its CPUs.
[[nodiscard]] bool is_kept_off(int thread_id, int cpu, const cpu_bits& before) noexcept;

/// Where that was done: lets the thread run on `before` without another one.
bool allow_cpus_but(int thread_id, int cpu, cpu_bits& before) noexcept;

/// Where that was done to the calling thread: allows `cpu` again, unless somebody changed its CPUs meanwhile.
/// False if the system refuses.
bool allow_cpus_again(int cpu, const cpu_bits& before) noexcept;

/// Whether the calling thread, once woken, may wait for one of its own priority on the same CPU for as long as that runs:
/// of a real-time policy.
[[nodiscard]] bool waits_for_equals() noexcept;

/// The CPUs that the calling thread may run on. False if the system counts more than `cpu_bits` has.
bool own_cpus(cpu_bits& cpus) noexcept;

/// Lets the calling thread run on these: where `forbid_cpu` or `own_cpus` found that it might. False if
/// the system refuses.
bool allow_cpus(const cpu_bits& cpus) noexcept;

/// Whether pthread_exit or pthread_cancel is ending the calling thread, also while its last
/// destructors run. False where the C library does not tell.
[[nodiscard]] bool thread_is_ending() noexcept;

/// Whether the process's first thread has ended by itself, or is the caller, who does.
[[nodiscard]] bool first_thread_ends() noexcept;
/// Whether the process's first thread has ended and no other is left but the caller; false where the system does not tell.
[[nodiscard]] bool is_last_thread() noexcept;

/// Whether the caller runs on the stack of the process's first thread, close to where that began:
/// in what `main` returned to, or in a `main` with small frames.
[[nodiscard]] bool near_first_stacks_end() noexcept;

/// While it lives the calling thread is not cancelled: what it does would be left halfway.
class not_cancelled {
public:
  not_cancelled() noexcept;
  ~not_cancelled();
  not_cancelled(const not_cancelled&) = delete;
  not_cancelled& operator=(const not_cancelled&) = delete;

private:
  int before_;
};

/// Has the three functions called around fork(2), as pthread_atfork does, until
/// call_no_more_at_fork. The handlers of pthread_atfork are gone before the last destructors of a
/// program or a plug-in, whose threads may still call fork(2).
void call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;
void call_no_more_at_fork() noexcept;

/// Lets another thread that is ready run first.
void yield() noexcept;

/// Tells the CPU that it is in a wait loop.
inline void cpu_relax() noexcept { NOPAL_DETAIL_PAUSE(); }

/// Calls `use` for each piece of memory that holds thread-local variables of the calling thread:
/// one for each program or library that has some and is loaded now, but for those whose memory the
/// system makes at a thread's first use of it.
void for_each_thread_local_block(void (*use)(void* block, std::size_t bytes)) noexcept;

/// The calling thread's stack as the system made it: [low, high), without its guard. Foreign to our
/// own stacks.
bool native_stack_bounds(void*& low, void*& high) noexcept;

/// Whether `address` is of the calling thread's alternate signal stack. For signal handlers too.
bool lies_on_signal_stack(const void* address) noexcept;

// ---------------------------------------------------------------------------------------------
// Waiting. Only threads of this process meet here. Every wait may return early: the caller looks
// again.

/// Sleeps while `word` is `expected`, until woken.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

/// The same for `timeout_ns` at most. False if that time passed, or the system does not let us
/// wait.
bool futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::uint64_t timeout_ns) noexcept;

/// The same, and as soon after that time as the system can.
bool futex_wait_exactly(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                        std::uint64_t timeout_ns) noexcept;

/// Wakes up to `count` sleepers of `word`. Returns how many it woke; -1 if the system refused.
int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept;

/// Readies this process for `process_barrier`; again is harmless. False if the system has no such
/// barrier.
bool process_barrier_register() noexcept;

/// A full fence on every running thread of this process at some moment of this call, the caller's
/// own included. A thread that is not running passes one before it runs again. Registers where
/// nobody did. False: no fence.
bool process_barrier() noexcept;

/// Nanoseconds since an arbitrary moment; never goes back.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

// ---------------------------------------------------------------------------------------------
// CPUs. The system's description is read from files below `root`, a path put before every name: ""
// for this machine. A file that is missing or makes no sense counts as one that says nothing.

/// How many CPUs this process may use, and what decides that.
struct cpu_allowance {
  int online = 0;    ///< CPUs that the system runs
  int affinity = 0;  ///< CPUs in the calling thread's affinity mask
  /// CPUs' worth of time that the control groups grant; 0 without a limit
  double cgroup_quota = 0;
  int cgroup_version = 0;  ///< of the hierarchy that controls CPU time: 1 or 2; 0 for none
  /// Directory whose limit is the least, else the process's own; cut if longer
  char cgroup_path[512] = "";
  /// The least of `affinity` and `cgroup_quota` rounded up; at least 1
  int allowed = 1;
};

[[nodiscard]] cpu_allowance read_cpu_allowance(const char* root = "");

/// Reads "0-3,8,10-11" into ascending CPU numbers below 65536. An empty list is one. False, with
/// none, for anything else, which more than 65536 numbers are, counting those that repeat.
bool parse_cpu_list(const char* text, std::vector<int>& cpus);

/// How far apart two CPUs are, nearest first.
enum cpu_distance : int {
  distance_same_core = 0,  ///< hardware threads of one core, or the same CPU
  distance_shared_l2 = 1,  ///< cores below one second-level cache
  /// Cores below one third-level cache; where none is described, of one package
  distance_shared_l3 = 2,
  distance_same_node = 3,   ///< one NUMA node; where none is described, one package
  distance_other_node = 4,  ///< anything else
  distance_levels = 5,
};

/// Where a CPU is. Equal numbers mean a shared part; -1 means that the system does not say.
struct cpu_place {
  int cpu = -1;      ///< the system's number
  int core = -1;     ///< lowest CPU of the same core
  int l2 = -1;       ///< lowest CPU below the same second-level cache
  int l3 = -1;       ///< lowest CPU below the same third-level cache
  int package = -1;  ///< the system's number
  int node = -1;     ///< the system's number
  /// Of that node among those that the CPUs around are of; 0 where the system does not say
  int node_index = 0;
};

struct topology {
  std::vector<cpu_place> places;  ///< ascending by `cpu`
  int nodes = 1;                  ///< that these are of; 1 where the system does not say

  /// A `cpu_distance`; `distance_other_node` for a CPU that is not in `places`. With no description
  /// at all, different CPUs are one flat class, `distance_same_node`.
  [[nodiscard]] int distance(int a, int b) const noexcept;

  /// The place's `node_index`; 0 for a CPU that is not in `places`.
  [[nodiscard]] int node_index(int cpu) const noexcept;
};

[[nodiscard]] topology read_topology(const std::vector<int>& cpus, const char* root = "");

// ---------------------------------------------------------------------------------------------
// A file that the process writes by storing to memory, so that all of it is there however the process
// ends. No descriptor stays open. Those that return an int return 0 or an errno value; all keep errno.

/// Makes the file; one that is there stays as it is, and has to be an ordinary one.
[[nodiscard]] int find_or_make_file(const char* path) noexcept;

/// Maps a part of the file, whose room on the disk is taken first. Multiples of the page size. Null, with
/// the reason in `refused`, on failure.
[[nodiscard]] void* map_file(const char* path, std::uint64_t offset, std::size_t bytes,
                             int& refused) noexcept;

/// Reads the file's first bytes, and returns how many: 0 if there is no such file.
[[nodiscard]] std::size_t read_beginning(const char* path, void* to, std::size_t bytes) noexcept;

/// Writes the current directory with a slash behind, and returns how many bytes that takes; 0 if there is
/// no room or no such directory.
[[nodiscard]] std::size_t current_directory(char* to, std::size_t bytes) noexcept;

void remove_file(const char* path) noexcept;

/// Gives a file another name, which none has. False if that is impossible.
[[nodiscard]] bool rename_file(const char* path, const char* to) noexcept;

/// A number of the program that this process executes now: another one as a rule after it has executed
/// another.
[[nodiscard]] std::uint64_t image_number() noexcept;

/// The system's number of this process.
[[nodiscard]] int process_number() noexcept;

/// Whether there is a process with that number.
[[nodiscard]] bool process_is_there(int number) noexcept;

/// Where the program's own description of its parts is in memory; 0 if the system does not tell.
[[nodiscard]] std::uint64_t program_headers() noexcept;

/// The path of the file that this process executes, cut if it is longer; empty if it is not known.
void program_path(char* to, std::size_t bytes) noexcept;

// ---------------------------------------------------------------------------------------------
// Messages.

/// Writes one message, of up to 1023 bytes, to stderr in one system call, past every buffer. Keeps
/// errno.
[[gnu::format(printf, 1, 2)]] void write_stderr(const char* format, ...) noexcept;

/// Writes the line, unless another thread has written its own, and aborts: a process has one last
/// line.
[[noreturn]] void end_process(const char* line) noexcept;

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
