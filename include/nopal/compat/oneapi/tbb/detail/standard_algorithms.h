// Which calls and tasks come from the parallel algorithms of the standard library, as libstdc++ and oneDPL make them of this interface.
#ifndef NOPAL_COMPAT_TBB_DETAIL_STANDARD_ALGORITHMS_H
#define NOPAL_COMPAT_TBB_DETAIL_STANDARD_ALGORITHMS_H

#include <cstddef>
#include <string_view>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Whether `text` begins with, or `Anywhere` in its first 400 letters has, `sought`. Names of types may have hundreds of
/// thousands, so nothing asks for their length.
template <bool Anywhere>
constexpr bool has_early(const char* text, std::string_view sought) noexcept {
  constexpr int most = Anywhere ? 400 : 1;
  for (int at = 0; at != most && text[at] != '\0'; ++at) {
    std::size_t same = 0;
    while (same != sought.size() && text[at + static_cast<int>(same)] == sought[same]) ++same;
    if (same == sought.size()) return true;
  }
  return false;
}

/// Whether `F` is a lambda or a task of the code by which they are made of oneTBB's. Such an algorithm has no way to say that it was cut
/// short: the next of its steps would take what was not written, and destroy what was not made.
template <class F>
constexpr bool is_of_standard_algorithm() noexcept {
#ifdef __GNUC__
  const char* name = __PRETTY_FUNCTION__;
  while (*name != '\0' && !has_early<false>(name, "F = ")) ++name;
  if (*name == '\0') return false;
  name += 4;
#ifdef __clang__
  // "(lambda at .../pstl/parallel_backend_tbb.h:104:37)"
  return has_early<false>(name, "__pstl::__tbb_backend::") ||
         (has_early<false>(name, "(lambda at ") && has_early<true>(name, "/pstl/parallel_backend_tbb.h:"));
#else
  // "__pstl::__tbb_backend::__parallel_for<...>(...)::<lambda()>"
  return has_early<false>(name, "__pstl::__tbb_backend::") ||
         has_early<false>(name, "oneapi::dpl::__tbb_backend::");
#endif
#else
  return false;
#endif
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
