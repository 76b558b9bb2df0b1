// The monoids that come with the library. Each is the type parameter of nopal::reducer.
#ifndef NOPAL_MONOIDS_HPP
#define NOPAL_MONOIDS_HPP

#include <nopal/detail/language.h>

#include <cstddef>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nopal/bag.hpp>
#include <nopal/detail/order.hpp>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// Sums: `*r += x`. The identity is `T()`. Constant time per reduction for numbers. Sums of
/// floating-point numbers depend on how strands were scheduled, since their addition is not
/// associative.
template <class T>
struct op_add {
  /// A view.
  using value_type = T;
  /// The neutral view.
  static T identity() { return T(); }
  /// Reduces `right` into `left`.
  static void reduce(T& left, T&& right) { left = static_cast<T>(std::move(left) + std::move(right)); }
};

/// Products: `*r *= x`. The identity is `T(1)`.
template <class T>
struct op_mul {
  /// A view.
  using value_type = T;
  /// The neutral view.
  static T identity() { return T(1); }
  /// Reduces `right` into `left`.
  static void reduce(T& left, T&& right) { left = static_cast<T>(std::move(left) * std::move(right)); }
};

/// Bitwise and: `*r &= x`. The identity has all bits set.
template <class T>
struct op_and {
  /// A view.
  using value_type = T;
  /// The neutral view.
  static T identity() {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else {
      return static_cast<T>(~T());
    }
  }
  /// Reduces `right` into `left`.
  static void reduce(T& left, T&& right) { left = static_cast<T>(left & right); }
};

/// Bitwise or: `*r |= x`. The identity is `T()`.
template <class T>
struct op_or {
  /// A view.
  using value_type = T;
  /// The neutral view.
  static T identity() { return T(); }
  /// Reduces `right` into `left`.
  static void reduce(T& left, T&& right) { left = static_cast<T>(left | right); }
};

/// Bitwise exclusive or: `*r ^= x`. The identity is `T()`.
template <class T>
struct op_xor {
  /// A view.
  using value_type = T;
  /// The neutral view.
  static T identity() { return T(); }
  /// Reduces `right` into `left`.
  static void reduce(T& left, T&& right) { left = static_cast<T>(left ^ right); }
};

/// The best value so far, or none: a view of op_min and op_max with an order of the program's own.
template <class T, class Better>
class best_value {
public:
  /// Nothing yet.
  best_value() = default;
  /// One value.
  explicit best_value(T found) : value_(std::move(found)), is_set_(true) {}

  /// Takes `found` if it is better than what there is, or the first.
  void update(const T& found) {
    if (!is_set_ || Better()(found, value_)) {
      value_ = found;
      is_set_ = true;
    }
  }

  /// Whether there was any value. The other one means nothing otherwise.
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }
  /// The best value.
  [[nodiscard]] const T& value() const noexcept { return value_; }

private:
  T value_{};
  bool is_set_ = false;
};

namespace monoid_detail {

template <class T, class Better>
struct op_best {
  /// A view.
  using value_type = best_value<T, Better>;
  /// The neutral view.
  static value_type identity() { return value_type(); }
  /// Reduces `right` into `left`.
  static void reduce(value_type& left, value_type&& right) {
    if (right.is_set()) {
      left.update(right.value());
    }
  }
};

}  // namespace monoid_detail

/// The least value: `*r = std::min(*r, x)`. The identity is the greatest number there is, so `T`
/// must have a std::numeric_limits; use op_min_index for other types. With std::greater as `Less`,
/// `*r = std::min(*r, x, std::greater<>())`: the identity is the least number then. Of equal values
/// the first in serial order stays.
///
/// With any other `Less`, nobody knows a value that comes after all others. Views are
/// `best_value`s, which begin with none: `r->update(x)`, then `r.value().value()`, and `T` need be
/// no number, but can be default-constructed and copied.
template <class T, class Less = std::less<T>>
struct op_min {
  static_assert(std::numeric_limits<T>::is_specialized,
                "nopal: op_min: std::numeric_limits knows no greatest value of this type; use op_min_index");
  /// A view.
  using value_type = T;
  /// The neutral view.
  static T identity() {
    return monoid_detail::goes_up<Less, T> ? monoid_detail::greatest_number<T>()
                                           : monoid_detail::least_number<T>();
  }
  /// Reduces `right` into `left`.
  static void reduce(T& left, T&& right) {
    if (Less()(right, left)) {
      left = std::move(right);
    }
  }
};
/// By an order of the program's own.
template <class T, class Less>
  requires(!monoid_detail::goes_up<Less, T> && !monoid_detail::goes_down<Less, T>)
