// Futures and promises of strands.
#include <nopal/waiting.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::scope;

NOPAL_PROGRAM(futures_give_what_promises_get) {
  nopal::promise<std::unique_ptr<int>> moved;
  nopal::future<std::unique_ptr<int>> of_moved = moved.get_future();
  NOPAL_CHECK(of_moved.valid() && !of_moved.ready());
  int number = 2;
  nopal::promise<int&> reference;
  nopal::future<int&> of_reference = reference.get_future();
  nopal::promise<void> nothing;
  nopal::future<void> of_nothing = nothing.get_future();
  nopal::promise<int> throws;
  nopal::future<int> of_throws = throws.get_future();
  nopal::future<int> of_broken;
  NOPAL_CHECK(!of_broken.valid());
  {
    nopal::promise<int> broken;
    of_broken = broken.get_future();
  }
  scope s;
  s.fork([&] {
    NOPAL_CHECK(*of_moved.get() == 1);
    NOPAL_CHECK(!of_moved.valid());
    of_nothing.wait();
    of_nothing.get();
    NOPAL_CHECK(&of_reference.get() == &number);
    int caught = 0;
    try {
      static_cast<void>(of_throws.get());
    } catch (const std::out_of_range&) {
      ++caught;
    }
    try {
      static_cast<void>(of_broken.get());
    } catch (const nopal::broken_promise&) {
      ++caught;
    }
    NOPAL_CHECK(caught == 2);
  });
  s.fork([&] { throws.set_exception(std::make_exception_ptr(std::out_of_range("far"))); });
  moved.set_value(std::make_unique<int>(1));
  nothing.set_value();
  reference.set_value(number);
  s.join();
  support::check_quiet();
  return 0;
}

bool fails(const std::function<void()>& call, const char* what) {
  try {
    call();
  } catch (const nopal::error& e) {
    return e.what() == std::string(what);
  }
  return false;
}

NOPAL_PROGRAM(wrong_use_of_futures) {
  nopal::promise<int> one;
  nopal::future<int> of_one = one.get_future();
  NOPAL_CHECK(
      fails([&] { static_cast<void>(one.get_future()); }, "nopal: promise: its future was taken already"));
  one.set_value(1);
  NOPAL_CHECK(fails([&] { one.set_value(2); }, "nopal: promise: it has a value or an exception already"));
  NOPAL_CHECK(of_one.ready() && of_one.get() == 1);
  const char* const of_none = "nopal: future: it is of no promise, or its value was taken";
  NOPAL_CHECK(fails([&] { of_one.get(); }, of_none));
  NOPAL_CHECK(fails([&] { of_one.wait(); }, of_none));
  NOPAL_CHECK(fails([&] { static_cast<void>(of_one.ready()); }, of_none));
  nopal::promise<int> none;
  NOPAL_CHECK(
      fails([&] { none.set_exception(nullptr); },
            "nopal: promise: set_exception: no exception; accepted: std::current_exception() in a handler, "
            "or std::make_exception_ptr(e)"));
  none.set_value(1);
  const nopal::promise<int> other = std::move(one);
  NOPAL_CHECK(fails([&] { one.set_value(3); }, "nopal: promise: it was moved from"));
  return 0;
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::runtime_error("no copy"); }
};

NOPAL_PROGRAM(values_that_throw_break_promises) {
  nopal::promise<throws_when_copied> one;
  nopal::future<throws_when_copied> of_one = one.get_future();
  const throws_when_copied value;
  bool threw = false;
  try {
    one.set_value(value);
  } catch (const std::runtime_error&) {
    threw = true;
  }
  NOPAL_CHECK(threw && of_one.ready());
  NOPAL_CHECK(fails([&] { static_cast<void>(of_one.get()); },
                    "nopal: future: its promise was destroyed without a value"));
  return 0;
}

/// A pipeline of futures, forked in the order opposite to that of the values.
NOPAL_PROGRAM(a_chain_of_futures) {
  constexpr std::size_t links = 300;
  std::vector<nopal::promise<int>> promises(links + 1);
  std::vector<nopal::future<int>> futures;
  futures.reserve(links + 1);
  for (auto& one : promises) futures.push_back(one.get_future());
  scope s;
  for (std::size_t i = links; i > 0; --i) {
    s.fork([&, i] { promises[i].set_value(futures[i - 1].get() + 1); });
  }
  promises[0].set_value(0);
  s.join();
  NOPAL_CHECK(futures[links].get() == static_cast<int>(links));
  support::check_quiet();
  return 0;
}

class futures : public support::program_at_workers {};

/// Without a thread to take anybody's place: strands that wait are suspended.
class suspended_futures : public testing::TestWithParam<int> {
protected:
  static testing::AssertionResult run(const char* name) {
    support::environment with = support::on_workers(GetParam());
    with.emplace_back("NOPAL_SUBSTITUTES", "0");
    return support::succeeds(name, with);
  }
};

TEST_P(futures, futures_give_what_promises_get) { EXPECT_TRUE(run("futures_give_what_promises_get")); }
TEST_P(futures, wrong_use_of_futures) { EXPECT_TRUE(run("wrong_use_of_futures")); }
TEST_P(futures, values_that_throw_break_promises) { EXPECT_TRUE(run("values_that_throw_break_promises")); }
TEST_P(futures, a_chain_of_futures) { EXPECT_TRUE(run("a_chain_of_futures")); }

TEST_P(suspended_futures, a_chain_of_futures) { EXPECT_TRUE(run("a_chain_of_futures")); }

INSTANTIATE_TEST_SUITE_P(at, futures, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(at, suspended_futures, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace
