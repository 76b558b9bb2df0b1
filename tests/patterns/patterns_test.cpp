// Reductions, transformations, scans and searches: the serial result, under steals that surely happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <nopal/parallel.hpp>

#include "support/affine.hpp"
#include "support/strands.hpp"

namespace {

constexpr std::size_t counts[] = {0, 1, 2, 3, 10, 33, 100, 1000, 20000};

std::string digits(std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += std::to_string(i) + ' ';
  return all;
}

NOPAL_PROGRAM(reductions_keep_the_order) {
  for (const std::size_t count : counts) {
    for (const int work : {0, 100}) {
      const auto map = [work](std::size_t i) {
        support::burn(work);
        return std::to_string(i) + ' ';
      };
      const auto join = [](std::string left, const std::string& right) { return std::move(left) + right; };
      NOPAL_CHECK(nopal::parallel_reduce(std::size_t{0}, count, std::string(), map, join) == digits(count));
      for (const std::size_t grain : std::initializer_list<std::size_t>{0, 1, 7})
        NOPAL_CHECK(nopal::parallel_reduce(std::size_t{0}, count, grain, std::string(), map, join) ==
                    digits(count));
    }
  }
  support::check_quiet();
  return 0;
}

/// The order of combinations, in parentheses, is that of halving down to the grain, whoever is hungry.
NOPAL_PROGRAM(reductions_with_a_grain_are_a_tree) {
  const auto join = [](const std::string& left, const std::string& right) {
    return '(' + left + ' ' + right + ')';
  };
  const auto map = [](std::size_t i) { return std::to_string(i); };
  const std::function<std::string(std::size_t, std::size_t, std::size_t)> tree =
      [&](std::size_t from, std::size_t to, std::size_t grain) {
        if (to - from > grain) {
          const std::size_t middle = from + (to - from) / 2;
          return join(tree(from, middle, grain), tree(middle, to, grain));
        }
        std::string sum = "_";
        for (; from != to; ++from) sum = join(sum, map(from));
        return sum;
      };
  for (const std::size_t count : std::initializer_list<std::size_t>{1, 2, 7, 16, 100}) {
    for (const std::size_t grain : std::initializer_list<std::size_t>{1, 2, 3, 4, 50}) {
      NOPAL_CHECK(nopal::parallel_reduce(std::size_t{0}, count, grain, std::string("_"), map, join) ==
                  tree(0, count, grain));
    }
  }
  return 0;
}

NOPAL_PROGRAM(reductions_of_elements) {
  std::vector<int> values(5000);
  std::iota(values.begin(), values.end(), -100);
  const long sum = std::accumulate(values.begin(), values.end(), 0L);
  const auto widened = [](int value) { return static_cast<long>(value); };
  NOPAL_CHECK(nopal::parallel_reduce(values.begin(), values.end(), 0L, widened, std::plus<>()) == sum);
  NOPAL_CHECK(nopal::parallel_reduce(values.begin(), values.begin(), 7L, widened, std::plus<>()) == 7);
  // Of iterators, of values that are moved only but for the identity.
  using place = std::vector<int>::const_iterator;
  const auto greatest = nopal::parallel_reduce(
      values.cbegin(), values.cend(), values.cbegin(), [](place at) { return at; },
      [](place left, place right) { return *right > *left ? right : left; });
  NOPAL_CHECK(greatest == values.cend() - 1);
  return 0;
}

/// Sums of floating-point numbers are the same bits, run after run, given a grain.
NOPAL_PROGRAM(reductions_with_a_grain_are_reproducible) {
  std::vector<double> values(30000);
  std::mt19937_64 random(5);
  for (double& each : values)
    each = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 60) - 100);
  const auto sum = [&](std::size_t grain) {
    return nopal::parallel_reduce(
        values.begin(), values.end(), grain, 0.0, [](double value) { return value; }, std::plus<>());
  };
  for (const std::size_t grain : std::initializer_list<std::size_t>{1, 10, 4000, 100000}) {
    const double first = sum(grain);
    for (int i = 0; i < 30; ++i) NOPAL_CHECK(sum(grain) == first);
  }
  std::printf("%a\n", sum(64));  // the same for every number of workers
  return 0;
}

