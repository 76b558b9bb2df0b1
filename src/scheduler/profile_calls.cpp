// Intervals that the program names.

#include <cstdlib>

#include <nopal/detail/difference.hpp>
#include <nopal/detail/work_span.h>

#include "scheduler/adoption.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Of the calling strand. A thread that has not forked yet becomes a worker in a program that is to be
/// profiled: what it has done up to now counts, too.
profile::lengths lengths_here() noexcept {
  worker* self = this_worker();
  if (self == nullptr) {
    const char* const file = secure_getenv("NOPAL_PROFILE");
    if (file == nullptr || *file == '\0' || (self = adopt_this_thread()) == nullptr) {
      return {};
    }
    begin_profiled_thread(self);
  }
  return profile::is_on() ? end_profiled_piece(self) : profile::lengths{};
}

nopal_work_span in_ns(const profile::lengths& ticks) noexcept {
  return profile::is_on() ? nopal_work_span{profile::as_ns(ticks.work), profile::as_ns(ticks.span),
                                            profile::as_ns(ticks.burdened)}
                          : nopal_work_span{};
}

}  // namespace

extern "C" {

NOPAL_EXPORT void nopal_work_span_begin(nopal_work_span* interval) { *interval = in_ns(lengths_here()); }

NOPAL_EXPORT void nopal_work_span_end(nopal_work_span* interval, const char* name) {
  const nopal_work_span now = in_ns(lengths_here());
  // Of an interval that began on another strand the beginning may be the later one.
  *interval = {detail::difference(now.work_ns, interval->work_ns),
               detail::difference(now.span_ns, interval->span_ns),
               detail::difference(now.burdened_span_ns, interval->burdened_span_ns)};
  if (name != nullptr && profile::is_on()) {
    profile::add_named(name, {interval->work_ns, interval->span_ns, interval->burdened_span_ns});
  }
}

NOPAL_EXPORT int nopal_is_profiled() { return profile::is_on() ? 1 : 0; }

}  // extern "C"

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
