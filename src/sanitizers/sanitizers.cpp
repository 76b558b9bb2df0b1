// Tells every tool that is present.

#include "sanitizers/sanitizers.hpp"

#include "sanitizers/tools.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace sanitizers {

constinit bool present = false;

namespace {

constinit bool address_present = false;
constinit bool thread_present = false;
constinit bool valgrind_present = false;

const char* end_of(const stack_record& stack) { return stack.low + stack.bytes; }

}  // namespace

void look() noexcept {
  address_present = address::is_present();
  thread_present = thread::is_present();
  valgrind_present = valgrind::is_present();
  present = address_present || thread_present || valgrind_present;
}

std::size_t apart() noexcept { return valgrind_present ? std::size_t{4} << 20 : 0; }

void forked(void* order) noexcept {
  // Not `thread_present`: a thread's first fork starts the runtime.
  if (thread::is_present()) {
    thread::comes_before(order);
  }
}

void before_at_any_time(void* order) noexcept {
  if (thread::is_present()) {
    thread::comes_before(order);
  }
}
void after_at_any_time(void* order) noexcept {
  if (thread::is_present()) {
    thread::comes_after(order);
  }
}

void begin_fork() noexcept { thread::lock_sharing(); }
void end_fork() noexcept { thread::unlock_sharing(); }

namespace watched {

void stack_made(stack_record& stack, const void* low, std::size_t bytes) noexcept {
  stack.low = static_cast<const char*>(low);
  stack.bytes = bytes;
}

void stack_unmade(stack_record& stack) noexcept {
  if (address_present) {
    address::drop_fake_frames(stack);
  }
  if (thread_present) {
    thread::drop_fiber(stack);
  }
  stack = {};
}

void stack_emptied(stack_record& stack) noexcept {
  if (address_present) {
    address::let_die(stack.left_at, end_of(stack));
    address::clean(stack.left_at, end_of(stack));
    address::drop_fake_frames(stack);
  }
  stack.left_at = nullptr;
}

void leave_strand(stack_record& strand, stack_record& scheduler, const void* stack_pointer,
                  void* order) noexcept {
  if (address_present) {
    address::change_stack(strand, scheduler);
    address::keep_alive(stack_pointer, end_of(strand));
  }
  if (thread_present) {
    thread::comes_before(order);
    thread::comes_before(&scheduler);  // for the end of the thread
    thread::change_stack(strand, scheduler);
  }
  strand.left_at = static_cast<const char*>(stack_pointer);
}

void enter_strand(stack_record& scheduler, const void* scheduler_top, stack_record& strand,
                  const void* stack_pointer, void* order, bool unwinding) noexcept {
  if (address_present) {
    // Functions that never return left their marks around their variables: the scheduler's own
    // here, ...
    address::clean(__builtin_frame_address(0), scheduler_top);
    address::change_stack(scheduler, strand);
    if (strand.left_at != nullptr) {
      address::let_die(strand.left_at, end_of(strand));
      // ... those of a child that ended in the scheduler there, and what an exception passes by,
      // which is told for the stack alone that it is thrown on.
      address::clean(strand.left_at, unwinding ? end_of(strand) : stack_pointer);
    }
  }
  if (thread_present) {
    thread::change_stack(scheduler, strand);
    thread::comes_after(order);
  }
  if (valgrind_present) {
    valgrind::make_usable(stack_pointer, strand.left_at == nullptr ? end_of(strand) : strand.left_at);
  }
  strand.left_at = nullptr;
}

void call_scheduler(stack_record& strand, stack_record& scheduler) noexcept {
  if (address_present) {
    address::change_stack(strand, scheduler);
  }
}

void end_scheduler_call(stack_record& scheduler, stack_record& strand) noexcept {
  if (address_present) {
    address::change_stack(scheduler, strand);
  }
}

void before(void* order) noexcept {
  if (thread_present) {
    thread::comes_before(order);
  }
}

void after(void* order) noexcept {
  if (thread_present) {
    thread::comes_after(order);
  }
}

void thread_begins() noexcept {
  if (thread_present) {
    thread::share_thread_locals();
  }
}

void begin_ignoring_sync() noexcept {
  if (thread_present) {
    thread::ignore_locks();
  }
}

void end_ignoring_sync() noexcept {
  if (thread_present) {
    thread::heed_locks();
  }
}

void begin_ignoring_memory() noexcept {
  if (thread_present) {
    thread::ignore_memory();
  }
}

void end_ignoring_memory() noexcept {
  if (thread_present) {
    thread::heed_memory();
  }
}

}  // namespace watched

void keep_alive(const void* low, std::size_t bytes) noexcept {
  address::keep_alive(low, static_cast<const char*>(low) + bytes);
}

void let_die(const void* low, std::size_t bytes) noexcept {
  address::let_die(low, static_cast<const char*>(low) + bytes);
}

}  // namespace sanitizers
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
