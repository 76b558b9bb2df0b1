// Environment and configuration: what is understood, and that every refusal is one line that says what is accepted.
#include "scheduler/settings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/strands.hpp"

namespace {

struct bytes_case {
  const char* text;
  std::size_t bytes;
};

TEST(parse_bytes, understands_digits_and_one_suffix) {
  for (const bytes_case& one : std::vector<bytes_case>{{"0", 0},
                                                       {"65536", 65536},
                                                       {"64k", 65536},
                                                       {"64K", 65536},
                                                       {"1M", 1 << 20},
                                                       {"1m", 1 << 20},
                                                       {"2g", std::size_t{2} << 30},
                                                       {"007", 7},
                                                       {"18446744073709551615", ~std::size_t{0}}}) {
    std::size_t bytes = 1;
    EXPECT_TRUE(nopal::internal::parse_bytes(one.text, bytes)) << one.text;
    EXPECT_EQ(bytes, one.bytes) << one.text;
  }
}

TEST(parse_bytes, refuses_everything_else_and_leaves_the_result_alone) {
  for (const char* const text :
       {"", " 1", "1 ", "-1", "+1", "k", "1kb", "1KiB", "1.5M", "0x10", "1T", "1kk", "18446744073709551616",
        "18014398509481984k", "17179869184g", "99999999999999999999"}) {
    std::size_t bytes = 77;
    EXPECT_FALSE(nopal::internal::parse_bytes(text, bytes)) << text;
    EXPECT_EQ(bytes, 77u) << text;
  }
}

NOPAL_PROGRAM(forks) {
  NOPAL_CHECK(support::fib(12) == 144);
  return 0;
}

NOPAL_PROGRAM(asks_only) { return nopal::workers() > 0 ? 0 : 1; }

struct refusal {
  const char* variable;
  const char* value;
  const char* accepted;
};

constexpr const char* workers_accepted = "a whole number from 1 to 1024";
constexpr const char* stack_accepted = "bytes from 64K to 64G, with K, M or G if you like";

const std::vector<refusal> refusals = {
    {"NOPAL_WORKERS", "0", workers_accepted},
    {"NOPAL_WORKERS", "-1", workers_accepted},
    {"NOPAL_WORKERS", "1025", workers_accepted},
    {"NOPAL_WORKERS", "two", workers_accepted},
    {"NOPAL_WORKERS", "2 ", workers_accepted},
    {"NOPAL_WORKERS", " 2", workers_accepted},
    {"NOPAL_WORKERS", "+2", workers_accepted},
    {"NOPAL_WORKERS", "1.5", workers_accepted},
    {"NOPAL_WORKERS", "0x2", workers_accepted},
    {"NOPAL_WORKERS", "99999999999999999999", workers_accepted},
    {"NOPAL_STACK_SIZE", "1", stack_accepted},
    {"NOPAL_STACK_SIZE", "63K", stack_accepted},
    {"NOPAL_STACK_SIZE", "65G", stack_accepted},
    {"NOPAL_STACK_SIZE", "-64K", stack_accepted},
    {"NOPAL_STACK_SIZE", "1MB", stack_accepted},
    {"NOPAL_STACK_SIZE", "big", stack_accepted},
    {"NOPAL_RECLAIM", "Lazy", "lazy, eager or never"},
    {"NOPAL_RECLAIM", "always", "lazy, eager or never"},
    {"NOPAL_RECLAIM_WITH", "munmap", "dontneed or free"},
    {"NOPAL_PIN", "yes", "0 or 1"},
    {"NOPAL_PIN", "2", "0 or 1"},
    {"NOPAL_STATS", "true", "0 or 1"},
    {"NOPAL_ON_BAD_SETTING", "refuse", "exit or default"},
};

TEST(environment, a_bad_value_is_one_line_and_exit_code_2_at_the_first_fork) {
  for (const refusal& one : refusals) {
    const support::outcome seen = support::run_program("forks", {{one.variable, one.value}});
    EXPECT_EQ(seen.exit_code, 2) << one.variable << "=" << one.value << " " << seen.description();
    EXPECT_EQ(seen.err, std::string("nopal: ") + one.variable + "=" + one.value +
                            ": not understood; accepted: " + one.accepted + "\n");
  }
}

TEST(environment, a_bad_value_is_refused_by_the_first_question_too) {
  const support::outcome seen = support::run_program("asks_only", {{"NOPAL_WORKERS", "none"}});
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_EQ(seen.err, "nopal: NOPAL_WORKERS=none: not understood; accepted: a whole number from 1 to 1024\n");
}

TEST(environment, a_refusal_stays_one_line_whatever_the_value) {
  EXPECT_EQ(support::run_program("asks_only", {{"NOPAL_PIN", "1\n\x1b[2J\x7f"}}).err,
            "nopal: NOPAL_PIN=1??[2J?: not understood; accepted: 0 or 1\n");
  const std::string most(200, 'x');
  EXPECT_EQ(support::run_program("asks_only", {{"NOPAL_STATS", most}}).err,
            "nopal: NOPAL_STATS=" + most + ": not understood; accepted: 0 or 1\n");
  EXPECT_EQ(support::run_program("asks_only", {{"NOPAL_STATS", std::string(5000, 'x')}}).err,
            "nopal: NOPAL_STATS=" + most + "...: not understood; accepted: 0 or 1\n");
  // U+00E9 is two bytes, the second of which would be the first to go.
  EXPECT_EQ(support::run_program("asks_only", {{"NOPAL_STATS", std::string(199, 'x') + "\u00e9tat"}}).err,
            "nopal: NOPAL_STATS=" + std::string(199, 'x') + "...: not understood; accepted: 0 or 1\n");
  // Nothing but the later bytes of letters.
  EXPECT_EQ(support::run_program("asks_only", {{"NOPAL_STATS", std::string(300, '\x80')}}).err,
            "nopal: NOPAL_STATS=...: not understood; accepted: 0 or 1\n");
}

TEST(environment, good_values_run_without_a_word) {
  for (const auto& [name, value] : support::environment{{"NOPAL_WORKERS", "1"},
                                                        {"NOPAL_WORKERS", "5"},
                                                        {"NOPAL_WORKERS", ""},
                                                        {"NOPAL_STACK_SIZE", "64K"},
                                                        {"NOPAL_STACK_SIZE", "65537"},
                                                        {"NOPAL_STACK_SIZE", "16m"},
                                                        {"NOPAL_STACK_SIZE", "64G"},
                                                        {"NOPAL_RECLAIM", "lazy"},
                                                        {"NOPAL_RECLAIM", "eager"},
                                                        {"NOPAL_RECLAIM", "never"},
                                                        {"NOPAL_RECLAIM_WITH", "dontneed"},
                                                        {"NOPAL_RECLAIM_WITH", "free"},
                                                        {"NOPAL_PIN", "0"},
                                                        {"NOPAL_PIN", "1"},
                                                        {"NOPAL_STATS", "0"}}) {
    EXPECT_TRUE(support::succeeds("forks", {{name, value}})) << name << "=" << value;
  }
}

NOPAL_PROGRAM(three_workers) {
  NOPAL_CHECK(nopal::workers() == 3);
  NOPAL_CHECK(support::fib(10) == 55);
  NOPAL_CHECK(nopal::stats().workers == 3);
  return 0;
}

NOPAL_PROGRAM(configured_four) {
  nopal::configuration with;
  with.workers = 4;
  nopal::configure(with);
  NOPAL_CHECK(nopal::workers() == 4);
  return 0;
}

TEST(environment, sets_the_number_of_workers) {
  EXPECT_TRUE(support::succeeds("three_workers", support::on_workers(3)));
}

TEST(environment, yields_to_configure) {
  EXPECT_TRUE(support::succeeds("configured_four", support::on_workers(3)));
}

TEST(environment, is_checked_even_where_configure_decides) {
  EXPECT_EQ(support::run_program("configured_four", {{"NOPAL_WORKERS", "many"}}).exit_code, 2);
}

// A server with a library in it.
NOPAL_PROGRAM(does_not_let_settings_end_it) {
  nopal::configuration with;
  with.workers = 3;
  with.on_bad_setting = nopal::bad_setting::refuse;
  std::string told;
  try {
    nopal::configure(with);
  } catch (const nopal::error& e) {
    told = e.what();
  }
  NOPAL_CHECK(told == "nopal: NOPAL_PIN=maybe: not understood; accepted: 0 or 1");
  with.on_bad_setting = nopal::bad_setting::use_default;
  nopal::configure(with);
  NOPAL_CHECK(nopal::workers() == 3);
  return support::fib(12) == 144 ? 0 : 1;
}

NOPAL_PROGRAM(refuses_bad_settings) {
  nopal::configuration with;
  with.on_bad_setting = nopal::bad_setting::refuse;
  nopal::configure(with);
  setenv("NOPAL_PIN", "maybe", 1);
  with = {};
  with.workers = 2;
  bool thrown = false;
  try {
    nopal::configure(with);
  } catch (const nopal::error&) {
    thrown = true;
  }
  unsetenv("NOPAL_PIN");
  NOPAL_CHECK(thrown && nopal::workers() == 3);
  return support::fib(12) == 144 ? 0 : 1;
}

TEST(environment, a_bad_value_counts_as_unset_where_that_was_chosen) {
  for (const refusal& one : refusals) {
    if (one.variable == std::string("NOPAL_ON_BAD_SETTING")) continue;
    const support::outcome seen =
        support::run_program("forks", {{one.variable, one.value}, {"NOPAL_ON_BAD_SETTING", "default"}});
    EXPECT_EQ(seen.exit_code, 0) << one.variable << "=" << one.value << " " << seen.description();
    EXPECT_EQ(seen.err, std::string("nopal: ") + one.variable + "=" + one.value +
                            ": not understood; accepted: " + one.accepted + "; taken as unset\n");
  }
}

TEST(environment, each_bad_value_that_counts_as_unset_is_one_line) {
  const support::outcome seen = support::run_program("forks", {{"NOPAL_WORKERS", "2"},
                                                               {"NOPAL_PIN", "x"},
                                                               {"NOPAL_STACK_SIZE", "1"},
                                                               {"NOPAL_ON_BAD_SETTING", "default"}});
  EXPECT_EQ(seen.exit_code, 0);
  EXPECT_EQ(seen.err,
            "nopal: NOPAL_STACK_SIZE=1: not understood; accepted: bytes from 64K to 64G, with K, M or G if "
            "you like; "
            "taken as unset\nnopal: NOPAL_PIN=x: not understood; accepted: 0 or 1; taken as unset\n");
}

TEST(configure, refuses_bad_variables_or_takes_them_as_unset_as_it_is_told) {
  const support::outcome seen =
      support::run_program("does_not_let_settings_end_it", {{"NOPAL_PIN", "maybe"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_EQ(seen.err, "nopal: NOPAL_PIN=maybe: not understood; accepted: 0 or 1; taken as unset\n");
}

TEST(configure, that_refuses_sets_nothing) {
  EXPECT_TRUE(support::succeeds("refuses_bad_settings", support::on_workers(3)));
}

TEST(environment, statistics_are_printed_at_exit) {
  const support::outcome seen = support::run_program("forks", {{"NOPAL_STATS", "1"}, {"NOPAL_WORKERS", "2"}});
  EXPECT_EQ(seen.exit_code, 0);
  EXPECT_NE(seen.err.find("nopal: worker "), std::string::npos) << seen.err;
  EXPECT_NE(seen.err.find("nopal: total "), std::string::npos) << seen.err;
  EXPECT_NE(seen.err.find("nopal: stacks: "), std::string::npos) << seen.err;
}

TEST(environment, statistics_have_a_line_for_each_of_many_workers) {
  const support::outcome seen =
      support::run_program("forks", {{"NOPAL_STATS", "1"}, {"NOPAL_WORKERS", "12"}});
  EXPECT_EQ(seen.exit_code, 0);
  for (const char* const name : {"program", "1", "9", "10", "11"}) {
    EXPECT_NE(seen.err.find(std::string("\nnopal: ") + name + " "), std::string::npos) << name << seen.err;
  }
}

TEST(complete_settings, prefers_what_was_asked_for_to_the_variables) {
  const auto read = [](const char* name) -> const char* {
    const std::string variable = name;
    if (variable == "NOPAL_WORKERS") return "3";
    if (variable == "NOPAL_STACK_SIZE") return "1M";
    if (variable == "NOPAL_RECLAIM") return "eager";
    if (variable == "NOPAL_RECLAIM_WITH") return "dontneed";
    return variable == "NOPAL_PIN" ? "1" : nullptr;
  };
  nopal::configuration asked;
  asked.workers = 5;
  asked.stack_size = 1 << 17;
  asked.reclaim = nopal::reclaim::never;
  asked.reclaim_with = static_cast<int>(nopal::reclaim_call::free);
  asked.pin = 0;
  nopal::internal::refused_variables refused;
  const nopal::internal::settings result = nopal::internal::complete_settings(asked, read, refused);
  EXPECT_EQ(refused.count, 0);
  EXPECT_EQ(result.workers, 5);
  EXPECT_EQ(result.stack_bytes, std::size_t{1} << 17);
  EXPECT_EQ(result.reclaim, nopal::reclaim::never);
  EXPECT_EQ(result.reclaim_with, nopal::reclaim_call::free);
  EXPECT_FALSE(result.pin);
  EXPECT_EQ(nopal::internal::complete_settings({}, read, refused).workers, 3);
}

TEST(followed_by, keeps_what_the_later_one_does_not_name) {
  nopal::configuration earlier;
  earlier.workers = 3;
  earlier.pin = 1;
  nopal::configuration pin;
  pin.pin = 0;
  const nopal::configuration pinned = nopal::internal::followed_by(earlier, pin);
  EXPECT_EQ(pinned.workers, 3);
  EXPECT_EQ(pinned.pin, 0);
  EXPECT_LT(pinned.reclaim_with, 0);
  nopal::configuration call;
  call.reclaim_with = static_cast<int>(nopal::reclaim_call::free);
  const nopal::configuration both = nopal::internal::followed_by(pinned, call);
  EXPECT_EQ(both.workers, 3);
  EXPECT_EQ(both.pin, 0);
  EXPECT_EQ(both.reclaim_with, static_cast<int>(nopal::reclaim_call::free));
  EXPECT_EQ(nopal::internal::followed_by(both, pin).reclaim_with,
            static_cast<int>(nopal::reclaim_call::free));
  nopal::configuration reclaim;
  reclaim.reclaim = nopal::reclaim::never;
  EXPECT_EQ(nopal::internal::followed_by(both, reclaim).reclaim, nopal::reclaim::never);
  EXPECT_EQ(nopal::internal::followed_by(both, reclaim).workers, 3);
  EXPECT_EQ(nopal::internal::followed_by(both, {}).workers, 0);
}

/// Whether configure refuses with a message that names `member`.
bool refuses(const nopal::configuration& with, const char* member) {
  try {
    nopal::configure(with);
  } catch (const nopal::error& refused) {
    return std::string(refused.what()).find(member) != std::string::npos;
  }
  return false;
}

TEST(configure, refuses_what_is_out_of_range_and_names_the_member) {
  for (const int workers : {-1, 1025}) {
    nopal::configuration with;
    with.workers = workers;
    EXPECT_TRUE(refuses(with, "workers")) << workers;
  }
  for (const std::size_t size : {std::size_t{1}, std::size_t{65535}, (std::size_t{1} << 36) + 1}) {
    nopal::configuration with;
    with.stack_size = size;
    EXPECT_TRUE(refuses(with, "stack_size")) << size;
    // Not the syntax of the variable, which no program can write there.
    EXPECT_TRUE(refuses(with, "accepted: bytes from 65536 to 68719476736; 0 leaves it alone")) << size;
  }
  for (const int value : {-2, 3}) {
    nopal::configuration with;
    with.reclaim = static_cast<nopal::reclaim>(value);
    EXPECT_TRUE(refuses(with, "reclaim")) << value;
  }
  for (const int value : {-2, 2}) {
    nopal::configuration pin;
    pin.pin = value;
    EXPECT_TRUE(refuses(pin, "pin")) << value;
    EXPECT_TRUE(refuses(pin, "-1 leaves it alone")) << value;
    nopal::configuration call;
    call.reclaim_with = value;
    EXPECT_TRUE(refuses(call, "reclaim_with")) << value;
  }
  for (const int value : {-2, 3}) {
    nopal::configuration with;
    with.on_bad_setting = static_cast<nopal::bad_setting>(value);
    EXPECT_TRUE(refuses(with, "on_bad_setting")) << value;
  }
  EXPECT_NO_THROW(nopal::configure({}));
}

/// A library sets the stacks' size after main has set the workers' number.
NOPAL_PROGRAM(configured_by_two) {
  nopal::configuration first;
  first.workers = 3;
  nopal::configuration second;
  second.pin = 0;
  second.stack_size = 1 << 18;
  nopal::configure(first);
  nopal::configure(second);
  if (nopal::workers() != 3) return 1;
  first.workers = 2;
  nopal::configure(first);
  if (nopal::workers() != 2) return 2;
  nopal::configure({});
  return nopal::workers() == 5 ? 0 : 3;
}

TEST(configure, keeps_what_an_earlier_call_set_and_this_one_does_not_name) {
  EXPECT_TRUE(support::succeeds("configured_by_two", support::on_workers(5)));
}

TEST(configure, throws_once_the_runtime_has_started) {
  support::fib(5);
  EXPECT_TRUE(refuses({}, "configure"));
  nopal::shutdown();
  EXPECT_NO_THROW(nopal::configure({}));
}

}  // namespace
