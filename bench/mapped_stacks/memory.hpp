// The stacks of the variant: one file of the system holds the pages of all, and each worker process maps
// those of the strand that it runs at the addresses at which its frames were made.
//
// A *window* is as many pages of the file as the region of stacks has. A *stack* is a window and says
// which part of a strand's pages lie there: from its first page on. The pages above are those of its
// parent, up to the parent's own first page, and so on to the outermost one. Pages are numbered from the
// top of the region, since stacks grow downwards.
//
//   page   region of worker 0      region of worker 1, which stole the continuation of a frame on page 1
//     0    stack 0                 stack 0      the same memory at the same addresses
//     1    stack 0                 stack 0
//     2    stack 0 (the child)     stack 5      first page 2, parent 0
//     3    stack 0                 stack 5
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mapped {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr int region_pages = 256;
inline constexpr std::size_t region_bytes = region_pages * page_bytes;
inline constexpr int most_stacks = 4096;
inline constexpr int most_workers = 16;
inline constexpr int no_stack = -1;

/// How strands get the stacks on which they go on after a steal.
enum class kind {
  mapped,    ///< as in the paper of 2010: workers are processes, all stacks at the same addresses
  separate,  ///< as in the paper of 2016: workers are threads, each stack at addresses of its own
};

struct options {
  kind stacks = kind::mapped;
  int workers = 2;
  bool populate = false;  ///< the kernel enters the pages of a prefix when it is mapped
  bool eager = false;     ///< pages below a frame that waits, and those of free stacks, go back at once
};

/// Written by who takes the stack, before anybody else can know its number; read by who maps what lies on
/// it, which it keeps from being given back.
struct stack {
  int parent;      ///< or no_stack
  int first_page;  ///< of its own
  void* base;      ///< the frame whose continuation is at its top, or null
};

/// What a worker counts; its own alone, read after the end.
struct counts {
  std::uint64_t steals;
  std::uint64_t failed_steals;
  std::uint64_t suspended_joins;
  std::uint64_t mmap_calls;
  std::uint64_t pages_mapped;  ///< of prefixes: those of others, above the worker's own stack
  std::uint64_t pages_returned_calls;
  std::uint64_t page_faults;
};

/// The part of the memory that all workers share which says whose the windows are.
struct window_table {
  std::atomic<int> lock;  ///< 1 while held; see spin_lock
  int free_count;
  int used_most;
  std::array<int, most_stacks> free;
  std::array<stack, most_stacks> stacks;
};

/// A lock among processes: no futex, nothing of the C library.
class spin_lock {
public:
  explicit spin_lock(std::atomic<int>& word);
  ~spin_lock();
  spin_lock(const spin_lock&) = delete;
  spin_lock& operator=(const spin_lock&) = delete;

private:
  std::atomic<int>& word_;
};

/// Reserves the region and the file, in the process that starts the others.
class memory {
public:
  explicit memory(const options& with);
  ~memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;

  [[nodiscard]] window_table& table() { return *table_; }
  /// The end of the pages above `page` on this stack, in whatever process maps it.
  [[nodiscard]] std::uintptr_t edge(int stack, int page) const;
  /// The page that has the byte at this address of the stack.
  [[nodiscard]] int page_of(int stack, std::uintptr_t address) const;
  /// Pages of the file that are in memory.
  [[nodiscard]] long resident_pages() const;
  void give_back(int stack, int from_page, counts& by) const;

private:
  friend class region;
  options options_;
  int file_;
  char* region_;  ///< where strands' stacks are: of `mapped` one region, of `separate` one for each window
  window_table* table_;
};

/// What one worker has mapped, and the stacks that it keeps at hand. Private to the worker.
class region {
public:
  region(memory& all, counts& counted);
  /// A stack of which nothing is in use. Ends the program with one line if there is none.
  int take();
  void give(int stack);
  /// Maps the stack and its ancestors' pages above it. Not to be called on a stack that it changes.
  void show(int tip);

private:
  void map(int stack, int from, int to, bool prefix);

  memory& all_;
  counts& counts_;
  std::array<std::int16_t, region_pages> shown_;
  static constexpr int most_at_hand = 4;
  std::array<int, most_at_hand> at_hand_{};
  int at_hand_count_ = 0;
};

/// Ends the process with one line; `error` is the system's, or 0.
[[noreturn]] void fail(const char* what, int error);

}  // namespace mapped
