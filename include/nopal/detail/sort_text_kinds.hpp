// The sort of many strings that are few different ones: each is told which it is, the different ones
// are sorted, and all are moved to where theirs go.
//
// A string is told by its size and its first and last characters, and compared as a whole only with
// the one that has the same. Shares of the range are gone through at the same time, each with a
// table of its own; nothing is moved before all are.
#ifndef NOPAL_DETAIL_SORT_TEXT_KINDS_HPP
#define NOPAL_DETAIL_SORT_TEXT_KINDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include <nopal/detail/mode.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// Whether a sample says that most strings equal others.
template <class T>
bool has_few_kinds(const T* first, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t looks = 32;
  if (count < 64 * looks) return false;
  const T* seen[looks];
  std::ptrdiff_t kinds = 0;
  for (std::ptrdiff_t i = 0; i != looks; ++i) {
    const T* const here = first + count / looks * i;
    std::ptrdiff_t known = 0;
    while (known != kinds && *seen[known] != *here) ++known;
    if (known == kinds) seen[kinds++] = here;
  }
  return kinds <= looks * 3 / 4;
}

/// The different strings of a share, and how often each is there.
template <class T>
class text_kinds {
public:
  static constexpr std::size_t most = 64;

  /// The number of the string's kind; `most` if it is of one too many.
  [[gnu::always_inline]] std::size_t number_of(const T& text) noexcept {
    const words seen = words_of(text);
    for (std::size_t place = seen.hash();; place = (place + 1) % places) {
      const std::size_t number = table_[place];
      if (number == none) return add(text, seen, place);
      if (kinds_[number].seen == seen && is_same(text, *kinds_[number].text)) return number;
    }
  }
  [[gnu::always_inline]] std::size_t count_of(const T& text) noexcept {
    const std::size_t number = number_of(text);
    if (number != most) ++kinds_[number].count;
    return number;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T& text(std::size_t number) const noexcept { return *kinds_[number].text; }
  [[nodiscard]] std::ptrdiff_t count(std::size_t number) const noexcept { return kinds_[number].count; }

private:
  static constexpr std::size_t places = 4 * most;
  static constexpr unsigned char none = 0xff;

  /// What a string of 16 characters and fewer is told by.
  struct words {
    std::uint64_t first;
    std::uint64_t last;
    std::size_t size;

    bool operator==(const words&) const = default;
    [[nodiscard]] [[gnu::always_inline]] std::size_t hash() const noexcept {
      const std::uint64_t mixed =
          (first ^ (last << 23 | last >> 41) ^ size) * std::uint64_t{0x9e3779b97f4a7c15};
      return (mixed >> 56) % places;
    }
  };
  [[gnu::always_inline]] static words words_of(const T& text) noexcept {
    words seen{0, 0, text.size()};
    const auto* const at = text.data();
    if (seen.size >= 8) {
      std::memcpy(&seen.first, at, 8);
      std::memcpy(&seen.last, at + seen.size - 8, 8);
    } else if (seen.size >= 4) {
      std::uint32_t half = 0;
      std::memcpy(&half, at, 4);
      seen.first = half;
      std::memcpy(&half, at + seen.size - 4, 4);
      seen.last = half;
    } else if (seen.size != 0) {
      seen.first = static_cast<unsigned char>(at[0]);
      seen.last = static_cast<std::uint64_t>(static_cast<unsigned char>(at[seen.size / 2])) << 8 |
                  static_cast<unsigned char>(at[seen.size - 1]);
    }
    return seen;
  }
  /// Of two with the same words.
  [[gnu::always_inline]] static bool is_same(const T& left, const T& right) noexcept {
    return left.size() <= 16 || std::memcmp(left.data(), right.data(), left.size()) == 0;
  }
  [[gnu::noinline]] std::size_t add(const T& text, const words& seen, std::size_t place) noexcept {
    if (size_ == most) return most;
    kinds_[size_] = {seen, &text, 0};
    table_[place] = static_cast<unsigned char>(size_);
    return size_++;
  }

  struct kind {
    words seen;
    const T* text;
    std::ptrdiff_t count;
  };
  struct table {
    table() noexcept { std::memset(of, none, sizeof of); }
    unsigned char& operator[](std::size_t place) noexcept { return of[place]; }
    unsigned char of[places];
  };
  kind kinds_[most];
  table table_;
  std::size_t size_ = 0;
};

template <class T, class Compare>
class text_kinds_sorter {
public:
  static constexpr std::ptrdiff_t most_shares = 64;

  /// A part of the range, its kinds, and where in the whole the next of each goes.
  struct share {
    text_kinds<T> kinds;
    std::ptrdiff_t next[text_kinds<T>::most];
    bool too_many = false;
  };

  text_kinds_sorter(T* first, std::ptrdiff_t count, std::ptrdiff_t shares, share* of, T* moved,
                    unsigned char* numbers) noexcept
      : first_(first), count_(count), shares_(shares), of_(of), moved_(moved), numbers_(numbers) {}

