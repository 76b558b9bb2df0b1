// The pool of stacks: which one is taken, when its pages go back, what happens when there is no more.
#include "stack/pool.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "os/os.hpp"
#include "support/program.hpp"
#include "support/seccomp.hpp"

namespace {

using nopal::reclaim;
using nopal::reclaim_call;
using nopal::internal::stack_pool;

constexpr std::size_t stack_bytes = 256 << 10;

std::unique_ptr<stack_pool> started(reclaim when, int workers = 2,
                                    reclaim_call how = reclaim_call::dontneed) {
  auto pool = std::make_unique<stack_pool>();
  EXPECT_TRUE(pool->start({stack_bytes, workers, when, how}));
  return pool;
}

std::size_t resident(const nopal_stack* stack) {
  return nopal::internal::os::resident_pages(stack->low, stack->size_bytes());
}

long mapped_pages() {
  long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  NOPAL_CHECK(file != nullptr && std::fscanf(file, "%ld", &pages) == 1);
  std::fclose(file);
  return pages;
}

void touch_all(const nopal_stack* stack) { std::memset(stack->low, 1, stack->size_bytes()); }

std::size_t pages_of(const nopal_stack* stack) {
  return stack->size_bytes() / nopal::internal::os::page_size();
}

TEST(pool, a_stack_has_the_size_asked_for_and_is_ours_to_write) {
  const auto pool = started(reclaim::lazy);
  nopal_stack* const stack = pool->take(nullptr);
  ASSERT_NE(stack, nullptr);
  EXPECT_EQ(stack->size_bytes(), stack_bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stack->high) % 64, 0u);
  EXPECT_EQ(stack->native_owner, nullptr);
  touch_all(stack);
  pool->give(stack);
  pool->stop();
}

TEST(pool, takes_the_highest_stack_below_an_address) {
  const auto pool = started(reclaim::never);
  std::vector<nopal_stack*> taken;
  for (int i = 0; i < 8; ++i) taken.push_back(pool->take(nullptr));
  for (std::size_t i = 1; i < taken.size(); ++i) EXPECT_LT(taken[i]->high, taken[i - 1]->low);
  nopal_stack* const third = taken[2];
  nopal_stack* const sixth = taken[5];
  pool->give(taken[0]);
  pool->give(sixth);
  EXPECT_EQ(pool->take(third->low), sixth);
  EXPECT_EQ(pool->take(nullptr), taken[0]);
  nopal_stack* const below_all = pool->take(taken[7]->low);
  EXPECT_LE(below_all->high, taken[7]->low);
  pool->stop();
}

TEST(pool, gives_one_from_above_rather_than_none) {
  const auto pool = started(reclaim::never);
  EXPECT_NE(pool->take(reinterpret_cast<const void*>(std::uintptr_t{4096})), nullptr);
  pool->stop();
}

TEST(pool, grows_beyond_its_first_region_and_hands_out_every_stack_once) {
  const auto pool = started(reclaim::never, 1);
  std::set<nopal_stack*> taken;
  std::set<char*> lows;
  for (int i = 0; i < 3000; ++i) {
    nopal_stack* const stack = pool->take(nullptr);
    ASSERT_NE(stack, nullptr);
    taken.insert(stack);
    lows.insert(stack->low);
  }
  EXPECT_EQ(taken.size(), 3000u);
  EXPECT_EQ(lows.size(), 3000u);
  EXPECT_EQ(pool->measure().mapped, 3000u);
  for (nopal_stack* const stack : taken) pool->give(stack);
  EXPECT_EQ(taken.count(pool->take(nullptr)), 1u);
  EXPECT_EQ(pool->measure().mapped, 3000u);
  pool->stop();
}

TEST(pool, starts_again_after_a_stop) {
  const auto pool = started(reclaim::lazy);
  pool->give(pool->take(nullptr));
  pool->stop();
  ASSERT_TRUE(pool->start({stack_bytes, 3, reclaim::eager, reclaim_call::free}));
  EXPECT_EQ(pool->measure().mapped, 0u);
  pool->give(pool->take(nullptr));
  pool->stop();
}

