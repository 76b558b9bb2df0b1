// What oneTBB's interface has got since 2021.8: phases of arenas, policies to leave them, and the handler of assertions.
#define TBB_USE_ASSERT 1

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#if __has_include(<oneapi/tbb/detail/theirs_if_installed.h>)
#include <tbb/tbb.h>
#endif

#include <atomic>
#include <csignal>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "support/program.hpp"

namespace {

using policy = tbb::task_arena::leave_policy;
using phase = tbb::task_arena::parallel_phase;

int count_in(tbb::task_arena& arena) {
  std::atomic<int> calls{0};
  arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { ++calls; }); });
  return calls;
}

TEST(arenas_of_later_versions, may_be_left_by_either_policy) {
  for (const policy leaves : {policy::automatic, policy::fast}) {
    tbb::task_arena first(2, 1, tbb::task_arena::priority::normal, leaves);
    EXPECT_EQ(first.max_concurrency(), 2);
    EXPECT_EQ(count_in(first), 100);
    tbb::task_arena second(tbb::task_arena::constraints().set_max_concurrency(3), 1,
                           tbb::task_arena::priority::high, leaves);
    tbb::task_arena same(second);
    EXPECT_EQ(same.max_concurrency(), 3);
    EXPECT_EQ(count_in(same), 100);
    tbb::task_arena third;
    third.initialize(2, 1, tbb::task_arena::priority::low, leaves);
    EXPECT_EQ(third.max_concurrency(), 2);
    tbb::task_arena fourth;
    fourth.initialize(tbb::task_arena::constraints().set_max_concurrency(2), 1,
                      tbb::task_arena::priority::low, leaves);
    EXPECT_EQ(count_in(fourth), 100);
  }
}

TEST(arenas_of_later_versions, may_say_which_cores_they_are_for) {
  const auto prefers_last = [](std::tuple<int, std::size_t, std::size_t> type) {
    return static_cast<int>(std::get<1>(type));
  };
  constexpr int by_selector = tbb::task_arena::selectable;
  tbb::task_arena first(tbb::task_arena::constraints{.max_concurrency = 3, .core_type = by_selector},
                        prefers_last);
  EXPECT_TRUE(first.is_active());
  EXPECT_EQ(first.max_concurrency(), 3);
  EXPECT_EQ(count_in(first), 100);
  tbb::task_arena second;
  second.initialize({.max_concurrency = 2, .core_type = by_selector}, prefers_last, 1,
                    tbb::task_arena::priority::low);
  EXPECT_EQ(count_in(second), 100);
  tbb::task_arena third(tbb::task_arena::constraints(tbb::task_arena::automatic, 2));
  EXPECT_EQ(third.max_concurrency(), 2);
}

TEST(arenas_of_later_versions, are_active_in_their_phases) {
  tbb::task_arena arena(2);
  EXPECT_FALSE(arena.is_active());
  arena.start_parallel_phase();
  EXPECT_TRUE(arena.is_active());
  EXPECT_EQ(count_in(arena), 100);
  arena.end_parallel_phase();
  tbb::task_arena other(2);
  {
    phase now(other, phase::end_flag_fast_leave());
    EXPECT_TRUE(other.is_active());
    EXPECT_EQ(count_in(other), 100);
    phase moved(std::move(now));
    moved.end();
    moved = phase(tbb::attach());
  }
  EXPECT_EQ(count_in(other), 100);
  tbb::this_task_arena::start_parallel_phase();
  tbb::this_task_arena::end_parallel_phase(phase::end_flag_fast_leave());
  static_assert(std::is_convertible_v<phase::end_flag_fast_leave, phase::flags>);
  static_assert(!std::is_convertible_v<const char*, phase>);
}

TEST(arenas_of_later_versions, have_the_phases_that_previews_had) {
  tbb::task_arena arena(2);
  {
    const tbb::task_arena::scoped_parallel_phase now(arena, true);
    EXPECT_TRUE(arena.is_active());
  }
  arena.start_parallel_phase();
  arena.end_parallel_phase(/*with_fast_leave=*/true);
  tbb::this_task_arena::start_parallel_phase();
  tbb::this_task_arena::end_parallel_phase(true);
  EXPECT_EQ(count_in(arena), 100);
}

TEST(controls_of_later_versions, keep_the_policy) {
  using control = tbb::global_control;
  const auto active = [] { return static_cast<policy>(control::active_value(control::leave_policy)); };
  EXPECT_EQ(active(), policy::automatic);
  {
    const control fast(control::leave_policy, policy::fast);
    EXPECT_EQ(active(), policy::fast);
    const control automatic(control::leave_policy, policy::automatic);
    EXPECT_EQ(active(), policy::fast);
  }
  EXPECT_EQ(active(), policy::automatic);
}

int failed_line = 0;
const char* said = nullptr;

void remember(const char*, int line, const char* expression, const char* comment) {
  failed_line = line;
  said = std::strcmp(expression, "1 + 1 == 3") == 0 ? comment : "another expression";
}

TEST(assertions_of_later_versions, go_to_their_handler) {
  const tbb::ext::assertion_handler_type before = tbb::ext::get_assertion_handler();
  ASSERT_NE(before, nullptr);
  EXPECT_EQ(tbb::ext::set_assertion_handler(remember), before);
  EXPECT_EQ(tbb::ext::get_assertion_handler(), &remember);
  __TBB_ASSERT(1 + 1 == 2, "nothing is said of it");
  EXPECT_EQ(failed_line, 0);
  __TBB_ASSERT(1 + 1 == 3, "of arithmetic");
  EXPECT_EQ(failed_line, __LINE__ - 1);
  EXPECT_STREQ(said, "of arithmetic");
  EXPECT_EQ(tbb::ext::set_assertion_handler(nullptr), &remember);
  EXPECT_EQ(tbb::ext::get_assertion_handler(), before);
}

NOPAL_PROGRAM(failed_assertion) {
  support::no_core();
  __TBB_ASSERT(1 + 1 == 3, "of arithmetic");
  return 0;
}

TEST(assertions_of_later_versions, end_the_program_where_none_was_set) {
  const support::outcome ended = support::run_program("failed_assertion");
  EXPECT_EQ(ended.signal, SIGABRT);
  EXPECT_NE(ended.err.find("nopal: assertion of oneTBB's headers failed: 1 + 1 == 3, in "), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find(": of arithmetic\n"), std::string::npos) << ended.err;
}

}  // namespace
