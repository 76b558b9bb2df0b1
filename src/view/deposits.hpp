// The views that finished children left for the joins of their parents, in serial order.
//
// Each steal from a scope begins a new segment of the strand that owns it. A deposit is the views
// of some segments that follow one another: at first of one, deposited by the child that ended it
// or, for the last, by the strand when it arrives at the join. Two deposits are neighbours if the
// one ends with the segment before the other's first. Invariants: at no time are two neighbours of
// one scope in the table; a deposit is in the table or in the hands of one worker. docs/reducers.md
// has the argument.
#ifndef NOPAL_VIEW_DEPOSITS_HPP
#define NOPAL_VIEW_DEPOSITS_HPP

#include <pthread.h>

#include <cstdint>

#include <nopal/version.hpp>

#include "view/segment.hpp"
#include "view/view_set.hpp"

struct nopal_frame;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

struct deposit {
  nopal_frame* scope;
  const void* activation;  ///< the function's, which may have several scopes
  std::uint64_t before;    ///< the segment before the deposit's first, or one of the above
  /// The deposit's last segment: the ticket of the steal that began it, 0 for the one at home
  std::uint64_t last;
  /// It begins with a thread's first strand: a reducer without a view in it has its own value there
  bool is_base;
  bool awaits_others;  ///< the strand of `scope` waits for deposits of other scopes between its own
  view_set* views;     ///< null: none
  void* exception;     ///< what the join rethrows; set by take_views
  deposit* next;
};

class deposit_table {
public:
  /// Adds `one`, or takes a neighbour of the same scope out and returns that: then `one` is not in
  /// the table. If a join waited for `one`, `ready` gets its scope.
  deposit* add(deposit* one, nopal_frame*& ready) noexcept;

  /// Whether no deposit is missing between those of `scope`, all of whose children are done: scopes
  /// of one function may overlap. If none is, the deposits of other scopes between them belong to
  /// it from now on; else a later `add` tells when it is whole.
  bool is_whole(nopal_frame* scope, const void* activation) noexcept;

  /// Takes all deposits of `scope` out, the earliest first.
  deposit* take(const nopal_frame* scope, const void* activation) noexcept;

  /// fork(2) must not find it in between.
  void lock_all() noexcept;
  void unlock_all() noexcept;

private:
  struct alignas(64) shard {
    pthread_mutex_t lock;
    deposit* first;
  };
  static constexpr int shard_count = 32;

  // All zeroes is PTHREAD_MUTEX_INITIALIZER on Linux.
  shard shards_[shard_count] = {};

  deposit* add_locked(deposit* one, nopal_frame*& ready) noexcept;
  shard& shard_of(const void* activation) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(activation);
    return shards_[(bits >> 6 ^ bits >> 12 ^ bits >> 20) % shard_count];
  }
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
