// The environment: what is understood, and that every refusal is one line that says what is accepted.
#include "scheduler/settings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
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
constexpr const char* forks_accepted = "latent or eager";
constexpr const char* signal_accepted = "off, or a signal that the program does not use: URG (the default), "
                                        "USR1, USR2, IO, PWR, WINCH, or a real-time "
                                        "signal from 35 to 64";
constexpr const char* substitutes_accepted = "a whole number from 0 to 4096";
constexpr const char* trace_accepted =
    "a file's name, or one and ,size=BYTES for each worker's records, from 64K to 1G (4M)";
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
    {"NOPAL_SUBSTITUTES", "-1", substitutes_accepted},
    {"NOPAL_SUBSTITUTES", "4097", substitutes_accepted},
    {"NOPAL_SUBSTITUTES", "some", substitutes_accepted},
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
    {"NOPAL_FORKS", "lazy", forks_accepted},
    {"NOPAL_FORKS", "Latent", forks_accepted},
    {"NOPAL_FORKS", "eager ", forks_accepted},
    {"NOPAL_FORKS", "0", forks_accepted},
    {"NOPAL_TRACE", "file,size=", trace_accepted},
    {"NOPAL_TRACE", "file,size=63K", trace_accepted},
    {"NOPAL_TRACE", "file,size=2G", trace_accepted},
    {"NOPAL_TRACE", "file,size=1M,size=much", trace_accepted},
    {"NOPAL_TRACE", ",size=1M", trace_accepted},
    {"NOPAL_STEAL", "never", "usual or always"},
    {"NOPAL_STEAL", "Always", "usual or always"},
    {"NOPAL_SIGNAL", "nonsense", signal_accepted},
    {"NOPAL_SIGNAL", "urg", signal_accepted},
    {"NOPAL_SIGNAL", "OFF", signal_accepted},
    {"NOPAL_SIGNAL", "SIG", signal_accepted},
    {"NOPAL_SIGNAL", "KILL", signal_accepted},
    {"NOPAL_SIGNAL", "0", signal_accepted},
    {"NOPAL_SIGNAL", "9", signal_accepted},
    {"NOPAL_SIGNAL", "11", signal_accepted},
    {"NOPAL_SIGNAL", "34", signal_accepted},
    {"NOPAL_SIGNAL", "65", signal_accepted},
    {"NOPAL_SIGNAL", "-10", signal_accepted},
    {"NOPAL_SIGNAL", "35 ", signal_accepted},
    {"NOPAL_SIGNAL", "18446744073709551651", signal_accepted},
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

TEST(environment, a_name_that_is_nearly_a_settings_is_one_line_and_the_program_goes_on) {
  for (const auto& [name, meant] :
       std::vector<std::pair<std::string, std::string>>{{"NOPAL_WORKER", "NOPAL_WORKERS"},
                                                        {"NOPAL_WROKERS", "NOPAL_WORKERS"},
                                                        {"NOPAL_WORKERSS", "NOPAL_WORKERS"},
                                                        {"NOPAL_WORKER5", "NOPAL_WORKERS"},
                                                        {"NOPAL_PROFILES", "NOPAL_PROFILE"}}) {
    const support::outcome seen = support::run_program("asks_only", {{name, "2"}});
    EXPECT_EQ(seen.exit_code, 0) << name;
    EXPECT_EQ(seen.err, "nopal: " + name + ": there is no such setting; is " + meant + " meant?\n");
  }
}

TEST(environment, names_of_other_programs_and_of_settings_are_no_line) {
  for (const char* const name : {"NOPAL_STORM_SEED", "NOPAL_BUILD_TYPE", "NOPAL_CHECKED", "NOPAL_STATIC",
                                 "NOPAL", "NOPAL_", "NOPAL_IO", "OPAL_WORKERS", "NOPAL_CHECK"}) {
    const support::outcome seen = support::run_program("asks_only", {{name, "2"}});
    EXPECT_EQ(seen.exit_code, 0) << name;
    EXPECT_EQ(seen.err, "") << name;
  }
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
                                                        {"NOPAL_FORKS", "latent"},
                                                        {"NOPAL_FORKS", "eager"},
                                                        {"NOPAL_STEAL", "usual"},
                                                        {"NOPAL_STEAL", "always"},
                                                        {"NOPAL_STEAL", ""},
                                                        {"NOPAL_SIGNAL", "off"},
                                                        {"NOPAL_SIGNAL", "URG"},
                                                        {"NOPAL_SIGNAL", "SIGUSR1"},
                                                        {"NOPAL_SIGNAL", "USR2"},
                                                        {"NOPAL_SIGNAL", "IO"},
                                                        {"NOPAL_SIGNAL", "PWR"},
                                                        {"NOPAL_SIGNAL", "WINCH"},
                                                        {"NOPAL_SIGNAL", "10"},
                                                        {"NOPAL_SIGNAL", "35"},
                                                        {"NOPAL_SIGNAL", "64"},
                                                        {"NOPAL_SIGNAL", ""},
                                                        {"NOPAL_SUBSTITUTES", "0"},
                                                        {"NOPAL_SUBSTITUTES", "4096"},
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

TEST(environment, sets_the_number_of_workers) {
  EXPECT_TRUE(support::succeeds("three_workers", support::on_workers(3)));
}

NOPAL_PROGRAM(configured_four) {
  nopal::configuration with;
  with.workers = 4;
  nopal::configure(with);
  NOPAL_CHECK(nopal::workers() == 4);
  return 0;
}

TEST(environment, yields_to_configure) {
  EXPECT_TRUE(support::succeeds("configured_four", support::on_workers(3)));
}

TEST(environment, is_checked_even_where_configure_decides) {
  EXPECT_EQ(support::run_program("configured_four", {{"NOPAL_WORKERS", "many"}}).exit_code, 2);
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

}  // namespace
