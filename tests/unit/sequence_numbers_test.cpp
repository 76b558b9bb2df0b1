// Numbers that only grow, at the moment when they outgrow 32 bits or come near the end of 64: reducers keep their order, the
// earliest exception is thrown, no entry is lost.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "scheduler/sequence_numbers.hpp"
#include "support/affine.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

constexpr int children = 24;

std::uint64_t number_from(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
}

void start_sequences() {
  nopal::internal::sequences_start_at = {.ticket = number_from("SEQUENCE_TICKET"),
                                         .version = number_from("SEQUENCE_VERSION"),
                                         .position = number_from("SEQUENCE_POSITION")};
}

nopal::reducer<support::op_affine> map;
nopal::reducer<nopal::op_string_append> text;

void say(int number) {
  const auto word = static_cast<std::uint64_t>(number);
  map->then(word * 2 + 3, word);
  *text += std::to_string(number) + ' ';
}

/// Each child is stolen from, and says its words while the continuation says others.
void say_in_order() {
  support::affine serially;
  std::string words;
  for (int i = 0; i < 2 * children; ++i) {
    const auto word = static_cast<std::uint64_t>(i);
    serially.then(word * 2 + 3, word);
    words += std::to_string(i) + ' ';
  }
  flag continued[children] = {};
  {
    scope s;
    for (int i = 0; i < children; ++i) {
      s.fork([i, &stolen = continued[i]] {
        wait_for_continuation(stolen);
        say(2 * i);
      });
      set(continued[i]);
      say(2 * i + 1);
    }
    s.join();
  }
  NOPAL_CHECK(text.take() == words);
  NOPAL_CHECK(map.take() == serially);
}

/// The number that `body` throws; -1 if nothing.
template <class Body>
int number_thrown_by(Body body) {
  try {
    body();
  } catch (int number) {
    return number;
  }
  return -1;
}

/// Every child from the `first` on throws, after its continuation was stolen.
void stolen_children_throw(int first) {
  flag continued[children] = {};
  scope s;
  for (int i = 0; i < children; ++i) {
    s.fork([i, first, &stolen = continued[i]] {
      wait_for_continuation(stolen);
      if (i >= first) throw i;
    });
    set(continued[i]);
  }
  s.join();
}

/// Children behind a stolen one throw, as a rule before somebody takes their continuation.
void later_children_throw() {
  flag continued{false};
  scope s;
  s.fork([&] { wait_for_continuation(continued); });
  set(continued);
  for (int i = 0; i < children; ++i) {
    s.fork([i] { throw i; });
  }
  s.join();
}

NOPAL_PROGRAM(strands_keep_their_order) {
  start_sequences();
  for (int round = 0; round < 3; ++round) {
    say_in_order();
    NOPAL_CHECK(number_thrown_by([round] { stolen_children_throw(round); }) == round);
    NOPAL_CHECK(number_thrown_by(later_children_throw) == 0);
  }
  NOPAL_CHECK(support::fib(16) == 987);
  support::check_quiet();
  return 0;
}

constexpr std::uint64_t ends[] = {std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63};

testing::AssertionResult order_holds_from(const char* clock, std::uint64_t start) {
  support::environment with = support::on_workers(4);
  with.emplace_back(clock, std::to_string(start));
  return support::succeeds("strands_keep_their_order", with) << " from " << start << " of " << clock;
}

TEST(sequence_numbers, strands_keep_their_order_while_tickets_cross_an_end) {
  for (const std::uint64_t end : ends) {
    for (std::uint64_t before = 0; before <= 4 * children; before += 7) {
      EXPECT_TRUE(order_holds_from("SEQUENCE_TICKET", end - before));
    }
  }
}

TEST(sequence_numbers, children_keep_their_order_while_positions_cross_an_end) {
  for (const std::uint64_t end : ends) {
    for (std::uint64_t before = 0; before <= children; before += 5) {
      EXPECT_TRUE(order_holds_from("SEQUENCE_POSITION", end - before));
    }
  }
}

TEST(sequence_numbers, no_entry_is_lost_while_versions_start_again) {
  // The last bit of the word is not the version's, which is as wide as the rest.
  for (const std::uint64_t end : ends) {
    for (std::uint64_t before = 1; before <= 12; ++before) {
      EXPECT_TRUE(order_holds_from("SEQUENCE_VERSION", end - before));
    }
  }
}

}  // namespace
