// fork(2) inside of scopes: what the new process does with the continuations that were copied.
#include <gtest/gtest.h>

#include <nopal/reducer.hpp>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "process/new_process.h"
#include "process/on_the_pool.hpp"
#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::exited_with_0;
using support::fib;
using support::flag;
using support::split;
using support::use_runtime;

/// Of all processes.
struct shared_count {
  std::atomic<long>* const value = static_cast<std::atomic<long>*>(
      mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
};

/// The new process has steals for sure, of the oldest there is first.
NOPAL_PROGRAM(ended_in_the_strand) {
  const pid_t first = getpid();
  const shared_count twice;
  for (int i = 0; i < 60; ++i) {
    scope outer;
    outer.fork([first, i] {
      scope s;
      s.fork([i] {
        const pid_t child = split();
        if (child == 0) {
          for (int round = 0; round < 5; ++round) use_runtime();
          _exit(fib(15) == 610 ? 0 : i);
        }
        exited_with_0(child);
      });
      if (getpid() != first) _exit(1);
      s.join();
    });
    if (getpid() != first) ++*twice.value;
    outer.join();
  }
  NOPAL_CHECK(*twice.value == 0);
  return 0;
}

/// Depth-first, in the order of the serial program.
void nested(int depth, std::string& said, const char* workers_of_child, pid_t& child) {
  said += '(';
  scope s;
  if (depth > 0) {
    s.fork([&, depth] { nested(depth - 1, said, workers_of_child, child); });
  } else {
    child = split();
    if (child == 0) setenv("NOPAL_WORKERS", workers_of_child, 1);
    use_runtime();
  }
  said += static_cast<char>('a' + depth % 26);
  use_runtime();
  s.join();
  s.fork([&] { said += ')'; });
  s.join();
}

std::string serially(int depth) {
  std::string inside = depth > 0 ? serially(depth - 1) : "";
  return '(' + inside + static_cast<char>('a' + depth % 26) + ')';
}

/// On one worker nothing is stolen before. The new process has more, and steals on all levels.
int return_from_all_levels(const char* workers_of_child) {
  for (const int depth : {0, 1, 5, 60}) {
    std::string said;
    pid_t child = -1;
    nested(depth, said, workers_of_child, child);
    NOPAL_CHECK(said == serially(depth));
    if (child == 0) {
      support::check_quiet();
      nopal::shutdown();
      use_runtime();
      std::exit(0);
    }
    exited_with_0(child);
  }
  return 0;
}
NOPAL_PROGRAM(returned_from_all_levels_2) { return return_from_all_levels("2"); }
NOPAL_PROGRAM(returned_from_all_levels_7) { return return_from_all_levels("7"); }

/// Each new process splits again on its way up.
NOPAL_PROGRAM(split_again_on_each_level) {
  const pid_t first = getpid();
  pid_t child = -1;
  const auto level = [&child](const auto& self, int depth) -> void {
    scope s;
    if (depth > 0) s.fork([&self, depth] { self(self, depth - 1); });
    const bool is_last = child == 0 || depth == 0;
    if (is_last) {
      child = split();
      if (child == 0) setenv("NOPAL_WORKERS", "4", 1);
      if (child != 0) exited_with_0(child);
    }
    use_runtime();
    s.join();
  };
  level(level, 4);
  NOPAL_CHECK(fib(15) == 610);
  if (getpid() != first) std::exit(0);
  return 0;
}

/// The child of the last fork(2) on the way down; 0 in the new process.
pid_t last_child = -1;

void split_for_4() {
  last_child = split();
  if (last_child == 0) setenv("NOPAL_WORKERS", "4", 1);
  use_runtime();
}

/// A program that splits on one worker ends in both processes here.
int end_both() {
  if (last_child == 0) std::exit(0);
  exited_with_0(last_child);
  return 0;
}

void throw_below(int depth) {
  scope s;
  s.fork([depth] {
    if (depth > 0) {
      throw_below(depth - 1);
    } else {
      split_for_4();
      throw std::runtime_error("thrown");
    }
  });
  NOPAL_CHECK(false);  // the serial program never comes here
  s.join();
}

NOPAL_PROGRAM(thrown_through_kept_forks) {
  bool caught = false;
  try {
    throw_below(12);
  } catch (const std::runtime_error&) {
    caught = true;
  }
  NOPAL_CHECK(caught && std::uncaught_exceptions() == 0 && !std::current_exception());
  use_runtime();
  return end_both();
}

NOPAL_PROGRAM(kept_forks_with_reducers) {
  nopal::reducer<nopal::op_string_append> text;
  const auto level = [&text](const auto& self, int depth) -> void {
    scope s;
    *text += '(';
    s.fork([&, depth] {
      if (depth > 0) {
        self(self, depth - 1);
      } else {
        split_for_4();
      }
      *text += static_cast<char>('a' + depth);
    });
    *text += '-';
    flag went_on{false};
    s.fork([&] {
      support::wait_for_continuation(went_on);
      *text += 'x';
    });
    support::set(went_on);
    *text += ')';
    s.join();
  };
  level(level, 2);
  NOPAL_CHECK(text.value() == "(((a-x)b-x)c-x)");
  return end_both();
}

NOPAL_PROGRAM(kept_forks_in_c) {
  NOPAL_CHECK(fork_in_c(10, split_for_4, use_runtime) == 10);
  return end_both();
}

/// A kept continuation handles an exception.
NOPAL_PROGRAM(kept_fork_in_a_handler) {
  try {
    throw std::runtime_error("handled");
  } catch (...) {
    scope s;
    s.fork(split_for_4);
    flag went_on{false};
    s.fork([&] { support::fork_until_continued(went_on); });
    support::set(went_on);
    try {
      throw;
    } catch (const std::runtime_error& again) {
      NOPAL_CHECK(std::string(again.what()) == "handled");
    }
    s.join();
  }
  NOPAL_CHECK(!std::current_exception());
  return end_both();
}

NOPAL_PROGRAM(split_on_the_pool) {
  for (int i = 0; i < 10; ++i) {
    flag over{false};
    const pid_t first = getpid();
    run_on_the_pool(over, [&](scope&) {
      scope s;
      s.fork([] {
        const pid_t child = split();
        if (child == 0) {
          for (int round = 0; round < 5; ++round) use_runtime();
          std::exit(0);
        }
        exited_with_0(child);
      });
      if (getpid() != first) _exit(1);
      s.join();
    });
  }
  support::check_quiet();
  return 0;
}

/// The strand comes from a thread that the new process does not have. The C library gives stacks of such to new threads: here to those of
/// the pool, which ask for half of that.
NOPAL_PROGRAM(split_of_a_stolen_strand) {
  support::on_thread_with_stack(std::size_t{2} << 20, [] {
    volatile unsigned char there[std::size_t{64} << 10];
    for (volatile unsigned char& byte : there) byte = 0x5a;
    flag over{false};
    run_on_the_pool(over, [&there](scope&) {
      const pid_t child = split();
      if (child != 0) return exited_with_0(child);
      for (int round = 0; round < 20; ++round) use_runtime();
      int changed = 0;
      for (const volatile unsigned char& byte : there) changed += byte == 0x5a ? 0 : 1;
      NOPAL_CHECK(changed == 0);
      _exit(0);
    });
  });
  support::check_quiet();
  return 0;
}

/// What starts a program and not a copy of this one, from strands everywhere.
NOPAL_PROGRAM(other_ways_to_start_a_process) {
  std::atomic<int> went_on{0};
  char* const arguments[] = {const_cast<char*>("true"), nullptr};
  const auto start = [&](int way) {
    if (way == 0) NOPAL_CHECK(std::system("true") == 0);
    if (way == 1) {
      pid_t child = -1;
      NOPAL_CHECK(posix_spawnp(&child, "true", nullptr, nullptr, arguments, environ) == 0);
      exited_with_0(child);
    }
    if (way == 2) {
      const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): it is what is tested
      if (child == 0) _exit(0);
      exited_with_0(child);
    }
  };
  for (int i = 0; i < 30; ++i) {
    scope s;
    s.fork(start, i % 3);
    ++went_on;
    s.fork(start, (i + 1) % 3);
    start((i + 2) % 3);
    s.join();
  }
  NOPAL_CHECK(went_on == 30);
  support::check_quiet();
  return 0;
}

