// Pipelines: ours, with stages that call oneTBB's filters. Suspended tasks: ours.

#include <memory>
#include <utility>
#include <vector>

#include "in_place/contexts.hpp"

namespace tbb::detail::r1 {

namespace {

struct end_filter {
  void operator()(d1::base_filter* one) const noexcept {
    one->~base_filter();
    deallocate_memory(one);  // as a filter's node takes it
  }
};
using owned_filter = std::unique_ptr<d1::base_filter, end_filter>;

void append(std::vector<owned_filter>& filters, const d1::filter_node& node) {
  if (node.left && node.right) {
    append(filters, *node.left);
    append(filters, *node.right);
  } else {
    filters.emplace_back(node.create_filter());
  }
}

/// An item between two stages. One that is not carried on is the next filter's to end.
class item {
public:
  item() noexcept = default;
  item(void* value, d1::base_filter* next) noexcept : value_(value), next_(next) {}
  item(item&& from) noexcept : value_(std::exchange(from.value_, nullptr)), next_(from.next_) {}
  item& operator=(item&& from) noexcept {
    std::swap(value_, from.value_);
    std::swap(next_, from.next_);
    return *this;
  }
  ~item() {
    if (value_ != nullptr && next_ != nullptr) {
      next_->finalize(value_);
    }
  }
  [[nodiscard]] void* value() const noexcept { return value_; }
  void* take() noexcept { return std::exchange(value_, nullptr); }

private:
  void* value_ = nullptr;
  d1::base_filter* next_ = nullptr;
};

ours::filter_mode mode_of(const d1::base_filter& one) noexcept {
  return !one.is_serial()   ? ours::filter_mode::parallel
         : one.is_ordered() ? ours::filter_mode::serial_in_order
                            : ours::filter_mode::serial_out_of_order;
}

/// The calling filter has said that there is no more. A call of a filter stays on its thread.
constinit thread_local bool is_at_end = false;

/// The next item of the first filter; `flow` is stopped at the end.
void* first_of(d1::base_filter& first, ours::flow_control& flow) {
  const bool outer = std::exchange(is_at_end, false);
  void* const value = first(nullptr);
  if (value == nullptr && (!first.object_may_be_null() || is_at_end)) {
    flow.stop();
  }
  is_at_end = outer;
  return value;
}

}  // namespace

void set_end_of_input(d1::base_filter&) { is_at_end = true; }

void parallel_pipeline(d1::task_group_context& context, std::size_t most_items,
                       const d1::filter_node& chain) {
  std::vector<owned_filter> owned;
  append(owned, chain);
  std::vector<d1::base_filter*> filters;
  filters.reserve(owned.size());
  for (const owned_filter& one : owned) {
    filters.push_back(one.get());
  }
  d1::task_group_context& actual = task_group_context_impl::actual(context);
  const context_use list(actual);
  list->bind(innermost != nullptr && list->is_bound() ? innermost->list : nullptr);
  if (list->is_cancelled()) {
    return list->throw_kept();
  }

  // What a stage spawns or starts is a part of this.
  const auto first = [&](ours::flow_control& flow) {
    const own_part inside(actual, *list);
    return first_of(*filters[0], flow);
  };
  const auto call = [&](d1::base_filter& one, item& with) {
    const own_part inside(actual, *list);
    void* const result = one(with.value());
    static_cast<void>(with.take());  // it has ended; where it throws that is left to the item
    return result;
  };
  const std::size_t last = filters.size() - 1;
  if (last == 0) {
    ours::parallel_pipeline(
        most_items,
        ours::make_filter<void, void>(mode_of(*filters[0]),
                                      [&](ours::flow_control& flow) { static_cast<void>(first(flow)); }),
        list->own());
  } else {
    ours::filter<void, item> stages = ours::make_filter<void, item>(
        mode_of(*filters[0]), [&](ours::flow_control& flow) { return item(first(flow), filters[1]); });
    for (std::size_t i = 1; i != last; ++i) {
      stages = stages & ours::make_filter<item, item>(mode_of(*filters[i]), [&, i](item one) {
                 return item(call(*filters[i], one), filters[i + 1]);
               });
    }
    ours::parallel_pipeline(most_items,
                            stages & ours::make_filter<item, void>(
                                         mode_of(*filters[last]),
                                         [&](item one) { static_cast<void>(call(*filters[last], one)); }),
                            list->own());
  }
  list->throw_kept();
}

void suspend(suspend_callback_type call, void* argument) {
  ours::task::suspend([call, argument](ours::task::suspend_point point) {
    call(argument, reinterpret_cast<suspend_point_type*>(point));
  });
}
void resume(suspend_point_type* point) {
  ours::task::resume(reinterpret_cast<ours::task::suspend_point>(point));
}
/// One for each thread: a task that was suspended goes on where it was.
suspend_point_type* current_suspend_point() {
  static thread_local char of_thread;
  return reinterpret_cast<suspend_point_type*>(&of_thread);
}

}  // namespace tbb::detail::r1
