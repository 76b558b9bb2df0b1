// Sorting.
#ifndef NOPAL_COMPAT_TBB_PARALLEL_SORT_H
#define NOPAL_COMPAT_TBB_PARALLEL_SORT_H

#include <algorithm>
#include <functional>
#include <iterator>

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <cstdlib>
#include <memory_resource>
#include <mutex>
#include <thread>

#define NOPAL_DETAIL_SAYS_NOT_LATENT
#include <nopal/sort.hpp>
#undef NOPAL_DETAIL_SAYS_NOT_LATENT

#include "detail/context.h"
#include "parallel_for.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Sorts; equal elements in any order. Everything else is as with `nopal::parallel_sort`. A
/// cancelled task sorts nonetheless.
template <class Iterator, class Compare>
void parallel_sort(Iterator first, Iterator last, const Compare& compare) {
  task_group_context context;
  const nopal_detail::algorithm self(context);
  if (self.serial()) {
    std::sort(first, last, compare);
  } else {
    nopal::parallel_sort(first, last, compare);
  }
}
template <class Iterator>
void parallel_sort(Iterator first, Iterator last) {
  parallel_sort(first, last, std::less<>());
}
/// The same for a container.
template <class Container, class Compare>
  requires requires(Container& items) { std::begin(items); }
void parallel_sort(Container&& items, const Compare& compare) {
  parallel_sort(std::begin(items), std::end(items), compare);
}
template <class Container>
void parallel_sort(Container&& items) {
  parallel_sort(std::begin(items), std::end(items));
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