struct op_min<T, Less> : monoid_detail::op_best<T, Less> {};

/// The greatest value: `*r = std::max(*r, x)`. As op_min; the identity is the least number, or the
/// greatest with std::greater.
template <class T, class Less = std::less<T>>
struct op_max {
  static_assert(std::numeric_limits<T>::is_specialized,
                "nopal: op_max: std::numeric_limits knows no least value of this type; use op_max_index");
  /// A view.
  using value_type = T;
  /// The neutral view.
  static T identity() {
    return monoid_detail::goes_up<Less, T> ? monoid_detail::least_number<T>()
                                           : monoid_detail::greatest_number<T>();
  }
  /// Reduces `right` into `left`.
  static void reduce(T& left, T&& right) {
    if (Less()(left, right)) {
      left = std::move(right);
    }
  }
};
/// By an order of the program's own.
template <class T, class Less>
  requires(!monoid_detail::goes_up<Less, T> && !monoid_detail::goes_down<Less, T>)
struct op_max<T, Less> : monoid_detail::op_best<T, monoid_detail::greater<Less>> {};

/// A value and where it was found: what op_min_index and op_max_index reduce.
template <class Index, class T, class Better>
class best_index {
public:
  /// Nothing yet.
  best_index() = default;
  /// One value, found at `at`.
  best_index(Index at, T found) : index_(std::move(at)), value_(std::move(found)), is_set_(true) {}

  /// Takes `found`, at `at`, if it is better than what there is, or the first.
  void update(const Index& at, const T& found) {
    if (!is_set_ || Better()(found, value_)) {
      index_ = at;
      value_ = found;
      is_set_ = true;
    }
  }

  /// Whether there was any value. The other two mean nothing otherwise.
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }
  /// Where the best value was found.
  [[nodiscard]] const Index& index() const noexcept { return index_; }
  /// The best value.
  [[nodiscard]] const T& value() const noexcept { return value_; }

private:
  Index index_{};
  T value_{};
  bool is_set_ = false;
};

namespace monoid_detail {

template <class Index, class T, class Better>
struct op_best_index {
  /// A view.
  using value_type = best_index<Index, T, Better>;
  /// The neutral view.
  static value_type identity() { return value_type(); }
  /// Reduces `right` into `left`.
  static void reduce(value_type& left, value_type&& right) {
    if (right.is_set()) {
      left.update(right.index(), right.value());
    }
  }
};

}  // namespace monoid_detail

/// The least value and its index: `r->update(i, x)`, then `r.value().index()` and `.value()`. Of
/// equal values the first in serial order stays. `Index` and `T` can be default-constructed and
/// copied.
template <class Index, class T, class Less = std::less<T>>
struct op_min_index : monoid_detail::op_best_index<Index, T, Less> {};

/// The greatest value and its index; as op_min_index.
template <class Index, class T, class Less = std::less<T>>
struct op_max_index : monoid_detail::op_best_index<Index, T, monoid_detail::greater<Less>> {};

