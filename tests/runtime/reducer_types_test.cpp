// What reducers may be of: every monoid of the library under steals, types that can do little, that are large or aligned, monoids
// with state; holders; and what a reducer can do beside updates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#include "reducer_programs.hpp"

namespace {

using namespace reducers;

/// `update(i)` for i from 0 on, every other one by a child whose parent's continuation is stolen.
template <class Update>
void update_in_parallel(int count, Update update) {
  scope s;
  for (int i = 0; i < count; i += 2) {
    FORK_AND_BE_STOLEN(s, [&update, i] { update(i); });
    update(i + 1);
  }
  s.join();
}

NOPAL_PROGRAM(monoids) {
  reducer<nopal::op_add<long>> sum(100);
  reducer<nopal::op_mul<unsigned>> product;
  reducer<nopal::op_and<unsigned>> all_bits;
  reducer<nopal::op_or<unsigned>> any_bits;
  reducer<nopal::op_xor<unsigned>> odd_bits;
  reducer<nopal::op_min<int>> least;
  reducer<nopal::op_max<int>> greatest;
  reducer<nopal::op_min_index<int, int>> first_least;
  reducer<nopal::op_max_index<int, int>> first_greatest;
  reducer<nopal::op_bag<int>> bag;
  reducer<nopal::op_wstring_append> wide;
  update_in_parallel(40, [&](int i) {
    const auto bits = static_cast<unsigned>(i);
    *sum += i;
    *product *= 2 * bits + 1;
    *all_bits &= bits | 0xf0;
    *any_bits |= 1U << bits % 32;
    *odd_bits ^= bits;
    *least = std::min(*least, 50 - i);
    *greatest = std::max(*greatest, i % 20);
    first_least->update(i, (i + 7) % 10);
    first_greatest->update(i, i % 10);
    bag->insert(i);
    *wide += static_cast<wchar_t>(L'A' + i);
  });
  unsigned expected_product = 1;
  unsigned expected_odd = 0;
  std::wstring expected_wide;
  for (unsigned i = 0; i < 40; ++i) {
    expected_product *= 2 * i + 1;
    expected_odd ^= i;
    expected_wide += static_cast<wchar_t>(L'A' + static_cast<int>(i));
  }
  NOPAL_CHECK(sum.value() == 100 + 780 && product.value() == expected_product);
  NOPAL_CHECK(all_bits.value() == 0xf0 && any_bits.value() == 0xffffffffU);
  NOPAL_CHECK(odd_bits.value() == expected_odd);
  NOPAL_CHECK(least.value() == 11 && greatest.value() == 19);
  NOPAL_CHECK(first_least->index() == 3 && first_least->value() == 0);
  NOPAL_CHECK(first_greatest->index() == 9 && first_greatest->value() == 9);
  NOPAL_CHECK(bag->size() == 40 && wide.value() == expected_wide);
  std::multiset<int> seen;
  bag->for_each([&seen](int i) { seen.insert(i); });
  NOPAL_CHECK(seen.size() == 40 && *seen.begin() == 0 && *seen.rbegin() == 39);
  return 0;
}

/// Neither made from nothing nor moved, copied or assigned.
struct immovable {
  immovable(int first, int second) : numbers{first, second} {}
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
  std::vector<int> numbers;
  std::mutex unused;
};

struct op_immovable {
  using value_type = immovable;
  static immovable identity() { return {0, 0}; }
  static void reduce(immovable& left, immovable&& right) {
    // The identity's two zeroes lead every view but the first.
    left.numbers.insert(left.numbers.end(), right.numbers.begin() + 2, right.numbers.end());
  }
};

NOPAL_PROGRAM(types_that_can_do_little) {
  for (int round = 0; round < 50; ++round) {
    reducer<op_immovable> made_of_two(-2, -1);
    update_in_parallel(20, [&](int i) { made_of_two->numbers.push_back(i); });
    const std::vector<int>& numbers = made_of_two.value().numbers;
    NOPAL_CHECK(numbers.size() == 22);
    for (std::size_t i = 0; i < 22; ++i) NOPAL_CHECK(numbers[i] == static_cast<int>(i) - 2);
  }
  reducer<nopal::op_list_append<std::unique_ptr<int>>> pointers;
  update_in_parallel(20, [&](int i) { pointers->push_back(std::make_unique<int>(i)); });
  int expected = 0;
  for (const auto& one : pointers.value()) NOPAL_CHECK(*one == expected++);
  NOPAL_CHECK(expected == 20);
  return 0;
}

struct alignas(128) aligned {
  int sum = 0;
};

struct op_aligned {
  using value_type = aligned;
  static aligned identity() { return {}; }
  static void reduce(aligned& left, aligned&& right) { left.sum += right.sum; }
};

NOPAL_PROGRAM(aligned_types) {
  const auto sum = std::make_unique<reducer<op_aligned>>();
  update_in_parallel(40, [&](int i) {
    aligned& view = **sum;
    NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(&view) % 128 == 0);
    view.sum += i;
  });
  NOPAL_CHECK(sum->value().sum == 780);
  return 0;
}

constexpr std::size_t megabyte = 1 << 20;

