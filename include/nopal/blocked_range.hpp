// Ranges of two and three dimensions, and loops over them in blocks.
//
// A loop over such a range halves it across its longest side, again and again, so that what is near
// in any direction is visited soon after: tiles of a picture, of a matrix, of a grid. The order is
// that of the halves, and in a small block that of nested loops, the last side being the innermost.
// It depends on the range and its grains alone. With NOPAL_ELIDE it is the same.
#ifndef NOPAL_BLOCKED_RANGE_HPP
#define NOPAL_BLOCKED_RANGE_HPP

#include <nopal/detail/language.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

#include <nopal/detail/blocks.hpp>
#include <nopal/detail/refused.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// One side of a range of several dimensions, or of a block of it: the whole numbers from `begin()`
/// up to, and without, `end()`.
template <class Integer>
class range_side {
public:
  /// What its positions are counted in.
  using value_type = Integer;
  static_assert(detail::integer_index<Integer>,
                "nopal: range of several sides: the ends of each side must be whole numbers");

  /// From `first` up to, and without, `last`; empty if `last` comes first.
  constexpr range_side(Integer first, Integer last, std::size_t grain = 0) noexcept
      : begin_(first), end_(last < first ? first : last), grain_(grain) {}

  /// The first position.
  [[nodiscard]] constexpr Integer begin() const noexcept { return begin_; }
  /// The position behind the last one.
  [[nodiscard]] constexpr Integer end() const noexcept { return end_; }
  /// How many positions there are.
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return detail::numbers<Integer>::count(begin_, end_);
  }
  /// Whether there are none.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin_ == end_; }
  /// A block whose side is no longer is not halved across it; 0: it is up to the loop.
  [[nodiscard]] constexpr std::size_t grain() const noexcept { return grain_; }

  /// From one position up to another, both counted from 0.
  [[nodiscard]] constexpr range_side part(std::size_t from, std::size_t to) const noexcept {
    const detail::numbers<Integer> all{begin_};
    return range_side(all.at(from), all.at(to), grain_);
  }

private:
  Integer begin_;
  Integer end_;
  std::size_t grain_;
};

/// Rows and columns. An end before its beginning makes an empty range.
template <class Row, class Column = Row>
class range_2d {
public:
  /// Of two sides, each with its grain.
  constexpr range_2d(range_side<Row> rows, range_side<Column> columns) noexcept
      : rows_(rows), columns_(columns) {}

  /// By the ends of both sides.
  template <class A, class B, class C, class D>
  constexpr range_2d(A rows_first, B rows_last, C columns_first, D columns_last) noexcept
      : range_2d(rows_first, rows_last, 0, columns_first, columns_last, 0) {}

  /// With a grain for each side, of which 0 is none.
  template <class A, class B, class G, class C, class D, class H>
  constexpr range_2d(A rows_first, B rows_last, G rows_grain, C columns_first, D columns_last,
                     H columns_grain) noexcept
      : rows_(static_cast<Row>(rows_first), static_cast<Row>(rows_last),
              static_cast<std::size_t>(rows_grain)),
        columns_(static_cast<Column>(columns_first), static_cast<Column>(columns_last),
                 static_cast<std::size_t>(columns_grain)) {}

  /// Other numbers of ends do not compile.
  template <class... Ends>
    requires((std::is_arithmetic_v<Ends> && ...) && sizeof...(Ends) != 0 && sizeof...(Ends) != 4 &&
             sizeof...(Ends) != 6)
  constexpr explicit range_2d(Ends... /*ends*/) noexcept : range_2d(0, 0, 0, 0) {
    static_assert(
        refusals::accepted<Ends...>,
        "nopal: range_2d takes the two ends of each side, four numbers, or six with a grain behind each "
        "side's ends");
  }

  /// The outer side.
  [[nodiscard]] constexpr const range_side<Row>& rows() const noexcept { return rows_; }
  /// The inner side.
  [[nodiscard]] constexpr const range_side<Column>& columns() const noexcept { return columns_; }
  /// Whether a side is empty.
  [[nodiscard]] constexpr bool empty() const noexcept { return rows_.empty() || columns_.empty(); }
  /// A tuple of references to the sides, the outer one first.
  [[nodiscard]] constexpr auto sides() const noexcept { return std::tie(rows_, columns_); }

private:
  range_side<Row> rows_;
  range_side<Column> columns_;
};

/// Each side is counted in what both of its ends have in common.
template <class A, class B, class C, class D>
range_2d(A, B, C, D) -> range_2d<std::common_type_t<A, B>, std::common_type_t<C, D>>;
/// The same with grains.
template <class A, class B, class G, class C, class D, class H>
range_2d(A, B, G, C, D, H) -> range_2d<std::common_type_t<A, B>, std::common_type_t<C, D>>;
/// What does not compile has some type, too.
template <class... Ends>
  requires((std::is_arithmetic_v<Ends> && ...) && sizeof...(Ends) != 0 && sizeof...(Ends) != 4 &&
           sizeof...(Ends) != 6)
range_2d(Ends...) -> range_2d<int, int>;

/// Pages, rows and columns.
template <class Page, class Row = Page, class Column = Row>
class range_3d {
public:
  /// Of three sides, each with its grain.
  constexpr range_3d(range_side<Page> pages, range_side<Row> rows, range_side<Column> columns) noexcept
      : pages_(pages), rows_(rows), columns_(columns) {}

