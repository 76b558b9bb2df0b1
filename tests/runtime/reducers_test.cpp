// Reducers give the result of the serial program, whatever is stolen: loops, recursion, scopes within scopes, random programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <list>

#include "reducer_programs.hpp"

namespace {

using namespace reducers;

void check_all_joined() {
  support::check_quiet();
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);  // this thread's
}

std::string digits(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + ' ';
  return text;
}

/// Every fork's continuation is stolen, and both sides of each say something.
NOPAL_PROGRAM(forks_in_a_loop) {
  for (int round = 0; round < 100; ++round) {
    string_reducer text("> ");
    reducer<nopal::op_list_append<int>> list;
    scope s;
    for (int i = 0; i < 20; i += 2) {
      FORK_AND_BE_STOLEN(s, [&text, &list, i] {
        *text += std::to_string(i) + ' ';
        list->push_back(i);
      });
      *text += std::to_string(i + 1) + ' ';
      list->push_back(i + 1);
    }
    s.join();
    NOPAL_CHECK(text.value() == "> " + digits(20));
    NOPAL_CHECK(list->size() == 20 && std::is_sorted(list->begin(), list->end()));
  }
  if (nopal::workers() > 1) NOPAL_CHECK(nopal::stats().total.steals >= 1000);
  check_all_joined();
  return 0;
}

/// `f` by a strand that is no thread's first, with the views that it makes.
template <class F>
void run_after_a_steal(F f) {
  scope s;
  FORK_AND_BE_STOLEN(s, [] {});
  f();
  s.join();
}

/// Each bit of `which` is a word that is said, the even ones to the first reducer, the odd ones to the second.
void say_some(string_reducer (&texts)[2], unsigned which) {
  const auto say = [&](unsigned bit) {
    if ((which >> bit & 1) != 0) *texts[bit % 2] += std::to_string(bit);
  };
  scope s;
  say(0);
  say(1);
  FORK_AND_BE_STOLEN(s, [&] {
    say(2);
    say(3);
  });
  say(4);
  say(5);
  FORK_AND_BE_STOLEN(s, [&] {
    say(6);
    say(7);
  });
  say(8);
  say(9);
  s.join();
  say(10);
}

/// Views on one side of a join alone, on neither, of different reducers on each, of more on the left and on the right.
NOPAL_PROGRAM(views_here_and_there) {
  for (unsigned which = 0; which < 2048; ++which) {
    std::string expected[2];
    for (unsigned bit = 0; bit < 11; ++bit) {
      if ((which >> bit & 1) != 0) expected[bit % 2] += std::to_string(bit);
    }
    string_reducer texts[2];
    if (which % 3 == 0) {
      say_some(texts, which);
    } else {
      run_after_a_steal([&] { say_some(texts, which); });
    }
    NOPAL_CHECK(texts[0].value() == expected[0] && texts[1].value() == expected[1]);
  }
  check_all_joined();
  return 0;
}

/// The children end in each order that there is.
NOPAL_PROGRAM(children_end_in_any_order) {
  int order[] = {0, 1, 2, 3};
  do {
    flag may_end[5] = {};
    string_reducer text;
    scope s;
    for (int i = 0; i < 4; ++i) {
      FORK_AND_BE_STOLEN(s, [&text, &may_end, i] {
        if (nopal::workers() >= 7) wait_for_continuation(may_end[i]);
        *text += std::to_string(2 * i) + ' ';
      });
      *text += std::to_string(2 * i + 1) + ' ';
    }
    if (nopal::workers() >= 7) {  // all of them wait at the same time
      for (const int i : order) {
        set(may_end[i]);
        support::burn(2000);
      }
    }
    s.join();
    NOPAL_CHECK(text.value() == digits(8));
  } while (nopal::workers() >= 7 && std::next_permutation(order, order + 4));
  check_all_joined();
  return 0;
}

