// What a reducer is made of, for each way of compiling it: a value with a view per strand, or a
// value.
#ifndef NOPAL_DETAIL_HYPEROBJECT_HPP
#define NOPAL_DETAIL_HYPEROBJECT_HPP

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include <nopal/detail/mode.hpp>

#ifdef NOPAL_CHECKED
#include <nopal/detail/hyperobject_checked.hpp>
#elif !defined(NOPAL_ELIDE)
#include <nopal/detail/copy.h>
#include <nopal/detail/view.h>
#endif

namespace nopal {
#ifdef NOPAL_CHECKED
// It is in the header above.
#elif defined(NOPAL_ELIDE)
inline namespace NOPAL_MODE_NAMESPACE {
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
  value_type& value() noexcept { return own_; }
  [[nodiscard]] const Monoid& monoid() const noexcept { return monoid_; }

private:
  [[no_unique_address]] Monoid monoid_;
  value_type own_;
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
#else
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

inline constexpr std::size_t cache_line = 64;

/// Whether views are words that can be copied as bytes.
template <class T>
inline constexpr bool is_word =
    std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> && sizeof(T) <= 8 && alignof(T) <= 8;

/// Where a program has no exceptions, no memory ends it.
[[noreturn, gnu::noinline, gnu::cold]] inline void no_memory_for_a_view() {
#ifdef __cpp_exceptions
  throw std::bad_alloc();
#else
  std::terminate();
#endif
}

/// What all strands read of a reducer.
template <class Monoid>
class known_to_strands {
public:
  using value_type = typename Monoid::value_type;

  known_to_strands(const known_to_strands&) = delete;
  known_to_strands& operator=(const known_to_strands&) = delete;

  /// The strand's view: two loads and a branch beside the load of the thread's array.
  [[gnu::always_inline]] value_type& view() {
    void* const view = nopal_view_at_hand(&known_);
    return NOPAL_LIKELY(view != nullptr) ? *static_cast<value_type*>(view) : first_use();
  }
  /// The same, to read the value or to replace it.
  [[gnu::always_inline]] value_type& value() { return view(); }
  [[nodiscard]] const Monoid& monoid() const noexcept { return monoid_; }

protected:
  explicit known_to_strands(Monoid&& monoid) : monoid_(std::move(monoid)) {}

  /// The value that comes first in serial order is at `leftmost`; null for words. Returns where it
  /// is, or has to be made.
  void* enter(void* leftmost) {
    void* const place = nopal_make_reducer(&known_, &functions, &monoid_, leftmost);
    if (place == nullptr) {
      no_memory_for_a_view();
    }
    return place;
  }
  /// Only what was entered.
  void leave() noexcept { nopal_end_reducer(&known_); }

private:
  /// The strand's first use since it began, or any where there are more reducers than slots.
  [[gnu::noinline, gnu::cold]] value_type& first_use() {
    void* const view = nopal_find_view(&known_);
    if (view == nullptr) {
      no_memory_for_a_view();
    }
    return *static_cast<value_type*>(view);
  }

  static void* create(void* monoid) { return new value_type(static_cast<Monoid*>(monoid)->identity()); }
  static void reduce(void* monoid, void* left, void* right) {
    static_cast<const Monoid*>(monoid)->reduce(*static_cast<value_type*>(left),
                                               std::move(*static_cast<value_type*>(right)));
  }
  static void destroy(void*, void* view) { delete static_cast<value_type*>(view); }
  static void identity(void* monoid, void* memory) {
    ::new (memory) value_type(static_cast<Monoid*>(monoid)->identity());
  }

  /// Hidden: GCC would make it unique in the process, and a plug-in that has it would never be
  /// unloaded.
  [[gnu::visibility("hidden")]] static constexpr nopal_view_functions functions{
      create, reduce, destroy, is_word<value_type> ? identity : nullptr};

  nopal_hyperobject known_;

protected:
  [[no_unique_address]] Monoid monoid_;
};

/// The stricter of a cache line's alignment and a type's. One number, since GCC 12 heeds but the
/// last of two `alignas` that depend on a template's arguments.
template <class T>
inline constexpr std::size_t line_alignment = alignof(T) > cache_line ? alignof(T) : cache_line;

/// A reducer's value, with a view for each strand. On cache lines of its own: one strand writes the
/// value, and all read the rest.
template <class Monoid, bool as_word>
class alignas(line_alignment<typename Monoid::value_type>) hyperobject_of : public known_to_strands<Monoid> {
public:
  using value_type = typename Monoid::value_type;

  explicit hyperobject_of(Monoid monoid)
      : known_to_strands<Monoid>(std::move(monoid)), own_(this->monoid_.identity()) {
    this->enter(&own_);
  }
  template <class... Initial>
  explicit hyperobject_of(Monoid monoid, Initial&&... initial)
      : known_to_strands<Monoid>(std::move(monoid)), own_(std::forward<Initial>(initial)...) {
    this->enter(&own_);
  }
  ~hyperobject_of() { this->leave(); }

private:
  char apart_[cache_line - sizeof(known_to_strands<Monoid>) % cache_line];
  value_type own_;
};

/// A word, beside those of other reducers.
template <class Monoid>
class hyperobject_of<Monoid, true> : public known_to_strands<Monoid> {
public:
  using value_type = typename Monoid::value_type;

  explicit hyperobject_of(Monoid monoid) : known_to_strands<Monoid>(std::move(monoid)) {
    begin_with(this->monoid_.identity());
  }
  template <class... Initial>
  explicit hyperobject_of(Monoid monoid, Initial&&... initial) : known_to_strands<Monoid>(std::move(monoid)) {
    begin_with(value_type(std::forward<Initial>(initial)...));
  }
  ~hyperobject_of() { this->leave(); }

private:
  void begin_with(const value_type& value) { ::new (this->enter(nullptr)) value_type(value); }
};

template <class Monoid>
using hyperobject = hyperobject_of<Monoid, is_word<typename Monoid::value_type>>;

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
#endif
}  // namespace nopal

#endif
