// libstdc++'s algorithms on whichever library its <execution> finds: compiled into one module with Nopal's headers in oneTBB's
// place, and into another with oneTBB's own.
#include "algorithms.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <execution>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>

extern "C" [[gnu::visibility("default")]] const parallel_stl::module* parallel_stl_module();

namespace parallel_stl {
namespace {

bool is_rare(std::uint64_t x) { return x >= bound; }
bool is_low(std::uint64_t x) { return x < bound / 2; }
std::uint64_t heavy(std::uint64_t x) {
  for (int i = 0; i != 16; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

std::uint64_t ends_of(const numbers& values) {
  return values.front() + 3 * values[values.size() / 3] + values.back();
}

/// `f(in, policy...)` by no policy or by `par`.
template <auto f>
std::uint64_t either(inputs& in, bool parallel) {
  return parallel ? f(in, std::execution::par) : f(in);
}

constexpr auto find_none = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::find_if(p..., in.mixed.begin(), in.mixed.end(), is_rare) - in.mixed.begin());
};
constexpr auto count_low = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::count_if(p..., in.mixed.begin(), in.mixed.end(), is_low));
};
constexpr auto least = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::min_element(p..., in.mixed.begin(), in.mixed.end()) - in.mixed.begin());
};
constexpr auto sorted = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::is_sorted(p..., in.sorted.begin(), in.sorted.end()));
};
constexpr auto equal = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::equal(p..., in.mixed.begin(), in.mixed.end(), in.changed.begin()));
};
constexpr auto sum = [](inputs& in, const auto&... p) {
  return std::reduce(p..., in.mixed.begin(), in.mixed.end(), std::uint64_t{0});
};
constexpr auto heavy_sum = [](inputs& in, const auto&... p) {
  return std::transform_reduce(p..., in.mixed.begin(), in.mixed.end(), std::uint64_t{0}, std::plus<>(),
                               heavy);
};
constexpr auto change_each = [](inputs& in, const auto&... p) {
  std::for_each(p..., in.changed.begin(), in.changed.end(), [](std::uint64_t& x) { x = heavy(x); });
  return ends_of(in.changed);
};
constexpr auto transform = [](inputs& in, const auto&... p) {
  std::transform(p..., in.mixed.begin(), in.mixed.end(), in.out.begin(), heavy);
  return ends_of(in.out);
};
constexpr auto copy_low = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::copy_if(p..., in.mixed.begin(), in.mixed.end(), in.out.begin(), is_low) -
                       in.out.begin());
};
constexpr auto scan = [](inputs& in, const auto&... p) {
  std::inclusive_scan(p..., in.mixed.begin(), in.mixed.end(), in.out.begin(), std::plus<>(),
                      std::uint64_t{0});
  return ends_of(in.out);
};
constexpr auto merge = [](inputs& in, const auto&... p) {
  const numbers& half = in.sorted;
  std::merge(p..., half.begin(), half.end(), half.begin(), half.end(), in.out.begin());
  return ends_of(in.out);
};
constexpr auto remove_low = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::remove_if(p..., in.changed.begin(), in.changed.end(), is_low) -
                       in.changed.begin());
};
constexpr auto part_low = [](inputs& in, const auto&... p) {
  return std::uint64_t(std::partition(p..., in.changed.begin(), in.changed.end(), is_low) -
                       in.changed.begin());
};
constexpr auto sort = [](inputs& in, const auto&... p) {
  std::sort(p..., in.changed.begin(), in.changed.end());
  return ends_of(in.changed);
};
constexpr auto stable_sort = [](inputs& in, const auto&... p) {
  std::stable_sort(p..., in.changed.begin(), in.changed.end());
  return ends_of(in.changed);
};
constexpr auto select = [](inputs& in, const auto&... p) {
  const auto third = static_cast<std::ptrdiff_t>(in.changed.size() / 3);
  std::nth_element(p..., in.changed.begin(), in.changed.begin() + third, in.changed.end());
  return in.changed[in.changed.size() / 3];
};

constexpr algorithm algorithms[] = {
    {"find_if, none", either<find_none>},
    {"count_if", either<count_low>},
    {"min_element", either<least>},
    {"is_sorted", either<sorted>},
    {"equal", either<equal>},
    {"reduce", either<sum>},
    {"transform_reduce", either<heavy_sum>},
    {"for_each", either<change_each>},
    {"transform", either<transform>},
    {"copy_if", either<copy_low>},
    {"inclusive_scan", either<scan>},
    {"merge", either<merge>},
    {"remove_if", either<remove_low>},
    {"partition", either<part_low>},
    {"sort", either<sort>},
    {"stable_sort", either<stable_sort>},
    {"nth_element", either<select>},
};

void limit_threads(std::size_t threads) {
  static std::optional<tbb::global_control> limit;
  limit.emplace(tbb::global_control::max_allowed_parallelism, threads);
}

}  // namespace
}  // namespace parallel_stl

const parallel_stl::module* parallel_stl_module() {
  using namespace parallel_stl;
  static constexpr parallel_stl::module all{algorithms, std::size(algorithms), limit_threads};
  return &all;
}
