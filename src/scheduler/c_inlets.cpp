// Inlets of C: those of C++ (<nopal/detail/inlets.hpp>), made when the first of a scope has to wait, or is to
// keep an order.

#include <new>

// Leaves out <nopal/detail/copy.h>: only users' code says which copy of the library it refers to.
#define NOPAL_DETAIL_COPY_H
#include <nopal/speculate.h>

#include <nopal/detail/inlets.hpp>

#include "os/os.hpp"

namespace {

using nopal::detail::inlets;
using nopal::detail::returned;

struct c_inlet {
  void (*run)(void*, void*);
  void* context;
  void* argument;
  void operator()() noexcept { run(context, argument); }
};
using ordered_inlet = nopal::detail::waiting_inlet_of<c_inlet, void>;

[[noreturn]] void fail() {
  nopal::internal::os::end_process("nopal: fork_inlet: out of memory for an inlet that has to wait");
}

/// Those of the scope, if some were made.
inlets* made(void** of) noexcept {
  // Acquire pairs with the release of who made them.
  return static_cast<inlets*>(__atomic_load_n(of, __ATOMIC_ACQUIRE));
}

inlets& those_of(void** of) {
  if (inlets* const all = made(of)) {
    return *all;
  }
  auto* const own = new inlets(nopal::inlet_order::completion);
  void* expected = nullptr;
  // Release pairs with the acquire in `made`, acquire with the release of who was first.
  if (__atomic_compare_exchange_n(of, &expected, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return *own;
  }
  delete own;
  return *static_cast<inlets*>(expected);
}

/// `action()`; without memory the program ends. Inlets throw nothing themselves.
template <class Action>
void with_memory(Action action) noexcept {
  try {
    action();
  } catch (const std::bad_alloc&) {
    fail();
  }
}

}  // namespace

extern "C" {

void nopal_make_c_inlets(void** of, int in_order) {
  with_memory(
      [=] { *of = new inlets(in_order != 0 ? nopal::inlet_order::serial : nopal::inlet_order::completion); });
}

void* nopal_next_c_inlet(void** of) {
  void* next = nullptr;
  if (inlets* const all = made(of)) {
    with_memory([&] { next = all->next<c_inlet, void>(); });
  }
  return next;
}

void nopal_run_c_inlet(void** of, int alone, void* ordered, void (*inlet)(void*, void*), void* context,
                       void* argument) noexcept {
  c_inlet one{inlet, context, argument};
  if (ordered != nullptr) {
    auto* const mine = static_cast<ordered_inlet*>(ordered);
    mine->inlet = one;
    with_memory([&] { alone != 0 ? made(of)->run_alone(mine) : made(of)->end(mine); });
  } else if (alone != 0) {
    one();
  } else {
    returned<void> nothing;
    with_memory([&] { those_of(of).run(one, nothing); });
  }
}

void nopal_skip_c_inlet(void** of, void* ordered) noexcept {
  if (ordered != nullptr) {
    made(of)->end(static_cast<ordered_inlet*>(ordered));
  }
}

void nopal_drop_c_inlets(void** of) { delete made(of); }

}  // extern "C"
