// The table of deposits: a list for each shard, under its lock.
#include "view/deposits.hpp"

#include "testing/fault_points.hpp"
#include "view/unwatched_lock.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

/// The thread's first strand before all, then as the steals went.
bool earlier(const deposit* a, const deposit* b) { return a->is_base || (!b->is_base && a->last < b->last); }

bool are_neighbours(const deposit* a, const deposit* b) {
  return (a->last == b->before && !NOPAL_FAULT("one side only")) || b->last == a->before;
}

/// The deposit of `activation` that ends with `segment`.
deposit* ending_with(deposit* first, std::uint64_t segment, const void* activation) {
  while (first != nullptr && (first->last != segment || first->activation != activation)) {
    first = first->next;
  }
  return first;
}

/// The last deposit of `scope`, and how many there are.
deposit* last_of(deposit* first, const nopal_frame* scope, int& count) {
  deposit* last = nullptr;
  count = 0;
  for (; first != nullptr; first = first->next) {
    if (first->scope == scope) {
      ++count;
      last = last == nullptr || earlier(last, first) ? first : last;
    }
  }
  return last;
}

/// Calls `pass` for each deposit before `last`, back to the first of the same scope, of which there
/// are `count` in all. False if one is missing that will come.
template <class Pass>
bool walk_back(deposit* list, const deposit* last, int count, Pass pass) {
  std::uint64_t before = last->before;
  for (int passed = 1; passed < count && before != no_segment && before != unknown_segment;) {
    deposit* const previous = ending_with(list, before, last->activation);
    if (previous == nullptr) {
      return false;
    }
    passed += previous->scope == last->scope ? 1 : 0;
    before = previous->before;
    pass(previous);
  }
  return true;
}

/// Whether the join of `scope` has all its deposits; notes that it waits if not. Under the lock.
bool settle(deposit* list, nopal_frame* scope) {
  int count = 0;
  deposit* const last = last_of(list, scope, count);
  if (count <= 1) {
    return true;
  }
  last->awaits_others = !walk_back(list, last, count, [](deposit*) {});
  if (!last->awaits_others) {
    walk_back(list, last, count, [scope](deposit* one) { one->scope = scope; });
  }
  return !last->awaits_others;
}

}  // namespace

deposit* deposit_table::add(deposit* one, nopal_frame*& ready) noexcept {
  // What was done to the views so far comes before what is done by whoever takes them.
  sanitizers::before(one);
  deposit* const neighbour = add_locked(one, ready);
  if (neighbour != nullptr) {
    sanitizers::after(neighbour);
  }
  return neighbour;
}

deposit* deposit_table::add_locked(deposit* one, nopal_frame*& ready) noexcept {
  shard& own = shard_of(one->activation);
  const unwatched_lock guard(own.lock);
  nopal_frame* waiting = nullptr;
  for (deposit** link = &own.first; *link != nullptr; link = &(*link)->next) {
    deposit* const other = *link;
    if (other->scope == one->scope && are_neighbours(one, other)) {
      NOPAL_PLAIN_STORE(*link, other->next);
      return other;
    }
    if (other->awaits_others && other->activation == one->activation) {
      waiting = other->scope;
    }
  }
  NOPAL_PLAIN_STORE(one->next, own.first);
  NOPAL_PLAIN_STORE(own.first, one);
  if (waiting != nullptr && settle(own.first, waiting)) {
    ready = waiting;
  }
  return nullptr;
}

bool deposit_table::is_whole(nopal_frame* scope, const void* activation) noexcept {
  shard& own = shard_of(activation);
  const unwatched_lock guard(own.lock);
  return settle(own.first, scope);
}

deposit* deposit_table::take(const nopal_frame* scope, const void* activation) noexcept {
  shard& own = shard_of(activation);
  deposit* taken = nullptr;
  const unwatched_lock guard(own.lock);
  for (deposit** link = &own.first; *link != nullptr;) {
    deposit* const one = *link;
    if (one->scope != scope) {
      link = &one->next;
      continue;
    }
    *link = one->next;
    deposit** place = &taken;
    while (*place != nullptr && earlier(*place, one)) {
      place = &(*place)->next;
    }
    one->next = *place;
    *place = one;
  }
  return taken;
}

void deposit_table::lock_all() noexcept {
  for (shard& one : shards_) {
    pthread_mutex_lock(&one.lock);
  }
}

void deposit_table::unlock_all() noexcept {
  for (shard& one : shards_) {
    pthread_mutex_unlock(&one.lock);
  }
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
