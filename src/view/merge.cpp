#include "view/merge.hpp"

#include <new>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace view {

namespace {

/// Reduces `right` into `left`, and ends `right`.
void reduce(const merge_context& with, std::uint32_t id, void* left, void* right) {
  if (left == right) {
    with.reducers.let_go(id);  // the reducer's own value, known to both
    return;
  }
  try {
    with.reducers.reduce(id, left, right);
  } catch (...) {
    with.failed(with.context);
  }
  with.reducers.drop(id, right);
}

/// Adds a view of a reducer that has none in `set`.
void add(const merge_context& with, view_set* set, std::uint32_t id, void* view) {
  if (set->insert(id, view)) {
    return;
  }
  try {
    throw std::bad_alloc();
  } catch (...) {
    with.failed(with.context);
  }
  with.reducers.drop(id, view);
}

/// Those of `right` into the values of the reducers that have no view in `left`, which is a thread's first set or null.
void merge_into_base(const merge_context& with, view_set* left, view_set* right) {
  right->take_all([&](std::uint32_t id, void* view) {
    void* const earlier = left != nullptr ? left->find(id) : nullptr;
    reduce(with, id, earlier != nullptr ? earlier : with.reducers.leftmost(id), view);
  });
}

void merge_into_left(const merge_context& with, view_set* left, view_set* right) {
  right->take_all([&](std::uint32_t id, void* view) {
    if (void* const earlier = left->find(id)) {
      reduce(with, id, earlier, view);
    } else {
      add(with, left, id, view);
    }
  });
}

/// The reduced view takes the place of the right one.
void merge_into_right(const merge_context& with, view_set* left, view_set* right) {
  left->take_all([&](std::uint32_t id, void* view) {
    if (void* const later = right->find(id)) {
      right->replace(id, view);
      reduce(with, id, view, later);
    } else {
      add(with, right, id, view);
    }
  });
}

}  // namespace

view_set* merge(const merge_context& with, view_set* left, bool left_is_base, view_set* right,
                view_set*& emptied) {
  if (right == nullptr || (left == nullptr && !left_is_base)) {
    emptied = nullptr;
    return left != nullptr ? left : right;
  }
  if (left_is_base) {
    merge_into_base(with, left, right);
  } else if (left->size() < right->size()) {
    merge_into_right(with, left, right);
    emptied = left;
    return right;
  } else {
    merge_into_left(with, left, right);
  }
  emptied = right;
  return left;
}

void drop_all(registry& reducers, view_set* set) noexcept {
  set->take_all([&reducers](std::uint32_t id, void* view) { reducers.drop(id, view); });
}

}  // namespace view
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
