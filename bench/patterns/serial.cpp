#include <algorithm>
#include <numeric>

#include "inputs.hpp"

namespace patterns {

std::vector<implementation> serial_patterns() {
  return {
      {"for, no memory",
       [](inputs& in) {
         std::int64_t found = 0;
         const std::size_t count = in.count;
         for (std::size_t i = 0; i < count; ++i)
           if (mixed(i) == never) found = static_cast<std::int64_t>(i);
         in.checksum = found;
       }},
      {"for, y = a x + y",
       [](inputs& in) {
         for (std::size_t i = 0; i < in.count; ++i) in.y[i] = 0.5F * in.x[i] + in.y[i];
         in.checksum = static_cast<std::int64_t>(in.y[in.count / 2]);
       }},
      {"for, triangular",
       [](inputs& in) {
         for (std::size_t i = 0; i < triangle_rows; ++i)
           in.sums[i] = static_cast<std::int64_t>(triangular(i));
         in.checksum = in.sums[triangle_rows - 1];
       }},
      {"for, 10000 short loops",
       [](inputs& in) {
         for (int k = 0; k < 10000; ++k)
           for (std::size_t i = 0; i < short_loop; ++i) in.y[i] = 0.5F * in.x[i] + in.y[i];
         in.checksum = static_cast<std::int64_t>(in.y[5]);
       }},
      {"reduce, sum",
       [](inputs& in) { in.checksum = std::accumulate(in.small.begin(), in.small.end(), std::int64_t{0}); }},
      {"transform",
       [](inputs& in) {
         std::transform(in.small.begin(), in.small.end(), in.sums.begin(),
                        [](std::int32_t value) { return std::int64_t{value} * value; });
         in.checksum = in.sums[in.count / 2];
       }},
      {"inclusive scan",
       [](inputs& in) {
         std::inclusive_scan(in.small.begin(), in.small.end(), in.sums.begin(), std::plus<>(),
                             std::int64_t{0});
         in.checksum = in.sums[in.count - 1];
       }},
      {"find if, the last",
       [](inputs& in) {
         in.checksum =
             std::find_if(in.small.begin(), in.small.end(), [](std::int32_t value) { return value < 0; }) -
             in.small.begin();
       }},
      {"invoke, fib(27)",
       [](inputs& in) {
         struct fib {
           [[gnu::noinline]] static std::int64_t of(int n) { return n < 2 ? n : of(n - 1) + of(n - 2); }
         };
         in.checksum = fib::of(27);
       }},
  };
}

}  // namespace patterns
