// What the unwinder asks at functions of code without exceptions: nopal/detail/unwind_marks.h has
// the reason.

#include <unwind.h>

#include <cstring>

#include <nopal/detail/export.h>

#include "arch/arch.hpp"
#include "os/os.hpp"
#include "scheduler/c_personality.hpp"
#include "scheduler/runtime.hpp"

/// The one of C's own, for variables with a function to clean up: nopal's stands in its place where
/// such a function forks.
extern "C" __attribute__((weak)) _Unwind_Reason_Code __gcc_personality_v0(int, _Unwind_Action,
                                                                          _Unwind_Exception_Class,
                                                                          _Unwind_Exception*,
                                                                          _Unwind_Context*);

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

[[noreturn]] void refuse(_Unwind_Action actions, const char* exception, const char* end_of_thread) {
  os::end_process((actions & _UA_FORCE_UNWIND) != 0 ? end_of_thread : exception);
}

/// Whether the function with this frame pointer runs on another stack than its own, where children
/// of it may be too.
bool is_away(const void* frame_pointer) {
  const worker* const self = this_worker();
  // unreached: c-personality
  return self != nullptr && self->deque.strand.stack->origin.frame_pointer == frame_pointer;
}

}  // namespace

void refuse_to_leave_child(_Unwind_Action actions) {
  refuse(
      actions,
      "nopal: an exception leaves a child of code compiled without exceptions, which cannot keep it for the "
      "join: catch it in the child, or compile what forks as C++",
      "nopal: a thread ends in a child of code compiled without exceptions: let the child return");
}

extern "C" {

_Unwind_Reason_Code nopal_fibril_personality(int, _Unwind_Action actions, _Unwind_Exception_Class,
                                             _Unwind_Exception*, _Unwind_Context*) {
  refuse_to_leave_child(actions);
}

NOPAL_EXPORT _Unwind_Reason_Code nopal_c_personality(int version, _Unwind_Action actions,
                                                     _Unwind_Exception_Class kind, _Unwind_Exception* thrown,
                                                     _Unwind_Context* context) {
  static constexpr char child[] = "\377nopal: child";
  const auto* const data = static_cast<const char*>(_Unwind_GetLanguageSpecificData(context));
  int interrupted = 0;
  const _Unwind_Ptr goes_on = _Unwind_GetIPInfo(context, &interrupted);
  // An eager child's entry, or the function that forks behind the call of a latent child.
  if ((data != nullptr && std::strncmp(data, child, sizeof child) == 0) ||
      (interrupted == 0 && arch::is_behind_call_in_place(goes_on))) {
    refuse_to_leave_child(actions);
  }
  if (is_away(reinterpret_cast<const void*>(_Unwind_GetGR(context, arch::frame_pointer_number)))) {
    refuse(actions,
           "nopal: an exception leaves a function compiled without exceptions between its fork and its join: "
           "catch it there, or compile what forks as C++",
           "nopal: a thread ends in a function compiled without exceptions between its fork and its join: "
           "let it "
           "join");
  }
  return data != nullptr && __gcc_personality_v0 != nullptr  // unreached: c-personality
             ? __gcc_personality_v0(version, actions, kind, thrown, context)
             : _URC_CONTINUE_UNWIND;
}

}  // extern "C"

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
