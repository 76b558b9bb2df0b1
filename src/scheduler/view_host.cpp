// What src/view asks of the scheduler.

#include "view/host.hpp"

#include "scheduler/copies.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/worker.hpp"
#include "scheduler/yield.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {
namespace host {

nopal_stack* this_stack() noexcept {
  const worker* const self = this_worker();
  return self != nullptr ? self->deque.strand.stack : nullptr;
}

bool began_thread(const nopal_stack* stack) noexcept {
  while (stack != nullptr) {
    if ((!is_root_stack(stack) && stack->caller == nullptr) || stack->merge != nullptr) {
      return false;
    }
    const worker* const outer = (is_root_stack(stack) ? stack->native_owner : stack->caller)->outer;
    stack = outer != nullptr ? get(outer->deque.strand.stack) : nullptr;
  }
  return true;
}

bool holds_for_this_strand(stack_test holds, std::uint32_t id) noexcept {
  const worker* one = this_worker();
  while (one != nullptr && !holds(one->deque.strand.stack, id)) {
    one = one->outer;
  }
  return one != nullptr;
}

bool holds_for_one_kept_waiting(stack_test holds, std::uint32_t id) noexcept {
  const worker* const self = this_worker();
  for (const worker* one = self != nullptr ? self->outer : nullptr; one != nullptr; one = one->outer) {
    if (holds(&one->native, id)) {
      return true;
    }
    // unreached below: yielded-in-reduction
    for (const yielded_strand* yielded = one->yielded; yielded != nullptr; yielded = yielded->next) {
      if (holds(yielded->frame.home, id)) {
        return true;
      }
    }
  }
  return false;
}

void keep_thrown(nopal_frame* frame, bool of_stolen_child) noexcept {
  nopal::internal::keep_thrown(frame, of_stolen_child);
}
void keep_thrown(const nopal_task_group* group) noexcept { nopal::internal::keep_thrown(group); }
void* take_exception(nopal_frame* frame) noexcept { return nopal::internal::take_exception(frame); }
void* one_of_exceptions(void* first, void* second) noexcept {
  return nopal::internal::one_of_exceptions(first, second);
}
void* take_exception(const nopal_task_group* group) noexcept {
  return nopal::internal::take_exception(group);
}

void resume_after_child(nopal_frame* frame) noexcept { this_worker()->ready = frame; }

void yield_strand(int round) noexcept { nopal::internal::yield_strand(round); }
std::atomic<std::uint32_t>& events_of(const nopal_task_group* group) noexcept {
  return nopal::internal::events_of(group);
}

bool is_stand_in() noexcept { return nopal::internal::is_stand_in(); }

}  // namespace host
}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
