// The process's memory as the kernel lists it while strands run on stolen stacks, and guards by touching them.
#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/mman.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "scheduler/runtime.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::environment;
using support::flag;

/// One line per mapping that may be written and executed at any time, and for each stack that may be executed.
std::string forbidden_mappings() {
  std::ifstream maps("/proc/self/maps");
  NOPAL_CHECK(maps.good());
  std::string found;
  for (std::string line; std::getline(maps, line);) {
    // "from-to rwxp offset device inode name"
    const std::size_t rights = line.find(' ') + 1;
    const bool writable = line[rights + 1] == 'w';
    const bool executable = line[rights + 2] == 'x';
    if (executable && (writable || line.find("[stack") != std::string::npos)) found += line + "\n";
  }
  return found;
}

/// Rights of the mapping that an address lies in, as "rw-p".
std::string rights_at(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    char* end = nullptr;
    const std::uintptr_t from = std::strtoull(line.c_str(), &end, 16);
    const std::uintptr_t to = std::strtoull(end + 1, &end, 16);
    if (wanted >= from && wanted < to) return std::string(end + 1, 4);
  }
  return "none";
}

/// Runs `body` on a stack of the pool, by a steal of which there is no doubt.
template <class Body>
void on_a_pool_stack(Body body) {
  flag went_on{false};
  scope s;
  s.fork([&went_on] { support::wait_for_continuation(went_on); });
  body();
  support::set(went_on);
  s.join();
}

const nopal_stack* current_stack() {
  return nopal::internal::get(nopal::internal::this_worker()->deque.strand.stack);
}

/// Not inlined: its frame is on the stack that it is called on, where its caller's may be on another.
[[gnu::noinline]] void look_at_own_stack(std::string& found) {
  found += forbidden_mappings();
  const nopal_stack* const stack = current_stack();
  const volatile char here = 0;
  const auto* const address = const_cast<const char*>(&here);
  NOPAL_CHECK(address >= stack->low && address < stack->high);
  NOPAL_CHECK(rights_at(address) == "rw-p");
  NOPAL_CHECK(rights_at(stack->low) == "rw-p");
  NOPAL_CHECK(rights_at(stack->low - 1) == "---p");
  NOPAL_CHECK(rights_at(stack->high) == "---p");
}

NOPAL_PROGRAM(look_at_mappings) {
  std::string found = forbidden_mappings();
  for (int i = 0; i < 3; ++i) on_a_pool_stack([&found] { look_at_own_stack(found); });
  NOPAL_CHECK(support::fib(18) == 2584);
  found += forbidden_mappings();
  nopal::shutdown();
  found += forbidden_mappings();
  std::printf("%s", found.c_str());
  return 0;
}

TEST(mappings, are_never_writable_and_executable) {
  for (const int workers : {2, 5}) {
    const support::outcome seen = support::run_program("look_at_mappings", support::on_workers(workers));
    EXPECT_EQ(seen.exit_code, 0) << seen.description();
    EXPECT_EQ(seen.out, "");
  }
}

NOPAL_PROGRAM(make_a_mapping_that_is_both) {
  NOPAL_CHECK(mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
              MAP_FAILED);
  std::printf("%s", forbidden_mappings().c_str());
  return 0;
}

TEST(mappings, that_are_writable_and_executable_would_be_seen) {
  EXPECT_NE(support::run_program("make_a_mapping_that_is_both").out, "");
}

/// Writes where TOUCH says, in bytes above the lowest usable one.
void touch(char* low) {
  support::no_core();
  auto* const place = const_cast<volatile char*>(low + std::atol(std::getenv("TOUCH")));
  *place = 1;
}

NOPAL_PROGRAM(touch_a_pool_stack) {
  on_a_pool_stack([] { touch(current_stack()->low); });
  return 0;
}

NOPAL_PROGRAM(look_above_a_pool_stack) {
  on_a_pool_stack([] { NOPAL_CHECK(rights_at(current_stack()->high) == "---p"); });
  return 0;
}

/// Of a thread of the program: this one.
NOPAL_PROGRAM(touch_an_adopted_scheduler_stack) {
  NOPAL_CHECK(support::fib(10) == 55);
  touch(static_cast<char*>(nopal::internal::this_worker()->scheduler_memory) +
        nopal::internal::scheduler_guard_bytes);
  return 0;
}

