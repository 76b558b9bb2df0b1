// The names that this interface takes from oneTBB's own headers, where these are not installed, so that the error of a
// program that uses one says so.
//
// In a namespace that is searched after `tbb` itself: where a name is declared there after all,
// that one is meant.
#ifndef NOPAL_COMPAT_TBB_DETAIL_NOT_HERE_H
#define NOPAL_COMPAT_TBB_DETAIL_NOT_HERE_H

#include "config.h"

#define NOPAL_TBB_THEIR_OWN                                                                                  \
  __attribute__((unavailable("nopal: of oneTBB's own headers, which are not installed (Debian and Ubuntu: "  \
                             "apt install libtbb-dev)")))

namespace tbb {
namespace nopal_not_here {

template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_bounded_queue{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_hash_map{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_map{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_multimap{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_multiset{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_priority_queue{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_queue{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_set{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_unordered_map{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_unordered_multimap{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_unordered_multiset{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_unordered_set{};
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_vector{};

// Previews are names of the program's own unless it asks for them.
#if defined(TBB_PREVIEW_CONCURRENT_LRU_CACHE) && TBB_PREVIEW_CONCURRENT_LRU_CACHE
template <class...>
class NOPAL_TBB_THEIR_OWN concurrent_lru_cache{};
#endif
#if defined(TBB_PREVIEW_MEMORY_POOL) && TBB_PREVIEW_MEMORY_POOL
class NOPAL_TBB_THEIR_OWN fixed_pool{};
template <class...>
class NOPAL_TBB_THEIR_OWN memory_pool{};
#endif

namespace flow {
class NOPAL_TBB_THEIR_OWN graph{};
}  // namespace flow

}  // namespace nopal_not_here

using namespace nopal_not_here;  // NOLINT(google-build-using-namespace): what `tbb` has comes first

}  // namespace tbb

#undef NOPAL_TBB_THEIR_OWN

#endif
