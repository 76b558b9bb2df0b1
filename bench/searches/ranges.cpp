// An element of an array: the first that fits, and any. Cheap to look at, and dear. Written as each library's users would.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "../programs/random.hpp"
#include "variant.hpp"

#ifdef NOPAL_SEARCHES_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#elif defined(NOPAL_SEARCHES_POLLED)
#include <nopal/parallel.hpp>
#endif

namespace searches::NOPAL_SEARCHES_VARIANT {
namespace {

/// Numbers of which those that fit are the first at one place and many of those behind it, one of a hundred.
struct numbers {
  std::vector<std::uint64_t> all;
  int rounds;  ///< of mixing for each look

  [[nodiscard]] bool fits(std::uint64_t number) const {
    for (int i = 0; i < rounds; ++i) number = bench::mix(number);
    return number % 100 == 0;
  }
};

/// Numbers such that the element at `place`, in a million, is the first that fits.
numbers make_numbers(std::size_t count, int rounds, std::size_t place) {
  numbers made{{}, rounds};
  bench::random_sequence random(3);
  const std::size_t first = count / 1000 * place / 1000;
  while (made.all.size() < count) {
    const std::uint64_t next = random.next();
    const bool fits = made.fits(next);
    if (made.all.size() < first ? !fits : made.all.size() > first || fits) made.all.push_back(next);
  }
  return made;
}

#ifdef NOPAL_SEARCHES_HAS_FIND

std::size_t find(const numbers& in, bool first) {
  const auto fits = [&in](std::uint64_t number) { return in.fits(number); };
  const auto found = first ? nopal::parallel_find_first(in.all.begin(), in.all.end(), fits)
                           : nopal::parallel_find_any(in.all.begin(), in.all.end(), fits);
  return static_cast<std::size_t>(found - in.all.begin());
}

#else

/// The least place so far, which each block looks at from time to time.
struct least_place {
  explicit least_place(std::size_t none) : value(none) {}
  std::atomic<std::size_t> value;
  void offer(std::size_t place) {
    std::size_t least = value.load(std::memory_order_relaxed);
    while (place < least && !value.compare_exchange_weak(least, place, std::memory_order_relaxed)) {
    }
  }
};

/// False if any place would do, and there is one.
bool look_through(const numbers& in, bool first, least_place& least, std::size_t from, std::size_t to) {
  constexpr std::size_t stretch = 64;
  for (; from < to; from += stretch) {
    const std::size_t found = least.value.load(std::memory_order_relaxed);
    if (found < (first ? from : in.all.size())) return first;
    for (std::size_t i = from; i < std::min(from + stretch, to); ++i) {
      if (!in.fits(in.all[i])) continue;
      least.offer(i);
      return first;
    }
  }
  return true;
}

#ifdef NOPAL_SEARCHES_TBB

std::size_t find(const numbers& in, bool first) {
  least_place least(in.all.size());
  oneapi::tbb::task_group_context context;
  oneapi::tbb::parallel_for(
      oneapi::tbb::blocked_range<std::size_t>(0, in.all.size()),
      [&](const oneapi::tbb::blocked_range<std::size_t>& part) {
        if (!look_through(in, first, least, part.begin(), part.end())) context.cancel_group_execution();
      },
      context);
  return least.value;
}

#else

std::size_t find(const numbers& in, bool first) {
  least_place least(in.all.size());
  constexpr std::size_t block = 1024;
  nopal::parallel_for(std::size_t{0}, (in.all.size() + block - 1) / block, [&](std::size_t i) {
    static_cast<void>(look_through(in, first, least, i * block, std::min((i + 1) * block, in.all.size())));
  });
  return least.value;
}

#endif
#endif

/// The place of the first; of any, whether it fits.
outcome run(const numbers& in, bool first) {
  std::size_t place = in.all.size();
  outcome all = timed([&](tally&) {
    place = find(in, first);
    return first ? static_cast<std::int64_t>(place) : std::int64_t{place != in.all.size()};
  });
  all.is_right = place == in.all.size() || (place < in.all.size() && in.fits(in.all[place]));
  return all;
}

}  // namespace

std::vector<search> ranges_searches(bool quick) {
  std::vector<search> all;
  for (const int rounds : {1, 200}) {
    const std::size_t count = (quick ? 100'000U : 20'000'000U) / static_cast<unsigned>(rounds);
    // Made once it is searched.
    const auto made = std::make_shared<numbers>();
    const auto in = [made, count, rounds]() -> const numbers& {
      if (made->all.empty()) *made = make_numbers(count, rounds, 900'000);
      return *made;
    };
    const std::string name = "range " + std::to_string(count) + (rounds == 1 ? " cheap" : " dear");
    all.push_back({name + ", first", [in] { return run(in(), true); }});
    all.push_back({name + ", any", [in] { return run(in(), false); }});
  }
  return all;
}

}  // namespace searches::NOPAL_SEARCHES_VARIANT
