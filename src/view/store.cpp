// The store: lists of empty sets and deposits, and their counts.
#include "view/store.hpp"

#include <new>
#include <utility>

#include "view/unwatched_lock.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

/// The first of a list, taken out; null if there is none.
template <class T>
T* pop(T*& first) noexcept {
  T* const taken = first;
  if (taken != nullptr) {
    first = taken->next;
    taken->next = nullptr;
  }
  return taken;
}

template <class T>
void push(T*& first, T* one) noexcept {
  one->next = first;
  first = one;
}

}  // namespace

view_set* store::take_set() noexcept {
  view_set* taken;
  {
    const unwatched_lock guard(lock_);
    taken = pop(sets_);
    count_one_more();
  }
  if (taken == nullptr && (taken = view_set::make()) == nullptr) {
    const unwatched_lock guard(lock_);
    --in_use_;
  }
  return taken;
}

void store::count_one_more() noexcept {
  ++in_use_;
  most_in_use_ = in_use_ > most_in_use_ ? in_use_ : most_in_use_;
}

void store::give_set(view_set* set) noexcept {
  set->next_sweep = 0;
  const unwatched_lock guard(lock_);
  --in_use_;
  push(sets_, set);
}

deposit* store::take_deposit() noexcept {
  deposit* taken;
  {
    const unwatched_lock guard(lock_);
    taken = pop(deposits_);
  }
  return taken != nullptr ? taken : new (std::nothrow) deposit;
}

void store::give_deposit(deposit* one) noexcept {
  const unwatched_lock guard(lock_);
  push(deposits_, one);
}

void store::trim() noexcept {
  view_set* sets;
  deposit* deposits;
  {
    const unwatched_lock guard(lock_);
    sets = std::exchange(sets_, nullptr);
    deposits = std::exchange(deposits_, nullptr);
  }
  while (view_set* const one = pop(sets)) {
    view_set::destroy(one);
  }
  while (deposit* const one = pop(deposits)) {
    delete one;
  }
}

void store::count(std::uint64_t& in_use, std::uint64_t& most) noexcept {
  const unwatched_lock guard(lock_);
  in_use = in_use_;
  most = most_in_use_;
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