class new_process : public support::program_at_workers {};

TEST_P(new_process, that_ends_in_its_strand_runs_nothing_of_the_other) {
  EXPECT_TRUE(run("ended_in_the_strand"));
}
TEST_P(new_process, starts_programs_from_strands) { EXPECT_TRUE(run("other_ways_to_start_a_process")); }
TEST_P(new_process, of_a_thread_of_the_pool_forks_and_ends) { EXPECT_TRUE(run("split_on_the_pool")); }
TEST_P(new_process, keeps_what_its_strand_refers_to) { EXPECT_TRUE(run("split_of_a_stolen_strand")); }

INSTANTIATE_TEST_SUITE_P(at_workers, new_process, testing::Values(2, 7), testing::PrintToStringParamName());

class kept_fork : public testing::Test {
protected:
  static testing::AssertionResult run(const char* name) {
    return support::succeeds(name, support::on_workers(1));
  }
};

TEST_F(kept_fork, goes_on_when_its_child_returns_on_2_workers) {
  EXPECT_TRUE(run("returned_from_all_levels_2"));
}
TEST_F(kept_fork, goes_on_when_its_child_returns_on_7_workers) {
  EXPECT_TRUE(run("returned_from_all_levels_7"));
}
TEST_F(kept_fork, is_kept_over_generations) { EXPECT_TRUE(run("split_again_on_each_level")); }
TEST_F(kept_fork, passes_exceptions_on) { EXPECT_TRUE(run("thrown_through_kept_forks")); }
TEST_F(kept_fork, reduces_in_order) { EXPECT_TRUE(run("kept_forks_with_reducers")); }
TEST_F(kept_fork, may_be_in_c) { EXPECT_TRUE(run("kept_forks_in_c")); }
TEST_F(kept_fork, may_be_in_a_handler) { EXPECT_TRUE(run("kept_fork_in_a_handler")); }

}  // namespace
