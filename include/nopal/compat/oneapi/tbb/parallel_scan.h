// Running sums.
#ifndef NOPAL_COMPAT_TBB_PARALLEL_SCAN_H
#define NOPAL_COMPAT_TBB_PARALLEL_SCAN_H

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "blocked_range.h"
#include "detail/halving.h"
#include "parallel_for.h"
#include "partitioner.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Tag of a call that only sums up.
struct pre_scan_tag {
  static constexpr bool is_final_scan() { return false; }
  // NOLINTNEXTLINE(google-explicit-constructor): bodies pass the tag on as a bool
  operator bool() const { return is_final_scan(); }
};

/// Tag of a call that also writes results.
struct final_scan_tag {
  static constexpr bool is_final_scan() { return true; }
  // NOLINTNEXTLINE(google-explicit-constructor): bodies pass the tag on as a bool
  operator bool() const { return is_final_scan(); }
};

namespace nopal_detail {

/// The pieces of a range in order. While one after the other is complete, the given body scans them
/// for good. Pieces that begin before all on their left are complete are summed up by bodies of
/// their own; a second pass scans those for good.
template <class Range, class Body>
class scan_in_pieces {
public:
  scan_in_pieces(const algorithm& self, Range& range, Body& body, int halvings_left)
      : self_(self), body_(body) {
    cut(range, halvings_left);
    own_ = std::make_unique<std::optional<Body>[]>(pieces_.size());
  }

  void run() {
    const std::size_t count = pieces_.size();
    sweep(0, count, true);
    if (self_.is_cancelled() || final_ == count) {
      return;
    }
    // The body that holds the sum of all before a piece scans it: the given one the first, then its
    // left neighbor's.
    Body* last = &body_;
    for (std::size_t at = final_; at + 1 < count; ++at) {
      self_.call([&] { own_[at]->reverse_join(*last); });
      last = &*own_[at];
    }
    finish(final_, count);
    if (last != &body_) {
      self_.call([&] { body_.assign(*last); });
    }
  }

private:
  // NOLINTNEXTLINE(misc-no-recursion): by halves
  void cut(Range& range, int halvings_left) {
    if (halvings_left <= 0 || !range.is_divisible()) {
      pieces_.push_back(range);
      return;
    }
    Range right(range, split());
    cut(range, less_one(halvings_left));
    cut(right, less_one(halvings_left));
  }

  /// True if every piece was scanned for good.
  // NOLINTNEXTLINE(misc-no-recursion): by halves
  bool sweep(std::size_t first, std::size_t last, bool left_is_final) {
    if (last - first == 1) {
      if (left_is_final) {
        self_.call([&] { body_(pieces_[first], final_scan_tag()); });
        final_ = last;
      } else {
        sum_up(first);
      }
      return left_is_final;
    }
    const std::size_t middle = first + (last - first) / 2;
    completion left_done;
    [[maybe_unused]] bool left_result = false;  // not read in checked programs
    nopal::scope both;
    both.fork([&, first, middle, left_is_final] {
      left_result = sweep(first, middle, left_is_final);
      left_done.set();
    });
    bool result = false;
#ifdef NOPAL_CHECKED
    result = sweep(middle, last, false);  // as where the continuation was stolen
#else
    NOPAL_DETAIL_TRY { result = sweep(middle, last, left_done.is_set() && left_result); }
#endif
    NOPAL_DETAIL_JOIN_IF_THROWN(both)
    both.join();
    return result;
  }

