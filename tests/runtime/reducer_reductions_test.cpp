// Reductions that update reducers themselves, fork, throw, and make and end reducers: what they do counts, after what they reduce.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <unordered_set>

#include "reducer_programs.hpp"

namespace {

using namespace reducers;

void check_all_joined() {
  support::check_quiet();
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);
  NOPAL_CHECK(counted_text::alive == 0);
}

/// A monoid whose reductions call a function, with the words of both operands.
struct op_calling {
  using value_type = counted_text;
  static counted_text identity() { return {}; }
  static void reduce(counted_text& left, counted_text&& right) {
    left.said += right.said;
    ++counted_text::reductions;
    if (call != nullptr) call(left.said);
  }
  static inline void (*call)(std::string& said) = nullptr;
};

using calling_reducer = reducer<op_calling>;

/// Four strands, each of which says a letter and is stolen.
template <class Say>
void say_four(const Say& say) {
  scope s;
  FORK_AND_BE_STOLEN(s, [&say] { say("a"); });
  say("b");
  FORK_AND_BE_STOLEN(s, [&say] { say("c"); });
  say("d");
  s.join();
}

std::string without(std::string text, char mark) {
  std::erase(text, mark);
  return text;
}

reducer<nopal::op_add<long>>* sum = nullptr;
reducer<op_counted_text>* others = nullptr;

NOPAL_PROGRAM(updates_in_reductions) {
  for (int i = 0; i < 200; ++i) {
    calling_reducer text;
    reducer<nopal::op_add<long>> reductions;
    reducer<op_counted_text> noted;
    sum = &reductions;
    others = &noted;
    counted_text::reductions = 0;
    op_calling::call = [](std::string&) {
      **sum += 1;
      (*others)->said += '*';
    };
    noted->said += "<";
    *reductions += 1000;
    say_four([&](const char* word) {
      text->said += word;
      noted->said += word;
    });
    noted->said += ">";
    op_calling::call = nullptr;
    NOPAL_CHECK(text->said == "abcd");
    const std::string& said = noted->said;
    const long marks = std::count(said.begin(), said.end(), '*');
    NOPAL_CHECK(reductions.value() == 1000 + marks);
    NOPAL_CHECK(nopal::workers() == 1 ? marks == 0 : marks >= 2);
    // After what was reduced, and before what follows the join.
    NOPAL_CHECK(without(said, '*') == "<abcd>");
    NOPAL_CHECK(said.find('*') > said.find('b') && said.back() == '>');
  }
  check_all_joined();
  return 0;
}

/// One steal, one merge, whoever does it: the place of the update is known.
NOPAL_PROGRAM(the_place_of_an_update) {
  for (int i = 0; i < 200; ++i) {
    calling_reducer text;
    reducer<op_counted_text> noted;
    others = &noted;
    op_calling::call = [](std::string& said) { (*others)->said += '(' + said + ')'; };
    text->said += "1";
    noted->said += "1";
    {
      scope s;
      FORK_AND_BE_STOLEN(s, [&] {
        text->said += "2";
        noted->said += "2";
      });
      text->said += "3";
      noted->said += "3";
      s.join();
      noted->said += "4";
    }
    op_calling::call = nullptr;
    NOPAL_CHECK(noted->said == (nopal::workers() == 1 ? "1234" : "123(123)4"));
  }
  check_all_joined();
  return 0;
}

struct op_set {
  using value_type = std::unordered_set<int>;
  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type&& right) {
    for (const int one : right) {
      if (!left.insert(one).second) **sum += 1;
    }
  }
};

/// What is known without any steal, and only in reductions otherwise: the same in every schedule.
NOPAL_PROGRAM(duplicates_are_counted_once) {
  reducer<op_set> seen;
  reducer<nopal::op_add<long>> duplicates;
  sum = &duplicates;
  const auto visit = [&](int number) {
    support::burn(200);
    if (!seen->insert(number % 1000).second) *duplicates += 1;
  };
  struct walk {
    static void over(int from, int to, const decltype(visit)& each) {
      if (to - from == 1) return each(from);
      scope s;
      s.fork(over, from, (from + to) / 2, std::cref(each));
      over((from + to) / 2, to, each);
      s.join();
    }
  };
  for (int i = 0; i < 20; ++i) {
    seen.set({});
    duplicates.set(0);
    walk::over(0, 5000, visit);
    NOPAL_CHECK(seen.value().size() == 1000);
    NOPAL_CHECK(duplicates.value() == 4000);
  }
  return 0;
}

