// Reductions, scans and transformations of values whose copies, moves and assignments throw: the exception leaves, and each value
// that was made has ended once. Of several exceptions the one that the serial program meets first leaves.
#include <gtest/gtest.h>

#include <atomic>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <utility>
#include <vector>

#include <nopal/bag.hpp>
#include <nopal/parallel.hpp>
#include <nopal/reducer.hpp>

#include "support/strands.hpp"

namespace {

struct refused {};

constexpr long never = std::numeric_limits<long>::max();
std::atomic<long> operations{0};
std::atomic<long> refused_at{never};
std::atomic<long> alive{0};

void count_operation() {
  if (operations++ == refused_at) throw refused();
}

/// A number in an object that knows whether it is one.
class value {
public:
  explicit value(long number) : number_(number) { ++alive; }
  value(const value& other) : number_(other.number()) {
    count_operation();
    ++alive;
  }
  value(value&& other) : number_(other.number()) {
    count_operation();
    ++alive;
  }
  value& operator=(const value& other) {
    count_operation();
    NOPAL_CHECK(self_ == this);
    number_ = other.number();
    return *this;
  }
  value& operator=(value&& other) { return *this = std::as_const(other); }
  ~value() {
    NOPAL_CHECK(self_ == this);
    self_ = nullptr;
    --alive;
  }
  [[nodiscard]] long number() const {
    NOPAL_CHECK(self_ == this);
    return number_;
  }

private:
  const value* self_ = this;
  long number_;
};

value sum_of(const value& left, const value& right) {
  support::burn(100);
  count_operation();
  return value(left.number() + right.number());
}

constexpr std::size_t count = 300;

/// `pattern` with each of its operations refused in turn, as far as there are so many.
template <class Pattern>
void refuse_each(const Pattern& pattern) {
  const long before = alive;
  bool thrown = true;
  for (long at = 0; thrown; at += at < 20 ? 1 : 13) {
    operations = 0;
    refused_at = at;
    thrown = false;
    try {
      pattern();
    } catch (const refused&) {
      thrown = true;
    }
    refused_at = never;
    NOPAL_CHECK(thrown == (operations > at));
    NOPAL_CHECK(alive == before);
  }
}

NOPAL_PROGRAM(values_that_throw) {
  std::vector<value> in;
  in.reserve(count);
  for (std::size_t i = 0; i < count; ++i) in.emplace_back(static_cast<long>(i));
  std::vector<value> out = in;
  const value zero(0);
  const auto itself = [](const value& one) { return one; };
  refuse_each([&] { static_cast<void>(nopal::parallel_reduce(in.begin(), in.end(), zero, itself, sum_of)); });
  refuse_each([&] {
    static_cast<void>(nopal::parallel_reduce(in.begin(), in.end(), std::size_t{8}, zero, itself, sum_of));
  });
  refuse_each([&] { nopal::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), sum_of, zero); });
  refuse_each([&] { nopal::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), sum_of); });
  refuse_each([&] { nopal::parallel_exclusive_scan(in.begin(), in.end(), out.begin(), zero, sum_of); });
  refuse_each([&] { nopal::parallel_transform(in.begin(), in.end(), out.begin(), itself); });
  refuse_each([&] { nopal::parallel_transform(in.begin(), in.end(), in.begin(), out.begin(), sum_of); });
  refuse_each([&] {
    nopal::parallel_for_each(in, [](value one) { support::burn(static_cast<int>(one.number())); });
  });
  const std::list<value> list(in.begin(), in.end());
  refuse_each([&] {
    nopal::parallel_for_each(list, [](value one) { support::burn(static_cast<int>(one.number())); });
  });
  refuse_each([&] {
    static_cast<void>(
        nopal::parallel_invoke([&] { return in[0]; }, [&] { return in[1]; }, [&] { return in[2]; }));
  });
  // Nothing is left of them: the next ones are right.
  NOPAL_CHECK(nopal::parallel_reduce(in.begin(), in.end(), zero, itself, sum_of).number() ==
              static_cast<long>(count * (count - 1) / 2));
  support::check_quiet();
  return 0;
}

/// Two blocks throw; that which comes first in the bag's order leaves, also where it throws only once the other does.
NOPAL_PROGRAM(visits_of_bags_that_throw) {
  constexpr auto block = static_cast<int>(nopal::bag<int>::block_elements);
  nopal::bag<int> bag;
  for (int i = 0; i < 11 * block + 7; ++i) bag.insert(i);  // trees of 8, 2 and 1 blocks, and 7 elements
  std::vector<int> order;
  bag.visit_blocks([&](const int* first, const int*) { order.push_back(*first / block); });
  NOPAL_CHECK(order.size() == 12);
  for (std::size_t first = 0; first < order.size(); ++first) {
    for (std::size_t second = first + 1; second < order.size(); ++second) {
      for (const bool second_throws_surely : {true, false}) {
        support::flag second_throws{false};
        try {
          bag.parallel_visit_blocks([&](const int* elements, const int*) {
            const int number = *elements / block;
            if (number == order[second]) {
              support::set(second_throws);
              throw number;
            }
            if (number == order[first]) {
              if (second_throws_surely) support::wait_for_continuation(second_throws);
              throw number;
            }
          });
          NOPAL_CHECK(false);
        } catch (int number) {
          NOPAL_CHECK(number == order[first]);
        }
      }
    }
  }
  support::check_quiet();
  return 0;
}

constexpr int body_throws_at = 3;
constexpr int iterator_throws_at = 20;
support::flag iterator_throws{false};

/// Counts, and throws at one number: in `++`, in `*` or in the comparison.
template <class Category, int throwing>
class failing_counter {
public:
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using iterator_category = Category;
  using reference = int;
  using pointer = void;

