/* cilk::reducer<cilk::op_max<T>>, op_min, op_max_index and op_min_index, and the names of Cilk++, as cilk::reducer_max<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_MIN_MAX_H
#define NOPAL_COMPAT_CILK_REDUCER_MIN_MAX_H

#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <cilk/reducer.h>

namespace cilk {
namespace nopal_detail {

/// Where a minimum or a maximum begins, if there is no value.
template <class T, bool Greatest>
T begin_of_best() {
  using limits = std::numeric_limits<T>;
  if constexpr (!limits::is_specialized) {
    return T();
  } else if constexpr (limits::has_infinity) {
    return Greatest ? limits::infinity() : -limits::infinity();
  } else {
    return Greatest ? limits::max() : limits::lowest();
  }
}

/// The best value so far; of equal ones the first in serial order.
template <class T, class Better, bool Greatest>
class best_view {
public:
  using value_type = T;
  best_view() = default;
  explicit best_view(const T& found) : value_(found), is_set_(true) {}

  [[nodiscard]] bool is_set() const { return is_set_; }
  const T& get_value() const { return value_; }
  const T& view_get_value() const { return value_; }
  void take(const T& found) {
    if (is_set_ && !Better()(found, value_)) return;
    value_ = found;
    is_set_ = true;
  }
  void take(const best_view& other) {
    if (other.is_set_) take(other.value_);
  }

private:
  T value_ = begin_of_best<T, Greatest>();
  bool is_set_ = false;
};

/// The same with where it was found.
template <class Index, class T, class Better>
class best_index_view {
public:
  using value_type = std::pair<Index, T>;
  best_index_view() = default;
  best_index_view(const Index& at, const T& found) : value_(at, found), is_set_(true) {}
  explicit best_index_view(const value_type& found) : value_(found), is_set_(true) {}

  [[nodiscard]] bool is_set() const { return is_set_; }
  const Index& get_index() const { return value_.first; }
  const T& get_value() const { return value_.second; }
  const value_type& view_get_value() const { return value_; }
  void take(const Index& at, const T& found) {
    if (is_set_ && !Better()(found, value_.second)) return;
    value_ = value_type(at, found);
    is_set_ = true;
  }
  void take(const best_index_view& other) {
    if (other.is_set_) take(other.value_.first, other.value_.second);
  }

private:
  value_type value_{};
  bool is_set_ = false;
};

template <class T, class Compare>
struct greater_by {
  bool operator()(const T& left, const T& right) const { return Compare()(right, left); }
};

template <class T, class Compare>
struct max_view : best_view<T, greater_by<T, Compare>, false> {
  using best_view<T, greater_by<T, Compare>, false>::best_view;
  void calc_max(const T& found) { this->take(found); }
};
template <class T, class Compare>
struct min_view : best_view<T, Compare, true> {
  using best_view<T, Compare, true>::best_view;
  void calc_min(const T& found) { this->take(found); }
};
template <class Index, class T, class Compare>
struct max_index_view : best_index_view<Index, T, greater_by<T, Compare>> {
  using best_index_view<Index, T, greater_by<T, Compare>>::best_index_view;
  void calc_max(const Index& at, const T& found) { this->take(at, found); }
};
template <class Index, class T, class Compare>
struct min_index_view : best_index_view<Index, T, Compare> {
  using best_index_view<Index, T, Compare>::best_index_view;
  void calc_min(const Index& at, const T& found) { this->take(at, found); }
};

template <class View>
struct best_monoid {
  using value_type = View;
  static View identity() { return View(); }
  static void reduce(View& left, View&& right) { left.take(right); }
};

}  // namespace nopal_detail

template <class T, class Compare = std::less<T>>
struct op_max {
  using value_type = T;
};
template <class T, class Compare = std::less<T>>
struct op_min {
  using value_type = T;
};
template <class Index, class T, class Compare = std::less<T>>
struct op_max_index {
  using value_type = std::pair<Index, T>;
};
template <class Index, class T, class Compare = std::less<T>>
struct op_min_index {
  using value_type = std::pair<Index, T>;
};
template <class T, class Compare>
struct nopal_detail::monoid_of<op_max<T, Compare>> {
  using type = best_monoid<max_view<T, Compare>>;
};
template <class T, class Compare>
struct nopal_detail::monoid_of<op_min<T, Compare>> {
  using type = best_monoid<min_view<T, Compare>>;
};
template <class Index, class T, class Compare>
struct nopal_detail::monoid_of<op_max_index<Index, T, Compare>> {
  using type = best_monoid<max_index_view<Index, T, Compare>>;
};
template <class Index, class T, class Compare>
struct nopal_detail::monoid_of<op_min_index<Index, T, Compare>> {
  using type = best_monoid<min_index_view<Index, T, Compare>>;
};

/// The names of Cilk++.
template <class T, class Compare = std::less<T>>
class reducer_max : public reducer<op_max<T, Compare>> {
public:
  using reducer<op_max<T, Compare>>::reducer;
  reducer_max& operator=(const nopal_detail::max_view<T, Compare>& found) {
    this->view() = found;
    return *this;
  }
  reducer_max& calc_max(const T& found) {
    this->view().calc_max(found);
    return *this;
  }
  bool is_set() { return this->view().is_set(); }
};
template <class T, class Compare = std::less<T>>
class reducer_min : public reducer<op_min<T, Compare>> {
public:
  using reducer<op_min<T, Compare>>::reducer;
  reducer_min& operator=(const nopal_detail::min_view<T, Compare>& found) {
    this->view() = found;
    return *this;
  }
  reducer_min& calc_min(const T& found) {
    this->view().calc_min(found);
    return *this;
  }
  bool is_set() { return this->view().is_set(); }
};
template <class Index, class T, class Compare = std::less<T>>
class reducer_max_index : public reducer<op_max_index<Index, T, Compare>> {
public:
  using reducer<op_max_index<Index, T, Compare>>::reducer;
  reducer_max_index& calc_max(const Index& at, const T& found) {
    this->view().calc_max(at, found);
    return *this;
  }
  bool is_set() { return this->view().is_set(); }
  const Index& get_index() { return this->view().get_index(); }
  const T& get_value() { return this->view().get_value(); }
};
template <class Index, class T, class Compare = std::less<T>>
class reducer_min_index : public reducer<op_min_index<Index, T, Compare>> {
public:
  using reducer<op_min_index<Index, T, Compare>>::reducer;
  reducer_min_index& calc_min(const Index& at, const T& found) {
    this->view().calc_min(at, found);
    return *this;
  }
  bool is_set() { return this->view().is_set(); }
  const Index& get_index() { return this->view().get_index(); }
  const T& get_value() { return this->view().get_value(); }
};

/// `*r = cilk::max_of(*r, x)`, and `r = cilk::max_of(r, x)` with the names of Cilk++.
template <class T, class Compare>
nopal_detail::max_view<T, Compare> max_of(nopal_detail::max_view<T, Compare> view,
                                          const std::type_identity_t<T>& found) {
  view.calc_max(found);
  return view;
}
template <class T, class Compare>
nopal_detail::max_view<T, Compare> max_of(reducer_max<T, Compare>& of, const std::type_identity_t<T>& found) {
  return max_of(of.view(), found);
}
template <class T, class Compare>
nopal_detail::min_view<T, Compare> min_of(nopal_detail::min_view<T, Compare> view,
                                          const std::type_identity_t<T>& found) {
  view.calc_min(found);
  return view;
}
template <class T, class Compare>
nopal_detail::min_view<T, Compare> min_of(reducer_min<T, Compare>& of, const std::type_identity_t<T>& found) {
  return min_of(of.view(), found);
}

}  // namespace cilk

#endif
