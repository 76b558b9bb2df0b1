// Takes foreign exceptions from their handlers, and throws them on, beside the C++ runtime.
#include "scheduler/foreign_exceptions.hpp"

#include <cstdlib>
#include <exception>

#include <nopal/detail/frame.h>

#include "cxx_runtime/exception_record.hpp"
#include "scheduler/runtime.hpp"

namespace __cxxabiv1 {
extern "C" void* __cxa_begin_catch(void*) noexcept;
}  // namespace __cxxabiv1

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

_Unwind_Exception* handled_foreign() noexcept {
  const exception_state* const state = this_thread_exceptions();
  // unreached below: in-handlers
  if (state == nullptr || state->caught == nullptr) {
    return nullptr;
  }
  _Unwind_Exception* const thrown = cxx_runtime::header_of(state->caught);
  return cxx_runtime::is_native(*thrown) ? nullptr : thrown;
}

void take_from_handler() noexcept { this_thread_exceptions()->caught = nullptr; }

_Unwind_Exception* take_handled_foreign() noexcept {
  _Unwind_Exception* const thrown = handled_foreign();
  // unreached below: in-handlers
  if (thrown == nullptr) {
    std::terminate();  // no handler called this
  }
  if (cxx_runtime::is_forced_unwind(*thrown)) {
    os::end_process(
        "nopal: a thread ended (pthread_exit, cancellation) inside a child or a task that others wait for");
  }
  take_from_handler();
  return thrown;
}

[[noreturn]] void raise_foreign(_Unwind_Exception* thrown) {
  _Unwind_RaiseException(thrown);
  // Nobody catches it.
  __cxxabiv1::__cxa_begin_catch(thrown);
  std::terminate();
}

extern "C" NOPAL_EXPORT void* nopal_take_foreign() { return take_handled_foreign(); }
extern "C" NOPAL_EXPORT void nopal_raise_foreign(void* exception) {
  raise_foreign(static_cast<_Unwind_Exception*>(exception));
}
extern "C" NOPAL_EXPORT void nopal_drop_foreign(void* exception) {
  _Unwind_DeleteException(static_cast<_Unwind_Exception*>(exception));
}

/// libstdc++'s `throw;` counts a foreign exception as in flight for good.
extern "C" NOPAL_EXPORT void nopal_throw_on() {
  _Unwind_Exception* const thrown = handled_foreign();
  if (thrown == nullptr) {
    throw;
  }
  take_from_handler();
  if (cxx_runtime::is_forced_unwind(*thrown)) {
    _Unwind_Resume_or_Rethrow(thrown);
    std::terminate();
  }
  raise_foreign(thrown);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