  void sum_up(std::size_t at) {
    self_.call([&] { own_[at].emplace(body_, split()); });
    if (own_[at] && at + 1 != pieces_.size()) {
      self_.call([&] { (*own_[at])(pieces_[at], pre_scan_tag()); });
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): by halves
  void finish(std::size_t first, std::size_t last) {
    if (last - first == 1) {
      Body& mine = first == final_ ? body_ : *own_[first - 1];
      self_.call([&] { mine(pieces_[first], final_scan_tag()); });
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    nopal::scope both;
    both.fork([&, first, middle] { finish(first, middle); });
    NOPAL_DETAIL_TRY { finish(middle, last); }
    NOPAL_DETAIL_JOIN_IF_THROWN(both)
    both.join();
  }

  const algorithm& self_;
  Body& body_;
  std::vector<Range> pieces_;
  std::unique_ptr<std::optional<Body>[]> own_;
  std::size_t final_ = 0;  ///< pieces scanned for good in the first pass, one after the other
};

template <class Range, class Body, class Partitioner>
void run_scan(Range range, Body& body, const Partitioner& partitioner) {
  if (range.empty()) {
    return;
  }
  task_group_context context;
  algorithm self(context);
  if (self.serial()) {
    self.call([&] { body(range, final_scan_tag()); });
    return;
  }
  scan_in_pieces<Range, Body>(self, range, body, halvings(self, partitioner)).run();
}

/// The body made of functions.
template <class Range, class Value, class Scan, class ReverseJoin>
class scan_body {
public:
  scan_body(const Value& identity, const Scan& scan, const ReverseJoin& reverse_join)
      : identity_(identity), scan_(scan), reverse_join_(reverse_join), sum_(identity) {}
  scan_body(scan_body& other, split) : scan_body(other.identity_, other.scan_, other.reverse_join_) {}

  template <class Tag>
  void operator()(const Range& range, Tag tag) {
    sum_ = std::invoke(scan_, range, std::as_const(sum_), static_cast<bool>(tag));
  }
  void reverse_join(scan_body& left) {
    sum_ = std::invoke(reverse_join_, std::as_const(left.sum_), std::as_const(sum_));
  }
  void assign(scan_body& other) { sum_ = std::move(other.sum_); }
  Value take() { return std::move(sum_); }

private:
  const Value& identity_;
  const Scan& scan_;
  const ReverseJoin& reverse_join_;
  Value sum_;
};

template <class Range, class Value, class Scan, class ReverseJoin, class Partitioner>
Value scan_functions(const Range& range, const Value& identity, const Scan& scan,
                     const ReverseJoin& reverse_join, const Partitioner& partitioner) {
  scan_body<Range, Value, Scan, ReverseJoin> body(identity, scan, reverse_join);
  run_scan(range, body, partitioner);
  return body.take();
}

}  // namespace nopal_detail

/// A running sum over `range` of what `body` sums up; `body` has the whole sum at the end.
///
/// `body(part, final_scan_tag())` is called once for each part, with the sum of all before it, and
/// for some parts `other(part, pre_scan_tag())` before, with a body made by `Body(body, split())`.
/// `right.reverse_join(left)` puts the sum of what is on the left before that of the right; it must
/// be associative. Where nothing runs at the same time, one pass with `body` alone; else two. Span:
/// logarithmic in the number of parts, and that many joins in a row. Exceptions and threads as with
/// parallel_for.
template <class Range, class Body>
void parallel_scan(const Range& range, Body& body) {
  nopal_detail::run_scan(range, body, auto_partitioner());
}
template <class Range, class Body>
void parallel_scan(const Range& range, Body& body, const auto_partitioner& partitioner) {
  nopal_detail::run_scan(range, body, partitioner);
}
template <class Range, class Body>
void parallel_scan(const Range& range, Body& body, const simple_partitioner& partitioner) {
  nopal_detail::run_scan(range, body, partitioner);
}

/// The same with functions: `scan(part, sum_before, is_final)` returns the sum behind the part,
/// `reverse_join(left, right)` that of both. Returns the sum of all.
template <class Range, class Value, class Scan, class ReverseJoin>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const ReverseJoin& reverse_join) {
  return nopal_detail::scan_functions(range, identity, scan, reverse_join, auto_partitioner());
}
template <class Range, class Value, class Scan, class ReverseJoin>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const ReverseJoin& reverse_join, const auto_partitioner& partitioner) {
  return nopal_detail::scan_functions(range, identity, scan, reverse_join, partitioner);
}
template <class Range, class Value, class Scan, class ReverseJoin>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const ReverseJoin& reverse_join, const simple_partitioner& partitioner) {
  return nopal_detail::scan_functions(range, identity, scan, reverse_join, partitioner);
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
