// What the pool of stacks takes of a process's limits: address space, data, locked memory.
#include "stack/pool.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "os/os.hpp"
#include "support/program.hpp"

namespace {

using nopal::reclaim;
using nopal::reclaim_call;
using nopal::internal::stack_pool;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr int left_out = 77;  // the system does not let us

std::unique_ptr<stack_pool> started() {
  auto pool = std::make_unique<stack_pool>();
  NOPAL_CHECK(pool->start({mebibyte, 2, reclaim::lazy, reclaim_call::dontneed}));
  return pool;
}

std::size_t wide_guard() { return mebibyte + nopal::internal::os::page_size(); }
constexpr std::size_t narrow_guard = std::size_t{64} << 10;

/// What the system says of this process, in bytes: "VmSize", "VmData", "VmLck", "VmRSS".
std::size_t used(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) << 10;
  }
  NOPAL_CHECK(false);
  return 0;
}

void limit(__rlimit_resource what, std::size_t value) {
  rlimit now{};
  NOPAL_CHECK(getrlimit(what, &now) == 0);
  now.rlim_cur = value;
  NOPAL_CHECK(setrlimit(what, &now) == 0);
}

bool may_map(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) munmap(memory, bytes);
  return memory != MAP_FAILED;
}

/// Rights of the mapping that an address lies in, as "rw-p".
std::string rights_at(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    char* end = nullptr;
    const std::uintptr_t from = std::strtoull(line.c_str(), &end, 16);
    const std::uintptr_t to = std::strtoull(end + 1, &end, 16);
    if (wanted >= from && wanted < to) return {end + 1, 4};
  }
  return "none";
}

TEST(pool, may_touch_no_stack_before_it_was_taken) {
  const auto pool = started();
  nopal_stack* const first = pool->take(nullptr);
  EXPECT_EQ(rights_at(first->low), "rw-p");
  EXPECT_EQ(rights_at(first->high - 1), "rw-p");
  EXPECT_EQ(rights_at(first->low - 1), "---p");
  EXPECT_EQ(rights_at(first->high), "---p");
  const char* const next_high = first->low - first->guard_bytes;
  EXPECT_EQ(rights_at(next_high - 1), "---p");
  nopal_stack* const second = pool->take(first->low);
  EXPECT_EQ(second->high, next_high);
  EXPECT_EQ(rights_at(second->high - 1), "rw-p");
  EXPECT_EQ(rights_at(second->high), "---p");
  pool->give(first);
  EXPECT_EQ(rights_at(first->low), "rw-p");  // it keeps its rights
  pool->give(second);
  pool->stop();
}

NOPAL_PROGRAM(scarce_address_space) {
  limit(RLIMIT_AS, used("VmSize") + 600 * mebibyte);
  const auto pool = started();
  NOPAL_CHECK(may_map(200 * mebibyte));
  NOPAL_CHECK(pool->take(nullptr)->guard_bytes == narrow_guard);
  return 0;
}

TEST(pool_limits, leave_a_scarce_address_space_to_the_program) {
  EXPECT_TRUE(support::succeeds("scarce_address_space"));
}

NOPAL_PROGRAM(very_scarce_address_space) {
  for (const std::size_t left : {90 * mebibyte, 150 * mebibyte, 290 * mebibyte}) {
    limit(RLIMIT_AS, used("VmSize") + left);
    const auto pool = started();
    NOPAL_CHECK(may_map(left / 2));
    std::vector<nopal_stack*> taken;
    while (taken.size() < 30) {
      taken.push_back(pool->take(nullptr));
      NOPAL_CHECK(taken.back() != nullptr);
    }
    pool->stop();
  }
  return 0;
}

TEST(pool_limits, leave_most_of_what_little_there_is) {
  EXPECT_TRUE(support::succeeds("very_scarce_address_space"));
}

NOPAL_PROGRAM(much_address_space) {
  limit(RLIMIT_AS, used("VmSize") + 8192 * mebibyte);
  const auto pool = started();
  NOPAL_CHECK(pool->take(nullptr)->guard_bytes == wide_guard());
  return 0;
}

TEST(pool_limits, on_address_space_that_are_far_away_leave_guards_wide) {
  EXPECT_TRUE(support::succeeds("much_address_space"));
}

