#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include "inputs.hpp"

namespace patterns {
namespace {

std::int64_t fib(int n) {
  if (n < 2) return n;
  const auto [x, y] = nopal::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

}  // namespace

std::vector<implementation> nopal_patterns() {
  return {
      {"for, no memory",
       [](inputs& in) {
         std::int64_t found = 0;
         nopal::parallel_for(std::size_t{0}, in.count, [&](std::size_t i) {
           if (mixed(i) == never) found = static_cast<std::int64_t>(i);
         });
         in.checksum = found;
       }},
      {"for, y = a x + y",
       [](inputs& in) {
         nopal::parallel_for(std::size_t{0}, in.count,
                             [&](std::size_t i) { in.y[i] = 0.5F * in.x[i] + in.y[i]; });
         in.checksum = static_cast<std::int64_t>(in.y[in.count / 2]);
       }},
      {"for, triangular",
       [](inputs& in) {
         nopal::parallel_for(std::size_t{0}, triangle_rows,
                             [&](std::size_t i) { in.sums[i] = static_cast<std::int64_t>(triangular(i)); });
         in.checksum = in.sums[triangle_rows - 1];
       }},
      {"for, 10000 short loops",
       [](inputs& in) {
         for (int k = 0; k < 10000; ++k)
           nopal::parallel_for(std::size_t{0}, short_loop,
                               [&](std::size_t i) { in.y[i] = 0.5F * in.x[i] + in.y[i]; });
         in.checksum = static_cast<std::int64_t>(in.y[5]);
       }},
      {"reduce, sum",
       [](inputs& in) {
         in.checksum = nopal::parallel_reduce(
             in.small.begin(), in.small.end(), std::int64_t{0},
             [](std::int32_t value) { return std::int64_t{value}; }, std::plus<>());
       }},
      {"transform",
       [](inputs& in) {
         nopal::parallel_transform(in.small.begin(), in.small.end(), in.sums.begin(),
                                   [](std::int32_t value) { return std::int64_t{value} * value; });
         in.checksum = in.sums[in.count / 2];
       }},
      {"inclusive scan",
       [](inputs& in) {
         nopal::parallel_inclusive_scan(in.small.begin(), in.small.end(), in.sums.begin(), std::plus<>(),
                                        std::int64_t{0});
         in.checksum = in.sums[in.count - 1];
       }},
      {"find if, the last",
       [](inputs& in) {
         in.checksum = nopal::parallel_find_if(in.small.begin(), in.small.end(),
                                               [](std::int32_t value) { return value < 0; }) -
                       in.small.begin();
       }},
      {"invoke, fib(27)", [](inputs& in) { in.checksum = fib(27); }},
  };
}

}  // namespace patterns
