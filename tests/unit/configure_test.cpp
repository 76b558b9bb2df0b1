// Configuration: what is understood and refused, and what becomes of it beside the environment and earlier calls.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <string>

#include "scheduler/runtime.hpp"
#include "scheduler/settings.hpp"
#include "support/strands.hpp"

namespace {

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

TEST(configure, refuses_bad_variables_or_takes_them_as_unset_as_it_is_told) {
  const support::outcome seen =
      support::run_program("does_not_let_settings_end_it", {{"NOPAL_PIN", "maybe"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_EQ(seen.err, "nopal: NOPAL_PIN=maybe: not understood; accepted: 0 or 1; taken as unset\n");
}

NOPAL_PROGRAM(refuses_and_steals_always) {
  nopal::configuration with;
  with.on_bad_setting = nopal::bad_setting::refuse;
  nopal::configure(with);
  return support::fib(12) == 144 ? 0 : 1;
}

TEST(configure, that_refuses_takes_what_is_understood) {
  const support::outcome seen =
      support::run_program("refuses_and_steals_always", {{"NOPAL_STEAL", "always"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
}

TEST(configure, that_refuses_sets_nothing) {
  EXPECT_TRUE(support::succeeds("refuses_bad_settings", support::on_workers(3)));
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

TEST(complete_settings, reads_how_forks_are_and_who_may_be_asked) {
  nopal::internal::refused_variables refused;
  const auto unset = [](const char*) -> const char* { return nullptr; };
  EXPECT_FALSE(nopal::internal::complete_settings({}, unset, refused).eager_forks);
  EXPECT_FALSE(nopal::internal::complete_settings({}, unset, refused).latent_forks_named);
  EXPECT_EQ(nopal::internal::complete_settings({}, unset, refused).signal, SIGURG);
  const auto eager = [](const char* name) -> const char* {
    return name == std::string("NOPAL_FORKS")    ? "eager"
           : name == std::string("NOPAL_SIGNAL") ? "off"
                                                 : nullptr;
  };
  EXPECT_TRUE(nopal::internal::complete_settings({}, eager, refused).eager_forks);
  EXPECT_EQ(nopal::internal::complete_settings({}, eager, refused).signal, 0);
  const auto other = [](const char* name) -> const char* {
    return name == std::string("NOPAL_FORKS")    ? "latent"
           : name == std::string("NOPAL_SIGNAL") ? "SIGUSR2"
                                                 : nullptr;
  };
  EXPECT_FALSE(nopal::internal::complete_settings({}, other, refused).eager_forks);
  EXPECT_TRUE(nopal::internal::complete_settings({}, other, refused).latent_forks_named);
  EXPECT_EQ(nopal::internal::complete_settings({}, other, refused).signal, SIGUSR2);
  EXPECT_EQ(refused.count, 0);
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

// Many threads may ask at once, as each sender does that begins.
TEST(configure, tells_the_number_of_workers_without_a_lock_once_it_is_known) {
  const int known = nopal::workers();
  std::future<int> asked;
  {
    const nopal::internal::locked guard(nopal::internal::the_runtime());
    asked = std::async(std::launch::async, [] { return nopal::workers(); });
    EXPECT_EQ(asked.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  }
  EXPECT_EQ(asked.get(), known);
}

TEST(configure, is_followed_by_the_number_that_it_sets) {
  support::fib(5);
  const int before = nopal::workers();
  nopal::shutdown();
  nopal::configuration with;
  with.workers = before + 1;
  nopal::configure(with);
  EXPECT_EQ(nopal::workers(), before + 1);
  support::fib(5);
  EXPECT_EQ(nopal::workers(), before + 1);
  nopal::shutdown();
  with.workers = before;
  nopal::configure(with);
  EXPECT_EQ(nopal::workers(), before);
}

}  // namespace
