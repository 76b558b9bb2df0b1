// Counts: gathered from the workers, printed at exit on request.

#include <nopal/runtime.hpp>

#include "scheduler/report.hpp"
#include "scheduler/runtime.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

// For debuggers, in every program that has this file, as each with the scheduler does.
[[gnu::used, gnu::retain]] void (*const brings_the_report)() noexcept = nopal_print_workers;

worker_statistics snapshot(const worker_counters& counts) {
  worker_statistics result;
  result.steals = counts.steals.get();
  result.failed_steals = counts.failed_steals.get();
  result.suspensions = counts.suspensions.get();
  result.resumptions = counts.resumptions.get();
  result.publishes = counts.publishes.get();
  result.forced_publishes = counts.forced_publishes.get();
  result.parks = counts.parks.get();
  result.wakes = counts.wakes.get();
  result.stacks_taken = counts.stacks_taken.get();
  result.stacks_returned = counts.stacks_returned.get();
  result.pages_reclaimed = counts.pages_reclaimed.get();
  return result;
}

void add(worker_statistics& to, const worker_statistics& from) {
  to.steals += from.steals;
  to.failed_steals += from.failed_steals;
  to.suspensions += from.suspensions;
  to.resumptions += from.resumptions;
  to.publishes += from.publishes;
  to.forced_publishes += from.forced_publishes;
  to.parks += from.parks;
  to.wakes += from.wakes;
  to.stacks_taken += from.stacks_taken;
  to.stacks_returned += from.stacks_returned;
  to.pages_reclaimed += from.pages_reclaimed;
}

/// What a thread's workers did: its own and those nested in it.
worker_statistics snapshot(const worker& first) {
  worker_statistics result = snapshot(first.counts);
  const worker* one = &first;
  // Acquire, as in the next two, pairs with the releases in make_nested and enter_table: the worker is complete.
  while ((one = one->nested.load(std::memory_order_acquire)) != nullptr) {
    add(result, snapshot(one->counts));
  }
  return result;
}

std::uint64_t joined_children(const worker& first) {
  std::uint64_t result = 0;
  for (const worker* one = &first; one != nullptr; one = one->nested.load(std::memory_order_acquire)) {
    result += one->counts.joined_children.get();
  }
  return result;
}

/// For the first worker of each thread, and those without a thread.
template <class Visit>
void for_each_thread(runtime& all, Visit visit) {
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    if (const worker* const one = all.table[i].load(std::memory_order_acquire)) {
      visit(*one);
    }
  }
  for (const worker* one = all.idle_workers; one != nullptr; one = one->next_idle) {
    visit(*one);
  }
}

}  // namespace

void print_statistics() noexcept {
  runtime& all = the_runtime();
  os::write_stderr("nopal: %-8s %10s %10s %10s %10s %8s %8s %8s %8s\n", "worker", "steals", "failed",
                   "suspended", "published", "forced", "parks", "wakes", "pages");
  worker_statistics total = snapshot(all.left_counts);
  const auto line = [](const char* name, const worker_statistics& of) {
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    os::write_stderr("nopal: %-8s %10llu %10llu %10llu %10llu %8llu %8llu %8llu %8llu\n", name,
                     number(of.steals), number(of.failed_steals), number(of.suspensions),
                     number(of.publishes), number(of.forced_publishes), number(of.parks), number(of.wakes),
                     number(of.pages_reclaimed));
  };
  for_each_thread(all, [&](const worker& one) {
    const worker_statistics counts = snapshot(one);
    char name[12] = "program";
    if (one.of_pool) {
      char* at = name + sizeof name - 1;
      *at = '\0';
      int rest = one.index;
      do {
        *--at = static_cast<char>('0' + rest % 10);
        rest /= 10;
      } while (rest != 0);
      line(at, counts);
    } else {
      line(name, counts);
    }
    add(total, counts);
  });
  line("total", total);
  const stack_pool::usage usage = all.stacks.measure();
  os::write_stderr(
      "nopal: stacks: %d at most outside the pool, %llu ever used; %llu resident pages, %llu at most\n",
      static_cast<int>(usage.most_out), static_cast<unsigned long long>(usage.mapped),
      static_cast<unsigned long long>(usage.pages_in_use), static_cast<unsigned long long>(usage.pages_peak));
}

}  // namespace internal

statistics stats() {
  internal::runtime& all = internal::the_runtime();
  statistics result;
  result.workers = internal::known_settings(all).workers;
  const internal::locked guard(all);
  result.total = internal::snapshot(all.left_counts);
  result.joins_with_children = all.left_counts.joined_children.get();
  internal::for_each_thread(all, [&](const internal::worker& one) {
    result.per_worker.push_back(internal::snapshot(one));
    internal::add(result.total, result.per_worker.back());
    result.joins_with_children += internal::joined_children(one);
  });
  const internal::stack_pool::usage usage = all.stacks.measure();
  result.stacks_in_use = result.total.stacks_taken - result.total.stacks_returned;
  result.stacks_peak = usage.most_out;
  result.stacks_mapped = usage.mapped;
  result.stack_pages_in_use = usage.pages_in_use;
  result.stack_pages_peak = usage.pages_peak;
  internal::view::count_view_sets(result.view_sets_in_use, result.view_sets_peak);
  return result;
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
