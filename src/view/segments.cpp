// The ends of segments: what a strand deposits when it forks no more or arrives at a join, and what
// the join makes of it. docs/reducers.md has the protocol.
//
// A thief starts with no view, and the child that its victim goes on with keeps what there was. A
// segment ends where the child of a stolen fork ends, or where the strand arrives at its join.
// There the strand deposits its set in the table of deposits and merges it with its neighbours if
// they are there. All of that happens on the strand's own stack, since reductions are the program's
// code. Invariant: a worker in its scheduler has no set.

#include <exception>

#include <nopal/detail/frame.h>
#include <nopal/detail/noise.h>

#include "os/os.hpp"
#include "sanitizers/sanitizers.hpp"
#include "stack/stack.hpp"
#include "view/host.hpp"
#include "view/process.hpp"
#include "view/strand_merge.hpp"
#include "view/times.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

/// Who reduces, for what reductions throw.
struct reducing {
  nopal_frame* frame;
  bool of_stolen_child;
};

void reduction_failed(void* context) {
  const auto& who = *static_cast<const reducing*>(context);
  host::keep_thrown(who.frame, who.of_stolen_child);
}

view_set* merged(view_set* left, bool left_is_base, view_set* right, reducing& who) {
  return merge_with_updates({all_reducers, reduction_failed, &who}, left, left_is_base, right);
}

/// `one` and a neighbour of it become one.
deposit* joined(deposit* one, deposit* neighbour, reducing& who) {
  const bool one_is_right = neighbour->last == one->before;
  deposit* const left = one_is_right ? neighbour : one;
  deposit* const right = one_is_right ? one : neighbour;
  left->views = merged(left->views, left->is_base, right->views, who);
  left->last = right->last;
  unowned.give_deposit(right);
  return left;
}

/// The deposit of the strand's set, which it leaves.
deposit* make_deposit(nopal_frame* frame) noexcept {
  const timed transferring(activity::transfer);
  const nopal_stack* const stack = host::this_stack();
  const bool away = stack->origin.is_of(frame);
  deposit* mine = unowned.take_deposit();
  if (mine == nullptr) {
    os::write_stderr("nopal: no memory to keep the views of a child\n");
    std::terminate();
  }
  *mine = {.scope = frame,
           .activation = frame->frame_pointer,
           .before = away ? stack->origin.segment_before : no_segment,
           .last = away ? stack->origin.ticket : 0,
           .is_base = has_base_views(stack),
           .awaits_others = false,
           .views = leave_set(),
           .exception = nullptr,
           .next = nullptr};
  return mine;
}

/// Adds `one` to the table, or takes a neighbour of it out and returns that; see
/// deposit_table::add.
deposit* offer(deposit* one, nopal_frame*& ready) noexcept {
  const timed transferring(activity::transfer);
  return all_deposits.add(one, ready);
}

/// A segment of the strand of `frame` ends here.
void deposit_views(nopal_frame* frame, bool of_stolen_child) noexcept {
  deposit* mine = make_deposit(frame);
  reducing who{frame, of_stolen_child};
  nopal_frame* ready = nullptr;
  NOPAL_DISTURB();
  while (deposit* const neighbour = offer(mine, ready)) {
    mine = joined(mine, neighbour, who);
    NOPAL_DISTURB();
  }
  host::resume_after_child(ready);
}

/// From here on the strand has `views`, which begin where the segment after `before` does.
void go_on_with(nopal_stack* stack, const nopal_frame* frame, view_set* views,
                std::uint64_t before) noexcept {
  set_this_views(views);
  if (stack->origin.is_of(frame)) {
    stack->origin.segment_before = before;
  }
}

}  // namespace

/// The ends of segments, called by the assembly on the stack of the strand if reducers are in use.
extern "C" void nopal_deposit_child_views(nopal_frame* frame) noexcept { deposit_views(frame, true); }
extern "C" void nopal_deposit_strand_views(nopal_frame* frame) noexcept { deposit_views(frame, false); }

deposit* take_views(nopal_stack* stack, const nopal_frame* frame, void* exception) noexcept {
  const timed transferring(activity::transfer);
  deposit* const first = all_deposits.take(frame, frame->frame_pointer);
  if (first == nullptr) {  // unreached: race
    return nullptr;        // The first reducer came when all was deposited that would be; unreached: race
  }
  if (first->next != nullptr || first->is_base != has_base_views(stack)) {
    first->exception = exception;
    return first;
  }
  go_on_with(stack, frame, first->views, first->before);
  unowned.give_deposit(first);
  return nullptr;
}

bool has_all_views(nopal_frame* frame) noexcept { return all_deposits.is_whole(frame, frame->frame_pointer); }

/// The end of a join with several deposits, on the strand's own stack: scopes of one function
/// overlap, or the first reducer was made after some children had ended. Returns what the join
/// returns.
extern "C" void* nopal_merge_at_join(nopal_frame* frame, deposit* first) noexcept {
  void* const exception = first->exception;
  const std::uint64_t before = first->before;
  const bool base = has_base_views();
  reducing who{frame, false};
  view_set* all = nullptr;
  if (first->is_base) {
    all = first->views;
    first->views = nullptr;
  }
  while (first != nullptr) {
    deposit* const next = first->next;
    sanitizers::after(first);
    all = merged(all, base, first->views, who);
    unowned.give_deposit(first);
    first = next;
  }
  go_on_with(host::this_stack(), frame, all, before);
  return host::one_of_exceptions(exception, host::take_exception(frame));
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
