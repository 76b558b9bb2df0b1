// When reducers begin and end, and where: in children, in stolen continuations, on other threads, across a shutdown;
// more of them than there are slots; and how many sets of views there are meanwhile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "reducer_programs.hpp"

namespace {

using namespace reducers;

constexpr int fewer_if_watched(int count) { return support::watched ? count / 20 : count; }

void check_no_sets_but_this_threads() {
  support::check_quiet();
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);
}

/// Three words in order, with steals if this strand may wait for them.
void say_in_order(string_reducer& text) {
  flag continued[2] = {};
  scope s;
  s.fork([&] {
    invite_thief(continued[0]);
    *text += "a";
  });
  set(continued[0]);
  *text += "b";
  s.fork([&] {
    invite_thief(continued[1]);
    *text += "c";
  });
  set(continued[1]);
  *text += "d";
  s.join();
}

void use_a_reducer_of_its_own() {
  string_reducer text("> ");
  say_in_order(text);
  NOPAL_CHECK(text.value() == "> abcd");
}

NOPAL_PROGRAM(in_children_and_continuations) {
  string_reducer all;
  for (int i = 0; i < 200; ++i) {
    scope s;
    use_a_reducer_of_its_own();
    FORK_AND_BE_STOLEN(s, [&all] {
      use_a_reducer_of_its_own();
      *all += "x";
    });
    use_a_reducer_of_its_own();  // in a stolen continuation
    *all += "y";
    auto made_by_the_continuation = std::make_unique<string_reducer>("made ");
    FORK_AND_BE_STOLEN(s, [&one = *made_by_the_continuation] { *one += "by "; });
    **made_by_the_continuation += "the continuation";
    s.join();
    NOPAL_CHECK(made_by_the_continuation->value() == "made by the continuation");
  }
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += "xy";
  NOPAL_CHECK(all.value() == expected);
  check_no_sets_but_this_threads();
  return 0;
}

/// A child makes it, its parent uses it after the join and ends it.
NOPAL_PROGRAM(handed_from_a_child_to_its_parent) {
  for (int i = 0; i < 200; ++i) {
    std::unique_ptr<string_reducer> made;
    scope s;
    FORK_AND_BE_STOLEN(s, [&made] {
      made = std::make_unique<string_reducer>("child ");
      **made += "says ";
    });
    s.join();
    **made += "this ";
    FORK_AND_BE_STOLEN(s, [&made] { **made += "and "; });
    **made += "that";
    s.join();
    NOPAL_CHECK(made->value() == "child says this and that");
  }
  check_no_sets_but_this_threads();
  return 0;
}

NOPAL_PROGRAM(beside_an_unrelated_child) {
  for (int i = 0; i < 200; ++i) {
    string_reducer outer;
    flag may_end{false};
    scope s;
    if (nopal::workers() < 3) set(may_end);  // nobody else is there for the steals below
    FORK_AND_BE_STOLEN(s, [&] {
      wait_for_continuation(may_end);
      *outer += "child ";
    });
    {
      string_reducer text("> ");
      say_in_order(text);
      NOPAL_CHECK(text.value() == "> abcd");
    }
    *outer += "continuation";
    set(may_end);
    s.join();
    NOPAL_CHECK(outer.value() == "child continuation");
  }
  check_no_sets_but_this_threads();
  return 0;
}

/// Somebody has a view of a reducer that ends: it is dropped, wherever the reducer ended.
NOPAL_PROGRAM(ended_before_its_views) {
  for (int i = 0; i < 100; ++i) {
    auto ended_by_the_continuation = std::make_unique<reducer<op_counted_text>>();
    auto ended_by_the_child = std::make_unique<reducer<op_counted_text>>();
    string_reducer lives;
    flag child_used{false};
    flag continuation_used{false};
    scope s;
    FORK_AND_BE_STOLEN(s, [&] {
      (*ended_by_the_continuation)->said += "x";
      *lives += "x";
      set(child_used);
      wait_for_continuation(continuation_used);
      ended_by_the_child.reset();
    });
    if (nopal::workers() > 1) {
      (*ended_by_the_child)->said += "y";
    }
    *lives += "y";
    set(continuation_used);
    while (!child_used.load()) std::this_thread::yield();
    ended_by_the_continuation.reset();
    {
      reducer<op_counted_text> next;  // must not get a view of those
      NOPAL_CHECK(next->said.empty());
    }
    s.join();
    NOPAL_CHECK(lives.value() == "xy");
    NOPAL_CHECK(counted_text::alive == 0);
  }
  NOPAL_CHECK(counted_text::reductions == 0);
  check_no_sets_but_this_threads();
  return 0;
}