  /// False, and nothing is changed, if they are too many.
  bool run() {
    for_shares(0, shares_, [this](std::ptrdiff_t i) { tell(i); });
    if (!find_places()) return false;
    for_shares(0, shares_, [this](std::ptrdiff_t i) { move_to_places(i); });
    for_shares(0, shares_, [this](std::ptrdiff_t i) { move_back(i); });
    return true;
  }

private:
  [[nodiscard]] std::ptrdiff_t begin_of(std::ptrdiff_t i) const noexcept {
    return count_ / shares_ * i + std::min(i, count_ % shares_);
  }

  void tell(std::ptrdiff_t i) noexcept {
    share& mine = of_[i];
    for (std::ptrdiff_t at = begin_of(i), end = begin_of(i + 1); at != end; ++at) {
      const std::size_t number = mine.kinds.count_of(first_[at]);
      if (number == text_kinds<T>::most) {
        mine.too_many = true;
        return;
      }
      numbers_[at] = static_cast<unsigned char>(number);
    }
  }

  /// Where each share's strings of each kind go: behind those of lesser kinds, and those of the
  /// shares before.
  bool find_places() noexcept {
    text_kinds<T> all;
    std::ptrdiff_t counts[text_kinds<T>::most] = {};
    for (std::ptrdiff_t i = 0; i != shares_; ++i) {
      if (of_[i].too_many) return false;
      for (std::size_t kind = 0; kind != of_[i].kinds.size(); ++kind) {
        const std::size_t number = all.number_of(of_[i].kinds.text(kind));
        if (number == text_kinds<T>::most) return false;
        counts[number] += of_[i].kinds.count(kind);
      }
    }
    std::size_t order[text_kinds<T>::most];
    for (std::size_t kind = 0; kind != all.size(); ++kind) order[kind] = kind;
    std::sort(order, order + all.size(), [&all](std::size_t left, std::size_t right) {
      return Compare()(all.text(left), all.text(right));
    });
    std::ptrdiff_t begins[text_kinds<T>::most];
    std::ptrdiff_t begin = 0;
    for (std::size_t at = 0; at != all.size(); ++at) {
      begins[order[at]] = begin;
      begin += counts[order[at]];
    }
    for (std::ptrdiff_t i = 0; i != shares_; ++i) {
      for (std::size_t kind = 0; kind != of_[i].kinds.size(); ++kind) {
        std::ptrdiff_t& place = begins[all.number_of(of_[i].kinds.text(kind))];
        of_[i].next[kind] = place;
        place += of_[i].kinds.count(kind);
      }
    }
    return true;
  }

  void move_to_places(std::ptrdiff_t i) noexcept {
    std::ptrdiff_t* const next = of_[i].next;
    for (std::ptrdiff_t at = begin_of(i), end = begin_of(i + 1); at != end; ++at) {
      ::new (static_cast<void*>(moved_ + next[numbers_[at]]++)) T(std::move(first_[at]));
    }
  }
  void move_back(std::ptrdiff_t i) noexcept {
    for (std::ptrdiff_t at = begin_of(i), end = begin_of(i + 1); at != end; ++at) {
      first_[at] = std::move(moved_[at]);
      std::destroy_at(moved_ + at);
    }
  }

  template <class Body>
  void for_shares(std::ptrdiff_t from, std::ptrdiff_t to, const Body& body) {
    scope shares;
    while (to - from > 1) {
      const std::ptrdiff_t middle = from + (to - from) / 2;
      shares.fork([this, middle, to, &body] { for_shares(middle, to, body); });
      to = middle;
    }
    body(from);
    shares.join();
  }

  T* const first_;
  const std::ptrdiff_t count_;
  const std::ptrdiff_t shares_;
  share* const of_;
  T* const moved_;
  unsigned char* const numbers_;
};

/// Sorts them in so many shares; false, and nothing is changed, if they are too many different ones,
/// or there is no memory for it.
template <class Compare, class T>
bool sort_kinds_of_text(T* first, std::ptrdiff_t count, std::ptrdiff_t shares) {
  using sorter = text_kinds_sorter<T, Compare>;
  using share = typename sorter::share;
  shares = std::min(shares, sorter::most_shares);
  static_assert(alignof(T) <= alignof(share) && alignof(share) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  const std::size_t bytes =
      static_cast<std::size_t>(shares) * sizeof(share) + static_cast<std::size_t>(count) * (sizeof(T) + 1);
  void* const memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr) return false;
  auto* const of = static_cast<share*>(memory);
  for (std::ptrdiff_t i = 0; i != shares; ++i) ::new (static_cast<void*>(of + i)) share;
  auto* const moved = reinterpret_cast<T*>(of + shares);
  auto* const numbers = reinterpret_cast<unsigned char*>(moved + count);
  const bool sorted = sorter(first, count, shares, of, moved, numbers).run();
  ::operator delete(memory);
  return sorted;
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