TEST(pool, eager_gives_pages_back_at_once) {
  const auto pool = started(reclaim::eager);
  nopal_stack* const stack = pool->take(nullptr);
  touch_all(stack);
  EXPECT_EQ(resident(stack), pages_of(stack));
  pool->give(stack);
  EXPECT_EQ(resident(stack), 0u);
  EXPECT_EQ(pool->measure().pages_in_use, 0u);
  EXPECT_EQ(pool->measure().pages_peak, pages_of(stack));
  pool->stop();
}

TEST(pool, retaining_keeps_what_lies_above_the_stack_pointer_and_its_red_zone) {
  const auto pool = started(reclaim::eager);
  nopal_stack* const stack = pool->take(nullptr);
  touch_all(stack);
  const std::size_t page_bytes = nopal::internal::os::page_size();
  char* const pointer = stack->high - 4 * page_bytes;
  EXPECT_EQ(pool->retain(stack, pointer), pages_of(stack) - 5);  // the red zone reaches into the fifth page
  EXPECT_EQ(resident(stack), 5u);
  EXPECT_TRUE(std::all_of(pointer - 128, stack->high, [](char c) { return c == 1; }));
  EXPECT_EQ(pool->retain(stack, pointer), 0u);
  pool->reuse(stack);
  pool->stop();
}

TEST(pool, retaining_a_full_stack_gives_nothing_back) {
  const auto pool = started(reclaim::eager);
  nopal_stack* const stack = pool->take(nullptr);
  touch_all(stack);
  EXPECT_EQ(pool->retain(stack, stack->low + 64), 0u);
  EXPECT_EQ(resident(stack), pages_of(stack));
  pool->give(stack);
  pool->stop();
}

TEST(pool, ends_at_its_most_regions_and_serves_again_what_comes_back) {
  stack_pool pool;
  // Few stacks for each region, as the system's count of mappings is limited.
  ASSERT_TRUE(pool.start({16 << 10, 2, reclaim::never, reclaim_call::dontneed}));
  std::vector<nopal_stack*> all;
  while (nopal_stack* const stack = pool.take(nullptr)) all.push_back(stack);
  EXPECT_EQ(all.size(), 64u * 256u);
  EXPECT_EQ(pool.take(nullptr), nullptr);
  pool.give(all.back());
  EXPECT_EQ(pool.take(nullptr), all.back());
  pool.stop();
}

TEST(pool, knows_the_addresses_of_its_stacks) {
  const auto pool = started(reclaim::never);
  nopal_stack* const stack = pool->take(nullptr);
  EXPECT_TRUE(pool->contains(stack->low) && pool->contains(stack->high - 1));
  EXPECT_FALSE(pool->contains(&pool) || pool->contains(nullptr));
  pool->give(stack);
  pool->stop();
}

TEST(pool, never_keeps_every_page) {
  const auto pool = started(reclaim::never);
  nopal_stack* const stack = pool->take(nullptr);
  touch_all(stack);
  EXPECT_EQ(pool->retain(stack, stack->high - 4096), 0u);
  pool->give(stack);
  EXPECT_EQ(resident(stack), pages_of(stack));
  pool->stop();
}

// Lazy: four stacks per worker may hold unused pages; the next one gives its pages back.
TEST(pool, lazy_keeps_pages_within_its_budget_only) {
  const auto pool = started(reclaim::lazy, 2);
  std::vector<nopal_stack*> taken;
  for (int i = 0; i < 12; ++i) {
    taken.push_back(pool->take(nullptr));
    touch_all(taken.back());
  }
  for (nopal_stack* const stack : taken) pool->retain(stack, stack->high - 64);
  const auto kept = [&] {
    return std::count_if(taken.begin(), taken.end(),
                         [](nopal_stack* one) { return resident(one) == pages_of(one); });
  };
  EXPECT_EQ(kept(), 8);
  // Those that are run on again make room in the budget.
  for (int i = 0; i < 3; ++i) pool->reuse(taken[static_cast<std::size_t>(i)]);
  for (std::size_t i = 8; i < 12; ++i) {
    pool->reuse(taken[i]);
    touch_all(taken[i]);
    pool->retain(taken[i], taken[i]->high - 64);
  }
  EXPECT_EQ(kept(), 8 + 3);  // three in use, eight within the budget
  pool->stop();
}

