// Merges in rounds, until reductions and ends of views make no further updates.
#include "view/strand_merge.hpp"

#include <new>

#include <nopal/runtime.hpp>

#include "stack/stack.hpp"
#include "view/current.hpp"
#include "view/host.hpp"
#include "view/process.hpp"
#include "view/shielded.hpp"
#include "view/times.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

/// A merge while it lives, as the stack knows it on which it runs. The strand may be elsewhere in
/// between, and comes back there.
class merge_under_way {
public:
  merge_under_way() noexcept : record_{0, nullptr, __builtin_frame_address(0)} {
    stack_ = host::this_stack();
    if (stack_ != nullptr) {
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
  merge_record record_;
};

/// Of reductions that update reducers, whose reductions update reducers, and so on. A sum of a
/// million views takes one.
constexpr int most_rounds = 1000;

/// No further: the updates that are left are lost, and the join says so.
void give_up(const merge_context& with, view_set* left_over) {
  try {
    throw error("nopal: reduce: reductions that update reducers did not come to an end in 1000 rounds");
  } catch (...) {
    with.failed(with.context);
  }
  // The end of a view is the program's code too, and may make another.
  for (int round = 0; left_over != nullptr && round != most_rounds; ++round) {  // unreached: views-make-views
    drop_all(with.reducers, left_over);
    unowned.give_set(left_over);
    left_over = leave_set();
  }
}

/// The join says so: forks of a reduction in a stopped scope do not begin.
// unreached below: refused-shield
void say_that_it_may_be_cut_short(const merge_context& with) {
  try {
    throw std::bad_alloc();
  } catch (...) {
    with.failed(with.context);
  }
}

/// Whether a strand that runs on `stack`, or is suspended there, is in a reduction of `id`. On the
/// thread that left or runs it.
bool is_reduced_on(const nopal_stack* stack, std::uint32_t id) noexcept {
  const merge_record* merge = stack->merge;
  while (merge != nullptr && merge->reduced != id) {
    merge = merge->outer;
  }
  return merge != nullptr;
}

}  // namespace

view_set* merge_with_updates(const merge_context& with, view_set* left, bool left_is_base, view_set* right) {
  const timed merging(activity::merge);
  const shielded whole;
  if (whole.is_refused()) {  // unreached: refused-shield
    say_that_it_may_be_cut_short(with);
  }
  merge_under_way here;
  merge_context noted = with;
  noted.reduced = here.reduced();
  for (int round = 0; right != nullptr; ++round) {
    if (round == most_rounds) {
      give_up(with, right);
      break;
    }
    view_set* emptied = nullptr;
    left = view::merge(noted, left, left_is_base, right, emptied);
    if (emptied != nullptr) {
      unowned.give_set(emptied);
    }
    right = leave_set();
  }
  return left;
}

bool is_being_reduced(std::uint32_t id) noexcept { return host::holds_for_this_strand(is_reduced_on, id); }

bool keeps_from_reducing(std::uint32_t id) noexcept {
  return host::holds_for_one_kept_waiting(is_reduced_on, id);
}

bool leaves_reduction(const nopal_stack& stack, const char* stack_pointer) noexcept {
  // unreached: safe-jumps
  return stack.merge != nullptr && stack_pointer > stack.merge->at;
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
