// The same in the serial elision: the thread's parts are a list, the innermost first.
#ifndef NOPAL_DETAIL_STOP_PART_SERIAL_HPP
#define NOPAL_DETAIL_STOP_PART_SERIAL_HPP

#include <exception>
#include <utility>

#include <nopal/detail/mode.hpp>
#include <nopal/detail/stop.h>
#include <nopal/detail/stopped.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

inline thread_local nopal_stop* innermost_part = nullptr;

[[nodiscard]] inline bool is_part_stopped(const nopal_stop* part) noexcept {
  for (; part != nullptr && part->kind != nopal_stop_shield; part = part->parent) {
    if (__atomic_load_n(&part->requested, __ATOMIC_ACQUIRE) != 0) return true;
  }
  return false;
}

class stop_part {
public:
  explicit stop_part(nopal_stop_kind kind, const stop_part* of = nullptr) noexcept
      : part_{innermost_part, of != nullptr ? &of->part_ : nullptr, kind, 0, nullptr} {
    innermost_part = &part_;
  }
  stop_part(const stop_part&) = delete;
  stop_part& operator=(const stop_part&) = delete;
  ~stop_part() { innermost_part = part_.parent; }

  bool stop() noexcept { return __atomic_exchange_n(&part_.requested, 1, __ATOMIC_ACQ_REL) == 0; }
  [[nodiscard]] bool is_stopped() const noexcept { return is_part_stopped(&part_); }
  [[nodiscard]] bool unwinds() const noexcept { return part_.kind == nopal_stop_unwinds; }
  [[nodiscard]] nopal_stop* record() noexcept { return &part_; }

private:
  nopal_stop part_;
};

[[nodiscard]] inline bool is_stopped_here() noexcept { return is_part_stopped(innermost_part); }

inline void poll_stop() {
#ifdef __cpp_exceptions
  if (std::uncaught_exceptions() != 0) return;
  const nopal_stop* const inside = innermost_part;
  for (const nopal_stop* one = inside; one != nullptr && one->kind != nopal_stop_shield; one = one->parent) {
    if (one->kind != nopal_stop_unwinds || __atomic_load_n(&one->requested, __ATOMIC_ACQUIRE) == 0) continue;
    for (const nopal_stop* child = inside; child != one; child = child->parent) {
      if (child->kind == nopal_stop_child && child->of == one) throw stopped();
    }
  }
#endif
}

/// At a fork of that part: what the parallel fork finds out by itself.
inline bool is_skipped_serially(const stop_part& part) {
  if (!part.is_stopped()) return false;
  poll_stop();
  return true;
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
