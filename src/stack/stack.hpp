// One stack of the cactus: where strands run that were stolen.
//
// A stack is either in the pool, or run on by one worker, or retained: it holds the frame of a
// function whose strand has left for another stack (a suspended or stolen continuation) and waits
// for that strand to come home. The stack that a thread came with is described in the same way, has
// an owner, and is run on by that thread alone.
#ifndef NOPAL_STACK_STACK_HPP
#define NOPAL_STACK_STACK_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/detail/stop.h>
#include <nopal/version.hpp>

#include "sanitizers/sanitizers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

struct worker;

namespace view {
struct merge_record;
}

/// A function may be away on a stack by one scope when its continuation is stolen there at a fork
/// of another scope. The thief, or a later join, knows whether the strand comes back to that stack;
/// the child that went on there knows when nothing runs on it. The later of the two gives the stack
/// to the pool if nobody comes back. docs/join.md has the argument.
enum second_scope : std::uint8_t {
  child_over = 1,  ///< nothing runs there any more
  stays_away = 2,  ///< the strand does not come back
};

/// The strand at the bottom of a stack: the activation of a function whose frame lies on another
/// stack.
struct strand_origin {
  void* frame_pointer = nullptr;  ///< of that activation; null if the strand began here
  /// Add to a stack pointer on this stack: the same moment's pointer on the home stack
  std::ptrdiff_t to_home = 0;
  char* start = nullptr;  ///< the stack pointer that the strand came with
  /// Ticket of the steal that brought the strand here; orders its children
  std::uint64_t ticket = 0;
  /// `ticket` of what precedes the strand's views (view/deposits.hpp)
  std::uint64_t segment_before = 0;
  nopal_frame* scope = nullptr;  ///< whose steal brought the strand here; null if it began here

  /// Whether the strand belongs to the function of `frame`, whose own stack is another: the
  /// continuation of that function was stolen to this one.
  [[nodiscard]] bool is_of(const nopal_frame* frame) const noexcept {
    return frame_pointer == frame->frame_pointer;
  }
};

/// A strand that no worker runs and that any worker may go on with: a continuation that begins on
/// `stack`, or one that waited and is resumed at home. Written by whoever lists it.
struct ready_strand {
  nopal_frame* frame = nullptr;
  nopal_stack* stack = nullptr;  ///< null: it waited
  char* start = nullptr;         ///< the stack pointer there
  const void* root = nullptr;    ///< the worker whose root it is part of
  const void* local = nullptr;   ///< nopal_local() of one that waited
  // Of a continuation.
  void* caught = nullptr;
  unsigned int uncaught = 0;
  std::uint64_t float_control = 0;
  nopal_stop* stops = nullptr;  ///< the innermost part around it that may be stopped
  // In the list; under its lock.
  ready_strand* older = nullptr;
  ready_strand* younger = nullptr;
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

/// Named in frame.h, hence outside the namespace.
struct nopal_stack {
  char* low = nullptr;   ///< first usable byte; the guard lies below
  char* high = nullptr;  ///< one past the last usable byte; a multiple of 64
  /// The thread that came with this stack; null for the pool's
  nopal::internal::worker* native_owner = nullptr;
  std::size_t guard_bytes = 0;  ///< below `low`, and above `high`; 0: it is not of the pool
  std::size_t most_pages = 0;   ///< the most resident pages seen before pages were given back
  /// Counted among the stacks that hold unused pages; written by its holder
  bool idle_pages = false;
  /// Times yet that its unused pages are taken to be few; written by its holder
  std::uint8_t unlooked = 0;

  /// Written by the worker that runs here, and read by it alone
  nopal::internal::strand_origin origin;

  /// The continuation that is to begin here, once somebody takes it; nobody runs here meanwhile
  nopal::internal::ready_strand ready;

  /// Bits of second_scope. Set by the child and by a thief or a join, in any order; cleared by who
  /// comes to the stack.
  std::atomic<std::uint8_t> second{0};

  /// The merge of views under way on this stack; null: none. Written and read by the strand that
  /// runs here.
  nopal::internal::view::merge_record* merge = nullptr;

  /// The worker whose call waits for a group and runs a task here, as part of what it interrupts;
  /// null: none. Written as above.
  nopal::internal::worker* caller = nullptr;

  /// The innermost activations that came back here by a join, and their stack pointers then; for
  /// jumps. Written as above, and read by jumps of what they have called, which may be elsewhere:
  /// relaxed, since those find what was there before they left.
  struct homecomings {
    static constexpr unsigned kept = 16;
    const void* frame_pointers[kept] = {};
    char* stack_pointers[kept] = {};
    unsigned count = 0;  ///< of all; a jump to those that are forgotten is refused

    void note(const void* frame_pointer, char* stack_pointer) noexcept {
      unsigned outer = count;
      // What lies further in is over. Null is what was forgotten, which lies further out than all.
      while (outer != 0 && frame_pointers[(outer - 1) % kept] <= frame_pointer) {
        --outer;
        __atomic_store_n(&frame_pointers[outer % kept], nullptr, __ATOMIC_RELAXED);
      }
      stack_pointers[outer % kept] = stack_pointer;
      __atomic_store_n(&frame_pointers[outer % kept], frame_pointer, __ATOMIC_RELAXED);
      count = outer + 1;
    }
    /// The stack pointer of that activation; null if there is none.
    [[nodiscard]] char* find(const void* frame_pointer) const noexcept {
      for (unsigned i = 0; frame_pointer != nullptr && i < kept; ++i) {  // unreached: no-frame-pointer
        if (__atomic_load_n(&frame_pointers[i], __ATOMIC_RELAXED) == frame_pointer) {
          return stack_pointers[i];
        }
      }
      return nullptr;
    }
    void forget() noexcept {
      for (; count != 0; --count) {
        __atomic_store_n(&frame_pointers[(count - 1) % kept], nullptr, __ATOMIC_RELAXED);
      }
    }
  } came_home;

  /// The innermost forks, older than the worker's coming, whose children lie here and go on when it
  /// leaves. Written as above.
  struct forks_below {
    static constexpr unsigned kept = 8;
    nopal_frame* frames[kept] = {};
    unsigned count = 0;  ///< of all; a jump past those that are forgotten is not seen
    /// Of these, those that were made before fork(2); in its child alone
    unsigned of_old_process = 0;

    [[nodiscard]] nopal_frame* innermost() const noexcept {
      return count == 0 ? nullptr : frames[(count - 1) % kept];
    }
    void remove() noexcept {
      if (count != 0) {  // unreached: more-forks
        --count;
        frames[count % kept] = nullptr;
      }
    }
  } forks;

  nopal::internal::sanitizers::stack_record record;  ///< for the tools that watch the program

  [[nodiscard]] std::size_t size_bytes() const noexcept { return static_cast<std::size_t>(high - low); }
};

#endif
