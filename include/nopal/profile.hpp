// Work and span of parts of a program, while `nopal profile` or NOPAL_PROFILE measures it.
#ifndef NOPAL_PROFILE_HPP
#define NOPAL_PROFILE_HPP

#include <cstdint>

#include <nopal/detail/difference.hpp>
#include <nopal/detail/work_span.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// Work and span of an interval, or of all that the calling strand did up to a moment.
///
/// Begin and end lie in one strand, and what was forked in between has been joined at the end: the
/// interval is a piece of series-parallel code. In a program that is not profiled all is zero, and
/// nothing is written. Costs two looks at the clock where it is.
class work_span {
public:
  /// Nothing.
  work_span() noexcept : values_{} {}

  /// What the calling strand has done so far. The difference of two of these is an interval.
  [[nodiscard]] static work_span now() noexcept {
    work_span result;
    result.begin();
    return result;
  }

  /// Begins an interval here.
  void begin() noexcept { nopal_work_span_begin(&values_); }
  /// Ends it. With a name, which is copied, the profile gets the sum of all intervals of that name.
  void end(const char* name = nullptr) noexcept { nopal_work_span_end(&values_, name); }

  /// What was done from `earlier` to `later`, on one strand; nothing where `earlier` is more.
  friend work_span operator-(const work_span& later, const work_span& earlier) noexcept {
    work_span result;
    result.values_ = {detail::difference(later.values_.work_ns, earlier.values_.work_ns),
                      detail::difference(later.values_.span_ns, earlier.values_.span_ns),
                      detail::difference(later.values_.burdened_span_ns, earlier.values_.burdened_span_ns)};
    return result;
  }

  /// The time of all that was done.
  [[nodiscard]] std::uint64_t work_ns() const noexcept { return values_.work_ns; }
  /// The time of the longest path through it.
  [[nodiscard]] std::uint64_t span_ns() const noexcept { return values_.span_ns; }
  /// The same where each continuation on that path is stolen.
  [[nodiscard]] std::uint64_t burdened_span_ns() const noexcept { return values_.burdened_span_ns; }

  /// Work for each unit of span: with more workers than that, some have nothing to do. 0 if nothing
  /// was measured.
  [[nodiscard]] double parallelism() const noexcept { return ratio(values_.span_ns); }
  /// The same with what steals cost.
  [[nodiscard]] double burdened_parallelism() const noexcept { return ratio(values_.burdened_span_ns); }

private:
  [[nodiscard]] double ratio(std::uint64_t span_ns) const noexcept {
    return span_ns == 0 ? 0 : static_cast<double>(values_.work_ns) / static_cast<double>(span_ns);
  }
  nopal_work_span values_;
};

/// Whether the program is profiled, once it has forked or asked for a first interval.
inline bool is_profiled() noexcept { return nopal_is_profiled() != 0; }

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