// Beyond that, stacks keep a few pages, and so do 32 stacks per worker in all.
TEST(pool, lazy_leaves_a_few_pages_to_many_stacks) {
  const auto pool = started(reclaim::lazy, 1);
  const auto retained_with = [&](nopal_stack* stack, std::size_t pages) {
    for (std::size_t i = 0; i <= pages; ++i)
      stack->high[-64 - static_cast<std::ptrdiff_t>(i * nopal::internal::os::page_size())] = 1;
    return pool->retain(stack, stack->high - 64);
  };
  std::vector<nopal_stack*> taken;
  for (std::size_t i = 0; i < 40; ++i) {
    taken.push_back(pool->take(nullptr));
    EXPECT_EQ(retained_with(taken.back(), 4), i < 32 ? 0 : 4) << i;
  }
  nopal_stack* const watched = taken[20];
  for (int time = 0; time < 15; ++time) {
    pool->reuse(watched);
    EXPECT_EQ(retained_with(watched, 5), 0) << time;  // not looked at again
  }
  pool->reuse(watched);
  EXPECT_EQ(retained_with(watched, 5), 5);
  EXPECT_EQ(retained_with(taken.back(), 4), 0);  // in its place
  pool->stop();
}

TEST(pool, lazy_looks_at_no_page_below_a_stack) {
  const auto pool = started(reclaim::lazy, 1);
  nopal_stack* const full = pool->take(nullptr);
  for (int i = 0; i < 6; ++i) {
    nopal_stack* const stack = pool->take(nullptr);
    touch_all(stack);
    EXPECT_EQ(pool->retain(stack, stack->low + 2 * nopal::internal::os::page_size() + 256), 0)
        << i;  // two pages are few
  }
  EXPECT_EQ(pool->retain(full, full->low), 0);  // what is needed begins below it
  pool->stop();
}

// A stack that is not high is not kept at hand: what is continued on it needs stacks still further down.
TEST(pool, knows_its_high_stacks) {
  const auto pool = started(reclaim::lazy, 2);
  std::vector<nopal_stack*> taken;
  for (int i = 0; i < 20; ++i) taken.push_back(pool->take(taken.empty() ? nullptr : taken.back()->low));
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(pool->is_high(taken[i]), i < 16) << i;
  const nopal_stack foreign;
  EXPECT_FALSE(pool->is_high(&foreign));
  pool->stop();
}

TEST(pool, lazy_forgets_the_budget_of_stacks_that_are_taken_again) {
  const auto pool = started(reclaim::lazy, 1);
  for (int round = 0; round < 100; ++round) {
    nopal_stack* const stack = pool->take(nullptr);
    touch_all(stack);
    pool->give(stack);
    ASSERT_EQ(resident(stack), pages_of(stack)) << round;
  }
  pool->stop();
}

TEST(pool, freed_pages_may_stay_until_the_system_wants_them) {
  const auto pool = started(reclaim::eager, 1, reclaim_call::free);
  nopal_stack* const stack = pool->take(nullptr);
  touch_all(stack);
  EXPECT_EQ(pool->retain(stack, stack->high - 64), pages_of(stack) - 1);
  touch_all(stack);
  pool->reuse(stack);
  pool->give(stack);
  pool->stop();
}

