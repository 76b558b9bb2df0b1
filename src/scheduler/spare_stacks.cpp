// Where stacks go that nobody runs on any more: a worker's spare, or the pool.

#include "scheduler/spare_stacks.hpp"
#include "scheduler/runtime.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Where the thread is now, since it may have moved at any time; asked for where there are several nodes.
int node_of_this_thread(const runtime& all) noexcept {
  return all.topology->node_index(os::current_cpu()) % all.stacks.nodes();
}

}  // namespace

void drop_stack(worker* self, nopal_stack* stack) noexcept {
  NOPAL_PLAIN_WRITE(stack->origin);
  stack->origin = {};
  stack->forks.count = 0;
  stack->came_home.forget();
  sanitizers::stack_emptied(stack->record);
  the_runtime().stacks.reuse(stack);
  self->counts.stacks_returned.add();
  self->counts.pages_reclaimed.add(the_runtime().stacks.give(stack));
}

void return_stack(worker* self, nopal_stack* stack) noexcept {
  runtime& all = the_runtime();
  self->counts.stacks_returned.add();
  // Under `eager` nothing keeps pages that it does not use. A low spare stack would have
  // continuations run on still lower ones, further and further down, each with pages of its own.
  if (self->spare == nullptr && all.chosen.reclaim != reclaim::eager && all.stacks.is_high(stack) &&
      is_near(stack)) {
    self->spare = stack;
  } else {
    self->counts.pages_reclaimed.add(all.stacks.give(stack));
  }
}

nopal_stack* take_stack(const void* below) noexcept {
  runtime& all = the_runtime();
  return all.stacks.take(below, all.stacks.nodes() == 1 ? 0 : node_of_this_thread(all));
}

bool is_of_this_node(const nopal_stack* stack) noexcept {
  const runtime& all = the_runtime();
  return all.stacks.node_of(stack) == node_of_this_thread(all);
}

bool have_stack(worker* self) noexcept {
  if (self->spare == nullptr) {
    self->spare = take_stack(nullptr);
  }
  return self->spare != nullptr;
}

void wait_for_stack(worker* self) noexcept {
  constexpr std::uint64_t stack_wait_ns = 1'000'000;
  static std::atomic<bool> told{false};
  if (!told.exchange(true, std::memory_order_relaxed)) {
    os::write_stderr("nopal: no memory for another stack of %zu bytes: fewer strands run at once "
                     "(lower NOPAL_STACK_SIZE, or raise the limit on address space)\n",
                     the_runtime().chosen.stack_bytes);
  }
  os::futex_wait_for(self->park, awake, stack_wait_ns);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
