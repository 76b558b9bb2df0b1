// Pipelines: items that go through stages, one after the other, many at a time.
#ifndef NOPAL_COMPAT_TBB_PARALLEL_PIPELINE_H
#define NOPAL_COMPAT_TBB_PARALLEL_PIPELINE_H

#include <cassert>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <cstdlib>
#include <iterator>
#include <memory_resource>
#include <mutex>
#include <thread>

#include "detail/context.h"
#include "detail/pipeline.h"
#include "detail/pipeline_filters.h"
#include "task_group.h"
#include "tbb_allocator.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {
struct filter_access;
}  // namespace nopal_detail

/// One or more stages that make an `Output` of each `Input`. The first stage of a pipeline has the input `void` and
/// is called with a `flow_control`; the last has the output `void`. Copies have the same stages, and the same bodies.
template <class Input, class Output>
class filter {
public:
  /// Empty: to be assigned to.
  filter() = default;
  /// A stage. Its body is copied once, and called by several threads at once if `mode` is `parallel`.
  template <class Body>
  filter(filter_mode mode, const Body& body)
      : node_(std::make_shared<nopal_detail::filter_of<Input, Output, Body>>(mode, body)) {}

  /// Puts `right` behind what it is.
  filter& operator&=(const filter<Output, Output>& right) {
    *this = *this & right;
    return *this;
  }
  /// Empty again.
  void clear() noexcept { node_ = nullptr; }

private:
  friend struct nopal_detail::filter_access;
  explicit filter(std::shared_ptr<const nopal_detail::filter_node> node) noexcept : node_(std::move(node)) {}

  std::shared_ptr<const nopal_detail::filter_node> node_;
};

template <class Body>
filter(filter_mode, Body) -> filter<nopal_detail::stage_input<Body>, nopal_detail::stage_output<Body>>;

namespace nopal_detail {

struct filter_access {
  template <class Input, class Output>
  static const std::shared_ptr<const filter_node>& node_of(const filter<Input, Output>& one) noexcept {
    assert(one.node_ != nullptr && "an empty filter has no stage");
    return one.node_;
  }
  template <class Input, class Output>
  static filter<Input, Output> make(std::shared_ptr<const filter_node> node) noexcept {
    return filter<Input, Output>(std::move(node));
  }
};

template <class T>
inline constexpr bool is_filter = false;
template <class Input, class Output>
inline constexpr bool is_filter<filter<Input, Output>> = true;

}  // namespace nopal_detail

/// A stage of a body that takes an `Input` and returns an `Output`.
template <class Input, class Output, class Body>
[[nodiscard]] filter<Input, Output> make_filter(filter_mode mode, const Body& body) {
  return filter<Input, Output>(mode, body);
}
/// Of those that its one signature has.
template <class Body>
[[nodiscard]] auto make_filter(filter_mode mode, const Body& body) {
  return filter<nopal_detail::stage_input<Body>, nopal_detail::stage_output<Body>>(mode, body);
}

/// Those of `left`, and then those of `right`.
template <class Input, class Between, class Output>
[[nodiscard]] filter<Input, Output> operator&(const filter<Input, Between>& left,
                                              const filter<Between, Output>& right) {
  return nopal_detail::filter_access::make<Input, Output>(std::make_shared<nopal_detail::filter_pair>(
      nopal_detail::filter_access::node_of(left), nopal_detail::filter_access::node_of(right)));
}

/// Calls the first stage until it says that there are no more items, and the others for each item, with no more than
/// `max_number_of_live_tokens` of them under way at a time. A stage is given the value before as an rvalue, in the
/// memory where it was made.
///
/// Work: that of the calls, and a few steps under a lock for each item at each serial stage. The first exception
/// cancels the rest and is thrown again here; values under way are destroyed. Each call stays on its thread.
inline void parallel_pipeline(std::size_t max_number_of_live_tokens, const filter<void, void>& chain,
                              task_group_context& context) {
  const nopal_detail::algorithm self(context);
  nopal_detail::pipeline(self, max_number_of_live_tokens, *nopal_detail::filter_access::node_of(chain)).run();
}
inline void parallel_pipeline(std::size_t max_number_of_live_tokens, const filter<void, void>& chain) {
  task_group_context context;
  parallel_pipeline(max_number_of_live_tokens, chain, context);
}
/// The same for a chain of two filters and more, and maybe a context behind them.
template <class First, class Second, class... Others>
  requires(nopal_detail::is_filter<First> && nopal_detail::is_filter<Second>)
void parallel_pipeline(std::size_t max_number_of_live_tokens, const First& first, const Second& second,
                       Others&&... others) {
  parallel_pipeline(max_number_of_live_tokens, first & second, std::forward<Others>(others)...);
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
