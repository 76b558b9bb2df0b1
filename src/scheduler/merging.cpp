#include "scheduler/merging.hpp"

#include "scheduler/giving_way.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/views.hpp"
#include "view/times.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace {

using view::view_set;

/// A merge while it lives, as the stack knows it on which it runs. The strand may be elsewhere in between, and comes back there.
class merge_under_way {
public:
  merge_under_way() noexcept : record_{0, nullptr, __builtin_frame_address(0)} {
    if (const worker* const self = this_worker()) {
      stack_ = self->deque.strand.stack;
      record_.outer = stack_->merge;
      stack_->merge = &record_;
    }
  }
  merge_under_way(const merge_under_way&) = delete;
  merge_under_way& operator=(const merge_under_way&) = delete;
  ~merge_under_way() {
    if (stack_ != nullptr) {
      stack_->merge = record_.outer;
    }
  }

  std::uint32_t* reduced() noexcept { return &record_.reduced; }

private:
  nopal_stack* stack_ = nullptr;  // none on a thread that is no worker
  view::merge_record record_;
};

/// Of reductions that update reducers, whose reductions update reducers, and so on. A sum of a million views takes one.
constexpr int most_rounds = 1000;

/// No further: the updates that are left are lost, and the join says so.
void give_up(const view::merge_context& with, view::store& kept, view_set* left_over) {
  try {
    throw error("nopal: reduce: reductions that update reducers did not come to an end in 1000 rounds");
  } catch (...) {
    with.failed(with.context);
  }
  // The end of a view is the program's code too, and may make another.
  for (int round = 0; left_over != nullptr && round != most_rounds; ++round) {  // unreached: views-make-views
    view::drop_all(with.reducers, left_over);
    kept.give_set(left_over);
    left_over = leave_set();
  }
}

/// Whether a strand that runs on `stack`, or is suspended there, is in a reduction of `id`. On the thread that left or runs it.
bool is_reduced_on(const nopal_stack* stack, std::uint32_t id) noexcept {
  const view::merge_record* merge = stack->merge;
  while (merge != nullptr && merge->reduced != id) {
    merge = merge->outer;
  }
  return merge != nullptr;
}

}  // namespace

view_set* leave_set() noexcept {
  view_set* const set = this_views();
  set_this_views(nullptr);
  return set;
}

view_set* merge_with_updates(const view::merge_context& with, view::store& kept, view_set* left,
                             bool left_is_base, view_set* right) {
  const view::timed merging(view::activity::merge);
  merge_under_way here;
  view::merge_context noted = with;
  noted.reduced = here.reduced();
  for (int round = 0; right != nullptr; ++round) {
    if (round == most_rounds) {
      give_up(with, kept, right);
      break;
    }
    view_set* emptied = nullptr;
    left = view::merge(noted, left, left_is_base, right, emptied);
    if (emptied != nullptr) {
      kept.give_set(emptied);
    }
    right = leave_set();
  }
  return left;
}

bool is_being_reduced(std::uint32_t id) noexcept {
  const worker* one = this_worker();
  while (one != nullptr && !is_reduced_on(one->deque.strand.stack, id)) {
    one = one->outer;
  }
  return one != nullptr;
}

bool keeps_from_reducing(std::uint32_t id) noexcept {
  const worker* const self = this_worker();
  for (const worker* one = self != nullptr ? self->outer : nullptr; one != nullptr; one = one->outer) {
    if (is_reduced_on(&one->native, id)) {
      return true;
    }
    // unreached below: aside-in-reduction
    for (const strand_aside* aside = one->asides; aside != nullptr; aside = aside->next) {
      if (is_reduced_on(aside->frame.home, id)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
