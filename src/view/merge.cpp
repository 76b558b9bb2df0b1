// The merge of two sets, into either of them or into reducers' own values, and the ends of views.
#include "view/merge.hpp"

#include <cstring>
#include <memory>
#include <new>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

/// Reduces `right`, a view in `from`, into `left`, and ends it.
void reduce(const merge_context& with, std::uint32_t id, void* left, const view_set* from, void* right) {
  if (left == right) {
    with.reducers.let_go(id);  // the reducer's own value, known to both
    return;
  }
  if (with.reduced != nullptr) {
    *with.reduced = id;
  }
  try {
    with.reducers.reduce(id, left, right);
  } catch (...) {
    with.failed(with.context);
  }
  if (with.reduced != nullptr) {
    *with.reduced = 0;
  }
  end_view(with.reducers, from, id, right);
}

/// Moves a view in `from` to `to`, where the reducer has none.
void move(const merge_context& with, const view_set* from, view_set* to, std::uint32_t id, void* view) {
  if (from->is_word(id, view)) {
    view = std::memcpy(to->word(id), view, sizeof(std::uint64_t));
  }
  if (to->insert(id, view)) {
    return;
  }
  try {
    throw std::bad_alloc();
  } catch (...) {
    with.failed(with.context);
  }
  with.reducers.drop(id, view);
}

/// Those of `right` into the values of the reducers that have no view in `left`, which is a
/// thread's first set or null.
void merge_into_base(const merge_context& with, view_set* left, view_set* right) {
  right->take_all([&](std::uint32_t id, void* view) {
    void* const earlier = left != nullptr ? left->find(id) : nullptr;
    reduce(with, id, earlier != nullptr ? earlier : with.reducers.leftmost(id), right, view);
  });
}

void merge_into_left(const merge_context& with, view_set* left, view_set* right) {
  right->take_all([&](std::uint32_t id, void* view) {
    if (void* const earlier = left->find(id)) {
      reduce(with, id, earlier, right, view);
    } else {
      move(with, right, left, id, view);
    }
  });
}

/// The reduced view takes the place of the right one.
void merge_into_right(const merge_context& with, view_set* left, view_set* right) {
  left->take_all([&](std::uint32_t id, void* view) {
    void* const later = right->find(id);
    if (later == nullptr) {
      move(with, left, right, id, view);
      return;
    }
    reduce(with, id, view, right, later);
    if (left->is_word(id, view)) {
      view = std::memcpy(right->word(id), view, sizeof(std::uint64_t));
    }
    right->replace(id, view);
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

void end_view(registry& reducers, const view_set* from, std::uint32_t id, void* view) noexcept {
  if (from->is_word(id, view)) {
    reducers.let_go(id);
  } else {
    reducers.drop(id, view);
  }
}

void drop_all(registry& reducers, view_set* set) noexcept {
  set->take_all([&reducers, set](std::uint32_t id, void* view) { end_view(reducers, set, id, view); });
}

bool drop_ended(registry& reducers, view_set& set) noexcept {
  constexpr std::size_t usual = 64;
  if (set.size() < (set.next_sweep != 0 ? set.next_sweep : usual)) {
    return false;
  }
  struct left_view {
    std::uint32_t id;
    void* view;
  };
  // Without memory they are left to the next sweep.
  const std::unique_ptr<left_view[]> left(new (std::nothrow) left_view[set.size()]);
  std::size_t count = 0;
  if (left != nullptr) {
    set.remove_if([&](std::uint32_t id, void* view) {
      if (!reducers.has_ended(id)) {
        return false;
      }
      if (set.is_word(id, view)) {
        reducers.let_go(id);
      } else {
        left[count++] = {id, view};
      }
      return true;
    });
  }
  set.next_sweep = 2 * set.size() + usual;
  for (std::size_t i = 0; i < count; ++i) {
    reducers.drop(left[i].id, left[i].view);
  }
  return count != 0;
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