struct large {
  unsigned char bytes[megabyte];
};

struct op_large {
  using value_type = large;
  static large identity() { return {}; }
  static void reduce(large& left, large&& right) {
    for (std::size_t i = 0; i < megabyte; ++i) left.bytes[i] |= right.bytes[i];
  }
};

NOPAL_PROGRAM(large_types) {
  const auto seen = std::make_unique<reducer<op_large>>();
  update_in_parallel(16, [&](int i) {
    large& view = **seen;
    std::memset(view.bytes + static_cast<std::size_t>(i) * megabyte / 16, i + 1, megabyte / 16);
  });
  for (std::size_t i = 0; i < megabyte; ++i) NOPAL_CHECK(seen->value().bytes[i] == i * 16 / megabyte + 1);
  return 0;
}

/// Addition modulo a number that is known at run time, and text with a separator.
class op_add_modulo {
public:
  using value_type = unsigned;
  explicit op_add_modulo(unsigned modulus) : modulus_(modulus) {}
  static unsigned identity() { return 0; }
  void reduce(unsigned& left, unsigned&& right) const { left = (left + right) % modulus_; }

private:
  unsigned modulus_;
};

struct op_separated {
  using value_type = std::string;
  std::string separator;
  std::string identity() const { return {}; }
  void reduce(std::string& left, std::string&& right) const { left += separator + right; }
};

NOPAL_PROGRAM(monoids_with_state) {
  for (int round = 0; round < 50; ++round) {
    reducer<op_add_modulo> small(op_add_modulo(7));
    reducer<op_add_modulo> other(op_add_modulo(1000), 500U);
    reducer<op_separated> text(op_separated{", "}, "begin");
    update_in_parallel(40, [&](int i) {
      small.view() = (*small + static_cast<unsigned>(i)) % 7;
      other.view() = (*other + static_cast<unsigned>(i)) % 1000;
      *text += std::to_string(i);
    });
    NOPAL_CHECK(small.value() == 780 % 7 && other.value() == 280);
    std::string expected = "begin0";
    for (int i = 1; i < 40; ++i)
      expected += (i % 2 == 1 && nopal::workers() > 1 ? ", " : "") + std::to_string(i);
    NOPAL_CHECK(text.value() == expected);
  }
  return 0;
}

constexpr std::size_t most_sums = 400;

void add_in_parallel(long* left, const long* right, std::size_t count) {
  if (count <= 64) {
    for (std::size_t i = 0; i < count; ++i) left[i] += right[i];
    return;
  }
  flag continued{false};
  scope s;
  s.fork([&] {
    invite_thief(continued);
    add_in_parallel(left, right, count / 2);
  });
  set(continued);
  add_in_parallel(left + count / 2, right + count / 2, count - count / 2);
  s.join();
}

/// Its reductions fork, so that they may go on on other threads than they began on. They keep the order.
struct op_forking {
  struct value_type {
    std::vector<long> sums;
    std::string text;
  };
  static value_type identity() { return {std::vector<long>(most_sums), {}}; }
  static void reduce(value_type& left, value_type&& right) {
    add_in_parallel(left.sums.data(), right.sums.data(), most_sums);
    left.text += right.text;
  }
};