NOPAL_PROGRAM(less_and_less_address_space) {
  const auto pool = started();
  nopal_stack* const first = pool->take(nullptr);
  NOPAL_CHECK(first->guard_bytes == wide_guard());
  limit(RLIMIT_AS, used("VmSize") + 600 * mebibyte);
  nopal_stack* later = first;
  nopal_stack* higher = nullptr;
  for (int i = 0; i < 300; ++i) {
    nopal_stack* const next = pool->take(nullptr);
    NOPAL_CHECK(next != nullptr && next != later);
    higher = i == 290 ? next : higher;
    later = next;
    NOPAL_CHECK(later->size_bytes() == mebibyte &&
                later->guard_bytes == (i < 255 ? wide_guard() : narrow_guard));
    NOPAL_CHECK(rights_at(later->low - 1) == "---p" && rights_at(later->low) == "rw-p");
  }
  // What lies below an address is told among stacks that are less far apart, too.
  pool->give(higher);
  nopal_stack* const low = pool->take(later->low);
  nopal_stack* const lower = pool->take(low->low);
  NOPAL_CHECK(low->high == later->low - narrow_guard && lower->high == low->low - narrow_guard);
  NOPAL_CHECK(may_map(200 * mebibyte));
  pool->stop();
  return 0;
}

TEST(pool_limits, set_later_make_the_guards_of_later_regions_narrow) {
  EXPECT_TRUE(support::succeeds("less_and_less_address_space"));
}

NOPAL_PROGRAM(little_data) {
  limit(RLIMIT_DATA, used("VmData") + 64 * mebibyte);
  const auto pool = started();
  NOPAL_CHECK(may_map(48 * mebibyte));
  std::vector<nopal_stack*> taken;
  taken.reserve(1000);
  while (nopal_stack* const stack = pool->take(nullptr)) {
    NOPAL_CHECK(stack->guard_bytes == wide_guard());
    taken.push_back(stack);
  }
  NOPAL_CHECK(taken.size() > 32 && taken.size() <= 64);
  pool->give(taken.back());
  NOPAL_CHECK(pool->take(nullptr) == taken.back());
  limit(RLIMIT_DATA, std::numeric_limits<std::size_t>::max());
  NOPAL_CHECK(pool->take(nullptr) != nullptr);  // the refusal is not for ever
  return 0;
}

TEST(pool_limits, on_data_count_stacks_that_are_used_alone) { EXPECT_TRUE(support::succeeds("little_data")); }

/// Guards count as locked, but nothing stands behind them; where a limit is near they are narrow.
NOPAL_PROGRAM(locked_memory) {
  rlimit now{};
  NOPAL_CHECK(getrlimit(RLIMIT_MEMLOCK, &now) == 0);
  const std::size_t asked = 1024 * mebibyte;
  if (now.rlim_max < asked && geteuid() != 0) return left_out;
  limit(RLIMIT_MEMLOCK, now.rlim_max < asked ? now.rlim_max : asked);
  if (mlockall(MCL_FUTURE) != 0) return left_out;
  const std::size_t locked_before = used("VmLck");
  const std::size_t resident_before = used("VmRSS");
  const auto pool = started();
  nopal_stack* stack = nullptr;
  for (int i = 0; i < 3; ++i) stack = pool->take(nullptr);
  NOPAL_CHECK(used("VmRSS") - resident_before < 16 * mebibyte);
  NOPAL_CHECK(used("VmLck") - locked_before < 256 * (mebibyte + narrow_guard) + 8 * mebibyte);
  NOPAL_CHECK(stack->guard_bytes == narrow_guard);
  // What is used is locked as the program asked.
  NOPAL_CHECK(nopal::internal::os::resident_pages(stack->low, stack->size_bytes()) ==
              stack->size_bytes() / nopal::internal::os::page_size());
  return 0;
}

TEST(pool_limits, on_locked_memory_count_no_page_of_an_unused_stack) {
  const support::outcome seen = support::run_program("locked_memory");
  if (seen.exit_code == left_out) GTEST_SKIP() << "the system lets us lock too little memory";
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
}

}  // namespace