namespace monoid_detail {

/// `right` moved to the end of `left`; time in proportion to `right`, constant if `left` is empty.
template <class Sequence>
void append(Sequence& left, std::type_identity_t<Sequence>&& right) {
  if (left.empty()) {
    left = std::move(right);
  } else {
    left.insert(left.end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
  }
}

}  // namespace monoid_detail

/// A vector in serial order: `r->push_back(x)`. A reduction takes time in proportion to its right
/// view.
template <class T, class Allocator = std::allocator<T>>
struct op_vector_append {
  /// A view.
  using value_type = std::vector<T, Allocator>;
  /// The neutral view.
  static value_type identity() { return value_type(); }
  /// Reduces `right` into `left`.
  static void reduce(value_type& left, value_type&& right) { monoid_detail::append(left, std::move(right)); }
};

/// A list in serial order: `r->push_back(x)`. A reduction takes constant time; where the allocators
/// of the two views differ, as those of std::pmr can, it moves the elements of its right view one
/// by one, so that each list has memory of its own allocator only.
template <class T, class Allocator = std::allocator<T>>
struct op_list_append {
  /// A view.
  using value_type = std::list<T, Allocator>;
  /// The neutral view.
  static value_type identity() { return value_type(); }
  /// Reduces `right` into `left`.
  static void reduce(value_type& left, value_type&& right) {
    if constexpr (!std::allocator_traits<Allocator>::is_always_equal::value) {
      static_assert(std::is_move_constructible_v<T>,
                    "nopal: op_list_append: with an allocator that has state, elements must be movable");
      if (left.get_allocator() != right.get_allocator()) {
        left.insert(left.end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
        return;
      }
    }
    left.splice(left.end(), right);
  }
};

/// A string in serial order: `*r += "text"`. A reduction takes time in proportion to its right
/// view.
template <class Char, class Traits = std::char_traits<Char>, class Allocator = std::allocator<Char>>
struct op_basic_string_append {
  /// A view.
  using value_type = std::basic_string<Char, Traits, Allocator>;
  /// The neutral view.
  static value_type identity() { return value_type(); }
  /// Reduces `right` into `left`.
  static void reduce(value_type& left, value_type&& right) {
    if (left.empty()) {
      left = std::move(right);
    } else {
      left += right;
    }
  }
};
/// For strings of char.
using op_string_append = op_basic_string_append<char>;
/// For strings of wchar_t.
using op_wstring_append = op_basic_string_append<wchar_t>;

/// A strand's view of an output stream: what is written waits in memory until all that comes before
/// it in serial order is out. The view that comes first writes to the stream itself.
///
/// Format flags and manipulators hold in the view where they were set: a strand that continues
/// after a steal begins with those of a new stream. Set them beside what they are meant for.
template <class Char, class Traits = std::char_traits<Char>>
class basic_ostream_view : public std::basic_ostream<Char, Traits> {
public:
  /// Collects. `text` has it.
  basic_ostream_view() : std::basic_ostream<Char, Traits>(nullptr) { this->rdbuf(&collected_); }
  /// Writes to `target`, which must outlive it, with its flags as they are now.
  explicit basic_ostream_view(std::basic_ostream<Char, Traits>& target)
      : std::basic_ostream<Char, Traits>(target.rdbuf()) {
    this->copyfmt(target);
  }
  basic_ostream_view(const basic_ostream_view&) = delete;
  basic_ostream_view& operator=(const basic_ostream_view&) = delete;
  ~basic_ostream_view() override = default;

  /// What a view that collects has collected.
  [[nodiscard]] const std::basic_string<Char, Traits>& text() const noexcept { return collected_.text; }

private:
  struct collector : std::basic_streambuf<Char, Traits> {
    using int_type = typename Traits::int_type;
    std::basic_string<Char, Traits> text;

    int_type overflow(int_type one) override {
      if (!Traits::eq_int_type(one, Traits::eof())) {
        text.push_back(Traits::to_char_type(one));
      }
      return Traits::not_eof(one);
    }
    std::streamsize xsputn(const Char* first, std::streamsize count) override {
      text.append(first, static_cast<std::size_t>(count));
      return count;
    }
  };
  collector collected_;
};
/// For streams of char.
using ostream_view = basic_ostream_view<char>;

/// Output in serial order: `nopal::reducer<nopal::op_ostream> out(std::cout); *out << x;`. Without
/// a stream it collects: `out.value().text()`. A reduction takes time in proportion to what its
/// right view has collected.
template <class Char, class Traits = std::char_traits<Char>>
struct op_basic_ostream {
  /// A view.
  using value_type = basic_ostream_view<Char, Traits>;
  /// The neutral view.
  static value_type identity() { return value_type(); }
  /// Reduces `right` into `left`.
  static void reduce(value_type& left, value_type&& right) {
    const auto& text = right.text();
    left.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
};
/// For streams of char.
using op_ostream = op_basic_ostream<char>;
/// For streams of wchar_t.
using op_wostream = op_basic_ostream<wchar_t>;

/// An unordered collection: `r->insert(x)`; see `bag`. A reduction takes time logarithmic in the
/// elements.
template <class T>
struct op_bag {
  /// A view.
  using value_type = bag<T>;
  /// The neutral view.
  static value_type identity() { return value_type(); }
  /// Reduces `right` into `left`.
  static void reduce(value_type& left, value_type&& right) { left.merge(std::move(right)); }
};

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
