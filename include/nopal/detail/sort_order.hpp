// What the sorts are told about elements: how they are ordered, how they are kept, and which are
// cheap to copy.
#ifndef NOPAL_DETAIL_SORT_ORDER_HPP
#define NOPAL_DETAIL_SORT_ORDER_HPP

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <nopal/detail/elements.hpp>
#include <nopal/detail/invoke.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/thrown.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// A comparator on projected elements, by reference: all strands call the same two objects.
template <class Compare, class Projection>
class order {
public:
  order(Compare& compare, Projection& projection) noexcept : compare_(&compare), projection_(&projection) {}

  template <class Left, class Right>
  [[gnu::always_inline]] bool operator()(Left&& left, Right&& right) const {
    namespace calls = NOPAL_ABI_NAMESPACE::detail;
    if constexpr (std::is_same_v<Projection, std::identity>) {
      return static_cast<bool>(
          calls::invoke(*compare_, std::forward<Left>(left), std::forward<Right>(right)));
    } else {
      return static_cast<bool>(calls::invoke(*compare_, calls::invoke(*projection_, std::forward<Left>(left)),
                                             calls::invoke(*projection_, std::forward<Right>(right))));
    }
  }

private:
  Compare* compare_;
  Projection* projection_;
};

template <class Iterator>
using difference = std::iter_difference_t<Iterator>;

template <class Iterator>
using value = std::iter_value_t<Iterator>;

/// Random access, in the sense of C++20 or of C++17.
template <class Iterator>
concept sortable_iterator = std::random_access_iterator<Iterator> ||
                            std::derived_from<typename std::iterator_traits<Iterator>::iterator_category,
                                              std::random_access_iterator_tag>;

/// Something that such iterators delimit.
template <class Range>
concept sortable_range = requires(Range& range) {
  { std::begin(range) } -> sortable_iterator;
  { std::end(range) } -> std::same_as<decltype(std::begin(range))>;
};

template <class Compare, class T>
concept standard_order =
    std::same_as<Compare, std::less<>> || std::same_as<Compare, std::less<T>> ||
    std::same_as<Compare, std::greater<>> || std::same_as<Compare, std::greater<T>> ||
    std::same_as<Compare, std::ranges::less> || std::same_as<Compare, std::ranges::greater>;

/// Elements that can be taken out of their places and put into others.
template <class Iterator>
concept movable_elements = std::move_constructible<value<Iterator>> &&
                           requires(Iterator at, value<Iterator>& held) { *at = std::move(held); };

template <class Iterator, class Projection>
concept projectable = std::is_invocable_v<Projection&, std::iter_reference_t<Iterator>>;

template <class Iterator, class Compare, class Projection>
concept comparable =
    std::is_invocable_r_v<bool, Compare&, std::invoke_result_t<Projection&, std::iter_reference_t<Iterator>>,
                          std::invoke_result_t<Projection&, std::iter_reference_t<Iterator>>>;

/// Does not compile for what cannot be sorted; the reason is one error.
template <class Iterator, class Compare, class Projection>
constexpr bool is_sortable() {
  static_assert(movable_elements<Iterator>, "nopal: sort: the elements must be movable, and not constant");
  static_assert(NOPAL_ABI_NAMESPACE::detail::separate_elements<Iterator>,
                "nopal: sort: the elements must not share memory, as those of std::vector<bool> do");
  static_assert(projectable<Iterator, Projection>,
                "nopal: sort: the projection must be callable with an element");
  if constexpr (projectable<Iterator, Projection>) {
    static_assert(
        comparable<Iterator, Compare, Projection>,
        "nopal: sort: the comparator must be callable with two elements, or with what the projection "
        "makes of two, and "
        "tell whether the first precedes the second");
    return movable_elements<Iterator> && NOPAL_ABI_NAMESPACE::detail::separate_elements<Iterator> &&
           comparable<Iterator, Compare, Projection>;
  }
  return false;
}

/// Elements that nobody can tell apart if they are equal.
template <class T, class Compare, class Projection>
concept equal_is_same =
    std::is_integral_v<T> && standard_order<Compare, T> && std::same_as<Projection, std::identity>;

