// Which exceptions a strand handles where it forked, and whether their list can tell.

#include "cxx_runtime/exception_record.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/tags.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

bool lies_on(const char* address, const nopal_stack* stack) {
  stack = ground(stack);
  if (stack->native_owner == nullptr) {
    return address >= stack->low && address < stack->high;  // unreached: handler-place
  }
  return !the_runtime().stacks.contains(
      address);  // A strand here has frames on this stack and on the pool's.
}

}  // namespace

/// The unwinder notes the stack pointer of the handling function in the record. On the stack of the
/// fork it tells the handler's age. On another, the exception was caught before the strand came to
/// this one, so before the fork.
void* caught_at(void* caught, const void* stack_pointer, const nopal_stack* stack) noexcept {
  while (caught != nullptr) {
    const char* const handler = cxx_runtime::handler_stack_pointer(caught);
    // Null while another strand that handles the same exception throws it on: libunwind's way.
    if (handler == nullptr || !lies_on(handler, stack) ||  // unreached: libunwind
        handler >= static_cast<const char*>(stack_pointer)) {
      break;
    }
    caught = cxx_runtime::next_of(caught);
  }
  return caught;
}

namespace {

/// A search for the activation that is said to handle an exception.
struct handler_search {
  const char* stack_pointer;
  void* record;  ///< null: it is another runtime's, which has none
  int frames_left;
  bool found;
};

/// Whether the function that has this frame is the one that the record names. What it does now may lie in
/// the part of it where the exception came from, where its handler begins, or where that jumps to.
bool is_of(void* record, _Unwind_Context* frame) {
  const auto* const table = reinterpret_cast<const void*>(_Unwind_GetLanguageSpecificData(frame));
  const auto* const part = reinterpret_cast<const void*>(_Unwind_GetRegionStart(frame));
  const auto* const begin = static_cast<const unsigned char*>(cxx_runtime::handler_begin(record));
  return table == cxx_runtime::handler_table(record) || part == arch::part_of(begin) ||
         arch::jumps_soon(begin, part);
}

_Unwind_Reason_Code look_at_frame(_Unwind_Context* frame, void* context) {
  auto& search = *static_cast<handler_search*>(context);
  if (reinterpret_cast<const char*>(_Unwind_GetCFA(frame)) == search.stack_pointer) {
    // Another function may lie there by now, or the call of a latent fork, whose frame has no bytes.
    // unreached below: handler-kind
    search.found = search.record == nullptr || is_of(search.record, frame);
  }
  if (search.found) {
    return _URC_NORMAL_STOP;
  }
  return --search.frames_left > 0 ? _URC_NO_REASON : _URC_NORMAL_STOP;  // unreached: handler-kind
}

}  // namespace

bool handlers_known(void* caught, const nopal_stack* stack) noexcept {
  constexpr int most_frames = 1000;
  for (; caught != nullptr; caught = cxx_runtime::next_of(caught)) {
    const char* const handler = cxx_runtime::handler_stack_pointer(caught);
    // unreached below: libunwind
    if (handler == nullptr) {
      return false;
    }
    if (!lies_on(handler, stack)) {
      return true;
    }
    const bool native = cxx_runtime::is_native(*cxx_runtime::header_of(caught));
    // unreached: handler-kind
    handler_search search{handler, native ? caught : nullptr, most_frames, false};
    _Unwind_Backtrace(look_at_frame, &search);
    if (!search.found) {
      return false;
    }
  }
  return true;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