template <int level>
struct op_level {
  using value_type = long;
  static long identity() { return 0; }
  static void reduce(long& left, long right) {
    left += right;
    if constexpr (level > 0) **op_level<level - 1>::mine += 1;
  }
  static inline reducer<op_level>* mine = nullptr;
};
/// Each of three reducers is updated by the reductions of the one before.
NOPAL_PROGRAM(reductions_that_lead_to_reductions) {
  for (int i = 0; i < 200; ++i) {
    reducer<op_level<2>> first;
    reducer<op_level<1>> second;
    reducer<op_level<0>> third;
    op_level<1>::mine = &second;
    op_level<0>::mine = &third;
    say_four([&](const char*) {
      *first += 1;
      *second += 10000;
      *third += 100000000;
    });
    NOPAL_CHECK(first.value() == 4);
    const long reductions = second.value() - 40000;
    NOPAL_CHECK(nopal::workers() == 1 ? reductions == 0 : reductions >= 2 && reductions <= 3);
    // Of the second: where both operands had one of its views, and what the first's reductions made.
    NOPAL_CHECK(third.value() - 400000000 >= reductions);
  }
  return 0;
}

calling_reducer* itself = nullptr;

/// The reducer that is being reduced, updated in its reduction as long as that is short.
NOPAL_PROGRAM(reductions_that_update_their_own_reducer) {
  for (int i = 0; i < 200; ++i) {
    calling_reducer text;
    itself = &text;
    op_calling::call = [](std::string& said) {
      if (said.size() < 20) (*itself)->said += '*';
    };
    say_four([&](const char* word) { text->said += word; });
    op_calling::call = nullptr;
    NOPAL_CHECK(without(text->said, '*') == "abcd");
    NOPAL_CHECK(nopal::workers() == 1 || text->said.size() >= 20);
  }
  check_all_joined();
  return 0;
}

/// It never ends: the join says so, and the next one is well.
NOPAL_PROGRAM(reductions_without_an_end) {
  for (int i = 0; i < 20; ++i) {
    calling_reducer text;
    reducer<op_level<1>> first;
    reducer<op_level<0>> second;
    itself = &text;
    op_level<0>::mine = &second;
    bool refused = false;
    op_calling::call = [](std::string&) { (*itself)->said += '*'; };
    try {
      say_four([&](const char* word) {
        text->said += word;
        *first += 1;
      });
    } catch (const nopal::error& what) {
      refused = std::string(what.what()).starts_with("nopal: reduce: ");
    }
    op_calling::call = nullptr;
    NOPAL_CHECK(refused == (nopal::workers() > 1));
    NOPAL_CHECK(first.value() == 4);
    calling_reducer next;
    say_four([&](const char* word) { next->said += word; });
    NOPAL_CHECK(next->said == "abcd");
  }
  check_all_joined();
  return 0;
}

/// A reduction whose own fork is stolen goes on elsewhere, and both strands update.
NOPAL_PROGRAM(reductions_that_fork) {
  for (int i = 0; i < 200; ++i) {
    calling_reducer text;
    reducer<op_counted_text> noted;
    others = &noted;
    op_calling::call = [](std::string&) {
      (*others)->said += "[";
      scope s;
      flag stolen{false};
      s.fork([&stolen] {
        invite_thief(stolen);
        (*others)->said += "x";
      });
      set(stolen);
      (*others)->said += "y";
      s.join();
      (*others)->said += "]";
    };
    say_four([&](const char* word) {
      text->said += word;
      noted->said += word;
    });
    op_calling::call = nullptr;
    NOPAL_CHECK(text->said == "abcd");
    std::string said = noted->said;
    for (std::size_t at = 0; (at = said.find("[xy]")) != std::string::npos;) said.erase(at, 4);
    NOPAL_CHECK(said == "abcd");
    NOPAL_CHECK(nopal::workers() == 1 || noted->said.size() > 4);
  }
  check_all_joined();
  return 0;
}

