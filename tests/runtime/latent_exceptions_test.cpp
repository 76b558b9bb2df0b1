// Exceptions out of latent children, most of which nobody promotes: of every type, at many depths, past every kind of function.
// Which one arrives, where, and that everything on its way is destroyed once.
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "latent_exceptions.hpp"

namespace {

using counted::are_latent;
using counted::finish;
using counted::living;
using counted::made;
using counted::number_thrown_by;
using counted::throw_number;
using counted::thrown;
using counted::witness;
using nopal::scope;
using support::before_thieves_are_hungry;
using support::flag;
using support::set;

int unstolen(int depth) {
  const witness local;
  if (depth == 0) return throw_number(1);
  int below = 0;
  scope s;
  s.fork_into(below, unstolen, depth - 1);
  s.join();
  return below;
}

/// An exception leaves the fork. What follows the fork does not run, unless somebody stole it.
NOPAL_PROGRAM(out_of_forks) {
  for (int depth = 1; depth <= 50; ++depth) {
    before_thieves_are_hungry([depth](flag& release) {
      const int before = made;
      NOPAL_CHECK(number_thrown_by([depth] { unstolen(depth); }) == 1);
      NOPAL_CHECK(made - before == depth + 2);
      if (are_latent()) NOPAL_CHECK(nopal::workers() == 1 || living == 0);
      set(release);
    });
    NOPAL_CHECK(living == 0);
  }
  return finish();
}

/// Each level catches what the one below throws, and throws a number of its own.
int rethrown(int depth) {
  const witness local;
  if (depth == 0) return throw_number(1);
  int below = 0;
  scope s;
  try {
    s.fork_into(below, rethrown, depth - 1);
    s.join();
  } catch (const thrown& caught) {
    return throw_number(caught.number() + 1);
  }
  return below;
}

NOPAL_PROGRAM(caught_at_each_level) {
  for (int round = 0; round < 20; ++round) {
    for (int depth = 1; depth <= 50; ++depth) {
      NOPAL_CHECK(number_thrown_by([depth] { rethrown(depth); }) == depth + 1);
    }
  }
  return finish();
}

/// A child without an exception of its own passes on what its callees throw, whatever it is.
NOPAL_PROGRAM(of_every_type) {
  const auto caught_from = [](auto&& child) {
    try {
      scope s;
      s.fork(child);
      s.join();
    } catch (const std::logic_error& e) {
      return e.what()[0] == 'l' ? 1 : -1;
    } catch (const std::exception&) {
      return 2;
    } catch (const int number) {
      return number;
    } catch (const char*) {
      return 4;
    } catch (...) {
      return 5;
    }
    return 0;
  };
  for (int round = 0; round < 100; ++round) {
    NOPAL_CHECK(caught_from([] { throw std::logic_error("l"); }) == 1);
    NOPAL_CHECK(caught_from([] { throw std::runtime_error("r"); }) == 2);
    NOPAL_CHECK(caught_from([] { throw 3; }) == 3);
    NOPAL_CHECK(caught_from([] { throw ""; }) == 4);
    NOPAL_CHECK(caught_from([] { throw 5.0; }) == 5);
    NOPAL_CHECK(caught_from([] {}) == 0);
  }
  return finish();
}

/// The exception passes functions of the program between two forks, with handlers that do not want it.
int past_handlers(int depth) {
  const witness local;
  if (depth == 0) return throw_number(1);
  int below = 0;
  try {
    scope s;
    s.fork_into(below, [depth] {
      try {
        const witness inner;
        return past_handlers(depth - 1);
      } catch (const std::exception&) {
        std::abort();
      }
    });
    s.join();
  } catch (const int) {
    std::abort();
  }
  return below;
}

NOPAL_PROGRAM(past_other_handlers) {
  for (int depth = 1; depth <= 50; ++depth) {
    NOPAL_CHECK(number_thrown_by([depth] { past_handlers(depth); }) == 1);
  }
  return finish();
}

/// Destructors that fork while an exception passes.
struct forks_when_destroyed {
  forks_when_destroyed() { ++living; }
  forks_when_destroyed(const forks_when_destroyed&) = delete;
  forks_when_destroyed& operator=(const forks_when_destroyed&) = delete;
  ~forks_when_destroyed() {
    --living;
    int x = 0;
    scope s;
    s.fork_into(x, [] { return 5; });
    s.join();
    NOPAL_CHECK(x == 5);
  }
};

int unwound(int depth) {
  const forks_when_destroyed local;
  if (depth == 0) return throw_number(1);
  int below = 0;
  scope s;
  s.fork_into(below, unwound, depth - 1);
  s.join();
  return below;
}

NOPAL_PROGRAM(through_destructors_that_fork) {
  for (int round = 0; round < 10; ++round) {
    for (int depth = 1; depth <= 30; ++depth) {
      NOPAL_CHECK(number_thrown_by([depth] { unwound(depth); }) == 1);
    }
  }
  return finish();
}

/// A function with over-aligned locals whose child is known only when it runs: tables are another kind there.
[[gnu::noinline]] int aligned_at_64(int (*child)(int), int number) {
  alignas(64) std::array<int, 16> local;
  int* volatile elsewhere = local.data();
  for (int i = 0; i < 16; ++i) elsewhere[i] = number;
  int out = 0;
  scope s;
  s.fork_into(out, child, number);
  s.join();
  return out + elsewhere[5] + static_cast<int>(reinterpret_cast<std::uintptr_t>(local.data()) % 64);
}

NOPAL_PROGRAM(past_aligned_locals) {
  int (*volatile child)(int) = [](int number) { return number == 1 ? throw_number(1) : number; };
  for (int round = 0; round < 20; ++round) {
    NOPAL_CHECK(aligned_at_64(child, 4) == 8);
    NOPAL_CHECK(number_thrown_by([child] { aligned_at_64(child, 1); }) == 1);
  }
  return finish();
}

/// To unwinders a latent call catches everything, so a function that throws nothing is left by none.
NOPAL_PROGRAM(left_by_none) {
  support::no_core();
  std::set_terminate([] { _exit(7); });
  const auto never_throws = []() noexcept {
    scope s;
    s.fork(throw_number, 1);
    s.join();
  };
  never_throws();
  return 1;
}

class latent_exceptions : public support::program_at_workers {};

TEST_P(latent_exceptions, leave_forks_that_nobody_stole) { EXPECT_TRUE(run("out_of_forks")); }
TEST_P(latent_exceptions, are_caught_at_each_level) { EXPECT_TRUE(run("caught_at_each_level")); }
TEST_P(latent_exceptions, are_of_every_type) { EXPECT_TRUE(run("of_every_type")); }
TEST_P(latent_exceptions, pass_handlers_of_others) { EXPECT_TRUE(run("past_other_handlers")); }
TEST_P(latent_exceptions, pass_destructors_that_fork) { EXPECT_TRUE(run("through_destructors_that_fork")); }
TEST_P(latent_exceptions, pass_functions_with_aligned_locals) { EXPECT_TRUE(run("past_aligned_locals")); }
TEST_P(latent_exceptions, end_the_program_at_a_function_that_throws_nothing) {
  const support::outcome seen = support::run_program("left_by_none", support::on_workers(GetParam()));
  EXPECT_EQ(seen.exit_code, 7) << seen.description();
}

INSTANTIATE_TEST_SUITE_P(at_workers, latent_exceptions, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace
