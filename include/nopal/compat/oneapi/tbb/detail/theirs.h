// What oneTBB's containers stand on here.
//
// The containers are oneTBB's own, from its headers on this machine, unchanged. They are read with their namespace under
// another name (theirs_begin.h), so that nothing of them meets these headers by accident, nor a oneTBB that another
// library of the program brings. Headers of theirs that these have as well are left out by their guards; what the
// containers take from those is declared here. They call a few functions of oneTBB's library, which are in
// theirs_end.h: the program is not linked with that.
#ifndef NOPAL_COMPAT_TBB_DETAIL_THEIRS_H
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_H

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../blocked_range.h"
#include "../cache_aligned_allocator.h"
#include "../tbb_allocator.h"
#include "config.h"
#include "exception.h"
#include "split.h"

// Of a mode each: what they are made of is.
#ifdef NOPAL_ELIDE
#define NOPAL_TBB_THEIRS nopal_elided_onetbb_2
#elif defined(NOPAL_TBB_STEAL_BODIES)
#define NOPAL_TBB_THEIRS nopal_stealing_onetbb_2
#else
#define NOPAL_TBB_THEIRS nopal_onetbb_2
#endif

#undef __TBB_ASSERT

// Guards of their headers.
#define __TBB_blocked_range_H
#define __TBB_cache_aligned_allocator_H
#define __TBB_detail__range_common_H
#define __TBB_tbb_allocator_H

namespace NOPAL_TBB_THEIRS {
namespace detail {
inline namespace d0 {
using ::tbb::NOPAL_TBB_NAMESPACE::proportional_split;
using ::tbb::NOPAL_TBB_NAMESPACE::split;
}  // namespace d0
namespace d1 {
using ::tbb::NOPAL_TBB_NAMESPACE::blocked_range;
using ::tbb::NOPAL_TBB_NAMESPACE::cache_aligned_allocator;
using ::tbb::NOPAL_TBB_NAMESPACE::tbb_allocator;
}  // namespace d1
namespace r1 {
void* cache_aligned_allocate(std::size_t size);
void cache_aligned_deallocate(void* memory);
inline std::size_t cache_line_size() { return 64; }  // of cache_aligned_allocator
}  // namespace r1
}  // namespace detail
using detail::d0::proportional_split;
using detail::d0::split;
using detail::d1::blocked_range;
using detail::d1::cache_aligned_allocator;
using detail::d1::tbb_allocator;
}  // namespace NOPAL_TBB_THEIRS

#endif
