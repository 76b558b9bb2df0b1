// Strings sorted by their own order, which goes by numbers made of their characters.
#include <nopal/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/program.hpp"

namespace {

using engine = std::mt19937;

/// Letters where order goes wrong first: none, the least, the greatest, and those with the sign bit.
template <class Text>
Text odd_text(engine& random, std::size_t most) {
  using letter = typename Text::value_type;
  constexpr unsigned char letters[] = {0, 0, 1, 'a', 'b', 0x7f, 0x80, 0xff};
  Text text(random() % (most + 1), letter{});
  for (letter& each : text) each = static_cast<letter>(letters[random() % 8]);
  return text;
}

template <class Text>
std::vector<Text> odd_texts(engine& random, std::size_t count, std::size_t most) {
  std::vector<Text> all;
  all.reserve(count);
  for (std::size_t i = 0; i != count; ++i) all.push_back(odd_text<Text>(random, most));
  return all;
}

template <class Text, class Compare>
void check_sorts(std::vector<Text> texts, Compare compare) {
  std::vector<Text> expected = texts;
  std::sort(expected.begin(), expected.end(), compare);
  nopal::parallel_sort(texts.begin(), texts.end(), compare);
  NOPAL_CHECK(texts == expected);
}

template <class Text>
void check_every_order(const std::vector<Text>& texts) {
  check_sorts(texts, std::less<>());
  check_sorts(texts, std::less<Text>());
  check_sorts(texts, std::greater<>());
  check_sorts(texts, std::ranges::greater());
}

NOPAL_PROGRAM(odd_letters) {
  engine random(1);
  for (const std::size_t most : {0U, 1U, 3U, 7U, 8U, 9U, 15U, 40U}) {
    for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 200U, 3000U}) {
      check_every_order(odd_texts<std::string>(random, count, most));
    }
  }
  check_every_order(odd_texts<std::u8string>(random, 5000, 20));
  check_every_order(odd_texts<std::string>(random, 100'000, 12));
  return 0;
}

NOPAL_PROGRAM(common_beginnings) {
  engine random(2);
  std::vector<std::string> texts;
  for (int i = 0; i != 20'000; ++i) {
    // Paths: groups that agree for long, and some that are the beginning of others.
    std::string text(7 * (random() % 6), 'p');
    text += std::string(random() % 3, 'q') + std::to_string(random() % 50);
    texts.push_back(text);
  }
  check_every_order(texts);
  for (std::string& text : texts) text.insert(0, 1000, 'x');
  check_every_order(texts);
  // Each is the beginning of all that are longer.
  for (int round = 0; round != 200; ++round) {
    texts.clear();
    for (int i = 0; i != 100; ++i) texts.emplace_back(8 + random() % 5, 'a');
    check_sorts(texts, std::less<>());
  }
  return 0;
}

NOPAL_PROGRAM(few_different) {
  engine random(3);
  const std::vector<std::string> kinds = odd_texts<std::string>(random, 16, 30);
  std::vector<std::string> texts;
  for (int i = 0; i != 50'000; ++i) texts.push_back(kinds[random() % kinds.size()]);
  check_every_order(texts);
  check_every_order(std::vector<std::string>(30'000, "all the same, and longer than a key"));
  check_every_order(std::vector<std::string>(30'000));
  std::sort(texts.begin(), texts.end());
  check_every_order(texts);
  texts.back() = "";
  check_every_order(texts);
  return 0;
}

/// Around the most that are told apart by a table, with kinds that are rare and come late.
NOPAL_PROGRAM(numbers_of_kinds) {
  engine random(6);
  for (const std::size_t count : {1U, 2U, 16U, 40U, 63U, 64U, 65U, 66U, 200U}) {
    std::vector<std::string> texts;
    for (int i = 0; i != 100'000; ++i) {
      const std::size_t kind = i < 60'000 ? random() % 3 % count : random() % count;
      // Long ones differ in the middle only.
      texts.push_back(kind % 2 == 0
                          ? std::string(10, 'a') + std::to_string(1000 + kind) + std::string(10, 'z')
                          : std::string(kind / 2, 'b'));
    }
    check_every_order(texts);
  }
  // Kinds that differ in one letter, wherever it is.
  for (std::size_t size = 1; size != 40; ++size) {
    std::vector<std::u8string> texts;
    for (int i = 0; i != 4000; ++i) {
      texts.emplace_back(size, u8'm');
      texts.back()[random() % size] = static_cast<char8_t>("l\xff"[random() % 2]);
    }
    check_sorts(texts, std::less<>());
    const std::vector<std::u8string_view> seen(texts.begin(), texts.end());
    check_sorts(seen, std::greater<>());
  }
  return 0;
}

/// Strings are moved, not copied: each keeps its memory.
NOPAL_PROGRAM(memory_of_few_different) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i != 100'000; ++i) texts.emplace_back(100 + i * 7 % 16, 'a');
  const auto memory = [&texts] {
    std::vector<const char*> all;
    for (const std::string& text : texts) all.push_back(text.data());
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::vector<const char*> before = memory();
  nopal::parallel_sort(texts);
  NOPAL_CHECK(std::is_sorted(texts.begin(), texts.end()) && memory() == before);
  return 0;
}

NOPAL_PROGRAM(views) {
  engine random(4);
  const std::vector<std::string> texts = odd_texts<std::string>(random, 40'000, 25);
  std::vector<std::string_view> seen(texts.begin(), texts.end());
  check_every_order(seen);
  // Views of one text, of which each begins where another goes on.
  seen.clear();
  const std::string whole = odd_text<std::string>(random, 9000);
  for (std::size_t i = 0; i != whole.size(); ++i) {
    seen.push_back(std::string_view(whole).substr(i, random() % 60));
  }
  check_every_order(seen);
  return 0;
}

// Each agrees with the others in nearly all of its characters: neither is a frame taken for every few of them.
NOPAL_PROGRAM(long_common_beginnings) {
  const std::string whole(20000, 'a');
  std::vector<std::string_view> suffixes;
  for (std::size_t i = 0; i != whole.size(); ++i) suffixes.push_back(std::string_view(whole).substr(i));
  std::shuffle(suffixes.begin(), suffixes.end(), engine(7));
  nopal::scope s;
  s.fork([&suffixes] { nopal::parallel_sort(suffixes); });
  s.join();
  for (std::size_t i = 0; i != suffixes.size(); ++i) NOPAL_CHECK(suffixes[i].size() == i + 1);
  return 0;
}

/// Text by an order of its own.
struct by_length : std::string {
  using std::string::string;
  friend bool operator<(const by_length& left, const by_length& right) { return left.size() < right.size(); }
};

NOPAL_PROGRAM(other_orders) {
  engine random(5);
  std::vector<by_length> own;
  for (int i = 0; i != 5000; ++i) own.emplace_back(random() % 40, static_cast<char>('a' + random() % 26));
  nopal::parallel_sort(own);
  NOPAL_CHECK(std::is_sorted(own.begin(), own.end()));
  std::vector<std::string> texts = odd_texts<std::string>(random, 5000, 30);
  const auto size = [](const std::string& text) { return text.size(); };
  nopal::parallel_sort(texts, {}, size);
  NOPAL_CHECK(std::ranges::is_sorted(texts, {}, size));
  check_sorts(odd_texts<std::wstring>(random, 5000, 12), std::less<>());
  return 0;
}

TEST(text_sorts_at, little_stack_go_through_long_common_beginnings) {
  for (const char* const workers : {"1", "3"}) {
    EXPECT_TRUE(support::succeeds("long_common_beginnings",
                                  {{"NOPAL_WORKERS", workers}, {"NOPAL_STACK_SIZE", "256K"}}));
  }
}

class text_sorts : public support::program_at_workers {};

TEST_P(text_sorts, go_by_bytes_and_then_by_length) { EXPECT_TRUE(run("odd_letters")); }
TEST_P(text_sorts, see_what_follows_a_common_beginning) { EXPECT_TRUE(run("common_beginnings")); }
TEST_P(text_sorts, keep_every_one_of_equal_strings) { EXPECT_TRUE(run("few_different")); }
TEST_P(text_sorts, tell_few_kinds_apart) { EXPECT_TRUE(run("numbers_of_kinds")); }
TEST_P(text_sorts, move_strings_of_few_kinds) { EXPECT_TRUE(run("memory_of_few_different")); }
TEST_P(text_sorts, take_views) { EXPECT_TRUE(run("views")); }
TEST_P(text_sorts, leave_other_orders_to_comparisons) { EXPECT_TRUE(run("other_orders")); }

INSTANTIATE_TEST_SUITE_P(at_workers, text_sorts, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
