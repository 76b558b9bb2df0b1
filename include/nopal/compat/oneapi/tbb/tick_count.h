// Time.
#ifndef NOPAL_COMPAT_TBB_TICK_COUNT_H
#define NOPAL_COMPAT_TBB_TICK_COUNT_H

#include <chrono>

#include "detail/config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// A moment, by a clock that is never set.
class tick_count {
public:
  using clock_type = std::chrono::steady_clock;

  /// A length of time.
  class interval_t {
  public:
    interval_t() = default;
    explicit interval_t(double seconds)
        : length_(std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(seconds))) {}
    explicit interval_t(clock_type::duration length) : length_(length) {}

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(length_).count(); }

    interval_t& operator+=(const interval_t& other) {
      length_ += other.length_;
      return *this;
    }
    interval_t& operator-=(const interval_t& other) {
      length_ -= other.length_;
      return *this;
    }
    friend interval_t operator+(interval_t a, const interval_t& b) { return a += b; }
    friend interval_t operator-(interval_t a, const interval_t& b) { return a -= b; }

  private:
    clock_type::duration length_{};
  };

  tick_count() = default;

  [[nodiscard]] static tick_count now() {
    tick_count result;
    result.at_ = clock_type::now();
    return result;
  }
  /// The length of a tick in seconds.
  [[nodiscard]] static double resolution() {
    return static_cast<double>(clock_type::period::num) / static_cast<double>(clock_type::period::den);
  }
  friend interval_t operator-(const tick_count& a, const tick_count& b) { return interval_t(a.at_ - b.at_); }

private:
  clock_type::time_point at_{};
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
