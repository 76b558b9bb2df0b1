// What a reducer is made of, for each way of compiling it: a value with a view per strand, or a value.
#ifndef NOPAL_DETAIL_HYPEROBJECT_HPP
#define NOPAL_DETAIL_HYPEROBJECT_HPP

#include <new>
#include <utility>

#include <nopal/version.hpp>

#ifndef NOPAL_ELIDE
#include <nopal/detail/view.h>
#endif

namespace nopal {
#ifdef NOPAL_ELIDE
inline namespace elided {
namespace detail {

/// The serial elision: one strand, one view.
template <class Monoid>
class hyperobject {
public:
  using value_type = typename Monoid::value_type;

  template <class... Initial>
  explicit hyperobject(Monoid monoid, Initial&&... initial)
      : monoid_(std::move(monoid)), own_(std::forward<Initial>(initial)...) {}
  explicit hyperobject(Monoid monoid) : monoid_(std::move(monoid)), own_(monoid_.identity()) {}
  hyperobject(const hyperobject&) = delete;
  hyperobject& operator=(const hyperobject&) = delete;

  value_type& view() noexcept { return own_; }
  [[nodiscard]] const Monoid& monoid() const noexcept { return monoid_; }

private:
  [[no_unique_address]] Monoid monoid_;
  value_type own_;
};

}  // namespace detail
}  // namespace elided
#else
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// A value that each strand has its own view of.
template <class Monoid>
class hyperobject {
public:
  using value_type = typename Monoid::value_type;

  template <class... Initial>
  explicit hyperobject(Monoid monoid, Initial&&... initial)
      : monoid_(std::move(monoid)), own_(std::forward<Initial>(initial)...) {
    enter();
  }
  explicit hyperobject(Monoid monoid) : monoid_(std::move(monoid)), own_(monoid_.identity()) { enter(); }
  hyperobject(const hyperobject&) = delete;
  hyperobject& operator=(const hyperobject&) = delete;
  ~hyperobject() { nopal_end_reducer(&known_); }

  /// The strand's view: two loads and a branch beside the load of the thread's array.
  [[gnu::always_inline]] value_type& view() {
    void* const view = nopal_view_at_hand(&known_);
    return NOPAL_LIKELY(view != nullptr) ? *static_cast<value_type*>(view) : first_use();
  }
  [[nodiscard]] const Monoid& monoid() const noexcept { return monoid_; }

private:
  void enter() {
    known_.leftmost = &own_;
    if (nopal_make_reducer(&known_, &functions, &monoid_) != 0) {
      throw std::bad_alloc();
    }
  }

  /// The strand's first use since it began, or any where there are more reducers than slots.
  [[gnu::noinline, gnu::cold]] value_type& first_use() {
    void* const view = nopal_find_view(&known_);
    if (view == nullptr) {
      throw std::bad_alloc();
    }
    return *static_cast<value_type*>(view);
  }

  static void* create(void* monoid) { return new value_type(static_cast<Monoid*>(monoid)->identity()); }
  static void reduce(void* monoid, void* left, void* right) {
    static_cast<const Monoid*>(monoid)->reduce(*static_cast<value_type*>(left),
                                               std::move(*static_cast<value_type*>(right)));
  }
  static void destroy(void*, void* view) { delete static_cast<value_type*>(view); }

  static constexpr nopal_view_functions functions{create, reduce, destroy};

  nopal_hyperobject known_;
  [[no_unique_address]] Monoid monoid_;
  value_type own_;
};

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
#endif
}  // namespace nopal

#endif