/// A strand's views of reducers that end elsewhere go while the strand uses others, not only at its end.
NOPAL_PROGRAM(ended_elsewhere_while_others_are_used) {
  if (nopal::workers() == 1) return 0;  // they would end before the strand has views of them
  constexpr std::size_t count = 1000;
  std::vector<std::unique_ptr<reducer<op_counted_text>>> ended(count);
  for (auto& one : ended) one = std::make_unique<reducer<op_counted_text>>();
  flag used{false};
  flag all_ended{false};
  scope s;
  FORK_AND_BE_STOLEN(s, [&] {
    wait_for_continuation(used);
    for (auto& one : ended) one.reset();
    set(all_ended);
  });
  for (auto& one : ended) (*one)->said += "x";
  NOPAL_CHECK(counted_text::alive == 2 * count);
  set(used);
  wait_for_continuation(all_ended);
  NOPAL_CHECK(counted_text::alive == count);  // this strand's views
  std::vector<std::unique_ptr<string_reducer>> others(2 * count);
  for (auto& one : others) {
    one = std::make_unique<string_reducer>();
    **one += "y";
  }
  NOPAL_CHECK(counted_text::alive == 0);
  s.join();
  for (auto& one : others) NOPAL_CHECK(one->value() == "y");
  NOPAL_CHECK(counted_text::reductions == 0);
  others.clear();
  check_no_sets_but_this_threads();
  return 0;
}

struct says_at_its_end {
  string_reducer& text;
  const char* word;
  ~says_at_its_end() { *text += word; }
};

void with_locals(string_reducer& text, int depth) {
  const says_at_its_end first{text, "1"};
  flag continued{false};
  scope s;
  const says_at_its_end second{text, "2"};
  if (depth > 0) {
    s.fork([&text, depth, &continued] {
      invite_thief(continued);
      const says_at_its_end third{text, "3"};
      with_locals(text, depth - 1);
    });
    set(continued);
    const says_at_its_end fourth{text, "4"};
    with_locals(text, depth - 1);
  }
  s.join();
}

std::string said_by_locals(int depth) {
  if (depth == 0) return "21";
  const std::string below = said_by_locals(depth - 1);
  return below + "3" + below + "4" + "21";
}

NOPAL_PROGRAM(updated_by_destructors) {
  for (int i = 0; i < 20; ++i) {
    string_reducer text;
    with_locals(text, 6);
    NOPAL_CHECK(text.value() == said_by_locals(6));
  }
  check_no_sets_but_this_threads();
  return 0;
}

NOPAL_PROGRAM(threads_that_never_fork) {
  string_reducer text("main ");
  for (int i = 0; i < 10; ++i) {
    std::thread([&text, i] { *text += std::to_string(i); }).join();
  }
  NOPAL_CHECK(text.value() == "main 0123456789");
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);
  return 0;
}

NOPAL_PROGRAM(threads_with_work_of_their_own) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int round = 0; round < 10; ++round) {
        serial_world serial;
        const auto seed = static_cast<std::uint64_t>(100 * i + round);
        random_strand(serial, seed, 4);
        parallel_world parallel;
        random_strand(parallel, seed, 4);
        NOPAL_CHECK(parallel.text.value() == serial.text && parallel.words.value() == serial.words);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  check_no_sets_but_this_threads();
  return 0;
}

/// One after the other, each adopted by the runtime: its set leaves with it.
NOPAL_PROGRAM(threads_that_come_and_go) {
  string_reducer text;
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    std::thread([&text] { say_in_order(text); }).join();
    expected += "abcd";
  }
  NOPAL_CHECK(text.value() == expected);
  check_no_sets_but_this_threads();
  return 0;
}

NOPAL_PROGRAM(more_than_there_are_slots) {
  constexpr std::size_t count = 70000;
  std::vector<std::unique_ptr<reducer<nopal::op_add<std::uint32_t>>>> sums(count);
  for (auto& one : sums) one = std::make_unique<reducer<nopal::op_add<std::uint32_t>>>();
  parallel_world beyond;
  for (std::uint32_t round = 1; round <= 3; ++round) {
    scope s;
    FORK_AND_BE_STOLEN(s, [&sums, round] {
      for (std::size_t i = 0; i < count; ++i) **sums[i] += round;
    });
    for (std::size_t i = count; i-- > 0;) **sums[i] += static_cast<std::uint32_t>(i);
    FORK_AND_BE_STOLEN(s, [&sums] {
      for (std::size_t i = 0; i < count; i += 1000) **sums[i] += 1;
    });
    s.join();
  }
  for (std::size_t i = 0; i < count; ++i) {
    NOPAL_CHECK(sums[i]->value() == 6 + 3 * i + (i % 1000 == 0 ? 3 : 0));
  }
  serial_world serial;
  random_strand(serial, 5, 7);
  random_strand(beyond, 5, 7);
  NOPAL_CHECK(beyond.text.value() == serial.text && beyond.map.value() == serial.map);
  sums.clear();
  check_no_sets_but_this_threads();
  return 0;
}