NOPAL_PROGRAM(transformations) {
  for (const std::size_t count : counts) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 0);
    std::vector<std::string> texts(count);
    NOPAL_CHECK(nopal::parallel_transform(values.begin(), values.end(), texts.begin(),
                                          [](int value) { return std::to_string(value); }) == texts.end());
    for (std::size_t i = 0; i < count; ++i) NOPAL_CHECK(texts[i] == std::to_string(i));
    nopal::parallel_transform(values.begin(), values.end(), values.begin(),
                              [](int value) { return value + 1; });
    std::vector<std::size_t> both(count);
    nopal::parallel_transform(
        values.begin(), values.end(), texts.begin(), both.begin(),
        [](int value, const std::string& text) { return static_cast<std::size_t>(value) + text.size(); });
    for (std::size_t i = 0; i < count; ++i) NOPAL_CHECK(both[i] == i + 1 + texts[i].size());
  }
  return 0;
}

/// Maps that do not commute, so that each mistake of order shows.
NOPAL_PROGRAM(scans) {
  using support::affine;
  const auto compose = [](const affine& left, const affine& right) {
    affine both = left;
    both.then(right.factor, right.summand);
    return both;
  };
  std::mt19937_64 random(3);
  for (const std::size_t count : counts) {
    std::vector<affine> values(count);
    for (affine& each : values) each = affine{random() | 1, random()};
    std::vector<affine> expected(count);
    std::vector<affine> found(count);
    const affine init{3, 4};
    for (const int work : {0, 20}) {
      const auto slow = [work, compose](const affine& left, const affine& right) {
        support::burn(work);
        return compose(left, right);
      };
      std::inclusive_scan(values.begin(), values.end(), expected.begin(), compose, init);
      NOPAL_CHECK(nopal::parallel_inclusive_scan(values.begin(), values.end(), found.begin(), slow, init) ==
                  found.end());
      NOPAL_CHECK(found == expected);
      std::inclusive_scan(values.begin(), values.end(), expected.begin(), compose);
      nopal::parallel_inclusive_scan(values.begin(), values.end(), found.begin(), slow);
      NOPAL_CHECK(found == expected);
      std::exclusive_scan(values.begin(), values.end(), expected.begin(), init, compose);
      nopal::parallel_exclusive_scan(values.begin(), values.end(), found.begin(), init, slow);
      NOPAL_CHECK(found == expected);
      found = values;
      nopal::parallel_exclusive_scan(found.begin(), found.end(), found.begin(), init, slow);  // in place
      NOPAL_CHECK(found == expected);
    }
  }
  support::check_quiet();
  return 0;
}

/// The first part is not over before another strand works on the rest: so there is a rest, which is added up and then written.
NOPAL_PROGRAM(scans_that_are_stolen_from) {
  using support::affine;
  const std::size_t count = 10'000;
  std::mt19937_64 random(4);
  std::vector<affine> values(count);
  for (affine& each : values) each = affine{random() | 1, random()};
  std::vector<affine> expected(count);
  std::vector<affine> found(count);
  for (int round = 0; round != 5; ++round) {
    std::atomic<std::thread::id> first_thread{};
    std::atomic<bool> has_company{nopal::workers() == 1};
    const auto compose = [&](const affine& left, const affine& right) {
      const std::thread::id self = std::this_thread::get_id();
      std::thread::id nobody{};
      if (first_thread.compare_exchange_strong(nobody, self)) {
        while (!has_company) std::this_thread::yield();
      } else if (nobody != self) {
        has_company = true;
      }
      affine both = left;
      both.then(right.factor, right.summand);
      return both;
    };
    nopal::parallel_inclusive_scan(values.begin(), values.end(), found.begin(), compose, affine{3, 4});
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), compose, affine{3, 4});
    NOPAL_CHECK(found == expected && has_company);
  }
  return 0;
}

