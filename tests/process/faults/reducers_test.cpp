// Reducers without memory for views, sets of views or their map: whoever needs it is told by std::bad_alloc, at the lookup, at the
// making of a reducer or at the join, and every update that was not refused is there.
#include <gtest/gtest.h>
#include <nopal/nopal.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "process/faults/interposed_calls.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;

/// A sum; sums are counted.
struct counted_sum {
  explicit counted_sum(long with = 0) : sum(with) { ++alive; }
  counted_sum(const counted_sum&) = delete;
  counted_sum& operator=(const counted_sum&) = delete;
  ~counted_sum() { --alive; }
  long sum;
  static inline std::atomic<long> alive{0};
};

struct op_add {
  using value_type = counted_sum;
  static counted_sum identity() { return counted_sum(); }
  static void reduce(counted_sum& left, counted_sum&& right) { left.sum += right.sum; }
};
using sum_reducer = nopal::reducer<op_add>;

std::atomic<long> updates{0};
std::atomic<long> refused_updates{0};
long refused_joins = 0;
long refused_reducers = 0;

/// One more, in this strand's view or not at all.
void update(sum_reducer& sum) {
  try {
    sum->sum += 1;
    ++updates;
  } catch (const std::bad_alloc&) {
    ++refused_updates;
  }
}

/// Updates by a child whose parent's continuation is stolen, and by that.
void update_on_both_sides(const std::vector<sum_reducer*>& all) {
  flag stolen{false};
  scope s;
  try {
    s.fork([&] {
      support::wait_for_continuation(stolen);
      for (sum_reducer* const one : all) update(*one);
    });
    support::set(stolen);
    for (std::size_t i = all.size(); i-- > 0;) update(*all[i]);
    s.join();
  } catch (const std::bad_alloc&) {
    ++refused_joins;
  }
}

/// A reducer of the strand that goes on after a steal, which it has to enter in its set.
void make_one_after_a_steal() {
  flag stolen{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(stolen); });
  support::set(stolen);
  try {
    sum_reducer sum(5);
    sum->sum += 1;
    NOPAL_CHECK(sum->sum == 6);
  } catch (const std::bad_alloc&) {
    ++refused_reducers;
  }
  s.join();
}

/// What the updates of `all` come to, unless a join was refused.
void check_sum(const std::vector<sum_reducer*>& all) {
  long sum = 0;
  for (sum_reducer* const one : all) sum += one->value().sum;
  NOPAL_CHECK(refused_joins == 0 ? sum == updates : sum <= updates);
}

int run_without_memory(const std::vector<sum_reducer*>& all) {
  // Stacks, deposits and whatever else is made once.
  for (int i = 0; i < 20; ++i) make_one_after_a_steal();
  NOPAL_CHECK(refused_reducers == 0);
  const long reducers = counted_sum::alive;
  nopal::shutdown();  // sets that were kept go
  support::use_runtime();
  faults::arm();
  for (int i = 0; i < 10; ++i) {
    update_on_both_sides(all);
    make_one_after_a_steal();
  }
  const long calls = faults::calls();
  NOPAL_CHECK(counted_sum::alive == reducers);
  check_sum(all);
  support::check_quiet();
  std::printf("%ld %ld %ld %ld\n", calls, refused_updates.load(), refused_reducers, refused_joins);
  return 0;
}

NOPAL_PROGRAM(few_reducers) {
  sum_reducer first;
  sum_reducer second;
  return run_without_memory({&first, &second});
}

/// Views beyond those with a slot are in a map, which grows.
NOPAL_PROGRAM(reducers_without_slots) {
  std::vector<std::unique_ptr<sum_reducer>> with_slots(1 << 16);
  for (auto& one : with_slots) one = std::make_unique<sum_reducer>();
  std::vector<std::unique_ptr<sum_reducer>> beyond(40);
  std::vector<sum_reducer*> all;
  for (auto& one : beyond) {
    one = std::make_unique<sum_reducer>();
    all.push_back(one.get());
  }
  return run_without_memory(all);
}

