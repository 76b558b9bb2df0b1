/* cilk::holder<T>: scratch memory, a view for each strand; `holder_keep_last`: the last in serial order stays. */
#ifndef NOPAL_COMPAT_CILK_HOLDER_H
#define NOPAL_COMPAT_CILK_HOLDER_H

#include <utility>

#include <cilk/reducer.h>

namespace cilk {

/// What is left where strands meet. Swap, copy and move differ in nothing that a program sees but their cost.
enum holder_policy {
  holder_keep_indeterminate,
  holder_keep_last,
  holder_keep_last_copy,
  holder_keep_last_swap,
  holder_keep_last_move
};

namespace nopal_detail {
template <class T, holder_policy Policy>
struct held_view {
  using value_type = T;
  static T identity() { return T(); }
  static void reduce(T& left, T&& right) {
    if constexpr (Policy != holder_keep_indeterminate) left = std::move(right);
  }
};
}  // namespace nopal_detail

template <class T, holder_policy Policy = holder_keep_indeterminate>
class holder {
public:
  holder() = default;
  holder(const holder&) = delete;
  holder& operator=(const holder&) = delete;
  holder& operator=(const T& value) {
    views_.view() = value;
    return *this;
  }

  T& view() { return views_.view(); }
  T& operator()() { return views_.view(); }
  T& operator*() { return views_.view(); }
  T* operator->() { return &views_.view(); }

private:
  ::nopal::reducer<nopal_detail::held_view<T, Policy>> views_;
};

}  // namespace cilk

#endif
