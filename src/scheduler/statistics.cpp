// Counts: gathered from the workers, printed at exit on request.

#include <cstdio>

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
#define NOPAL_COUNTER(name, title, width) .name = counts.name.get(),
  return {NOPAL_COUNTERS(NOPAL_COUNTER)};
#undef NOPAL_COUNTER
}

void add(worker_statistics& to, const worker_statistics& from) {
#define NOPAL_COUNTER(name, title, width) to.name += from.name;
  NOPAL_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
}

struct column {
  const char* title;
  int width;
  std::uint64_t worker_statistics::* count;
};

#define NOPAL_COUNTER(name, title, width) {title, width, &worker_statistics::name},
constexpr column columns[] = {NOPAL_COUNTERS(NOPAL_COUNTER)};
#undef NOPAL_COUNTER
static_assert(sizeof columns / sizeof columns[0] * sizeof(std::uint64_t) == sizeof(worker_statistics),
              "each count of the public structure is in the table");

/// One line: what `text_of` says of each column that is printed.
template <class Text>
void print_line(const char* name, Text text_of) {
  char line[160];
  std::size_t length = 0;
  for (const column& one : columns) {
    if (one.title != nullptr) {
      length += static_cast<std::size_t>(text_of(one, line + length, sizeof line - length));
    }
  }
  os::write_stderr("nopal: %-8s%s\n", name, line);
}

void print_titles() {
  print_line("worker", [](const column& one, char* to, std::size_t room) {
    return std::snprintf(to, room, " %*s", one.width, one.title);
  });
}

void print_counts(const char* name, const worker_statistics& of) {
  print_line(name, [&of](const column& one, char* to, std::size_t room) {
    return std::snprintf(to, room, " %*llu", one.width, static_cast<unsigned long long>(of.*one.count));
  });
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
  print_titles();
  worker_statistics total = snapshot(all.left_counts);
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
      print_counts(at, counts);
    } else {
      print_counts(name, counts);
    }
    add(total, counts);
  });
  print_counts("total", total);
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
