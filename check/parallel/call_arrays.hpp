// Call stacks of strands that go on with another thread. Of strands.cpp alone.
#ifndef NOPAL_CHECK_PARALLEL_CALL_ARRAYS_HPP
#define NOPAL_CHECK_PARALLEL_CALL_ARRAYS_HPP

#include "../tables.hpp"
#include "state.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

inline call_frame* reserve_calls() noexcept {
  return static_cast<call_frame*>(reserve((calls_before + most_calls) * sizeof(call_frame))) + calls_before;
}

/// An array that nothing is kept in any more.
inline call_array* free_calls() noexcept {
  const auto is_free = [](const call_array& one) {
    // Acquire pairs with the release of who took a copy.
    return one.kept == one.taken.load(std::memory_order_acquire);
  };
  if (is_free(*mine.calls)) return mine.calls;
  for (call_array* each = mine.all_calls; each != nullptr; each = each->next) {
    if (is_free(*each)) return each;
  }
  auto* const made = static_cast<call_array*>(reserve(sizeof(call_array)));
  made->begin = reserve_calls();
  made->end = made->begin + most_calls - 1;
  made->next = mine.all_calls;
  return mine.all_calls = made;
}

/// Copies the calls of a strand that this thread goes on with.
inline void take_calls(const call_frame* innermost, call_array& in, procedure& own) noexcept {
  call_array* const to = free_calls();
  const call_frame* const first = own.calls - calls_before;
  call_frame* const begin = to->begin + 2;  // the first call of all says whether there are hooks
  call_frame* next = begin;
  for (const call_frame* each = first; each <= innermost; ++each, ++next) {
    *next = *each;
    next->stack = ~address{0};  // of another stack: no jump leaves it here
  }
  in.taken.fetch_add(1, std::memory_order_release);  // pairs with the acquire in `free_calls`
  own.calls = begin + calls_before;
  mine.calls = to;
  self.calls = next - 1;
}

}  // namespace nopal_check

#endif