NOPAL_PROGRAM(reductions_that_fork) {
  for (int round = 0; round < 8; ++round) {
    reducer<op_forking> forking;
    string_reducer beside;
    update_in_parallel(20, [&](int i) {
      op_forking::value_type& view = *forking;
      for (std::size_t k = 0; k < most_sums; ++k) view.sums[k] += static_cast<long>(k) * i;
      view.text += std::to_string(i);
      *beside += std::to_string(i);
    });
    for (std::size_t k = 0; k < most_sums; ++k) NOPAL_CHECK(forking->sums[k] == static_cast<long>(k) * 190);
    NOPAL_CHECK(forking->text == beside.value() && beside->substr(0, 12) == "012345678910");
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(output) {
  for (int round = 0; round < 50; ++round) {
    std::ostringstream target;
    target << std::hex;
    reducer<nopal::op_ostream> out(target);
    reducer<nopal::op_ostream> collected;
    std::string expected = "begin ff\n";
    *out << "begin " << 255 << '\n';
    update_in_parallel(20, [&](int i) {
      *out << std::dec << "line " << i << '\n';
      *collected << i << ' ';
    });
    std::string digits;
    for (int i = 0; i < 20; ++i) {
      expected += "line " + std::to_string(i) + '\n';
      digits += std::to_string(i) + ' ';
    }
    NOPAL_CHECK(target.str() == expected);
    NOPAL_CHECK(collected.value().text() == digits);
  }
  return 0;
}

NOPAL_PROGRAM(take_and_set) {
  vector_reducer words(std::vector<std::uint32_t>{7});
  for (int round = 0; round < 20; ++round) {
    update_in_parallel(10, [&](int i) { words->push_back(static_cast<std::uint32_t>(i)); });
    const std::vector<std::uint32_t> taken = words.take();
    NOPAL_CHECK(taken.size() == 11 && taken[0] == 7 && taken[10] == 9);
    NOPAL_CHECK(words.value().empty());
    words.set({7});
  }
  scope s;
  FORK_AND_BE_STOLEN(s, [] {});
  string_reducer of_a_continuation("first");
  update_in_parallel(2, [&](int i) { *of_a_continuation += std::to_string(i); });
  NOPAL_CHECK(of_a_continuation.take() == "first01" && of_a_continuation.value().empty());
  of_a_continuation.set("second");
  update_in_parallel(2, [&](int i) { *of_a_continuation += std::to_string(i); });
  NOPAL_CHECK(of_a_continuation.value() == "second01");
  s.join();
  return 0;
}

string_reducer global_text("global ");

struct with_member {
  int before = 1;
  string_reducer text;
  int after = 2;
};

template <class Strand>
void say_in_parallel(Strand say) {
  scope s;
  FORK_AND_BE_STOLEN(s, [&say] { say("a"); });
  say("b");
  FORK_AND_BE_STOLEN(s, [&say] { say("c"); });
  say("d");
  s.join();
  say("e");
}

NOPAL_PROGRAM(wherever_the_reducer_is) {
  with_member member;
  const auto heap = std::make_unique<string_reducer>();
  static string_reducer local_static;
  std::vector<std::unique_ptr<string_reducer>> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<string_reducer>());
  say_in_parallel([&](const char* word) {
    *global_text += word;
    *member.text += word;
    **heap += word;
    *local_static += word;
    for (const auto& one : many) **one += word;
  });
  NOPAL_CHECK(global_text.value() == "global abcde");
  NOPAL_CHECK(member.text.value() == "abcde" && member.before == 1 && member.after == 2);
  NOPAL_CHECK(heap->value() == "abcde" && local_static.value() == "abcde");
  for (const auto& one : many) NOPAL_CHECK(one->value() == "abcde");
  support::check_quiet();
  return 0;
}

/// Scratch memory that tells who uses it, and how often it was made.
struct scratch {
  scratch() { ++alive; }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { --alive; }
  std::atomic<int> users{0};
  std::vector<int> buffer;
  static inline std::atomic<int> alive{0};
};

NOPAL_PROGRAM(holders) {
  {
    nopal::holder<scratch> held;
    nopal::holder tens([] { return std::vector<int>(10, 1); });
    reducer<nopal::op_add<long>> sum;
    for (int round = 0; round < 50; ++round) {
      update_in_parallel(20, [&](int i) {
        scratch& mine = *held;
        NOPAL_CHECK(mine.users.fetch_add(1) == 0);
        mine.buffer.assign(static_cast<std::size_t>(i), 1);
        *sum += static_cast<long>(mine.buffer.size());
        mine.users.fetch_sub(1);
        NOPAL_CHECK(tens->size() == 10);
      });
    }
    NOPAL_CHECK(sum.value() == 50 * 190);
    NOPAL_CHECK(scratch::alive == 1);
    held->buffer.clear();
    NOPAL_CHECK(&held.view() == &*held);
  }
  NOPAL_CHECK(scratch::alive == 0);
  return 0;
}

/// As many views end as were made, whatever the reductions' order.
NOPAL_PROGRAM(views_are_counted) {
  for (int round = 0; round < 100; ++round) {
    reducer<op_counted_text> texts[3];
    update_in_parallel(20, [&](int i) { texts[i % 3]->said += std::to_string(i) + ' '; });
    NOPAL_CHECK(counted_text::alive == 3);
    NOPAL_CHECK(texts[1]->said == "1 4 7 10 13 16 19 ");
  }
  NOPAL_CHECK(counted_text::alive == 0);
  if (nopal::workers() > 1) NOPAL_CHECK(counted_text::reductions > 100);
  return 0;
}

class reducer_types : public support::program_at_workers {};

TEST_P(reducer_types, are_all_monoids_of_the_library) { EXPECT_TRUE(run("monoids")); }
TEST_P(reducer_types, need_only_what_the_monoid_needs) { EXPECT_TRUE(run("types_that_can_do_little")); }
TEST_P(reducer_types, keep_their_alignment) { EXPECT_TRUE(run("aligned_types")); }
TEST_P(reducer_types, may_be_large) { EXPECT_TRUE(run("large_types")); }
TEST_P(reducer_types, may_have_monoids_with_state) { EXPECT_TRUE(run("monoids_with_state")); }
TEST_P(reducer_types, may_have_reductions_that_fork) { EXPECT_TRUE(run("reductions_that_fork")); }
TEST_P(reducer_types, include_output_in_serial_order) { EXPECT_TRUE(run("output")); }
TEST_P(reducer_types, may_be_anywhere) { EXPECT_TRUE(run("wherever_the_reducer_is")); }
TEST_P(reducer_types, can_be_taken_and_set) { EXPECT_TRUE(run("take_and_set")); }
TEST_P(reducer_types, include_scratch_memory_of_one_strand_at_a_time) { EXPECT_TRUE(run("holders")); }
TEST_P(reducer_types, have_as_many_destructions_as_constructions) { EXPECT_TRUE(run("views_are_counted")); }

INSTANTIATE_TEST_SUITE_P(at_workers, reducer_types, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
