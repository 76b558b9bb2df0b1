// What a reducer is made of in a checked program: a value, and views as if every continuation were
// stolen.
#ifndef NOPAL_DETAIL_HYPEROBJECT_CHECKED_HPP
#define NOPAL_DETAIL_HYPEROBJECT_CHECKED_HPP

#include <exception>
#include <new>
#include <utility>

#include <nopal/detail/check.h>
#include <nopal/detail/mode.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

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
  ~hyperobject() { nopal_check_end_reducer(&known_); }

  [[gnu::always_inline]] value_type& view() { return found(nopal_check_view(&known_)); }
  [[gnu::always_inline]] value_type& value() { return found(nopal_check_value(&known_)); }
  [[nodiscard]] const Monoid& monoid() const noexcept { return monoid_; }

private:
  void enter() {
    known_.functions = &functions;
    known_.context = &monoid_;
    known_.leftmost = &own_;
    nopal_check_make_reducer(&known_);
  }

  [[gnu::always_inline]] static value_type& found(void* view) {
    if (view == nullptr) no_memory();
    return *static_cast<value_type*>(view);
  }
  [[noreturn, gnu::noinline, gnu::cold]] static void no_memory() {
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    std::terminate();
#endif
  }

  static void* create(void* monoid) { return new value_type(static_cast<Monoid*>(monoid)->identity()); }
  static void reduce(void* monoid, void* left, void* right) {
    static_cast<const Monoid*>(monoid)->reduce(*static_cast<value_type*>(left),
                                               std::move(*static_cast<value_type*>(right)));
  }
  static void destroy(void*, void* view) { delete static_cast<value_type*>(view); }

  static constexpr nopal_check_view_functions functions{create, reduce, destroy};

  nopal_check_reducer known_;
  [[no_unique_address]] Monoid monoid_;
  value_type own_;
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
