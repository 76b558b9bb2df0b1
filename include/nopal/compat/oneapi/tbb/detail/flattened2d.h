// A container of containers as one sequence.
#ifndef NOPAL_COMPAT_TBB_DETAIL_FLATTENED2D_H
#define NOPAL_COMPAT_TBB_DETAIL_FLATTENED2D_H

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// The elements of a container of containers, one after the other.
template <class Container>
class flattened2d {
public:
  using inner = std::remove_reference_t<decltype(*std::declval<Container&>().begin())>;
  using value_type = typename inner::value_type;
  using size_type = std::size_t;

  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = typename inner::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = value_type*;
    using reference = value_type&;
    using outer_iterator = decltype(std::declval<Container&>().begin());
    using inner_iterator = decltype(std::declval<inner&>().begin());

    iterator() = default;
    iterator(outer_iterator at, outer_iterator last) : outer_(at), last_(last) { enter(); }
    reference operator*() const { return *inner_; }
    pointer operator->() const { return &*inner_; }
    iterator& operator++() {
      ++inner_;
      if (inner_ == outer_->end()) {
        ++outer_;
        enter();
      }
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.outer_ == b.outer_ && a.last_ == b.last_ && (a.outer_ == a.last_ || a.inner_ == b.inner_);
    }

  private:
    void enter() {
      while (outer_ != last_ && outer_->begin() == outer_->end()) {
        ++outer_;
      }
      if (outer_ != last_) {
        inner_ = outer_->begin();
      }
    }
    outer_iterator outer_{};
    outer_iterator last_{};
    inner_iterator inner_{};
  };
  using const_iterator = iterator;

  explicit flattened2d(const Container& all)
      : flattened2d(all, const_cast<Container&>(all).begin(), const_cast<Container&>(all).end()) {}
  /// Of the containers of [first, last) only.
  flattened2d(const Container&, typename iterator::outer_iterator first,
              typename iterator::outer_iterator last)
      : first_(first), last_(last) {}
  iterator begin() const { return {first_, last_}; }
  iterator end() const { return {last_, last_}; }
  [[nodiscard]] size_type size() const {
    size_type count = 0;
    for (auto each = first_; each != last_; ++each) {
      count += each->size();
    }
    return count;
  }

private:
  typename iterator::outer_iterator first_;
  typename iterator::outer_iterator last_;
};

template <class Container>
flattened2d<Container> flatten2d(const Container& all) {
  return flattened2d<Container>(all);
}
template <class Container, class Iterator>
flattened2d<Container> flatten2d(const Container& all, Iterator first, Iterator last) {
  return flattened2d<Container>(all, first, last);
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