  /// By the ends of all sides.
  template <class A, class B, class C, class D, class E, class F>
  constexpr range_3d(A pages_first, B pages_last, C rows_first, D rows_last, E columns_first,
                     F columns_last) noexcept
      : range_3d(pages_first, pages_last, 0, rows_first, rows_last, 0, columns_first, columns_last, 0) {}

  /// With a grain for each side, of which 0 is none.
  template <class A, class B, class G, class C, class D, class H, class E, class F, class J>
  constexpr range_3d(A pages_first, B pages_last, G pages_grain, C rows_first, D rows_last, H rows_grain,
                     E columns_first, F columns_last, J columns_grain) noexcept
      : pages_(static_cast<Page>(pages_first), static_cast<Page>(pages_last),
               static_cast<std::size_t>(pages_grain)),
        rows_(static_cast<Row>(rows_first), static_cast<Row>(rows_last),
              static_cast<std::size_t>(rows_grain)),
        columns_(static_cast<Column>(columns_first), static_cast<Column>(columns_last),
                 static_cast<std::size_t>(columns_grain)) {}

  /// Other numbers of ends do not compile.
  template <class... Ends>
    requires((std::is_arithmetic_v<Ends> && ...) && sizeof...(Ends) != 0 && sizeof...(Ends) != 6 &&
             sizeof...(Ends) != 9)
  constexpr explicit range_3d(Ends... /*ends*/) noexcept : range_3d(0, 0, 0, 0, 0, 0) {
    static_assert(
        refusals::accepted<Ends...>,
        "nopal: range_3d takes the two ends of each side, six numbers, or nine with a grain behind each "
        "side's ends");
  }

  /// The outermost side.
  [[nodiscard]] constexpr const range_side<Page>& pages() const noexcept { return pages_; }
  /// The side in the middle.
  [[nodiscard]] constexpr const range_side<Row>& rows() const noexcept { return rows_; }
  /// The innermost side.
  [[nodiscard]] constexpr const range_side<Column>& columns() const noexcept { return columns_; }
  /// Whether a side is empty.
  [[nodiscard]] constexpr bool empty() const noexcept {
    return pages_.empty() || rows_.empty() || columns_.empty();
  }
  /// A tuple of references to the sides, the outermost one first.
  [[nodiscard]] constexpr auto sides() const noexcept { return std::tie(pages_, rows_, columns_); }

private:
  range_side<Page> pages_;
  range_side<Row> rows_;
  range_side<Column> columns_;
};

/// Each side is counted in what both of its ends have in common.
template <class A, class B, class C, class D, class E, class F>
range_3d(A, B, C, D, E, F)
    -> range_3d<std::common_type_t<A, B>, std::common_type_t<C, D>, std::common_type_t<E, F>>;
/// The same with grains.
template <class A, class B, class G, class C, class D, class H, class E, class F, class J>
range_3d(A, B, G, C, D, H, E, F, J)
    -> range_3d<std::common_type_t<A, B>, std::common_type_t<C, D>, std::common_type_t<E, F>>;
/// What does not compile has some type, too.
template <class... Ends>
  requires((std::is_arithmetic_v<Ends> && ...) && sizeof...(Ends) != 0 && sizeof...(Ends) != 6 &&
           sizeof...(Ends) != 9)
range_3d(Ends...) -> range_3d<int, int, int>;

/// Calls `body(row, column)` for each position of the range; or, if `body` takes one argument,
/// `body(part)` with blocks that make up the range, each a `range_2d` of the same type. The range is
/// halved across the side that has the most grains, until no side has more than one. Sides without
/// a grain are halved down to blocks of a few thousand positions, and further where some worker has
/// nothing to do. With a grain for each side the blocks depend on the range alone, and the grains
/// should make them worth a fork each. Ranges of more than 2^64 positions are legal.
/// T1 = O(n), T∞ = O(log n + positions of a block).
template <class Row, class Column, class Body>
void parallel_for(const range_2d<Row, Column>& range, Body&& body) {
  detail::for_blocks(range, body, range.rows(), range.columns());
}

/// The same with `body(page, row, column)`, or blocks that are a `range_3d`.
template <class Page, class Row, class Column, class Body>
void parallel_for(const range_3d<Page, Row, Column>& range, Body&& body) {
  detail::for_blocks(range, body, range.pages(), range.rows(), range.columns());
}

/// A grain of the whole does not compile: each side has its own.
template <class Row, class Column, class Grain, class Body>
  requires detail::integer_index<Grain>
void parallel_for(range_2d<Row, Column> /*range*/, Grain /*grain*/, Body&& /*body*/) {
  static_assert(refusals::accepted<Grain>,
                "nopal: parallel_for: the grains of such a range stand in it, behind the ends of each side");
}
/// Nor here.
template <class Page, class Row, class Column, class Grain, class Body>
  requires detail::integer_index<Grain>
void parallel_for(range_3d<Page, Row, Column> /*range*/, Grain /*grain*/, Body&& /*body*/) {
  static_assert(refusals::accepted<Grain>,
                "nopal: parallel_for: the grains of such a range stand in it, behind the ends of each side");
}

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