NOPAL_PROGRAM(scans_of_numbers_and_texts) {
  const std::vector<int> ones(10000, 1);
  std::vector<long> sums(10000);
  nopal::parallel_inclusive_scan(ones.begin(), ones.end(), sums.begin(), std::plus<>(), 0L);
  for (std::size_t i = 0; i < sums.size(); ++i) NOPAL_CHECK(sums[i] == static_cast<long>(i) + 1);
  nopal::parallel_exclusive_scan(ones.begin(), ones.end(), sums.begin(), 5L);
  for (std::size_t i = 0; i < sums.size(); ++i) NOPAL_CHECK(sums[i] == static_cast<long>(i) + 5);
  const std::vector<std::string> letters(500, "x");
  std::vector<std::string> prefixes(500);
  nopal::parallel_inclusive_scan(letters.begin(), letters.end(), prefixes.begin());
  for (std::size_t i = 0; i < prefixes.size(); ++i) NOPAL_CHECK(prefixes[i] == std::string(i + 1, 'x'));
  // What the operation throws leaves, and nothing is lost or ended twice.
  for (const int at : {0, 1, 250, 499}) {
    std::atomic<int> calls{0};
    try {
      nopal::parallel_inclusive_scan(letters.begin(), letters.end(), prefixes.begin(),
                                     [&](const std::string& left, const std::string& right) {
                                       if (calls++ == at) throw at;
                                       support::burn(200);
                                       return left + right;
                                     });
      NOPAL_CHECK(at == 499);
    } catch (int thrown) {
      NOPAL_CHECK(thrown == at);
    }
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(searches) {
  for (const std::size_t count : counts) {
    std::vector<std::size_t> values(count);
    std::iota(values.begin(), values.end(), std::size_t{0});
    for (const std::size_t least :
         {std::size_t{0}, count / 3, count / 2, count - std::min<std::size_t>(count, 1), count}) {
      // Many match: the first is wanted, although strands find later ones sooner.
      const auto matches = [least](std::size_t value) {
        support::burn(value < least ? 20 : 0);
        return value >= least;
      };
      NOPAL_CHECK(nopal::parallel_find_if(values.begin(), values.end(), matches) - values.begin() ==
                  static_cast<std::ptrdiff_t>(std::min(least, count)));
      NOPAL_CHECK(nopal::parallel_any_of(values.begin(), values.end(), matches) == (least < count));
      NOPAL_CHECK(nopal::parallel_none_of(values.begin(), values.end(), matches) == (least >= count));
      NOPAL_CHECK(nopal::parallel_all_of(values.begin(), values.end(), matches) ==
                  (least == 0 || count == 0));
    }
    NOPAL_CHECK(nopal::parallel_find_if(
                    values.begin(), values.end(), [](std::size_t negated) { return negated + 5 == 0; },
                    [](std::size_t value) { return ~value; }) -
                    values.begin() ==
                static_cast<std::ptrdiff_t>(std::min<std::size_t>(4, count)));
  }
  return 0;
}

/// A search looks no further than a few chunks beyond what it found.
NOPAL_PROGRAM(searches_end_early) {
  std::atomic<std::size_t> looked{0};
  std::vector<char> values(1'000'000);
  values[3000] = 1;
  const auto test = [&](char value) {
    looked.fetch_add(1, std::memory_order_relaxed);
    return value == 1;
  };
  NOPAL_CHECK(nopal::parallel_any_of(values.begin(), values.end(), test));
  NOPAL_CHECK(looked < values.size() / 2 || nopal::workers() > 1);
  NOPAL_CHECK(nopal::parallel_find_if(values.begin(), values.end(), test) - values.begin() == 3000);
  return 0;
}

/// What a search does at some position, where others do nothing.
struct search_events {
  std::size_t match;   // from here on each third element matches
  std::size_t thrown;  // from here on each second throws its position
};

/// Tests take times of their own, so that strands are far apart.
bool test_at(const search_events& events, std::size_t position, std::uint64_t seed) {
  std::mt19937_64 random(seed + position);
  support::burn(static_cast<int>(random() % 400));
  if (position >= events.thrown && (position - events.thrown) % 2 == 0) throw position;
  return position >= events.match && (position - events.match) % 3 == 0;
}

/// "at" a position, "threw" at one, or "none".
template <class Search>
std::string end_of(Search search) {
  try {
    return search();
  } catch (std::size_t position) {
    return "threw " + std::to_string(position);
  }
}

/// The first event in serial order is the result, whatever strands met elsewhere.
NOPAL_PROGRAM(searches_whose_tests_throw) {
  constexpr std::uint64_t first_seed = 1;
  for (std::uint64_t seed = first_seed; seed != first_seed + 300; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t count = 1 + random() % 3000;
    const search_events events{random() % (count + count / 4), random() % (count + count / 4)};
    std::vector<std::size_t> values(count);
    std::iota(values.begin(), values.end(), std::size_t{0});
    const auto test = [&](std::size_t value) { return test_at(events, value, seed); };
    const auto fails = [&](std::size_t value) { return !test(value); };
    const auto found = [&values](auto at) { return std::to_string(at - values.begin()); };
    const auto told = [](bool answer) { return std::string(answer ? "yes" : "no"); };
    const auto begin = values.begin();
    const auto end = values.end();
    const bool same = end_of([&] { return found(nopal::parallel_find_if(begin, end, test)); }) ==
                          end_of([&] { return found(std::find_if(begin, end, test)); }) &&
                      end_of([&] { return told(nopal::parallel_any_of(begin, end, test)); }) ==
                          end_of([&] { return told(std::any_of(begin, end, test)); }) &&
                      end_of([&] { return told(nopal::parallel_none_of(begin, end, test)); }) ==
                          end_of([&] { return told(std::none_of(begin, end, test)); }) &&
                      end_of([&] { return told(nopal::parallel_all_of(begin, end, fails)); }) ==
                          end_of([&] { return told(std::all_of(begin, end, fails)); });
    if (!same) std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
    NOPAL_CHECK(same);
  }
  support::check_quiet();
  return 0;
}

/// Where no test throws the first find of any strand is the answer. The strand that waits for the find may look at all of its own before
/// the search has recorded it: so some search must end early, not each.
NOPAL_PROGRAM(any_find_ends_a_search_that_cannot_throw) {
  std::vector<char> values(100'000);
  values.back() = 1;
  bool ended_early = nopal::workers() == 1;
  do {
    std::atomic<std::size_t> looked{0};
    support::flag found{false};
    const auto test = [&](const char& value) noexcept {
      looked.fetch_add(1, std::memory_order_relaxed);
      if (value != 0) support::set(found);
      if (&value == values.data()) support::wait_for_continuation(found);
      return value != 0;
    };
    NOPAL_CHECK(nopal::parallel_any_of(values.begin(), values.end(), test));
    ended_early = ended_early || looked < values.size();
  } while (!ended_early);
  return 0;
}

class patterns : public support::program_at_workers {};

TEST_P(patterns, reduce_in_a_tree_of_the_grain) { EXPECT_TRUE(run("reductions_with_a_grain_are_a_tree")); }
TEST_P(patterns, reduce_in_order) { EXPECT_TRUE(run("reductions_keep_the_order")); }
TEST_P(patterns, reduce_elements) { EXPECT_TRUE(run("reductions_of_elements")); }
TEST_P(patterns, transform) { EXPECT_TRUE(run("transformations")); }
TEST_P(patterns, scan) { EXPECT_TRUE(run("scans")); }
TEST_P(patterns, scan_what_others_took) { EXPECT_TRUE(run("scans_that_are_stolen_from")); }
TEST_P(patterns, scan_numbers_and_texts) { EXPECT_TRUE(run("scans_of_numbers_and_texts")); }
TEST_P(patterns, search) { EXPECT_TRUE(run("searches")); }
TEST_P(patterns, end_searches_early) { EXPECT_TRUE(run("searches_end_early")); }
TEST_P(patterns, search_up_to_the_first_match_or_exception) {
  EXPECT_TRUE(run("searches_whose_tests_throw"));
}
TEST_P(patterns, end_a_search_that_cannot_throw_with_any_find) {
  EXPECT_TRUE(run("any_find_ends_a_search_that_cannot_throw"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, patterns, testing::Values(1, 2, 7), testing::PrintToStringParamName());

TEST(reductions, with_a_grain_are_the_same_on_any_number_of_workers) {
  const support::outcome on_one =
      support::run_program("reductions_with_a_grain_are_reproducible", support::on_workers(1));
  ASSERT_EQ(on_one.exit_code, 0) << on_one.description();
  for (const int workers : {2, 3, 7}) {
    const support::outcome on_more =
        support::run_program("reductions_with_a_grain_are_reproducible", support::on_workers(workers));
    EXPECT_EQ(on_more.exit_code, 0) << on_more.description();
    EXPECT_EQ(on_more.out, on_one.out);
  }
}

}  // namespace