/// The function's continuation is stolen, so that its inner joins find the strand away from home.
NOPAL_PROGRAM(inner_joins_away_from_home) {
  for (int round = 0; round < 300; ++round) {
    string_reducer text;
    scope outer;
    *text += "0 ";
    FORK_AND_BE_STOLEN(outer, [&text] { *text += "1 "; });
    *text += "2 ";
    for (int i = 0; i < 3; ++i) {
      scope inner;
      FORK_AND_BE_STOLEN(inner, [&text, i] { *text += std::to_string(4 * i + 3) + ' '; });
      *text += std::to_string(4 * i + 4) + ' ';
      FORK_AND_BE_STOLEN(inner, [&text, i] { *text += std::to_string(4 * i + 5) + ' '; });
      inner.join();
      *text += std::to_string(4 * i + 6) + ' ';
    }
    FORK_AND_BE_STOLEN(outer, [&text] { *text += "15 "; });
    *text += "16 ";
    outer.join();
    *text += "17 ";
    NOPAL_CHECK(text.value() == digits(18));
  }
  check_all_joined();
  return 0;
}

NOPAL_PROGRAM(a_scope_joined_and_used_again) {
  for (int round = 0; round < 200; ++round) {
    string_reducer text;
    scope s;
    int word = 0;
    const auto say = [&text](int number) { *text += std::to_string(number) + ' '; };
    for (int i = 0; i < 5; ++i) {
      FORK_AND_BE_STOLEN(s, [&say, word] { say(word); });
      say(word + 1);
      s.join();
      say(word + 2);
      s.join();  // nothing to wait for
      word += 3;
    }
    NOPAL_CHECK(text.value() == digits(15));
  }
  check_all_joined();
  return 0;
}

void count_down(string_reducer& text, int from, int to) {
  if (to - from == 1) {
    *text += std::to_string(from) + ' ';
    return;
  }
  const int middle = from + (to - from) / 3 + ((to - from) % 3 != 0 ? 1 : 0);
  flag continued{false};
  scope s;
  s.fork([&text, from, middle, &continued] {
    invite_thief(continued);
    count_down(text, from, middle);
  });
  set(continued);
  count_down(text, middle, to);
  s.join();
}

NOPAL_PROGRAM(recursion) {
  const std::string expected = digits(3000);
  for (int round = 0; round < 10; ++round) {
    string_reducer text;
    count_down(text, 0, 3000);
    NOPAL_CHECK(text.value() == expected);
  }
  check_all_joined();
  return 0;
}

NOPAL_PROGRAM(random_programs) {
  std::size_t words = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    serial_world serial;
    random_strand(serial, seed, static_cast<int>(seed % 5) + 2);
    parallel_world parallel;
    const auto run = [&] { random_strand(parallel, seed, static_cast<int>(seed % 5) + 2); };
    if (seed % 2 == 0) {
      run();
    } else {
      run_after_a_steal(run);
    }
    if (parallel.text.value() != serial.text) std::fprintf(stderr, "seed %d\n", static_cast<int>(seed));
    NOPAL_CHECK(parallel.text.value() == serial.text);
    NOPAL_CHECK(parallel.words.value() == serial.words);
    NOPAL_CHECK(parallel.map.value() == serial.map);
    words += serial.words.size();
  }
  NOPAL_CHECK(words > 1000);
  check_all_joined();
  return 0;
}

/// Outer scopes are joined while inner ones are open.
template <class World>
void overlapping(World& world, int depth, std::uint32_t choices) {
  world.say(choices);
  if (depth == 0) return;
  flag continued[3] = {};
  typename World::scope s1;
  typename World::scope s2;
  typename World::scope s3;
  const auto child = [&](std::uint32_t number) {
    return [&world, depth, choices, &stolen = continued[number], number] {
      if (World::may_be_stolen) invite_thief(stolen);
      overlapping(world, depth - 1, choices * 5 + number);
    };
  };
  s1.fork(child(0));
  set(continued[0]);
  world.say(1);
  s2.fork(child(1));
  set(continued[1]);
  world.say(2);
  if ((choices & 1) != 0) s1.join();
  s3.fork(child(2));
  set(continued[2]);
  world.say(3);
  if ((choices & 2) != 0) s2.join();
  if ((choices & 4) != 0) s3.join();
  s1.join();
  world.say(4);
  s2.join();
  s3.join();
}

NOPAL_PROGRAM(overlapping_scopes) {
  for (std::uint32_t i = 0; i < 16; ++i) {
    serial_world serial;
    overlapping(serial, 5, i);
    parallel_world parallel;
    overlapping(parallel, 5, i);
    NOPAL_CHECK(parallel.text.value() == serial.text && parallel.words.value() == serial.words);
    NOPAL_CHECK(parallel.map.value() == serial.map);
  }
  check_all_joined();
  return 0;
}