std::uint64_t stacks_returned() { return nopal::stats().total.stacks_returned; }

/// Two strands have views of other reducers in maps of eight places used, and their sets meet while the thread's first strand,
/// whose views need no map, has not ended.
NOPAL_PROGRAM(a_merge_that_needs_memory) {
  std::vector<std::unique_ptr<sum_reducer>> many((1 << 16) + 40);
  for (auto& one : many) one = std::make_unique<sum_reducer>();
  const auto beyond = [&many](std::size_t i) -> sum_reducer& { return *many[(1 << 16) + i]; };
  flag stolen[2] = {};
  flag armed{false};
  scope s;
  try {
    s.fork([&] {
      support::wait_for_continuation(stolen[0]);
      const std::uint64_t before = stacks_returned();
      support::set(armed);
      // Those of the child below and of the strand at its join, which leave their views before.
      while (stacks_returned() < before + 2) std::this_thread::yield();
    });
    support::set(stolen[0]);
    while (!armed) std::this_thread::yield();
    s.fork([&] {
      support::wait_for_continuation(stolen[1]);
      for (std::size_t i = 0; i < 8; ++i) update(beyond(i));
      while (armed) std::this_thread::yield();
    });
    support::set(stolen[1]);
    for (std::size_t i = 8; i < 16; ++i) update(beyond(i));
    while (updates < 16) std::this_thread::yield();
    faults::arm();
    armed = false;
    s.join();
  } catch (const std::bad_alloc&) {
    ++refused_joins;
  }
  long sum = 0;
  for (std::size_t i = 0; i < 16; ++i) sum += beyond(i).value().sum;
  NOPAL_CHECK(updates == 16 && refused_joins == 1);
  NOPAL_CHECK(counted_sum::alive == static_cast<long>(many.size()));
  NOPAL_CHECK(sum == 8);  // the views of one of the two
  return 0;
}

NOPAL_PROGRAM(a_child_without_memory_for_its_views) {
  support::use_runtime();
  const sum_reducer sum;
  faults::arm();
  flag stolen{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(stolen); });
  support::set(stolen);
  s.join();
  return 0;
}