/// The same place as a pointer, if elements are neighbors in memory.
template <class Iterator>
auto plain_iterator(Iterator iterator) {
  if constexpr (std::contiguous_iterator<Iterator>) {
    return std::to_address(iterator);
  } else {
    return iterator;
  }
}

/// Whether it is, also where overloads of its own might be chosen, as templates that take anything.
template <class T>
inline constexpr bool is_copied_trivially =
    std::is_trivially_constructible_v<T, T&> && std::is_trivially_constructible_v<T, const T&> &&
    std::is_trivially_constructible_v<T, T> && std::is_trivially_assignable_v<T&, T&> &&
    std::is_trivially_assignable_v<T&, const T&> && std::is_trivially_assignable_v<T&, T>;

/// Elements that are moved in registers: branch-free code copies more of them than it must.
template <class Iterator>
inline constexpr bool in_registers =
    std::is_pointer_v<Iterator> && std::is_trivially_copyable_v<value<Iterator>> &&
    is_copied_trivially<value<Iterator>> && sizeof(value<Iterator>) <= 32;

/// Exchanges two elements, and none with itself: types of the program's may not expect that.
template <class Iterator>
[[gnu::always_inline]] inline void swap_places(Iterator one, Iterator other) {
  if (in_registers<Iterator> || one != other) std::ranges::iter_swap(one, other);
}

/// Whether elements go from their places into values, and from values and places into places,
/// without an exception.
template <class Iterator>
constexpr bool moves_cannot_throw() {
  using element = value<Iterator>;
  if constexpr (std::is_same_v<std::iter_reference_t<Iterator>, element&>) {
    return std::is_nothrow_move_constructible_v<element> && std::is_nothrow_move_assignable_v<element>;
  } else {
    // What stands for an element has moves of its own.
    using moved = std::iter_rvalue_reference_t<Iterator>;
    using place = std::iter_reference_t<Iterator>;
    return std::is_nothrow_move_constructible_v<element> && std::is_nothrow_constructible_v<element, moved> &&
           std::is_nothrow_assignable_v<place, element> && std::is_nothrow_assignable_v<place, moved>;
  }
}

/// An element out of its place. It goes back there when this ends, after an exception too. If that
/// throws, the exception leaves from here, unless another is on its way: then the value is lost.
template <class Iterator>
class held_element {
public:
  [[gnu::always_inline]] explicit held_element(Iterator place)
      : place_(place), value_(std::ranges::iter_move(place)) {}
  held_element(const held_element&) = delete;
  held_element& operator=(const held_element&) = delete;
  [[gnu::always_inline]] ~held_element() noexcept(moves_cannot_throw<Iterator>()) {
    if constexpr (moves_cannot_throw<Iterator>()) {
      *place_ = std::move(value_);
    } else {
      put_back();
    }
  }

  [[gnu::always_inline]] value<Iterator>& get() noexcept { return value_; }
  [[gnu::always_inline]] Iterator place() const noexcept { return place_; }
  /// Moves the element at `from` to the free place, which is `from` from now on.
  [[gnu::always_inline]] void take_from(Iterator from) {
    *place_ = std::ranges::iter_move(from);
    place_ = from;
  }
  [[gnu::always_inline]] void set_place(Iterator place) noexcept { place_ = place; }

private:
  void put_back() {
#ifdef __cpp_exceptions
    try {
      *place_ = std::move(value_);
    } catch (...) {
      if (std::uncaught_exceptions() == uncaught_before_) detail::throw_on();
      detail::kept_exception dropped;
      dropped.keep();
    }
#else
    *place_ = std::move(value_);
#endif
  }

  Iterator place_;
  value<Iterator> value_;
  int uncaught_before_ = moves_cannot_throw<Iterator>() ? 0 : std::uncaught_exceptions();
};

/// Room for elements on the stack.
template <class T, std::size_t count>
class stack_room {
public:
  stack_room() noexcept {}
  T* data() noexcept { return reinterpret_cast<T*>(bytes_); }

private:
  alignas(T) unsigned char bytes_[count * sizeof(T)];
};

/// The logarithm to base 2, rounded down; of a positive number.
template <class Integer>
constexpr int floor_log2(Integer number) noexcept {
  return static_cast<int>(std::bit_width(static_cast<std::make_unsigned_t<Integer>>(number))) - 1;
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
