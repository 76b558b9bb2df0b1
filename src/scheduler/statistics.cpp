// Counts: gathered from the workers, printed at exit on request.

#include <cstddef>
#include <cstdio>
#include <iterator>
#include <vector>

#include <nopal/detail/counters.h>
#include <nopal/runtime.hpp>

#include "scheduler/report.hpp"
#include "scheduler/runtime.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

// For debuggers: links the report into every program that has this file, hence into each with the
// scheduler.
[[gnu::used, gnu::retain]] void (*const brings_the_report)() noexcept = nopal_print_workers;

// The structures that <nopal/runtime.hpp> writes out have the table's members in its order, and no
// others.
struct tabled_worker_statistics {
#define NOPAL_COUNTER(name, ...) std::uint64_t name;
  NOPAL_DETAIL_WORKER_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
};
static_assert(sizeof(worker_statistics) == sizeof(tabled_worker_statistics));
#define NOPAL_COUNTER(name, ...)                                                                             \
  static_assert(offsetof(worker_statistics, name) == offsetof(tabled_worker_statistics, name));
NOPAL_DETAIL_WORKER_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER

struct tabled_statistics {
  int workers;
  worker_statistics total;
  std::vector<worker_statistics> per_worker;
#define NOPAL_COUNTER(name, ...) std::uint64_t name;
  NOPAL_DETAIL_RUNTIME_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
};
static_assert(sizeof(statistics) == sizeof(tabled_statistics));
#define NOPAL_COUNTER(name, ...)                                                                             \
  static_assert(offsetof(statistics, name) == offsetof(tabled_statistics, name));
NOPAL_DETAIL_RUNTIME_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER

struct tabled_counter {
  counter worker_counters::* counted;
  std::uint64_t worker_statistics::* shown;
  const char* heading;
  int width;  ///< of its column; 0: it has none
};

constexpr tabled_counter tabled_counters[] = {
#define NOPAL_COUNTER(name, recorded, heading, width)                                                        \
  {&worker_counters::name, &worker_statistics::name, heading, width},
    NOPAL_DETAIL_WORKER_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
};

worker_statistics snapshot(const worker_counters& counts) {
  worker_statistics result;
  for (const tabled_counter& each : tabled_counters) {
    result.*each.shown = (counts.*each.counted).get();
  }
  return result;
}

void add(worker_statistics& to, const worker_statistics& from) {
  for (const tabled_counter& each : tabled_counters) {
    to.*each.shown += from.*each.shown;
  }
}

/// What a thread's workers did: its own and those nested in it.
worker_statistics snapshot(const worker& first) {
  worker_statistics result = snapshot(first.counts);
  const worker* one = &first;
  // Acquire, as in the next two, pairs with the releases in make_nested and enter_table: the worker
  // is complete.
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
  for (const worker* const list : {all.idle_workers, all.resting_substitutes}) {
    for (const worker* one = list; one != nullptr; one = one->next_idle) {
      visit(*one);
    }
  }
}

/// A line of the table: the name, then what print(text, size, counter) prints for each column.
template <class Print>
void print_line(const char* name, Print print) noexcept {
  constexpr std::size_t most_digits = 20;
  char text[32 + std::size(tabled_counters) * (most_digits + 1)];
  std::size_t length = 0;
  for (const tabled_counter& each : tabled_counters) {
    if (each.width != 0) {
      text[length++] = ' ';
      length += static_cast<std::size_t>(print(text + length, sizeof text - length, each));
    }
  }
  os::write_stderr("nopal: %-8s%.*s\n", name, static_cast<int>(length), text);
}

void print_headings() noexcept {
  print_line("worker", [](char* text, std::size_t size, const tabled_counter& each) {
    return std::snprintf(text, size, "%*s", each.width, each.heading);
  });
}

void print_counts(const char* name, const worker_statistics& counts) noexcept {
  print_line(name, [&](char* text, std::size_t size, const tabled_counter& each) {
    return std::snprintf(text, size, "%*llu", each.width,
                         static_cast<unsigned long long>(counts.*each.shown));
  });
}

}  // namespace

void print_statistics() noexcept {
  runtime& all = the_runtime();
  print_headings();
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
  const internal::locked guard(all);
  result.workers = internal::settings_under_lock(all).workers;
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
