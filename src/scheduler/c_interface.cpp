// The functions of <nopal/nopal.h>: the C++ ones with codes for exceptions.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

// Leaves out <nopal/detail/copy.h>: only users' code says which copy of the library it refers to.
#define NOPAL_DETAIL_COPY_H
#include <nopal/detail/counters.h>
#include <nopal/detail/task.h>
#include <nopal/nopal.h>
#include <nopal/runtime.hpp>

#include "os/os.hpp"
#include "scheduler/settings.hpp"
#include "scheduler/tasks.hpp"

namespace {

constexpr int succeeded = 0;
constexpr int failed = -1;

__thread char latest_error[256];

/// A copy in the thread, so that keeping it can not fail in turn.
void keep_message(const char* text) noexcept {
  std::strncpy(latest_error, text, sizeof latest_error - 1);
  latest_error[sizeof latest_error - 1] = '\0';
}

/// What `action` returns, or `failed` with the message kept.
template <class Action>
int guarded(Action action) noexcept {
  try {
    return action();
  } catch (const std::exception& thrown) {
    keep_message(thrown.what());
  } catch (...) {
    keep_message("nopal: unknown error");  // unreached: std-exceptions
  }
  return failed;
}

// The structures of C have the members of those of C++, which statistics.cpp checks against the
// table, in the same order.
static_assert(sizeof(nopal_worker_statistics) == sizeof(nopal::worker_statistics));
#define NOPAL_COUNTER(name, ...)                                                                             \
  static_assert(offsetof(nopal_worker_statistics, name) == offsetof(nopal::worker_statistics, name));
NOPAL_DETAIL_WORKER_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
// But for a vector, which C lacks.
constexpr std::size_t of_vector = sizeof(std::vector<nopal::worker_statistics>);
static_assert(sizeof(nopal_statistics) + of_vector == sizeof(nopal::statistics));
#define NOPAL_COUNTER(name, ...)                                                                             \
  static_assert(offsetof(nopal_statistics, name) + of_vector == offsetof(nopal::statistics, name));
NOPAL_DETAIL_RUNTIME_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER

nopal_worker_statistics in_c(const nopal::worker_statistics& counts) noexcept {
#define NOPAL_COUNTER(name, ...) counts.name,
  return {NOPAL_DETAIL_WORKER_COUNTERS(NOPAL_COUNTER)};
#undef NOPAL_COUNTER
}

nopal_statistics in_c(const nopal::statistics& counts) noexcept {
#define NOPAL_COUNTER(name, ...) counts.name,
  return {counts.workers, in_c(counts.total), NOPAL_DETAIL_RUNTIME_COUNTERS(NOPAL_COUNTER)};
#undef NOPAL_COUNTER
}

/// C's enumerations have their default at zero, the values of C++ from one on. Without overflow:
/// any number may come.
constexpr int in_cpp(int value) noexcept { return static_cast<int>(static_cast<unsigned>(value) - 1); }
static_assert(in_cpp(nopal_reclaim_lazy) == static_cast<int>(nopal::reclaim::lazy));
static_assert(in_cpp(nopal_reclaim_eager) == static_cast<int>(nopal::reclaim::eager));
static_assert(in_cpp(nopal_reclaim_never) == static_cast<int>(nopal::reclaim::never));
static_assert(in_cpp(nopal_reclaim_with_dontneed) == static_cast<int>(nopal::reclaim_call::dontneed));
static_assert(in_cpp(nopal_reclaim_with_free) == static_cast<int>(nopal::reclaim_call::free));
static_assert(in_cpp(nopal_bad_setting_exit) == static_cast<int>(nopal::bad_setting::exit));
static_assert(in_cpp(nopal_bad_setting_refuse) == static_cast<int>(nopal::bad_setting::refuse));
static_assert(in_cpp(nopal_bad_setting_use_default) == static_cast<int>(nopal::bad_setting::use_default));

/// A C program may store any number in an enumeration. In C++, to read a number that is no
/// enumerator as the enumeration would be undefined.
template <class Enumeration>
int number_in(const Enumeration& value) noexcept {
  int number;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

int pin_in_cpp(int pin) {
  switch (pin) {
  case nopal_pin_default: return -1;
  case nopal_pin_no: return 0;
  case nopal_pin_yes: return 1;
  default:
    throw nopal::error("nopal: configure: pin is none of nopal_pin_default, nopal_pin_no and nopal_pin_yes");
  }
}

/// Views of a C program: memory of the monoid's size.
void* create_view(void* object) noexcept {
  const auto& monoid = *static_cast<const nopal_monoid*>(object);
  const std::size_t alignment =
      monoid.alignment > alignof(std::max_align_t) ? monoid.alignment : alignof(std::max_align_t);
  const std::size_t bytes = (monoid.size + alignment - 1) / alignment * alignment;
  void* const view = std::aligned_alloc(alignment, bytes);
  if (view == nullptr) {
    return nullptr;
  }
  if (monoid.identity != nullptr) {
    monoid.identity(monoid.context, view);
  } else {
    std::memset(view, 0, bytes);
  }
  return view;
}

void reduce_views(void* object, void* left, void* right) {
  const auto& monoid = *static_cast<const nopal_monoid*>(object);
  monoid.reduce(monoid.context, left, right);
}

void destroy_view(void* object, void* view) noexcept {
  const auto& monoid = *static_cast<const nopal_monoid*>(object);
  if (monoid.destroy != nullptr) {
    monoid.destroy(monoid.context, view);
  }
  std::free(view);
}

nopal::configuration asked_in_cpp(const nopal_configuration& with) {
  nopal::configuration asked;
  asked.workers = with.workers;
  asked.stack_size = with.stack_size;
  asked.reclaim = static_cast<nopal::reclaim>(in_cpp(number_in(with.reclaim)));
  asked.pin = pin_in_cpp(number_in(with.pin));
  asked.reclaim_with = in_cpp(number_in(with.reclaim_with));
  asked.on_bad_setting = static_cast<nopal::bad_setting>(in_cpp(number_in(with.on_bad_setting)));
  return asked;
}

}  // namespace

extern "C" {

int nopal_workers(void) {
  return guarded([] { return nopal::workers(); });
}

int nopal_configure(const nopal_configuration* with) {
  return guarded([with] {
    nopal::configure(asked_in_cpp(*with));
    return succeeded;
  });
}

NOPAL_EXPORT int nopal_configure_for_arenas(const nopal_configuration* with) {
  return guarded([with] {
    nopal::internal::configure(asked_in_cpp(*with), true);
    nopal::internal::start_for_tasks_left();
    return succeeded;
  });
}

int nopal_worker_index(void) { return nopal::worker_index(); }

int nopal_stats(nopal_statistics* counts) {
  return guarded([counts] {
    *counts = in_c(nopal::stats());
    return succeeded;
  });
}

int nopal_worker_stats(nopal_worker_statistics* counts, std::size_t capacity) {
  return guarded([counts, capacity] {
    const nopal::statistics now = nopal::stats();
    for (std::size_t i = 0; i < capacity && i < now.per_worker.size(); ++i) {
      counts[i] = in_c(now.per_worker[i]);
    }
    return static_cast<int>(now.per_worker.size());
  });
}

int nopal_shutdown(void) {
  return guarded([] {
    nopal::shutdown();
    return succeeded;
  });
}

int nopal_start_reducer(nopal_reducer* reducer, void* value) {
  static constexpr nopal_view_functions functions{create_view, reduce_views, destroy_view, nullptr};
  void* const place =
      nopal_make_reducer(&reducer->known, &functions, const_cast<nopal_monoid*>(reducer->monoid), value);
  return place != nullptr ? succeeded : failed;
}

const char* nopal_error_message(void) { return latest_error; }

void nopal_fail_push(void) {
  nopal::internal::os::end_process(
      "nopal: fork: this thread cannot become a worker: out of memory for its deque or for stacks");
}

void nopal_fail_foreign_scope(nopal_frame*) {
  nopal::internal::os::end_process(
      "nopal: a scope was forked on or joined by a function other than the one that made it: "
      "call nopal_scope_init (nopal_cancel_scope_init, fibril_init) in every function that forks");
}

}  // extern "C"