/// The program's first reducer comes when children have ended already.
NOPAL_PROGRAM(the_first_reducer) {
  scope outer;
  FORK_AND_BE_STOLEN(outer, [] {});
  std::unique_ptr<string_reducer> text;
  {
    scope inner;
    FORK_AND_BE_STOLEN(inner, [] {});
    support::burn(100000);
    text = std::make_unique<string_reducer>("made ");
    FORK_AND_BE_STOLEN(inner, [&text] { **text += "a "; });
    **text += "b ";
    inner.join();
  }
  FORK_AND_BE_STOLEN(outer, [&text] { **text += "c "; });
  **text += "d ";
  outer.join();
  NOPAL_CHECK(text->value() == "made a b c d ");
  check_all_joined();
  return 0;
}

/// No view where nothing was forked, and the same one as long as nothing is stolen.
NOPAL_PROGRAM(without_forks) {
  string_reducer text("a");
  const std::string* const view = &*text;
  *text += "b";
  text->append("c");
  text.view() += "d";
  NOPAL_CHECK(&*text == view && text.value() == "abcd");
  {
    scope s;
    s.join();
  }
  NOPAL_CHECK(&*text == view);
  return 0;
}

struct by_last_digit {
  bool operator()(int left, int right) const { return left % 10 < right % 10; }
};

/// The first of the best values, by orders whose last value is not the greatest number.
NOPAL_PROGRAM(extremes_by_other_orders) {
  for (int round = 0; round < 100; ++round) {
    reducer<nopal::op_min<int, std::greater<>>> greatest{-5};
    reducer<nopal::op_max<int, std::greater<int>>> least;
    reducer<nopal::op_min<int, by_last_digit>> least_digit{128};
    reducer<nopal::op_max<int, by_last_digit>> greatest_digit;
    const auto update = [&](int number) {
      *greatest = std::min(*greatest, number, std::greater<>());
      *least = std::max(*least, number, std::greater<>());
      least_digit->update(number);
      greatest_digit->update(number);
    };
    scope s;
    for (int i = 24; i < 44; i += 2) {
      FORK_AND_BE_STOLEN(s, [&update, i] { update(i); });
      update(i + 1);
    }
    s.join();
    NOPAL_CHECK(greatest.value() == 43 && least.value() == 24);
    NOPAL_CHECK(least_digit.value().value() == 30 && greatest_digit.value().value() == 29);
  }
  check_all_joined();
  return 0;
}

class reducers_in_order : public support::program_at_workers {};

TEST_P(reducers_in_order, with_every_fork_of_a_loop_stolen) { EXPECT_TRUE(run("forks_in_a_loop")); }
TEST_P(reducers_in_order, wherever_there_are_views) { EXPECT_TRUE(run("views_here_and_there")); }
TEST_P(reducers_in_order, whichever_child_ends_first) { EXPECT_TRUE(run("children_end_in_any_order")); }
TEST_P(reducers_in_order, when_inner_scopes_join_away_from_home) {
  EXPECT_TRUE(run("inner_joins_away_from_home"));
}
TEST_P(reducers_in_order, when_a_scope_is_used_again) { EXPECT_TRUE(run("a_scope_joined_and_used_again")); }
TEST_P(reducers_in_order, when_scopes_overlap) { EXPECT_TRUE(run("overlapping_scopes")); }
TEST_P(reducers_in_order, in_recursion) { EXPECT_TRUE(run("recursion")); }
TEST_P(reducers_in_order, in_random_programs) { EXPECT_TRUE(run("random_programs")); }
TEST_P(reducers_in_order, when_the_first_comes_after_steals) { EXPECT_TRUE(run("the_first_reducer")); }
TEST_P(reducers_in_order, of_extremes_by_other_orders) { EXPECT_TRUE(run("extremes_by_other_orders")); }
TEST_P(reducers_in_order, where_nothing_is_forked) { EXPECT_TRUE(run("without_forks")); }

INSTANTIATE_TEST_SUITE_P(at_workers, reducers_in_order, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
