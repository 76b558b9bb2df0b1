#include "machine.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

namespace virtual_time {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} * 1024;
constexpr std::size_t guard_bytes = std::size_t{4} * 1024;
constexpr std::size_t nobody = SIZE_MAX;

void* map_stack() {
  void* const stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(stack, guard_bytes, PROT_NONE) != 0) {
    munmap(stack, stack_bytes);
    throw std::bad_alloc();
  }
  return stack;
}

}  // namespace

machine* machine::current_ = nullptr;

machine::machine(const settings& with)
    : scheduler(with.costs, with.workers, with.seed), node_(std::llround(with.ns_per_node * 1000)),
      stretch_(static_cast<std::uint64_t>(std::max(1.0, with.stretch_ns / with.ns_per_node))), fibers_(1) {
  workers_.front().doing = simulate::activity::running;
  workers_.front().strand = 0;
  agenda_.set(0, 0);
  current_ = this;
}

machine::~machine() {
  current_ = nullptr;
  for (const fiber& one : fibers_)
    if (one.stack != nullptr) munmap(one.stack, stack_bytes);
}

void machine::pass_time() {
  if (nodes_ == 0) return;
  agenda_.set(self_, moment() + node_ * static_cast<picoseconds>(std::exchange(nodes_, 0)));
  go_on();
}

picoseconds machine::now() {
  pass_time();
  return moment();
}

bool machine::begin_fork(std::uint32_t& scope) {
  pass_time();
  if (is_stopped()) {
    agenda_.set(self_, moment() + publish_);  // the slow push finds that out
    return false;
  }
  if (scope != none) return true;
  if (free_scopes_.empty()) {
    scope = static_cast<std::uint32_t>(scopes_.size());
    scopes_.emplace_back();
  } else {
    scope = free_scopes_.back();
    free_scopes_.pop_back();
    scopes_[scope] = {};
  }
  return true;
}

void machine::enter_child(std::uint32_t scope, void (*entry)(void*), void* body) {
  const std::uint32_t child = take_fiber();
  fiber& of = fibers_[child];
  of.entry = entry;
  of.body = body;
  of.forked_in = scope;
  of.forked_by = running_;
  of.part = fibers_[running_].part;
  fibers_[running_].scope = scope;
  run_strand(self_, child, push(self_, running_, moment()));
  switch_to(child);
}

void machine::end_child() {
  pass_time();
  const fiber& child = fibers_[running_];
  // It is at nobody's disposal before this strand has been left.
  free_fibers_.push_back(running_);
  picoseconds at = moment();
  if (pop(self_, at)) {
    run_strand(self_, child.forked_by, at);
  } else {
    finish_child(self_, child.forked_in, at);
  }
  go_on();
}

void machine::join(std::uint32_t& scope) {
  if (scope == none) return;
  pass_time();
  if (scopes_[scope].steals != 0) {
    arrive(self_, scope, running_, moment());
    go_on();
  }
  free_scopes_.push_back(std::exchange(scope, none));
}

void machine::enter_part(stop_part& part) {
  part.around = fibers_[running_].part;
  fibers_[running_].part = &part;
}

bool machine::stop(stop_part& part) {
  pass_time();
  if (std::exchange(part.is_requested, true)) return false;
  poison_all();
  // Nobody has a turn meanwhile: the caller may be an inlet.
  agenda_.set(self_, moment() + line_ * static_cast<picoseconds>(workers_.size() - 1));
  return true;
}

bool machine::is_stopped() {
  pass_time();
  const stop_part* const innermost = fibers_[running_].part;
  return innermost != nullptr && innermost->is_stopped();
}

/// Whoever is the earliest takes its steps, until that is a worker with a strand.
void machine::go_on() {
  turn_ = nobody;
  while (turn_ == nobody) take_step();
  self_ = turn_;
  const std::uint32_t next = workers_[self_].strand;
  if (next != running_) switch_to(next);
}

void machine::switch_to(std::uint32_t next) {
  fiber& from = fibers_[std::exchange(running_, next)];
  if (swapcontext(&from.context, &fibers_[next].context) != 0) std::abort();
}

std::uint32_t machine::take_fiber() {
  if (!free_fibers_.empty()) {
    const std::uint32_t taken = free_fibers_.back();
    free_fibers_.pop_back();
    return taken;
  }
  fiber& made = fibers_.emplace_back();
  made.stack = map_stack();
  if (getcontext(&made.context) != 0) std::abort();
  made.context.uc_stack.ss_sp = made.stack;
  made.context.uc_stack.ss_size = stack_bytes;
  made.context.uc_link = nullptr;
  makecontext(&made.context, &live, 0);
  return static_cast<std::uint32_t>(fibers_.size() - 1);
}

/// A fiber: one child after the other.
void machine::live() noexcept {
  for (;;) {
    machine& on = current();
    const fiber& self = on.fibers_[on.running_];
    self.entry(self.body);
    on.end_child();
  }
}

}  // namespace virtual_time
