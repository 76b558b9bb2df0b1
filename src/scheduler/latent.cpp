// What latent forks call: when code with them is loaded, where a promoted one's child ends, and
// where exceptions arrive.

#include <unwind.h>

#include <exception>

#include <nopal/detail/fast_path.h>
#include <nopal/detail/latent.h>

#include "arch/arch.hpp"
#include "cxx_runtime/exception_record.hpp"
#include "os/unwind_tables.hpp"
#include "sanitizers/sanitizers.hpp"
#include "scheduler/c_personality.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/latent.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"

namespace __cxxabiv1 {
extern "C" {
void* __cxa_begin_catch(void*) noexcept;
void __cxa_end_catch();
}
}  // namespace __cxxabiv1

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// A handler that is left in every way.
class handler {
public:
  explicit handler(void* thrown) noexcept { __cxxabiv1::__cxa_begin_catch(thrown); }
  ~handler() { __cxxabiv1::__cxa_end_catch(); }
  handler(const handler&) = delete;
  handler& operator=(const handler&) = delete;
};

}  // namespace

extern "C" {

NOPAL_EXPORT void nopal_end_promoted(nopal_frame* frame) {
  if (!nopal_pop()) {
    nopal_child_done(frame);
  }
}

NOPAL_EXPORT void* nopal_promoted_threw(void* thrown, nopal_frame* frame) {
  if (nopal_pop() || take_kept(frame)) {
    return thrown;
  }
  {
    const handler here(thrown);
    if (handles_end_of_thread()) {
      refuse_end();
    }
    keep_thrown_by_stolen(frame);
  }
  nopal_child_done(frame);
}

NOPAL_EXPORT void nopal_fork_threw(void* thrown, nopal_frame* frame) {
  const handler here(thrown);
  if (handles_end_of_thread()) {
    check_fork_at_end();
    nopal_throw_on();
  }
  if (!is_stolen_from(frame)) {
    nopal_throw_on();
  }
  keep_thrown(frame, false);
}

/// To unwinders a latent call catches everything. Where it is a forced unwind, which ends the
/// thread, what comes then throws it on. Code without exceptions has no place where that could arrive.
NOPAL_EXPORT _Unwind_Reason_Code nopal_fork_personality(int, _Unwind_Action actions, _Unwind_Exception_Class,
                                                        _Unwind_Exception* thrown, _Unwind_Context* context) {
  const auto* const record =
      reinterpret_cast<const arch::fork_record*>(_Unwind_GetLanguageSpecificData(context));
  if (record->landing == 0) {
    refuse_to_leave_child(actions);
  }
  if ((actions & _UA_SEARCH_PHASE) != 0) {
    return _URC_HANDLER_FOUND;
  }
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(0), reinterpret_cast<_Unwind_Word>(thrown));
  _Unwind_SetIP(context, record->at(record->landing));
  return _URC_INSTALL_CONTEXT;
}

[[gnu::noinline]] NOPAL_EXPORT void nopal_use_latent_forks() {
  // Of the object that asks: without an index no walk gets past its frames, and nobody would get its forks.
  if (!os::has_unwind_index(__builtin_return_address(0))) {
    return;
  }
  runtime& all = the_runtime();
  const locked guard(all);
  all.latent_forks_asked = true;
  if (all.running.load(std::memory_order_relaxed)) {
    allow_latent_forks(all);
  }
}

}  // extern "C"

void allow_latent_forks(runtime& all) noexcept {
  if (!all.latent_forks_asked || all.chosen.eager_forks || !os::finds_unwind_entries()) {
    return;
  }
  // Valgrind follows calls that return where they came from, and its callgrind ends where several threads
  // take signals.
  if (sanitizers::present && !all.chosen.latent_forks_named) {
    return;
  }
  os::note_lasting_objects();
  arch::find_tables_by(os::find_unwind_entry);
  if (all.chosen.workers > 1) {
    arch::prepare_kept_steps();
  }
  listen_for_questions(all.chosen.signal);
  __atomic_store_n(&nopal_latent_forks_used, 1, __ATOMIC_RELAXED);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
