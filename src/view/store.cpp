#include "view/store.hpp"

#include <new>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
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
  lock();
  view_set* taken = pop(sets_);
  unlock();
  if (taken == nullptr && (taken = view_set::make()) == nullptr) {
    return nullptr;
  }
  lock();
  if (++in_use_ > most_in_use_) {
    most_in_use_ = in_use_;
  }
  unlock();
  return taken;
}

void store::give_set(view_set* set) noexcept {
  set->next_sweep = 0;
  lock();
  --in_use_;
  push(sets_, set);
  unlock();
}

piece* store::take_piece() noexcept {
  lock();
  piece* const taken = pop(pieces_);
  unlock();
  return taken != nullptr ? taken : new (std::nothrow) piece;
}

void store::give_piece(piece* one) noexcept {
  lock();
  push(pieces_, one);
  unlock();
}

void store::trim() noexcept {
  lock();
  view_set* sets = sets_;
  piece* pieces = pieces_;
  sets_ = nullptr;
  pieces_ = nullptr;
  unlock();
  while (view_set* const one = pop(sets)) {
    view_set::destroy(one);
  }
  while (piece* const one = pop(pieces)) {
    delete one;
  }
}

void store::count(std::uint64_t& in_use, std::uint64_t& most) noexcept {
  lock();
  in_use = in_use_;
  most = most_in_use_;
  unlock();
}

}  // namespace view
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