NOPAL_PROGRAM(reductions_that_throw_have_updated) {
  for (int i = 0; i < 200; ++i) {
    calling_reducer text;
    reducer<nopal::op_add<long>> reductions;
    sum = &reductions;
    counted_text::reductions = 0;
    op_calling::call = [](std::string&) {
      **sum += 1;
      throw std::runtime_error("reduced");
    };
    bool thrown = false;
    try {
      say_four([&](const char* word) { text->said += word; });
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    op_calling::call = nullptr;
    NOPAL_CHECK(thrown == (nopal::workers() > 1));
    NOPAL_CHECK(reductions.value() == counted_text::reductions);
  }
  check_all_joined();
  return 0;
}

std::unique_ptr<reducer<op_counted_text>> made_last;

/// Reducers of a reduction's own, one that it leaves behind, and one that another made.
NOPAL_PROGRAM(reductions_that_make_and_end_reducers) {
  for (int i = 0; i < 200; ++i) {
    calling_reducer text;
    op_calling::call = [](std::string&) {
      const bool alone = nopal::workers() == 2;
      reducer<op_counted_text> mine;
      mine->said += "a";
      scope s;
      s.fork([&mine] { mine->said += "b"; });
      mine->said += "c";
      s.join();
      NOPAL_CHECK(mine->said == "abc");
      if (!alone) return;
      made_last = std::make_unique<reducer<op_counted_text>>();
      (*made_last)->said += mine->said;
    };
    {
      scope s;
      FORK_AND_BE_STOLEN(s, [&] { text->said += "a"; });
      text->said += "b";
      s.join();
    }
    op_calling::call = nullptr;
    NOPAL_CHECK(text->said == "ab");
    NOPAL_CHECK(made_last == nullptr || made_last->value().said == "abc");
  }
  made_last.reset();
  check_all_joined();
  return 0;
}

std::unique_ptr<calling_reducer> ended_early;

NOPAL_PROGRAM(a_reduction_that_ends_its_reducer) {
  ended_early = std::make_unique<calling_reducer>();
  op_calling::call = [](std::string&) { ended_early.reset(); };
  scope s;
  FORK_AND_BE_STOLEN(s, [] { (*ended_early)->said += "a"; });
  (*ended_early)->said += "b";
  s.join();
  return 0;
}

struct updates_at_end {
  updates_at_end() = default;
  updates_at_end(const updates_at_end&) = delete;
  updates_at_end& operator=(const updates_at_end&) = delete;
  ~updates_at_end() {
    if (made_by != nullptr && sum != nullptr) **sum += 1;
  }
  const char* made_by = nullptr;
};

struct op_updates_at_end {
  using value_type = updates_at_end;
  static updates_at_end identity() { return {}; }
  static void reduce(updates_at_end&, updates_at_end&&) {}
};

/// The end of a view is the program's code too.
NOPAL_PROGRAM(updates_at_the_ends_of_views) {
  for (int i = 0; i < 200; ++i) {
    reducer<op_updates_at_end> ends;
    reducer<nopal::op_add<long>> count;
    sum = &count;
    say_four([&](const char* word) { ends->made_by = word; });
    NOPAL_CHECK(nopal::workers() == 1 ? count.value() == 0 : count.value() >= 2 && count.value() <= 3);
    sum = nullptr;
  }
  check_all_joined();
  return 0;
}

class reductions : public support::program_at_workers {};

TEST_P(reductions, may_update_other_reducers) { EXPECT_TRUE(run("updates_in_reductions")); }
TEST_P(reductions, update_after_what_they_reduce) { EXPECT_TRUE(run("the_place_of_an_update")); }
TEST_P(reductions, count_what_only_they_know) { EXPECT_TRUE(run("duplicates_are_counted_once")); }
TEST_P(reductions, may_lead_to_reductions) { EXPECT_TRUE(run("reductions_that_lead_to_reductions")); }
TEST_P(reductions, may_update_their_own_reducer) {
  EXPECT_TRUE(run("reductions_that_update_their_own_reducer"));
}
TEST_P(reductions, without_an_end_are_an_error_of_the_join) { EXPECT_TRUE(run("reductions_without_an_end")); }
TEST_P(reductions, that_fork_update_in_every_strand) { EXPECT_TRUE(run("reductions_that_fork")); }
TEST_P(reductions, that_throw_have_updated) { EXPECT_TRUE(run("reductions_that_throw_have_updated")); }
TEST_P(reductions, make_and_end_reducers) { EXPECT_TRUE(run("reductions_that_make_and_end_reducers")); }
TEST_P(reductions, may_be_followed_by_updates_at_the_ends_of_views) {
  EXPECT_TRUE(run("updates_at_the_ends_of_views"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, reductions, testing::Values(1, 2, 7), testing::PrintToStringParamName());

TEST(a_reduction, that_ends_its_own_reducer_is_one_line_and_an_abort) {
  const support::outcome seen =
      support::run_program("a_reduction_that_ends_its_reducer", support::on_workers(2));
  EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
  EXPECT_EQ(seen.err, "nopal: a reducer ends in its own reduce: let it end after the join\n");
}

}  // namespace
