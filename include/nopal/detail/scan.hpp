// Scans in two passes. A strand that no thief helps makes the second pass alone.
//
// A strand that knows the sum of what comes before writes results at once. When a thief wants work,
// it forks a child that goes on so over the first of P + 1 parts. If the continuation is stolen,
// the thief meanwhile adds up the blocks of the parts between. After the join all parts but the
// first are written, each from the sum of what comes before it. With P workers a scan thus takes
// 2/(P+1) of the serial time, and calls the operation at most twice for an element.
#ifndef NOPAL_DETAIL_SCAN_HPP
#define NOPAL_DETAIL_SCAN_HPP

#include <cstddef>
#include <new>
#include <utility>

#include <nopal/detail/loop.hpp>
#include <nopal/runtime.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// What all strands of a scan know. `Inclusive`: an element's result includes it.
template <bool Inclusive, class T, class In, class Out, class Op>
struct scanning {
  using value_type = T;
  In in;
  Out out;
  Op& op;

  /// Writes the results of a chunk that `sum` comes before; returns that and the chunk.
  [[gnu::always_inline]] T write(std::size_t from, std::size_t to, T sum) const {
    const auto end = place(in, to);
    auto result = place(out, from);
    for (auto at = place(in, from); at != end; ++at, ++result) {
      if constexpr (Inclusive) {
        sum = detail::invoke(op, std::move(sum), *at);
        *result = sum;
      } else {
        T next = detail::invoke(op, std::as_const(sum), *at);  // the output may be the input
        *result = std::move(sum);
        sum = std::move(next);
      }
    }
    return sum;
  }
  /// The sum of a chunk that is not empty.
  [[gnu::always_inline]] T add(std::size_t from, std::size_t to) const {
    const auto end = place(in, to);
    auto at = place(in, from);
    T sum(*at);
    for (++at; at != end; ++at) {
      sum = detail::invoke(op, std::move(sum), *at);
    }
    return sum;
  }

private:
  template <class Iterator>
  [[gnu::always_inline]] static Iterator place(const Iterator& first, std::size_t offset) {
    return first + static_cast<std::iter_difference_t<Iterator>>(offset);
  }
};

/// Values that are made one by one, by several strands, and end together, those that were made.
template <class T>
class late_values {
public:
  late_values() = default;
  late_values(const late_values&) = delete;
  late_values& operator=(const late_values&) = delete;
  ~late_values() { delete[] values_; }

  /// Called once, before the first value is made.
  void make_room(std::size_t count) { values_ = new slot[count]; }
  T& at(std::size_t i) { return *values_[i].value; }
  void make(std::size_t i, T&& value) { values_[i].make(std::move(value)); }

private:
  struct slot {
    slot() noexcept {}
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
    ~slot() {
      if (value != nullptr) value->~T();
    }
    void make(T&& from) {
      value = ::new (static_cast<void*>(__builtin_addressof(storage))) T(std::move(from));
    }
    T* value = nullptr;
    union {
      T storage;
    };
  };
  slot* values_ = nullptr;
};

template <class Scanning, class T>
std::size_t split_scan(std::size_t from, std::size_t to, const Scanning* of, T& sum);

#ifdef NOPAL_CHECKED

/// Adds up a range by halves, down to one position; `sums` gets that of each first half, at its end.
template <class T, class Scanning>
T add_halves(std::size_t from, std::size_t to, const Scanning* of, late_values<T>* sums) {
  if (to - from == 1) return of->add(from, to);
  const std::size_t middle = middle_of(from, to);
  late_values<T> parts;
  parts.make_room(2);
  {
    scope s;
    s.fork([=, &parts] { parts.make(0, add_halves<T>(from, middle, of, sums)); });
    parts.make(1, add_halves<T>(middle, to, of, sums));
    s.join();
  }
  T both = detail::invoke(of->op, std::as_const(parts.at(0)), std::move(parts.at(1)));
  sums->make(middle, std::move(parts.at(0)));
  return both;
}

/// Writes the results of a range that `sum` comes before.
template <class T, class Scanning>
void write_halves(std::size_t from, std::size_t to, const Scanning* of, late_values<T>* sums, const T& sum) {
  if (to - from == 1) {
    static_cast<void>(of->write(from, to, T(sum)));
    return;
  }
  const std::size_t middle = middle_of(from, to);
  const T right_sum = detail::invoke(of->op, std::as_const(sum), std::move(sums->at(middle)));
  scope s;
  s.fork([=, &sum] { write_halves<T>(from, middle, of, sums, sum); });
  write_halves<T>(middle, to, of, sums, right_sum);
  s.join();
}