void make_and_end(int count) {
  if (count > 100) {
    scope s;
    s.fork([count] { make_and_end(count / 2); });
    make_and_end(count - count / 2);
    s.join();
    return;
  }
  for (int i = 0; i < count; ++i) {
    reducer<nopal::op_add<int>> sum(i);
    string_reducer text;
    *sum += 1;
    NOPAL_CHECK(sum.value() == i + 1);
    if (i % 32 == 0) say_in_order(text);
    NOPAL_CHECK(text.value() == (i % 32 == 0 ? "abcd" : ""));
  }
}

NOPAL_PROGRAM(a_million_made_and_ended) {
  make_and_end(1000);
  const long before = support::resident_kib();
  make_and_end(fewer_if_watched(1'000'000));
  // A number for each would be tens of megabytes.
  if (!support::watched) NOPAL_CHECK(support::resident_kib() - before < 20 << 10);
  parallel_world world;  // the numbers serve on
  serial_world serial;
  random_strand(serial, 9, 5);
  random_strand(world, 9, 5);
  NOPAL_CHECK(world.text.value() == serial.text);
  check_no_sets_but_this_threads();
  return 0;
}

/// Finished children's views merge at once: a loop has a few sets, however many children were stolen and scopes within joined.
NOPAL_PROGRAM(a_loop_of_stolen_children) {
  reducer<op_affine> map;
  affine serial;
  const char* const asked = std::getenv("NOPAL_TEST_CHILDREN");
  if (asked != nullptr) alarm(0);  // a million take longer than it allows where the machine is busy
  const auto children =
      static_cast<std::uint64_t>(asked != nullptr ? std::atoi(asked) : fewer_if_watched(20'000));
  scope s;
  for (std::uint64_t i = 0; i < children; ++i) {
    FORK_AND_BE_STOLEN(s, [&map, i] { map->then(2 * i + 1, i); });
    map->then(2 * i + 3, i * 7);
    serial.then(2 * i + 1, i);
    serial.then(2 * i + 3, i * 7);
    if (i % 8 == 0) {
      scope inner;
      FORK_AND_BE_STOLEN(inner, [&map, i] { map->then(2 * i + 5, i); });
      inner.join();
      serial.then(2 * i + 5, i);
    }
  }
  s.join();
  NOPAL_CHECK(map.value() == serial);
  const nopal::statistics counts = nopal::stats();
  if (nopal::workers() > 1) NOPAL_CHECK(counts.total.steals >= children);
  NOPAL_CHECK(counts.view_sets_peak <= 3 * static_cast<std::uint64_t>(nopal::workers()));
  check_no_sets_but_this_threads();
  return 0;
}

NOPAL_PROGRAM(across_shutdown) {
  string_reducer text;
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    scope s;
    FORK_AND_BE_STOLEN(s, [&text] { *text += "abc"; });
    *text += "d";
    s.join();
    nopal::shutdown();
    *text += "!";
    expected += "abcd!";
    NOPAL_CHECK(text.value() == expected);
  }
  return 0;
}

class reducer_lives : public support::program_at_workers {};

TEST_P(reducer_lives, begin_and_end_in_children_and_continuations) {
  EXPECT_TRUE(run("in_children_and_continuations"));
}
TEST_P(reducer_lives, begin_in_a_child_and_end_in_its_parent) {
  EXPECT_TRUE(run("handed_from_a_child_to_its_parent"));
}
TEST_P(reducer_lives, end_beside_an_unrelated_child) { EXPECT_TRUE(run("beside_an_unrelated_child")); }
TEST_P(reducer_lives, end_before_other_strands_views) { EXPECT_TRUE(run("ended_before_its_views")); }
TEST_P(reducer_lives, end_elsewhere_and_leave_room_for_others) {
  EXPECT_TRUE(run("ended_elsewhere_while_others_are_used"));
}
TEST_P(reducer_lives, see_updates_of_destructors_in_order) { EXPECT_TRUE(run("updated_by_destructors")); }
TEST_P(reducer_lives, serve_threads_that_never_fork) { EXPECT_TRUE(run("threads_that_never_fork")); }
TEST_P(reducer_lives, serve_threads_with_work_of_their_own) {
  EXPECT_TRUE(run("threads_with_work_of_their_own"));
}
TEST_P(reducer_lives, serve_threads_that_come_and_go) { EXPECT_TRUE(run("threads_that_come_and_go")); }
TEST_P(reducer_lives, are_as_many_as_one_likes) { EXPECT_TRUE(run("more_than_there_are_slots")); }
TEST_P(reducer_lives, leave_nothing_behind) { EXPECT_TRUE(run("a_million_made_and_ended")); }
TEST_P(reducer_lives, have_few_sets_of_views_at_once) { EXPECT_TRUE(run("a_loop_of_stolen_children")); }
TEST_P(reducer_lives, go_on_after_a_shutdown) { EXPECT_TRUE(run("across_shutdown")); }

INSTANTIATE_TEST_SUITE_P(at_workers, reducer_lives, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
