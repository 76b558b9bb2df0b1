// A rectangle that can be cut.
#ifndef NOPAL_COMPAT_TBB_BLOCKED_RANGE2D_H
#define NOPAL_COMPAT_TBB_BLOCKED_RANGE2D_H

#include "blocked_range.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Rows by columns. Cut across the side that is longer in terms of its grain. Constant time
/// throughout.
template <class RowValue, class ColValue = RowValue>
class blocked_range2d {
public:
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;
  using size_type = std::size_t;

  static constexpr bool is_splittable_in_proportion = true;

  blocked_range2d(RowValue row_begin, RowValue row_end, size_type row_grainsize, ColValue col_begin,
                  ColValue col_end, size_type col_grainsize)
      : rows_(row_begin, row_end, row_grainsize), cols_(col_begin, col_end, col_grainsize) {}
  blocked_range2d(RowValue row_begin, RowValue row_end, ColValue col_begin, ColValue col_end)
      : rows_(row_begin, row_end), cols_(col_begin, col_end) {}

  /// Takes the second half of `from`.
  blocked_range2d(blocked_range2d& from, split tag) : blocked_range2d(from) { take(from, tag); }
  /// Takes the second part, in the ratio given.
  blocked_range2d(blocked_range2d& from, proportional_split& ratio) : blocked_range2d(from) {
    take(from, ratio);
  }
  blocked_range2d(const blocked_range2d&) = default;
  blocked_range2d& operator=(const blocked_range2d&) = default;
  ~blocked_range2d() = default;

  [[nodiscard]] bool empty() const { return rows_.empty() || cols_.empty(); }
  [[nodiscard]] bool is_divisible() const { return rows_.is_divisible() || cols_.is_divisible(); }
  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return cols_; }

private:
  template <class Split>
  void take(blocked_range2d& from, Split& tag) {
    if (nopal_detail::grains(rows_) < nopal_detail::grains(cols_)) {
      cols_ = col_range_type(from.cols_, tag);
    } else {
      rows_ = row_range_type(from.rows_, tag);
    }
  }

  row_range_type rows_;
  col_range_type cols_;
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
