#include "thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "records.hpp"
#include "sites.hpp"
#include "strands.hpp"
#include "views.hpp"

// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's
extern "C" void* __libc_stack_end;

namespace [[gnu::visibility("hidden")]] nopal_check {

NOPAL_CHECK_THREAD_LOCAL thread self;
bool has_threads;
std::atomic<int> other_threads{0};
thread* all_threads;

namespace {

std::uint32_t last_number;
bool is_taken;

void find_stack() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    // The first thread's bounds are read in /proc, and there is none.
    constexpr std::size_t usual_bytes = std::size_t{8} << 20;
    self.lowest = self.stack_end = reinterpret_cast<address>(__libc_stack_end);
    self.stack_begin = self.stack_end - usual_bytes;
    return;
  }
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  self.stack_begin = reinterpret_cast<address>(begin);
  self.stack_end = self.stack_begin + bytes;
  self.lowest = self.stack_end;
}

}  // namespace

void take_checker() noexcept {
  // Acquire pairs with the release in `leave_checker`.
  while (__atomic_exchange_n(&is_taken, true, __ATOMIC_ACQUIRE)) sched_yield();
}

void leave_checker() noexcept { __atomic_store_n(&is_taken, false, __ATOMIC_RELEASE); }

void begin_thread() noexcept {
  find_stack();
  if (has_threads) take_checker();
  self.outermost =
      static_cast<call_frame*>(reserve((calls_before + most_calls) * sizeof(call_frame))) + calls_before;
  self.calls = self.first_calls = self.outermost;
  self.calls->stack = ~address{0};
  self.calls_end = self.outermost + most_calls - 1;
  self.outermost_procedure = static_cast<procedure*>(reserve(most_procedures * sizeof(procedure)));
  self.running = self.outermost_procedure;
  self.number = ++last_number;
  begin_root();
  *self.running = {self.strand, nullptr, self.calls, self.stack_end, false};
  self.segment = new_view_segment();
  start_segment();
  self.next_thread = all_threads;
  self.from_thread = &all_threads;
  if (all_threads != nullptr) all_threads->from_thread = &self.next_thread;
  all_threads = &self;
  if (has_threads) leave_checker();
  self.is_heeding = self.ignores == 0 ? 1 : 0;
}

void keep_this_thread_alone() noexcept {
  other_threads.store(0, std::memory_order_relaxed);
  all_threads = nullptr;
  if (self.running == nullptr) return;
  all_threads = &self;
  self.next_thread = nullptr;
  self.from_thread = &all_threads;
}

void end_thread() noexcept {
  self.is_heeding = 0;
  if (self.running == nullptr) return;
  take_checker();
  *self.from_thread = self.next_thread;
  if (self.next_thread != nullptr) self.next_thread->from_thread = self.from_thread;
  self.running = nullptr;
  self.calls = nullptr;  // destructors of its thread-local variables follow
  leave_checker();
  munmap(self.outermost - calls_before, (calls_before + most_calls) * sizeof(call_frame));
  munmap(self.outermost_procedure, most_procedures * sizeof(procedure));
}

}  // namespace nopal_check
