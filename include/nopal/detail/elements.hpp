// What patterns that write elements ask of them.
#ifndef NOPAL_DETAIL_ELEMENTS_HPP
#define NOPAL_DETAIL_ELEMENTS_HPP

#include <concepts>
#include <iterator>
#include <type_traits>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// Whether strands may write neighbours at the same time; elements of std::vector<bool> share
/// words.
template <class Iterator>
concept separate_elements =
    std::is_reference_v<std::iter_reference_t<Iterator>> || !std::same_as<std::iter_value_t<Iterator>, bool>;

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
