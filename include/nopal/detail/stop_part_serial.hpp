// The same in the serial elision: the thread's parts are a list, the innermost first.
#ifndef NOPAL_DETAIL_STOP_PART_SERIAL_HPP
#define NOPAL_DETAIL_STOP_PART_SERIAL_HPP

#include <exception>
#include <utility>

#include <nopal/detail/mode.hpp>
#include <nopal/detail/serial_parts.h>
#include <nopal/detail/stop.h>
#include <nopal/detail/stopped.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

class stop_part {
public:
  explicit stop_part(nopal_stop_kind kind, const stop_part* of = nullptr) noexcept
      : part_{nopal_get_serial_part(), of != nullptr ? &of->part_ : nullptr, kind, 0, nullptr, nullptr, 0} {
    nopal_set_serial_part(&part_);
  }
  stop_part(const stop_part&) = delete;
  stop_part& operator=(const stop_part&) = delete;
  ~stop_part() { nopal_set_serial_part(part_.parent); }

  /// Pairs with the acquire of who looks, and with who makes tokens, see nopal_tell_tokens.
  bool stop() noexcept { return __atomic_exchange_n(&part_.requested, 1U, __ATOMIC_SEQ_CST) == 0; }
  [[nodiscard]] bool is_stopped() const noexcept { return nopal_is_serially_stopped(&part_) != 0; }
  [[nodiscard]] bool unwinds() const noexcept { return part_.kind == nopal_stop_unwinds; }
  [[nodiscard]] nopal_stop* record() noexcept { return &part_; }

private:
  nopal_stop part_;
};

/// Exceptions leave forks here: none gives way to another.
class unwound_child {
public:
  explicit unwound_child(const stop_part* of) noexcept : part_(nopal_stop_child, of) {}
  void throw_kept() noexcept {}
  static constexpr bool was_unwound() noexcept { return false; }

private:
  stop_part part_;
};

[[nodiscard]] inline bool is_stopped_here() noexcept {
  return nopal_is_serially_stopped(nopal_get_serial_part()) != 0;
}

inline void poll_stop() {
#ifdef __cpp_exceptions
  if (std::uncaught_exceptions() != 0) return;
  bool unwinds = false;  // as in the parallel mode
  const nopal_stop* unwinding = nullptr;
  for (const nopal_stop* one = nopal_get_serial_part(); one != nullptr && one->kind != nopal_stop_shield;
       one = one->parent) {
    unwinding = nopal_unwound_around(one, unwinding);
    unwinds = unwinds || one == unwinding;
    if (unwinds && nopal_is_asked_to_stop(one) != 0) throw stopped();
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