/// In two passes, each divided as far as any schedule divides it.
template <class Scanning, class T>
T scan_range(std::size_t from, std::size_t to, const Scanning* of, T sum) {
  if (to == from) return sum;
  if (to - from == 1) return of->write(from, to, std::move(sum));
  late_values<T> sums;
  sums.make_room(to);
  T all = add_halves<T>(from, to, of, &sums);
  write_halves<T>(from, to, of, &sums, sum);
  return detail::invoke(of->op, std::move(sum), std::move(all));
}

#else

/// Writes the results of a range that `sum` comes before; returns that and the range.
template <class Scanning, class T>
T scan_range(std::size_t from, std::size_t to, const Scanning* of, T sum) {
  const std::size_t usual = chunk_of(to - from, 1);
  while (from < to) {
    if (to - from > 1 && look_for_demand() != demand::none) {
      from = split_scan(from, to, of, sum);
      continue;
    }
    const std::size_t next = end_of_chunk(from, to, usual);
    sum = of->write(from, next, std::move(sum));
    from = next;
  }
  return sum;
}

/// How the rest of a range is divided: equal blocks, which are added up before they are written,
/// and a last part, which is not.
struct scan_blocks {
  scan_blocks(std::size_t begin, std::size_t end, std::size_t parts)
      : first(begin), last(end - (end - begin) / parts) {
    constexpr std::size_t blocks_per_part = 8;
    const std::size_t most = parts * blocks_per_part;
    size = (last - first + most - 1) / most;
    count = size != 0 ? (last - first + size - 1) / size : 0;
  }
  [[nodiscard]] std::size_t begin_of(std::size_t block) const { return first + block * size; }
  [[nodiscard]] std::size_t end_of(std::size_t block) const {
    return block + 1 < count ? first + (block + 1) * size : last;
  }

  std::size_t first;
  std::size_t last;
  std::size_t size;
  std::size_t count;
};

/// Each block's sum becomes that of all before it; `sum` comes before the first, and returned is
/// that of all.
template <class Scanning, class T>
T sums_before(late_values<T>& sums, std::size_t count, const Scanning* of, T sum) {
  for (std::size_t block = 0; block < count; ++block) {
    T next = detail::invoke(of->op, std::as_const(sum), std::move(sums.at(block)));
    sums.at(block) = std::move(sum);
    sum = std::move(next);
  }
  return sum;
}

/// Writes the blocks and the last part.
template <class Scanning, class T>
T write_blocks(const scan_blocks& blocks, std::size_t to, const Scanning* of, late_values<T>& sums, T sum) {
  sum = sums_before(sums, blocks.count, of, std::move(sum));
  auto write = [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) {
      of->write(blocks.begin_of(block), blocks.end_of(block), std::move(sums.at(block)));
    }
  };
  scope s;
  s.fork(open_loop<decltype(write)>, std::size_t{0}, blocks.count, std::size_t{1}, &write);
  NOPAL_DETAIL_TRY { sum = scan_range(blocks.last, to, of, std::move(sum)); }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
  return sum;
}

/// Writes the first part of the range as a child, and all of it if the continuation is stolen.
/// Returns how far it is written; `sum` is that of all up to there.
template <class Scanning, class T>
[[gnu::noinline]] std::size_t split_scan(std::size_t from, std::size_t to, const Scanning* of, T& sum) {
  const auto parts = static_cast<std::size_t>(workers()) + 1;
  const std::size_t share = (to - from) / parts;
  const std::size_t middle = from + (share != 0 ? share : 1);
  const scan_blocks blocks(middle, to, parts - 1);
  late_values<T> sums;
  scope s;
  s.fork([&sum, from, middle, of] { sum = scan_range(from, middle, of, T(std::move(sum))); });
  if (!is_stolen_from(s)) {
    return middle;
  }
  auto add = [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) {
      sums.make(block, of->add(blocks.begin_of(block), blocks.end_of(block)));
    }
  };
  NOPAL_DETAIL_TRY {
    sums.make_room(blocks.count);
    begin_loop(blocks.count, 1, &add);
  }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
  sum = write_blocks(blocks, to, of, sums, T(std::move(sum)));
  return to;
}

#endif

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
