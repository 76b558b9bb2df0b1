#include <memory>

#include <tbb/tbb.h>

#include "inputs.hpp"

namespace patterns {
namespace {

std::int64_t fib(int n) {
  if (n < 2) return n;
  std::int64_t x = 0;
  std::int64_t y = 0;
  tbb::parallel_invoke([&x, n] { x = fib(n - 1); }, [&y, n] { y = fib(n - 2); });
  return x + y;
}

using range = tbb::blocked_range<std::size_t>;

/// The last of them is the result; as oneTBB's own searches do it, the rest is cancelled.
std::int64_t find_negative(const inputs& in) {
  std::atomic<std::size_t> least{in.count};
  tbb::parallel_for(range(0, in.count), [&](const range& part) {
    if (part.begin() >= least.load(std::memory_order_relaxed)) return;
    for (std::size_t i = part.begin(); i < part.end(); ++i) {
      if (in.small[i] >= 0) continue;
      std::size_t seen = least.load(std::memory_order_relaxed);
      while (i < seen && !least.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
      }
      break;
    }
  });
  return static_cast<std::int64_t>(least.load());
}

std::int64_t scan(inputs& in) {
  return tbb::parallel_scan(
      range(0, in.count), std::int64_t{0},
      [&in](const range& part, std::int64_t sum, bool is_final) {
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          sum += in.small[i];
          if (is_final) in.sums[i] = sum;
        }
        return sum;
      },
      std::plus<>());
}

}  // namespace

std::shared_ptr<void> tbb_workers(int workers) {
  return std::make_shared<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                               static_cast<std::size_t>(workers));
}

std::vector<implementation> tbb_patterns() {
  return {
      {"for, no memory",
       [](inputs& in) {
         std::int64_t found = 0;
         tbb::parallel_for(std::size_t{0}, in.count, [&](std::size_t i) {
           if (mixed(i) == never) found = static_cast<std::int64_t>(i);
         });
         in.checksum = found;
       }},
      {"for, y = a x + y",
       [](inputs& in) {
         tbb::parallel_for(std::size_t{0}, in.count,
                           [&](std::size_t i) { in.y[i] = 0.5F * in.x[i] + in.y[i]; });
         in.checksum = static_cast<std::int64_t>(in.y[in.count / 2]);
       }},
      {"for, triangular",
       [](inputs& in) {
         tbb::parallel_for(std::size_t{0}, triangle_rows,
                           [&](std::size_t i) { in.sums[i] = static_cast<std::int64_t>(triangular(i)); });
         in.checksum = in.sums[triangle_rows - 1];
       }},
      {"for, 10000 short loops",
       [](inputs& in) {
         for (int k = 0; k < 10000; ++k)
           tbb::parallel_for(std::size_t{0}, short_loop,
                             [&](std::size_t i) { in.y[i] = 0.5F * in.x[i] + in.y[i]; });
         in.checksum = static_cast<std::int64_t>(in.y[5]);
       }},
      {"reduce, sum",
       [](inputs& in) {
         in.checksum = tbb::parallel_reduce(
             range(0, in.count), std::int64_t{0},
             [&in](const range& part, std::int64_t sum) {
               for (std::size_t i = part.begin(); i < part.end(); ++i) sum += in.small[i];
               return sum;
             },
             std::plus<>());
       }},
      {"transform",
       [](inputs& in) {
         tbb::parallel_for(range(0, in.count), [&in](const range& part) {
           for (std::size_t i = part.begin(); i < part.end(); ++i)
             in.sums[i] = std::int64_t{in.small[i]} * in.small[i];
         });
         in.checksum = in.sums[in.count / 2];
       }},
      {"inclusive scan", [](inputs& in) { in.checksum = scan(in); }},
      {"find if, the last", [](inputs& in) { in.checksum = find_negative(in); }},
      {"invoke, fib(27)", [](inputs& in) { in.checksum = fib(27); }},
  };
}

}  // namespace patterns
