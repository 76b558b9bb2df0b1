// The tags of splitting constructors.
#ifndef NOPAL_COMPAT_TBB_DETAIL_SPLIT_H
#define NOPAL_COMPAT_TBB_DETAIL_SPLIT_H

#include <cstddef>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Tag of a constructor that takes about half of another object.
class split {};

/// Tag of a constructor that takes a part of another object in the ratio given.
class proportional_split {
public:
  explicit proportional_split(std::size_t left = 1, std::size_t right = 1) noexcept
      : left_(left), right_(right) {}

  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  [[nodiscard]] std::size_t right() const noexcept { return right_; }

  /// Into halves, for those who know no ratio.
  explicit operator split() const noexcept { return {}; }

private:
  std::size_t left_;
  std::size_t right_;
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