/// Nothing has begun then, and the next one has memory.
NOPAL_PROGRAM(a_first_reducer_without_memory) {
  faults::arm();
  bool refused = false;
  try {
    const sum_reducer sum;
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  NOPAL_CHECK(refused && counted_sum::alive == 0);
  sum_reducer sum;
  update_on_both_sides({&sum});
  NOPAL_CHECK(sum.value().sum == 2);
  return 0;
}

const nopal_monoid sum_in_c = {sizeof(long),
                               0,
                               nullptr,
                               [](void*, void* left, void* right) { *static_cast<long*>(left) += *static_cast<long*>(right); },
                               nullptr,
                               nullptr};

NOPAL_PROGRAM(a_first_reducer_in_c_without_memory) {
  faults::arm();
  long total = 0;
  nopal_reducer sum;
  NOPAL_CHECK(nopal_reducer_init(&sum, &sum_in_c, &total) == -1);
  NOPAL_CHECK(nopal_reducer_init(&sum, &sum_in_c, &total) == 0);
  *static_cast<long*>(nopal_view(&sum)) += 3;
  nopal_reducer_destroy(&sum);
  NOPAL_CHECK(total == 3);
  return 0;
}

NOPAL_PROGRAM(views_in_c_without_memory) {
  support::use_runtime();
  long total = 0;
  nopal_reducer sum;
  NOPAL_CHECK(nopal_reducer_init(&sum, &sum_in_c, &total) == 0);
  *static_cast<long*>(nopal_view(&sum)) += 1;
  flag stolen{false};
  scope s;
  s.fork([&] {
    support::wait_for_continuation(stolen);
    *static_cast<long*>(nopal_view(&sum)) += 1;
  });
  faults::arm();
  void* const refused = nopal_view(&sum);
  void* const view = nopal_view(&sum);
  NOPAL_CHECK(refused == nullptr && view != nullptr);
  *static_cast<long*>(view) += 1;
  support::set(stolen);
  s.join();
  nopal_reducer_destroy(&sum);
  NOPAL_CHECK(total == 3);
  return 0;
}

struct told {
  long calls = -1;
  long updates = 0;
  long reducers = 0;
  long joins = 0;
};

told run(const char* program, const char* call, long first, long last) {
  const support::outcome seen = support::run_program(program, {{"NOPAL_WORKERS", "2"},
                                                               {"FAULT_CALL", call},
                                                               {"FAULT_FIRST", std::to_string(first)},
                                                               {"FAULT_LAST", std::to_string(last)}});
  EXPECT_EQ(seen.exit_code, 0) << call << " from " << first << " to " << last << ": " << seen.description();
  told result;
  std::istringstream(seen.out) >> result.calls >> result.updates >> result.reducers >> result.joins;
  return result;
}

constexpr long always = 1000000000;

TEST(reducers_without_memory, for_sets_of_views_tell_at_the_lookup_and_where_they_are_made) {
  const told seen = run("few_reducers", "map_memory", 1, always);
  EXPECT_GE(seen.updates, 20);   // all of the strands that went on
  EXPECT_GE(seen.reducers, 10);  // likewise
  EXPECT_EQ(seen.joins, 0);
}

TEST(reducers_without_memory, for_some_sets_or_maps_lose_no_update_that_was_not_refused) {
  struct refusal {
    const char* program;
    const char* call;
  };
  for (const refusal& one :
       {refusal{"few_reducers", "map_memory"}, refusal{"reducers_without_slots", "map_memory"},
        refusal{"reducers_without_slots", "calloc"}}) {
    const long all = run(one.program, one.call, always, always).calls;
    EXPECT_GE(all, 1);
    for (long n = 1; n <= all && n <= 20; ++n) {
      EXPECT_GE(run(one.program, one.call, n, n).calls, 1);
      EXPECT_GE(run(one.program, one.call, n, always).calls, 1);
    }
  }
}

TEST(reducers_without_memory, for_views_tell_at_the_lookup) {
  const long all = run("few_reducers", "new", always, always).calls;
  EXPECT_GE(all, 20);
  for (long n = 1; n <= all; n += 7) EXPECT_GE(run("few_reducers", "new", n, n).calls, 1);
}

TEST(reducers_without_memory, for_a_merge_tell_at_the_join) {
  const support::outcome seen =
      support::run_program("a_merge_that_needs_memory", {{"NOPAL_WORKERS", "3"}, {"FAULT_CALL", "calloc"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
}

bool succeeds_without(const char* program, const char* call) {
  return support::succeeds(program, {{"NOPAL_WORKERS", "2"}, {"FAULT_CALL", call}, {"FAULT_LAST", "1"}});
}

TEST(reducers_without_memory, for_the_first_of_them_tell_where_it_is_made) {
  EXPECT_TRUE(succeeds_without("a_first_reducer_without_memory", "calloc"));
  EXPECT_TRUE(succeeds_without("a_first_reducer_in_c_without_memory", "calloc"));
}

TEST(reducers_without_memory, for_a_view_tell_c_by_a_null_pointer) {
  EXPECT_TRUE(succeeds_without("views_in_c_without_memory", "aligned_alloc"));
}

/// A few words per child that is stolen: as for its exception, there is no way to tell anybody.
TEST(reducers_without_memory, to_keep_the_views_of_a_child_end_the_program_in_words) {
  const support::outcome seen = support::run_program("a_child_without_memory_for_its_views",
                                                     {{"NOPAL_WORKERS", "2"}, {"FAULT_CALL", "new"}});
  EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
  EXPECT_TRUE(seen.err.starts_with("nopal: no memory to keep the views of a child\n")) << seen.err;
}

}  // namespace
