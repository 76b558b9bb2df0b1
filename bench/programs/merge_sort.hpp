// Merge sort whose halves and whose merges are both forked: quarters are sorted at once, merged in pairs
// into a spare array of the same length, and the pairs merged back. Not stable.
#ifndef NOPAL_BENCH_PROGRAMS_MERGE_SORT_HPP
#define NOPAL_BENCH_PROGRAMS_MERGE_SORT_HPP

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fork_join.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {

/// Where values lie one after another.
template <class T>
struct run_of {
  T* first;
  T* last;

  [[nodiscard]] std::ptrdiff_t size() const { return last - first; }
  [[nodiscard]] run_of part(std::ptrdiff_t from, std::ptrdiff_t to) const {
    return {first + from, first + to};
  }
};

/// Merges sorted `a` and `b` to `out`: what is less than the middle of the longer one apart from the rest.
template <class T>
void merge_runs(run_of<T> a, run_of<T> b, T* out, std::ptrdiff_t grain) {
  if (a.size() + b.size() <= grain) {
    std::merge(a.first, a.last, b.first, b.last, out);
    return;
  }
  if (a.size() < b.size()) std::swap(a, b);
  T* const a_middle = a.first + a.size() / 2;
  T* const b_middle = std::lower_bound(b.first, b.last, *a_middle);
  T* const out_middle = out + (a_middle - a.first) + (b_middle - b.first);
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { merge_runs<T>({a.first, a_middle}, {b.first, b_middle}, out, grain); },
         [=] { merge_runs<T>({a_middle, a.last}, {b_middle, b.last}, out_middle, grain); });
#else
  scope s;
  s.fork(merge_runs<T>, run_of<T>{a.first, a_middle}, run_of<T>{b.first, b_middle}, out, grain);
  merge_runs<T>({a_middle, a.last}, {b_middle, b.last}, out_middle, grain);
  s.join();
#endif
}

/// Sorts `values`, where `spare` has as much room. The grain is at least 4.
template <class T>
void merge_sort(run_of<T> values, T* spare, std::ptrdiff_t grain) {
  const std::ptrdiff_t size = values.size();
  if (size <= grain) {
    std::sort(values.first, values.last);
    return;
  }
  const std::ptrdiff_t half = size / 2;
  const run_of<T> a = values.part(0, half / 2);
  const run_of<T> b = values.part(half / 2, half);
  const run_of<T> c = values.part(half, half + (size - half) / 2);
  const run_of<T> d = values.part(half + (size - half) / 2, size);
  T* const spare_b = spare + a.size();
  T* const spare_c = spare + half;
  T* const spare_d = spare_c + c.size();
  const run_of<T> lower = {spare, spare_c};
  const run_of<T> upper = {spare_c, spare + size};
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { merge_sort(a, spare, grain); }, [=] { merge_sort(b, spare_b, grain); },
         [=] { merge_sort(c, spare_c, grain); }, [=] { merge_sort(d, spare_d, grain); });
  invoke([=] { merge_runs(a, b, spare, grain); }, [=] { merge_runs(c, d, spare_c, grain); });
#else
  scope s;
  s.fork(merge_sort<T>, a, spare, grain);
  s.fork(merge_sort<T>, b, spare_b, grain);
  s.fork(merge_sort<T>, c, spare_c, grain);
  merge_sort(d, spare_d, grain);
  s.join();
  s.fork(merge_runs<T>, a, b, spare, grain);
  merge_runs(c, d, spare_c, grain);
  s.join();
#endif
  merge_runs(lower, upper, values.first, grain);
}

}  // namespace bench::NOPAL_PROGRAM_VARIANT

#endif
