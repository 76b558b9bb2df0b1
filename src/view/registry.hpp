// All reducers of the process, by number: what to call for one, and whether it is still there.
//
// A number is used again when its reducer has ended and no set holds a view of it any more.
// Invariants of an entry's state: each view in a set counts as one holder; who looks at the reducer
// itself pins it meanwhile and is a holder; its end is one while it waits for the pins. So a pinned
// reducer exists, and a number that some set knows means one reducer only.
#ifndef NOPAL_VIEW_REGISTRY_HPP
#define NOPAL_VIEW_REGISTRY_HPP

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <nopal/detail/view.h>
#include <nopal/version.hpp>

#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

class registry {
public:
  /// Enters a reducer whose own value is at `leftmost`. If that is null, the value lies in a word
  /// of the registry or, if `watched`, in a view that the registry makes: race detectors do not
  /// know that words are used again. Returns its number; 0 without memory, or if there are 2^26
  /// reducers. Throws what the reducer does.
  std::uint32_t enter(const nopal_view_functions& functions, void* object, void* leftmost,
                      bool watched = false);

  /// The reducer ends: its own views are not touched afterwards. As long as a reduction of it is
  /// under way, calls `wait` with the number of calls before.
  void end(std::uint32_t id, void (*wait)(int round) noexcept = yield) noexcept;

  /// A view of `id` enters a set.
  void hold(std::uint32_t id) noexcept;
  /// A view of `id` has left its set, and is destroyed unless it is the reducer's own value.
  void drop(std::uint32_t id, void* view) noexcept;
  /// The same for a view that stays with its reducer.
  void let_go(std::uint32_t id) noexcept;

  /// Whether the reducer is gone: then its views are nobody's.
  [[nodiscard]] bool has_ended(std::uint32_t id) noexcept {
    // Relaxed: seen late, it is seen next time.
    return (at(id).state.load(std::memory_order_relaxed) & ended) != 0;
  }

  /// The leftmost view of a reducer that exists.
  [[nodiscard]] void* leftmost(std::uint32_t id) noexcept { return at(id).leftmost; }
  /// A new view that is the identity, of a reducer that exists. Null without memory; throws what
  /// the reducer does.
  [[nodiscard]] void* create(std::uint32_t id) {
    const entry& one = at(id);
    return one.functions.create(one.object);
  }

  /// Ends a view that never was in a set.
  void discard(std::uint32_t id, void* view) noexcept {
    const entry& one = at(id);
    one.functions.destroy(one.object, view);
  }

  /// Whether views are words that may lie in sets; then `make_word` makes an identity at `memory`.
  /// Throws what the reducer does.
  [[nodiscard]] bool is_word(std::uint32_t id) noexcept { return at(id).functions.identity != nullptr; }
  void make_word(std::uint32_t id, void* memory) {
    const entry& one = at(id);
    one.functions.identity(one.object, memory);
  }

  /// Reduces `right` into `left` unless the reducer has ended. Throws what the reducer does.
  void reduce(std::uint32_t id, void* left, void* right);

  /// Gives its memory back if no reducer is there and no set holds a view of one.
  void trim() noexcept;

  /// fork(2) must not find it in between.
  void lock() noexcept { pthread_mutex_lock(&lock_); }
  void unlock() noexcept { pthread_mutex_unlock(&lock_); }

private:
  struct alignas(64) entry {
    // Ended, pins, holders.
    std::atomic<std::uint64_t> state;
    void* leftmost;
    void* object;
    nopal_view_functions functions;
    std::uint32_t next_free;
    bool owns_leftmost;  // `leftmost` is a view that was made for it
  };
  static constexpr std::uint64_t one_holder = 1;
  static constexpr std::uint64_t one_pin = std::uint64_t{1} << 32;
  static constexpr std::uint64_t pins = std::uint64_t{0x7fffffff} << 32;
  static constexpr std::uint64_t ended = std::uint64_t{1} << 63;

  // Blocks that never move: entries are read without the lock.
  static constexpr std::uint32_t block_entries = NOPAL_BOUND(1U << 9, 1U << 4);
  static constexpr std::uint32_t block_count = NOPAL_BOUND(1U << 17, 1U << 2);

  [[nodiscard]] entry& at(std::uint32_t id) noexcept {
    // Relaxed: whoever knows the number has it from the one who entered it.
    return blocks_[id / block_entries].load(std::memory_order_relaxed)[id % block_entries];
  }
  std::uint32_t take_number() noexcept;
  /// Entries of nobody, each on a cache line of its own; null without memory.
  entry* make_block(std::uint32_t number) noexcept;
  /// The word of `id`; null without memory. Under the lock.
  void* word_of(std::uint32_t id) noexcept;
  /// Under the lock.
  void give_number_back(std::uint32_t id) noexcept;
  void recycle(std::uint32_t id) noexcept;
  static void yield(int round) noexcept;

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;  ///< the numbers that are free
  std::uint32_t used_ = 1;       ///< numbers from here on were never given out; 0 never is
  std::uint32_t free_ = 0;       ///< the first of a list
  std::uint32_t given_out_ = 0;  ///< numbers that are neither free nor new
  std::atomic<entry*> blocks_[block_count] = {};
  /// That the blocks lie in: leak checkers look for pointers to a beginning
  void* memory_[block_count] = {};
  /// Own values of reducers whose views are words; apart from the entries, side by side
  std::uint64_t* words_[block_count] = {};
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
