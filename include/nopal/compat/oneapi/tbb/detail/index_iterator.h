// An iterator that knows its container and an index.
#ifndef NOPAL_COMPAT_TBB_DETAIL_INDEX_ITERATOR_H
#define NOPAL_COMPAT_TBB_DETAIL_INDEX_ITERATOR_H

#include <compare>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

template <class Container, class Value>
class index_iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = Value*;
  using reference = Value&;

  index_iterator() = default;
  index_iterator(Container& container, std::size_t at) : container_(&container), at_(at) {}
  /// A constant iterator of one that is not, and the other way round, as oneTBB has it: programs write the name
  /// `iterator` in constant functions, too.
  template <class OtherContainer, class OtherValue>
    requires std::is_same_v<std::remove_const_t<OtherContainer>, std::remove_const_t<Container>>
  // NOLINTNEXTLINE(google-explicit-constructor): as pointers do
  index_iterator(const index_iterator<OtherContainer, OtherValue>& other)
      : container_(const_cast<Container*>(other.container())), at_(other.index()) {}

  [[nodiscard]] Container* container() const { return container_; }
  [[nodiscard]] std::size_t index() const { return at_; }

  reference operator*() const { return (*container_)[at_]; }
  pointer operator->() const { return &(*container_)[at_]; }
  reference operator[](difference_type offset) const { return *(*this + offset); }

  index_iterator& operator++() { return *this += 1; }
  index_iterator& operator--() { return *this -= 1; }
  index_iterator operator++(int) {
    index_iterator before = *this;
    ++*this;
    return before;
  }
  index_iterator operator--(int) {
    index_iterator before = *this;
    --*this;
    return before;
  }
  index_iterator& operator+=(difference_type offset) {
    at_ += static_cast<std::size_t>(offset);
    return *this;
  }
  index_iterator& operator-=(difference_type offset) { return *this += -offset; }
  friend index_iterator operator+(index_iterator from, difference_type offset) { return from += offset; }
  friend index_iterator operator+(difference_type offset, index_iterator from) { return from += offset; }
  friend index_iterator operator-(index_iterator from, difference_type offset) { return from -= offset; }

private:
  Container* container_ = nullptr;
  std::size_t at_ = 0;
};

// Of an iterator and a constant one as well, none of which is the better to convert.
template <class Container, class Value, class OtherContainer, class OtherValue>
std::ptrdiff_t operator-(const index_iterator<Container, Value>& a,
                         const index_iterator<OtherContainer, OtherValue>& b) {
  return static_cast<std::ptrdiff_t>(a.index()) - static_cast<std::ptrdiff_t>(b.index());
}
template <class Container, class Value, class OtherContainer, class OtherValue>
bool operator==(const index_iterator<Container, Value>& a,
                const index_iterator<OtherContainer, OtherValue>& b) {
  return a.index() == b.index() && a.container() == b.container();
}
template <class Container, class Value, class OtherContainer, class OtherValue>
std::strong_ordering operator<=>(const index_iterator<Container, Value>& a,
                                 const index_iterator<OtherContainer, OtherValue>& b) {
  return a.index() <=> b.index();
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
