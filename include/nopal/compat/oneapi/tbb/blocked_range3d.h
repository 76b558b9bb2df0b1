// A box that can be cut.
#ifndef NOPAL_COMPAT_TBB_BLOCKED_RANGE3D_H
#define NOPAL_COMPAT_TBB_BLOCKED_RANGE3D_H

#include "blocked_range.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Pages by rows by columns. Cut across the side that is longest in terms of its grain. Constant
/// time throughout.
template <class PageValue, class RowValue = PageValue, class ColValue = RowValue>
class blocked_range3d {
public:
  using page_range_type = blocked_range<PageValue>;
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;
  using size_type = std::size_t;

  static constexpr bool is_splittable_in_proportion = true;

  blocked_range3d(PageValue page_begin, PageValue page_end, RowValue row_begin, RowValue row_end,
                  ColValue col_begin, ColValue col_end)
      : pages_(page_begin, page_end), rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range3d(PageValue page_begin, PageValue page_end, size_type page_grainsize, RowValue row_begin,
                  RowValue row_end, size_type row_grainsize, ColValue col_begin, ColValue col_end,
                  size_type col_grainsize)
      : pages_(page_begin, page_end, page_grainsize), rows_(row_begin, row_end, row_grainsize),
        cols_(col_begin, col_end, col_grainsize) {}

  /// Takes the second half of `from`.
  blocked_range3d(blocked_range3d& from, split tag) : blocked_range3d(from) { take(from, tag); }
  /// Takes the second part, in the ratio given.
  blocked_range3d(blocked_range3d& from, proportional_split& ratio) : blocked_range3d(from) {
    take(from, ratio);
  }
  blocked_range3d(const blocked_range3d&) = default;
  blocked_range3d& operator=(const blocked_range3d&) = default;
  ~blocked_range3d() = default;

  [[nodiscard]] bool empty() const { return pages_.empty() || rows_.empty() || cols_.empty(); }
  [[nodiscard]] bool is_divisible() const {
    return pages_.is_divisible() || rows_.is_divisible() || cols_.is_divisible();
  }
  [[nodiscard]] const page_range_type& pages() const { return pages_; }
  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return cols_; }

private:
  template <class Split>
  void take(blocked_range3d& from, Split& tag) {
    const double pages = nopal_detail::grains(pages_);
    const double rows = nopal_detail::grains(rows_);
    const double cols = nopal_detail::grains(cols_);
    if (pages >= rows && pages >= cols) {
      pages_ = page_range_type(from.pages_, tag);
    } else if (rows >= cols) {
      rows_ = row_range_type(from.rows_, tag);
    } else {
      cols_ = col_range_type(from.cols_, tag);
    }
  }

  page_range_type pages_;
  row_range_type rows_;
  col_range_type cols_;
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
