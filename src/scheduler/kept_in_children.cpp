// Exceptions that give way to `stopped`: the end of a scope has to drop what a child threw while an exception is in
// flight, a join that throws leaves the handler that it is in, and of several exceptions patterns throw one. Where that
// is `stopped`, which the child of the scope that unwinds takes at its end, that child keeps the other in its record,
// and throws it at its end.
//
// Nobody can tell an exception in flight by its type. So a child keeps none until `stopped` is thrown in it: until
// then what is in flight is the program's own.

#include <nopal/detail/stop.h>
#include <nopal/detail/stopped.hpp>

#include "sanitizers/sanitizers.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/stops.hpp"
#include "strand/strand.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace stops {

namespace {

/// In a record of a child in place of an exception: `stopped` was thrown in it.
constinit nopal_tokens thrown_in_it = {nullptr, nullptr};

/// The part of the child at whose end `stopped` is taken that the strand throws, or has in flight; null: none.
nopal_stop* child_that_unwinds(const worker* self) noexcept {
  nopal_stop* one = self != nullptr ? innermost(self) : nullptr;
  for (; one != nullptr && nopal_kind_of(one) != nopal_stop_shield; one = one->parent) {
    if (nopal_kind_of(one) == nopal_stop_child && one->of != nullptr && one->of->kind == nopal_stop_unwinds &&
        nopal_is_stopped(one->of) != 0) {
      return one;
    }
  }
  return nullptr;
}

/// The innermost child that the strand is in and that `stopped` was thrown in; null: none.
nopal_stop* child_that_keeps(const worker* self) noexcept {
  nopal_stop* one = self != nullptr ? innermost(self) : nullptr;
  for (; one != nullptr && nopal_kind_of(one) != nopal_stop_shield; one = one->parent) {
    // Relaxed: what is kept is exchanged.
    if (nopal_kind_of(one) == nopal_stop_child &&
        __atomic_load_n(&one->tokens, __ATOMIC_RELAXED) != nullptr) {
      return one;
    }
  }
  return nullptr;
}

/// What the child has kept, which is nothing afterwards; null: nothing.
void* take_kept(nopal_stop* child) noexcept {
  // Acquire pairs with the exchange in keep_in_child.
  nopal_tokens* const kept =
      __atomic_exchange_n(&child->tokens, static_cast<nopal_tokens*>(nullptr), __ATOMIC_ACQUIRE);
  sanitizers::after(child);
  return kept != &thrown_in_it ? kept : nullptr;
}

}  // namespace

void throw_stopped() {
  if (nopal_stop* const child = child_that_unwinds(this_worker())) {
    // Relaxed: who has it in flight comes after by the strand's order.
    nopal_tokens* nothing = nullptr;
    static_cast<void>(__atomic_compare_exchange_n(&child->tokens, &nothing, &thrown_in_it, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  }
  nopal_keep_handled();
  throw stopped();
}

bool keep_in_child(void* exception) noexcept {
  nopal_stop* const child = child_that_keeps(this_worker());
  if (child == nullptr) {
    return false;
  }
  sanitizers::before(child);
  // Strands below the child may do so at a time: the last one's is kept. Acquire and release pair with each other.
  auto* const before =
      __atomic_exchange_n(&child->tokens, static_cast<nopal_tokens*>(exception), __ATOMIC_ACQ_REL);
  if (before != &thrown_in_it) {
    sanitizers::after(child);
    drop_exceptions(before);
  }
  return true;
}

namespace {

/// Whether the exception that the strand handles is handled by the code around the child; or by code that waits where
/// one of the tasks runs that the strand is in, which may be no part of the child. That keeps it where the wait throws.
bool is_handled_outside(const worker* self, const nopal_stop* child) noexcept {
  const void* const caught = strand::exceptions_of(self).caught;
  if (caught == nullptr || caught == child->handled) {
    return true;
  }
  const worker* root = root_of(*self);
  while (root != nullptr && get(root->handled_outside) != caught) {
    root = root->outer != nullptr ? root_of(*root->outer) : nullptr;
  }
  return root != nullptr;
}

}  // namespace

extern "C" NOPAL_EXPORT void nopal_keep_handled() {
  const worker* const self = this_worker();
  const nopal_stop* const child = child_that_keeps(self);
  if (child == nullptr || is_handled_outside(self, child)) {
    return;
  }
  void* const kept = keep_handled_exception();
  if (kept != nullptr && !keep_in_child(kept)) {
    drop_exceptions(kept);  // unreached: kept-by-child
  }
}

extern "C" NOPAL_EXPORT void nopal_throw_kept(nopal_stop* child) {
  if (void* const kept = take_kept(child)) {
    nopal_rethrow(kept);
  }
}

extern "C" NOPAL_EXPORT void nopal_drop_kept(nopal_stop* child) {
  if (void* const kept = take_kept(child)) {
    drop_exceptions(kept);
  }
}

}  // namespace stops
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
