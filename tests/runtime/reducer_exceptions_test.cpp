// Reducers and exceptions. What holds: of all strands that ran, every update is there, in the order of the serial program; those
// strands are at least the ones that the serial program runs until it throws. A reduction that throws loses its right view, and
// the join rethrows; an identity that throws does so to whoever asked for the view.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "reducer_programs.hpp"

namespace {

using namespace reducers;

struct stop {
  int at;
};

void check_all_joined() {
  support::check_quiet();
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);
  NOPAL_CHECK(counted_text::alive == 0);
}

/// Children that throw after their update. With every continuation stolen all of them run; with none, those up to the first.
NOPAL_PROGRAM(children_that_throw) {
  for (int first = 0; first < 6; ++first) {
    reducer<op_counted_text> text;
    int caught = -1;
    try {
      scope s;
      for (int i = 0; i < 6; ++i) {
        FORK_AND_BE_STOLEN(s, [&text, i, first] {
          text->said += std::to_string(i);
          if (i >= first) throw stop{i};
        });
        text->said += "+";
      }
      s.join();
    } catch (const stop& one) {
      caught = one.at;
    }
    NOPAL_CHECK(caught == first);
    const std::string all = "0+1+2+3+4+5+";
    NOPAL_CHECK(text->said ==
                (nopal::workers() > 1 ? all : all.substr(0, 2 * static_cast<std::size_t>(first) + 1)));
  }
  check_all_joined();
  return 0;
}

/// The strand itself throws while its children are outstanding: the scope's end joins them.
NOPAL_PROGRAM(continuations_that_throw) {
  for (int i = 0; i < 100; ++i) {
    reducer<op_counted_text> text;
    try {
      scope s;
      text->said += "a";
      FORK_AND_BE_STOLEN(s, [&text] { text->said += "b"; });
      text->said += "c";
      FORK_AND_BE_STOLEN(s, [&text] { text->said += "d"; });
      text->said += "e";
      throw stop{i};
    } catch (const stop& one) {
      NOPAL_CHECK(one.at == i);
      text->said += "f";
    }
    NOPAL_CHECK(text->said == "abcdef");
  }
  check_all_joined();
  return 0;
}

/// What a random strand says, and where one throws.
template <class Scope, class Say>
void random_throws(Say& say, std::uint64_t seed, int depth) {
  std::uint64_t state = seed;
  flag continued[4] = {};
  Scope s;
  for (std::uint32_t i = 0; i < 4; ++i) {
    say(seed * 4 + i);
    if (depth == 0) {
      if (next(state) % 100 == 0) throw stop{static_cast<int>(seed)};
      continue;
    }
    s.fork([&say, seed, i, depth, &stolen = continued[i]] {
      if (std::is_same_v<Scope, scope>) invite_thief(stolen);
      random_throws<Scope>(say, seed * 4 + i, depth - 1);
    });
    set(continued[i]);
  }
  s.join();
}

/// Each word is said at most once, and words that are said later in the serial program are greater in this order.
NOPAL_PROGRAM(random_programs_that_throw) {
  int threw = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    // Every word of the whole tree in serial order, were there no exception, has its place.
    std::vector<std::uint64_t> serial;
    int thrown = -1;
    try {
      const auto say = [&serial](std::uint64_t word) { serial.push_back(word); };
      random_throws<serial_scope>(say, seed, 4);
    } catch (const stop& one) {
      thrown = one.at;
      ++threw;
    }
    reducer<nopal::op_vector_append<std::uint64_t>> words;
    int caught = -1;
    try {
      const auto say = [&words](std::uint64_t word) { words->push_back(word); };
      random_throws<scope>(say, seed, 4);
    } catch (const stop& one) {
      caught = one.at;
    }
    NOPAL_CHECK(caught == thrown);
    const auto& said = words.value();
    NOPAL_CHECK(said.size() >= serial.size());
    NOPAL_CHECK(std::equal(serial.begin(), serial.end(), said.begin()));
    // A word and those below it share their leading digits to base four: the order of the whole tree.
    const auto earlier = [seed](std::uint64_t a, std::uint64_t b) {
      const auto levels = [seed](std::uint64_t word) {
        int count = 0;
        for (; word > seed * 4 + 3; word /= 4) ++count;
        return count;
      };
      std::uint64_t left = a;
      std::uint64_t right = b;
      int difference = levels(a) - levels(b);
      for (; difference > 0; --difference) left /= 4;
      for (int i = levels(a) - levels(b); i < 0; ++i) right /= 4;
      return left != right ? left < right : a < b;
    };
    NOPAL_CHECK(std::is_sorted(said.begin(), said.end(), earlier));
  }
  NOPAL_CHECK(threw > 10);
  check_all_joined();
  return 0;
}

struct refusal {};

/// Reductions are refused while this is set.
std::atomic<bool> refusing{false};

struct op_refusing : op_counted_text {
  static void reduce(counted_text& left, counted_text&& right) {
    if (refusing) throw refusal();
    op_counted_text::reduce(left, std::move(right));
  }
};

