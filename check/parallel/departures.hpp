// To which stack a join comes back, and what there is on one that a strand was stolen to. Where scopes of a function overlap, each may have its own.
//
// The first fork of a scope that is stolen leaves the stack to which the scope's join comes back. If that comes back past those
// of other scopes, these are left for good, and their joins stay where they are. It is what take_over and
// nopal_arrive_at_join of the scheduler do.
#ifndef NOPAL_CHECK_PARALLEL_DEPARTURES_HPP
#define NOPAL_CHECK_PARALLEL_DEPARTURES_HPP

#include "state.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// The child on whose stack the scope's join goes on; null: it stays where it is.
inline strand_node* departed_of(const strand_node& node, const children* scope) noexcept {
  strand_node* each = node.departed;
  while (each != nullptr && each->own.among != scope) each = each->departed_before;
  return each;
}

/// What followed the child's fork was stolen.
inline void depart(strand_node& node, strand_node& child) noexcept {
  if (departed_of(node, child.own.among) != nullptr) return;
  child.departed_before = node.departed;
  node.departed = &child;
}

/// The scope is joined: where the strand's frames end on the stack that it goes on with, if it leaves this one; or zero.
inline address come_back(strand_node& node, const children* scope) noexcept {
  const strand_node* const departed = departed_of(node, scope);
  if (departed == nullptr) return 0;
  node.departed = departed->departed_before;
  return departed->top_before;
}

/// Whether the frame is on another stack than the stack pointer, below the top.
inline bool is_away(address stack_pointer, address top, address frame) noexcept {
  return frame - stack_pointer > top - stack_pointer;
}

/// How much there is for arguments above the stack pointer where the strand goes on after a steal: the frame's extent, as
/// start_pointer of the scheduler has it, or half of the smallest stack if that is less.
inline address room_for_arguments(address stack_pointer, address top, address frame) noexcept {
  constexpr address most = 32768;
  const address extent = (is_away(stack_pointer, top, frame) ? top : frame) - stack_pointer;
  return extent < most ? extent : most;
}

/// What calls have passed on the stack that the strand is on, away from its frame, lies from there to the top. Arrays of variable
/// length lie below.
inline address begin_of_passed(const strand_node& node, address top, address frame) noexcept {
  for (const strand_node* each = node.departed; each != nullptr; each = each->departed_before) {
    if (!is_away(each->own.stack, each->top_before, frame))
      return top - room_for_arguments(each->own.stack, each->top_before, frame);
  }
  return top;
}

}  // namespace nopal_check

#endif
