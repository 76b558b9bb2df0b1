// Calls that may run at the same time.
#ifndef NOPAL_COMPAT_TBB_PARALLEL_INVOKE_H
#define NOPAL_COMPAT_TBB_PARALLEL_INVOKE_H

#include <tuple>
#include <type_traits>
#include <utility>

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <iterator>
#include <mutex>
#include <thread>

#include "detail/context.h"
#include "detail/scope.h"
#include "task_group.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

template <class T>
inline constexpr bool is_context = std::is_same_v<std::remove_cvref_t<T>, task_group_context>;

/// Forks those `at` and calls the one after them.
template <class Functions, std::size_t... at>
void invoke_all(const algorithm& self, const Functions& functions, std::index_sequence<at...>) {
  if (self.serial()) {
    (self.call(std::get<at>(functions)), ...);
    self.call(std::get<sizeof...(at)>(functions));
    return;
  }
  nopal::scope all;
  NOPAL_DETAIL_TRY {
    (all.fork([&] { self.call(std::get<at>(functions)); }), ...);
    self.call(std::get<sizeof...(at)>(functions));
  }
  NOPAL_DETAIL_JOIN_IF_THROWN(all)
  all.join();
}

}  // namespace nopal_detail

/// Calls all, which may run at the same time, and waits. With a `task_group_context` as the last
/// argument, in that context.
///
/// Exceptions and threads as with parallel_for. Work and span: those of the calls, and a fork for
/// each but the last.
template <class... Functions>
void parallel_invoke(Functions&&... functions) {
  using last = std::tuple_element_t<sizeof...(Functions) - 1, std::tuple<Functions...>>;
  static_assert(sizeof...(Functions) >= 2, "parallel_invoke: needs two callables");
  const auto all = std::forward_as_tuple(functions...);
  if constexpr (nopal_detail::is_context<last>) {
    const nopal_detail::algorithm self(std::get<sizeof...(Functions) - 1>(all));
    nopal_detail::invoke_all(self, all, std::make_index_sequence<sizeof...(Functions) - 2>());
  } else {
    task_group_context context;
    const nopal_detail::algorithm self(context);
    nopal_detail::invoke_all(self, all, std::make_index_sequence<sizeof...(Functions) - 1>());
  }
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