NOPAL_PROGRAM(reductions_that_throw) {
  for (int i = 0; i < 200; ++i) {
    reducer<op_refusing> refused;
    string_reducer beside;
    bool caught = false;
    refusing = true;
    scope s;
    try {
      FORK_AND_BE_STOLEN(s, [&] {
        refused->said += "a";
        *beside += "a";
      });
      refused->said += "b";
      *beside += "b";
      FORK_AND_BE_STOLEN(s, [&] {
        refused->said += "c";
        *beside += "c";
      });
      s.join();
    } catch (const refusal&) {
      caught = true;
    }
    refusing = false;
    NOPAL_CHECK(caught == (nopal::workers() > 1));
    NOPAL_CHECK(beside.value() == "abc");
    // Which views met each other first is open; the leftmost stays.
    NOPAL_CHECK(refused->said.substr(0, 1) == "a");
    if (nopal::workers() > 1) NOPAL_CHECK(refused->said == "a");
    refused->said += "d";
    s.join();  // nothing is left of the exception
  }
  check_all_joined();
  return 0;
}

/// The reductions at the end of a scope that an exception leaves: theirs is dropped, as that of a child would be.
NOPAL_PROGRAM(reductions_that_throw_while_one_unwinds) {
  for (int i = 0; i < 100; ++i) {
    reducer<op_refusing> refused;
    refusing = true;
    try {
      scope s;
      FORK_AND_BE_STOLEN(s, [&refused] { refused->said += "a"; });
      refused->said += "b";
      throw stop{i};
    } catch (const stop& one) {
      NOPAL_CHECK(one.at == i);
    }
    refusing = false;
  }
  check_all_joined();
  return 0;
}

/// A child's exception and that of a reduction: one of them arrives, and nothing else is lost.
NOPAL_PROGRAM(reductions_that_throw_beside_children_that_do) {
  for (int i = 0; i < 100; ++i) {
    reducer<op_refusing> refused;
    string_reducer beside;
    refusing = true;
    bool caught = false;
    try {
      scope s;
      FORK_AND_BE_STOLEN(s, [&] {
        refused->said += "a";
        *beside += "a";
        throw refusal();
      });
      refused->said += "b";
      *beside += "b";
      s.join();
    } catch (const refusal&) {
      caught = true;
    }
    refusing = false;
    NOPAL_CHECK(caught);
    NOPAL_CHECK(beside.value() == (nopal::workers() > 1 ? "ab" : "a"));
  }
  check_all_joined();
  return 0;
}

std::atomic<bool> no_identities{false};

struct op_without_identities : op_counted_text {
  static counted_text identity() {
    if (no_identities) throw refusal();
    return {};
  }
};

NOPAL_PROGRAM(identities_that_throw) {
  for (int i = 0; i < 200; ++i) {
    reducer<op_without_identities> text;
    text->said += "a";
    no_identities = true;
    scope s;
    FORK_AND_BE_STOLEN(s, [&text] { text->said += "b"; });
    bool refused = false;
    try {
      text->said += "never";
      NOPAL_CHECK(nopal::workers() == 1);  // else this strand has no view yet
    } catch (const refusal&) {
      refused = true;
    }
    NOPAL_CHECK(refused == (nopal::workers() > 1));
    no_identities = false;
    text->said += "c";
    s.join();
    NOPAL_CHECK(text->said == (nopal::workers() > 1 ? "abc" : "abneverc"));
  }
  no_identities = true;
  bool refused = false;
  try {
    const reducer<op_without_identities> never;
  } catch (const refusal&) {
    refused = true;
  }
  NOPAL_CHECK(refused);
  no_identities = false;
  check_all_joined();
  return 0;
}

/// Forks and lookups while an exception is being handled.
NOPAL_PROGRAM(used_in_a_handler) {
  for (int i = 0; i < 100; ++i) {
    string_reducer text;
    try {
      *text += "a";
      throw stop{i};
    } catch (const stop& one) {
      flag continued{false};
      scope s;
      s.fork([&] {
        support::fork_until_continued(continued);
        *text += "b";
      });
      set(continued);
      *text += "c";
      s.join();
      NOPAL_CHECK(one.at == i);
    }
    NOPAL_CHECK(text.value() == "abc");
  }
  check_all_joined();
  return 0;
}

class reducers_and_exceptions : public support::program_at_workers {};

TEST_P(reducers_and_exceptions, keep_what_children_that_throw_did) {
  EXPECT_TRUE(run("children_that_throw"));
}
TEST_P(reducers_and_exceptions, keep_what_continuations_that_throw_did) {
  EXPECT_TRUE(run("continuations_that_throw"));
}
TEST_P(reducers_and_exceptions, begin_as_the_serial_program_and_stay_in_order) {
  EXPECT_TRUE(run("random_programs_that_throw"));
}
TEST_P(reducers_and_exceptions, of_a_reduction_come_out_of_the_join) {
  EXPECT_TRUE(run("reductions_that_throw"));
}
TEST_P(reducers_and_exceptions, of_a_reduction_give_way_to_one_that_unwinds) {
  EXPECT_TRUE(run("reductions_that_throw_while_one_unwinds"));
}
TEST_P(reducers_and_exceptions, of_a_reduction_and_of_a_child_lose_nothing_else) {
  EXPECT_TRUE(run("reductions_that_throw_beside_children_that_do"));
}
TEST_P(reducers_and_exceptions, of_an_identity_come_out_of_the_lookup) {
  EXPECT_TRUE(run("identities_that_throw"));
}
TEST_P(reducers_and_exceptions, work_in_handlers) { EXPECT_TRUE(run("used_in_a_handler")); }

INSTANTIATE_TEST_SUITE_P(at_workers, reducers_and_exceptions, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