  failing_counter() = default;
  explicit failing_counter(int at) : at_(at) {}
  int operator*() const {
    // That of a forward iterator is called by the body's strand.
    fail_if(throwing == 1 && at_ == iterator_throws_at);
    return at_;
  }
  failing_counter& operator++() {
    ++at_;
    fail_if(throwing == 0 && at_ == iterator_throws_at);
    return *this;
  }
  failing_counter operator++(int) {
    failing_counter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const failing_counter& other) const {
    fail_if(throwing == 2 && at_ == iterator_throws_at);
    return at_ == other.at_;
  }

private:
  static void fail_if(bool fails) {
    if (!fails) return;
    support::set(iterator_throws);
    throw iterator_throws_at;
  }
  int at_ = 0;
};

template <class Category, int throwing>
void throw_in_body_and_iterator() {
  using counter = failing_counter<Category, throwing>;
  for (const bool body_throws_late : {true, false}) {
    iterator_throws = false;
    try {
      nopal::parallel_for_each(counter(0), counter(1000), [&](int i) {
        if (i != body_throws_at) return;
        if (body_throws_late) support::wait_for_continuation(iterator_throws);
        throw body_throws_at;
      });
      NOPAL_CHECK(false);
    } catch (int thrown) {
      NOPAL_CHECK(thrown == body_throws_at);
    }
  }
}

NOPAL_PROGRAM(iterators_that_throw_after_a_body) {
  static_assert(std::forward_iterator<failing_counter<std::forward_iterator_tag, 0>>);
  for (int round = 0; round < 20; ++round) {
    throw_in_body_and_iterator<std::input_iterator_tag, 0>();
    throw_in_body_and_iterator<std::input_iterator_tag, 1>();
    throw_in_body_and_iterator<std::input_iterator_tag, 2>();
    throw_in_body_and_iterator<std::forward_iterator_tag, 0>();
    throw_in_body_and_iterator<std::forward_iterator_tag, 1>();
    throw_in_body_and_iterator<std::forward_iterator_tag, 2>();
  }
  support::check_quiet();
  return 0;
}

support::flag copies_throw{false};
support::flag copy_throws{false};

/// A number whose copies throw from some time on.
struct copied_early {
  explicit copied_early(long with) : number(with) {}
  copied_early(const copied_early& other) : number(other.number) {
    if (copies_throw.load()) {
      support::set(copy_throws);
      throw refused();
    }
  }
  copied_early(copied_early&&) = default;
  copied_early& operator=(copied_early&&) = default;
  long number;
};

/// Copies of the identity, which the serial program does not make any more, for halves that come after a map that throws.
NOPAL_PROGRAM(identities_that_throw_after_a_map) {
  const auto add = [](const copied_early& left, const copied_early& right) {
    return copied_early(left.number + right.number);
  };
  const auto check = [&](auto reduce, auto wait) {
    copies_throw = false;
    copy_throws = false;
    try {
      reduce([&](int i) {
        if (i == 0) {
          support::set(copies_throw);
          wait(copy_throws);
          throw 1;
        }
        support::wait_for_continuation(copies_throw);  // others leave copies to be made
        return copied_early(i);
      });
      NOPAL_CHECK(false);
    } catch (int thrown) {
      NOPAL_CHECK(thrown == 1);
    }
    copies_throw = false;
  };
  for (int round = 0; round < 50; ++round) {
    for (const std::size_t grain : std::initializer_list<std::size_t>{1, 100}) {
      check(
          [&](auto map) {
            static_cast<void>(nopal::parallel_reduce(0, 1000, grain, copied_early(0), map, add));
          },
          support::wait_for_continuation);
    }
    // Whether it is split is open.
    check([&](auto map) { static_cast<void>(nopal::parallel_reduce(0, 1000, copied_early(0), map, add)); },
          support::wait_briefly);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(bags_of_values_that_throw) {
  const long before = alive;
  constexpr int half = 100;
  for (long at = 0; at < half + 20; ++at) {
    {
      nopal::reducer<nopal::op_bag<value>> bag;
      operations = 0;
      refused_at = at;
      bool thrown = false;
      try {
        support::flag went_on{false};
        nopal::scope s;
        s.fork([&] {
          for (int i = 0; i < half; ++i) bag->emplace(i);
          support::wait_for_continuation(went_on);
        });
        for (int i = 0; i < half; ++i) bag->emplace(i);
        support::set(went_on);
        s.join();
      } catch (const refused&) {
        thrown = true;
      }
      refused_at = never;
      NOPAL_CHECK(thrown == (operations > at));
      // The view on the right of a reduction that throws is lost, and has ended.
      NOPAL_CHECK(alive - before == static_cast<long>(bag.value().size()));
      if (!thrown) NOPAL_CHECK(bag.value().size() == 2 * half);
    }
    NOPAL_CHECK(alive == before);
  }
  support::check_quiet();
  return 0;
}

class pattern_faults : public support::program_at_workers {};

TEST_P(pattern_faults, values_that_throw_end_once_each) { EXPECT_TRUE(run("values_that_throw")); }
TEST_P(pattern_faults, of_blocks_of_a_bag_are_met_in_its_order) {
  EXPECT_TRUE(run("visits_of_bags_that_throw"));
}
TEST_P(pattern_faults, of_a_body_come_before_those_of_an_iterator_that_went_on) {
  EXPECT_TRUE(run("iterators_that_throw_after_a_body"));
}
TEST_P(pattern_faults, of_moves_in_bags_leave_the_reduction_and_lose_count_of_nothing) {
  EXPECT_TRUE(run("bags_of_values_that_throw"));
}
TEST_P(pattern_faults, of_a_map_come_before_those_of_identities_that_came_later) {
  EXPECT_TRUE(run("identities_that_throw_after_a_map"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, pattern_faults, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
