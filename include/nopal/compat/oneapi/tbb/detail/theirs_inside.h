// The names of oneTBB's inside, for programs that include its headers of that: oneTBB's own tests do.
#ifndef NOPAL_COMPAT_TBB_DETAIL_THEIRS_INSIDE_H
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_INSIDE_H

#include <concepts>

#include "theirs.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace detail {
using namespace ::NOPAL_TBB_THEIRS::detail;  // NOLINT(google-build-using-namespace): what is here comes first
namespace d1 {
using namespace ::NOPAL_TBB_THEIRS::detail::d1;  // NOLINT(google-build-using-namespace): as above
}  // namespace d1
namespace r1 {
using namespace ::NOPAL_TBB_THEIRS::detail::r1;  // NOLINT(google-build-using-namespace): as above
}  // namespace r1
template <class Range>
concept tbb_range = std::copy_constructible<Range> && std::constructible_from<Range, Range&, split> &&
                    requires(const Range& range) {
                      { range.empty() } -> std::convertible_to<bool>;
                      { range.is_divisible() } -> std::convertible_to<bool>;
                    };
}  // namespace detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