TEST(pool_death_test, the_byte_below_a_stack_faults) {
  const auto pool = started(reclaim::lazy);
  nopal_stack* const stack = pool->take(nullptr);
  stack->low[0] = 1;
  EXPECT_EXIT(stack->low[-1] = 1, testing::KilledBySignal(SIGSEGV), "");
  nopal_stack* const next = pool->take(stack->low);
  EXPECT_EXIT(next->high[0] = 1, testing::KilledBySignal(SIGSEGV), "");
  pool->stop();
}

TEST(pool, threads_that_take_at_once_never_get_the_same_stack) {
  const auto pool = started(reclaim::lazy, 4);
  constexpr int threads_count = 4;
  constexpr int takes = 1000;
  std::atomic<int> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < threads_count; ++t) {
    threads.emplace_back([&pool, &shared, t] {
      std::vector<nopal_stack*> held;
      for (int i = 0; i < takes; ++i) {
        nopal_stack* const stack = pool->take(nullptr);
        stack->low[0] = static_cast<char>(t + 1);
        held.push_back(stack);
        if (i % 3 == 2) {
          shared += held.front()->low[0] != t + 1;
          pool->give(held.front());
          held.erase(held.begin());
        }
      }
      for (nopal_stack* const stack : held) {
        shared += stack->low[0] != t + 1;
        pool->give(stack);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(shared.load(), 0);
  pool->stop();
}

void limit_address_space(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  NOPAL_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

NOPAL_PROGRAM(exhaustion) {
  limit_address_space(rlim_t{256} << 20);
  stack_pool pool;
  NOPAL_CHECK(pool.start({std::size_t{1} << 20, 2, reclaim::lazy, reclaim_call::dontneed}));
  std::vector<nopal_stack*> taken;
  taken.reserve(1000);
  while (nopal_stack* const stack = pool.take(nullptr)) taken.push_back(stack);
  NOPAL_CHECK(taken.size() >= 3 && taken.size() < 256);
  NOPAL_CHECK(taken.front()->guard_bytes == 64 << 10);  // narrow, where address space is scarce
  pool.give(taken.back());
  NOPAL_CHECK(pool.take(nullptr) == taken.back());
  NOPAL_CHECK(pool.take(nullptr) == nullptr);
  return 0;
}

NOPAL_PROGRAM(no_room_at_all) {
  limit_address_space(rlim_t{64} << 20);
  stack_pool pool;
  NOPAL_CHECK(!pool.start({std::size_t{64} << 20, 2, reclaim::lazy, reclaim_call::dontneed}));
  return 0;
}

TEST(pool, an_exhausted_address_space_ends_in_null_and_recovers) {
  EXPECT_TRUE(support::succeeds("exhaustion"));
}

TEST(pool, does_not_start_where_not_even_one_stack_per_worker_fits) {
  EXPECT_TRUE(support::succeeds("no_room_at_all"));
}

/// With the system's limit on mappings or memory reached, stacks that were never used are refused.
NOPAL_PROGRAM(no_more_stacks) {
  const auto pool = started(reclaim::lazy);
  const nopal_stack* const first = pool->take(nullptr);
  nopal_stack* const second = pool->take(nullptr);
  nopal_stack* const deep = pool->take(second->low - 10 * stack_bytes);
  pool->give(deep);
  support::refuse_call(SYS_mprotect, ENOMEM);
  NOPAL_CHECK(pool->take(nullptr) == deep);  // there are lower-numbered ones, but none that was used
  const long before = mapped_pages();
  for (int i = 0; i < 10; ++i)
    NOPAL_CHECK(pool->take(nullptr) == nullptr && pool->take(first->low) == nullptr);
  NOPAL_CHECK(mapped_pages() == before);  // more address space would not help
  pool->give(second);
  NOPAL_CHECK(pool->take(nullptr) == second);
  return 0;
}

TEST(pool, serves_what_was_used_before_when_the_system_refuses_more) {
  EXPECT_TRUE(support::succeeds("no_more_stacks"));
}

}  // namespace
