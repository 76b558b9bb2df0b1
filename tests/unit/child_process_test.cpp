// What the benchmark command makes of a child process that does not do as it should.
#include "command/child_process.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "support/program.hpp"

namespace {

NOPAL_PROGRAM(prints_for_ever) {
  for (;;) std::puts("one more line of nothing");
}

NOPAL_PROGRAM(prints_a_word) {
  std::fputs("word", stdout);
  return 0;
}

NOPAL_PROGRAM(fails) { return 3; }

/// What the program printed, or how it failed.
std::string words_of(const char* program) {
  setenv("TEST_PROGRAM", program, 1);
  const tool::interrupt_watch watch;
  std::string words;
  try {
    words = tool::output_of(tool::this_program, {}, watch, {std::chrono::seconds(60), [] {}});
  } catch (const std::runtime_error& failure) {
    words = failure.what();
  }
  unsetenv("TEST_PROGRAM");
  return words;
}

TEST(child_process, gives_what_it_printed) { EXPECT_EQ(words_of("prints_a_word"), "word"); }

TEST(child_process, says_how_it_ended) { EXPECT_EQ(words_of("fails"), "exited with code 3"); }

TEST(child_process, is_stopped_if_it_prints_without_end) {
  EXPECT_EQ(words_of("prints_for_ever"), "printed more than 1048576 bytes and was stopped");
}

}  // namespace