/// Of a thread of the pool: the stack that its thread came with.
NOPAL_PROGRAM(touch_a_pool_scheduler_stack) {
  on_a_pool_stack([] {
    void* low = nullptr;
    void* high = nullptr;
    NOPAL_CHECK(nopal::internal::this_worker()->of_pool &&
                nopal::internal::os::native_stack_bounds(low, high));
    touch(static_cast<char*>(low));
  });
  return 0;
}

/// Ours, which the handler of overflows runs on.
void touch_own_signal_stack() {
  stack_t now;
  NOPAL_CHECK(sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0);
  NOPAL_CHECK(now.ss_sp == nopal::internal::this_worker()->signal_stack);
  NOPAL_CHECK(rights_at(now.ss_sp) == "rw-p");
  touch(static_cast<char*>(now.ss_sp));
}

NOPAL_PROGRAM(touch_an_adopted_signal_stack) {
  NOPAL_CHECK(support::fib(10) == 55);
  touch_own_signal_stack();
  return 0;
}

NOPAL_PROGRAM(touch_a_pool_signal_stack) {
  on_a_pool_stack(touch_own_signal_stack);
  return 0;
}

[[gnu::noinline]] void recurse(long depth) {
  char room[1024];
  asm volatile("" : : "r"(room) : "memory");
  if (depth > 0) recurse(depth - 1);
  asm volatile("" : : "r"(room) : "memory");  // no loop made of it
}

/// A handler that recurses meets the guard, and nothing else is overwritten: with 300 workers, beside 300 such stacks.
NOPAL_PROGRAM(overflow_a_signal_stack) {
  support::no_core();
  struct sigaction action = {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = [](int) { recurse(1000000); };
  NOPAL_CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  NOPAL_CHECK(support::fib(10) == 55);
  raise(SIGUSR1);
  return 0;
}

void expect_a_guard(const char* program, const char* size, long guard_bytes) {
  const auto run = [program, size](long at) {
    return support::run_program(
        program, {{"NOPAL_WORKERS", "2"}, {"NOPAL_STACK_SIZE", size}, {"TOUCH", std::to_string(at)}});
  };
  const support::outcome above = run(0);
  EXPECT_EQ(above.exit_code, 0) << program << " " << above.description();
  for (const long at : {-1L, -guard_bytes / 2, -guard_bytes}) {
    const support::outcome seen = run(at);
    EXPECT_EQ(seen.signal, SIGSEGV) << program << " at " << at << " " << seen.description();
  }
}

TEST(guards, are_below_stacks_of_the_pool) {
  expect_a_guard("touch_a_pool_stack", "64K", 256L << 10);
  expect_a_guard("touch_a_pool_stack", "512K", 512L << 10);
  expect_a_guard("touch_a_pool_stack", "4M", 1L << 20);
}

// Where arguments that do not fit are stored.
TEST(guards, are_above_the_highest_stack_of_the_pool) {
  for (const char* const size : {"64K", "256K", "1M"}) {
    EXPECT_TRUE(
        support::succeeds("look_above_a_pool_stack", {{"NOPAL_WORKERS", "2"}, {"NOPAL_STACK_SIZE", size}}));
  }
}

TEST(guards, are_below_the_scheduler_stacks_of_adopted_threads) {
  expect_a_guard("touch_an_adopted_scheduler_stack", "64K", 65536);
  expect_a_guard("touch_an_adopted_scheduler_stack", "1M", 65536);
}

TEST(guards, are_below_signal_stacks) {
  expect_a_guard("touch_an_adopted_signal_stack", "64K", 4096);
  expect_a_guard("touch_a_pool_signal_stack", "64K", 4096);
}

TEST(guards, end_a_handler_that_needs_more_than_a_signal_stack) {
  for (const int workers : {1, 2, 300}) {
    const support::outcome seen =
        support::run_program("overflow_a_signal_stack", support::on_workers(workers));
    EXPECT_EQ(seen.signal, SIGSEGV) << workers << " " << seen.description();
  }
}

TEST(guards, are_below_the_scheduler_stacks_of_the_pool) {
  expect_a_guard("touch_a_pool_scheduler_stack", "64K", 65536);
  expect_a_guard("touch_a_pool_scheduler_stack", "1M", 65536);
}

}  // namespace
