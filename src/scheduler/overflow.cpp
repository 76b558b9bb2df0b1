// An overflow of a stack of the pool, or of a scheduler stack by a signal handler, is reported in
// one line before the process ends as it would have.

#include <csignal>
#include <cstdlib>
#include <sys/auxv.h>

#include "scheduler/overflow.hpp"
#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

struct sigaction previous;
std::atomic<bool> installed{false};

/// By kill, raise and their like: no instruction is at fault.
bool was_sent(const siginfo_t* info) noexcept { return info->si_code <= 0; }

void hand_on(int signal, siginfo_t* info, void* context) {
  // unreached: other-handlers
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);  // unreached: other-handlers
    // unreached below: other-handlers
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);  // The faulting instruction runs again and ends the process.
    if (was_sent(info)) {
      std::raise(
          signal);  // To this thread, where it is blocked until the handler returns, and then ends the process.
    }
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (was_sent(info)) {
    hand_on(signal, info, context);  // `si_addr` is no address
    return;
  }
  worker* const self = this_worker();
  const nopal_stack* stack = self != nullptr ? get(self->deque.strand.stack) : nullptr;
  stack = stack != nullptr ? ground(stack) : nullptr;
  const auto* const address = static_cast<const char*>(info->si_addr);
  const auto reach = static_cast<std::ptrdiff_t>(stack != nullptr ? stack->guard_bytes : 0);
  // unreached: memory-by-stack
  if (stack != nullptr && stack->low != nullptr && address < stack->low && stack->low - address <= reach) {
    os::write_stderr("nopal: stack overflow on worker %d: its stack has %zu bytes; raise NOPAL_STACK_SIZE\n",
                     self->index, stack->size_bytes());
    std::signal(signal, SIG_DFL);
    return;
  }
  // Above lies the guard of the next stack: compilers store arguments upwards from the stack
  // pointer.
  if (stack != nullptr && stack->high != nullptr && address >= stack->high && address - stack->high < reach) {
    os::write_stderr("nopal: arguments passed by value do not fit worker %d's stack of %zu bytes; raise "
                     "NOPAL_STACK_SIZE or "
                     "pass references\n",
                     self->index, stack->size_bytes());
    std::signal(signal, SIG_DFL);
    return;
  }
  if (self != nullptr && lies_below_scheduler_stack(self, address)) {
    os::write_stderr(
        "nopal: stack overflow on worker %d while it waits, where signal handlers have %zu bytes; "
        "raise NOPAL_STACK_SIZE\n",
        self->index, thread_worker(self)->scheduler_bytes);
    std::signal(signal, SIG_DFL);
    return;
  }
  hand_on(signal, info, context);
}

/// Installs our handler, unless the program has one of its own. Threads that come here before the
/// first one is done install it again, since they may overflow before that.
void install_handler() noexcept {
  struct sigaction current;
  // unreached: never-refused
  if (sigaction(SIGSEGV, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0 &&
      current.sa_handler == SIG_DFL) {
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    struct sigaction before = {};
    sigaction(SIGSEGV, &ours, &before);
    // unreached: race
    if ((before.sa_flags & SA_SIGINFO) == 0 || before.sa_sigaction != on_fault) {
      previous = before;
    }
  }
}

/// Whole pages, without the guard below.
std::size_t signal_stack_bytes() noexcept {
#ifdef AT_MINSIGSTKSZ
  const std::size_t least = getauxval(AT_MINSIGSTKSZ);
#else
  const std::size_t least = 0;
#endif
  const std::size_t page_bytes = os::page_size();
  // unreached: vector-state
  const std::size_t wanted = (least > 4096 ? least : 4096) + (std::size_t{16} << 10);
  return (wanted + page_bytes - 1) / page_bytes * page_bytes;
}

/// Gives the thread a signal stack, with a guard page against handlers that need more. False if
/// there is no memory: an overflow then ends the process without a line.
bool have_signal_stack(worker* self) {
  if (self->signal_stack != nullptr) {
    return true;
  }
  const std::size_t page_bytes = os::page_size();
  auto* const all = static_cast<char*>(os::map_stack_memory(page_bytes + signal_stack_bytes()));
  if (all == nullptr) {
    return false;
  }
  if (!os::protect_none(all, page_bytes)) {
    os::unmap(all, page_bytes + signal_stack_bytes());
    return false;
  }
  self->signal_stack = all + page_bytes;
  return true;
}

}  // namespace

void free_signal_stack(worker* self) noexcept {
  if (self->signal_stack != nullptr) {
    const std::size_t page_bytes = os::page_size();
    os::unmap(static_cast<char*>(self->signal_stack) - page_bytes, page_bytes + signal_stack_bytes());
    self->signal_stack = nullptr;
  }
}

void watch_for_overflow(worker* self) noexcept {
  if (!installed.load(std::memory_order_acquire)) {
    install_handler();
    // Release pairs with the acquire above: who sees it has the handler.
    installed.store(true, std::memory_order_release);
  }
  stack_t present;
  if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0 &&
      have_signal_stack(self)) {
    stack_t ours = {};
    ours.ss_sp = self->signal_stack;
    ours.ss_size = signal_stack_bytes();
    self->alternate_stack = sigaltstack(&ours, nullptr) == 0;
  }
}

void forget_overflow_handler() noexcept {
  struct sigaction current;
  // unreached: never-refused
  if (installed.exchange(false, std::memory_order_relaxed) && sigaction(SIGSEGV, nullptr, &current) == 0 &&
      (current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_fault) {
    sigaction(SIGSEGV, &previous, nullptr);
  }
}

void stop_watching_for_overflow(worker* self) noexcept {
  if (!self->alternate_stack) {
    return;
  }
  self->alternate_stack = false;
  stack_t present;
  // The program may have set one of its own since.
  // unreached: never-refused
  if (sigaltstack(nullptr, &present) == 0 && present.ss_sp == self->signal_stack) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
