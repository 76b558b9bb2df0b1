// A value for each thread, combined at the end.
#ifndef NOPAL_COMPAT_TBB_COMBINABLE_H
#define NOPAL_COMPAT_TBB_COMBINABLE_H

#include <utility>

#include "enumerable_thread_specific.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// What enumerable_thread_specific is, with its rules, but for the iterators.
template <class T>
class combinable {
public:
  combinable() = default;
  /// Values are made by `make()`.
  template <class Make>
    requires std::is_invocable_r_v<T, Make&>
  explicit combinable(Make make) : values_(std::move(make)) {}

  T& local() { return values_.local(); }
  T& local(bool& exists) { return values_.local(exists); }
  void clear() { values_.clear(); }
  template <class F>
  T combine(F f) {
    return values_.combine(std::move(f));
  }
  template <class F>
  void combine_each(F f) {
    values_.combine_each(std::move(f));
  }

private:
  enumerable_thread_specific<T> values_;
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
