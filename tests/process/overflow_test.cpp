// What a strand that outgrows its stack says, and who gets to say it.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

std::atomic<bool> next_install_is_slow{false};

}  // namespace

/// In the C library's place.
extern "C" int sigaction(int signal, const struct sigaction* with, struct sigaction* was) noexcept {
  using function = int (*)(int, const struct sigaction*, struct sigaction*);
  static const auto original = reinterpret_cast<function>(dlsym(RTLD_NEXT, "sigaction"));
  if (signal == SIGSEGV && with != nullptr && next_install_is_slow.exchange(false)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  return original(signal, with, was);
}

namespace {

using nopal::scope;
using support::flag;

// Not known to the compiler, which would call the recursion infinite.
volatile long limit = -1;

[[gnu::noinline]] long recurse(long depth) {
  volatile char room[256];
  room[0] = static_cast<char>(depth);
  return depth == limit ? 0 : recurse(depth + 1) + room[0];
}

/// Calls it in a continuation that a thread of the pool has stolen; the child never ends.
template <typename F>
int overflow_on_the_pool(F&& grow) {
  support::no_core();
  const flag never{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(never); });
  grow();
  s.join();
  return 0;
}
int overflow_on_the_pool() {
  return overflow_on_the_pool([] { recurse(0); });
}

NOPAL_PROGRAM(overflows) { return overflow_on_the_pool(); }

/// Touches its end alone, as the compiler does with what is not used.
template <std::size_t Bytes>
[[gnu::noinline]] void have_a_large_frame() {
  char room[Bytes];
  room[0] = 1;
  asm volatile("" : : "r"(room) : "memory");
}

constexpr std::size_t kib = 1024;

NOPAL_PROGRAM(skips_100_kib) { return overflow_on_the_pool(have_a_large_frame<(64 + 100) * kib>); }
NOPAL_PROGRAM(skips_300_kib) { return overflow_on_the_pool(have_a_large_frame<(1024 + 300) * kib>); }

/// Forks, and so starts the runtime, while whoever installs its handler is held up. Then a strand overflows elsewhere.
NOPAL_PROGRAM(overflows_while_another_installs) {
  next_install_is_slow = true;
  std::thread first([] {
    scope s;
    s.fork([] {});
    s.join();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const int result = overflow_on_the_pool();
  first.join();
  return result;
}

void say_mine(int) {
  const ssize_t written = write(STDERR_FILENO, "mine\n", 5);
  _exit(written == 5 ? 7 : 8);
}

void install_own_handler() {
  struct sigaction action = {};
  action.sa_handler = say_mine;
  action.sa_flags = SA_ONSTACK;
  NOPAL_CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
}

NOPAL_PROGRAM(has_a_handler) {
  install_own_handler();
  return overflow_on_the_pool();
}

NOPAL_PROGRAM(gets_a_handler_later) {
  NOPAL_CHECK(support::fib(10) == 55);
  install_own_handler();
  return overflow_on_the_pool();
}

NOPAL_PROGRAM(has_a_handler_that_asks_for_details) {
  struct sigaction action = {};
  action.sa_sigaction = [](int number, siginfo_t*, void*) { say_mine(number); };
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  NOPAL_CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
  return overflow_on_the_pool();
}

// Not known to the compiler, which would trap instead.
int* volatile nowhere = nullptr;

void fault() {
  support::no_core();
  *nowhere = 1;
}

NOPAL_PROGRAM(faults_far_from_its_stack) {
  const flag never{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(never); });
  fault();
  s.join();
  return 0;
}

NOPAL_PROGRAM(faults_on_a_thread_that_forks_nothing) {
  NOPAL_CHECK(support::fib(10) == 55);
  std::thread(fault).join();
  return 0;
}

NOPAL_PROGRAM(threads_with_a_signal_stack) {
  std::thread([] {
    std::vector<char> memory(1 << 16);
    stack_t own = {};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    NOPAL_CHECK(sigaltstack(&own, nullptr) == 0);
    NOPAL_CHECK(support::fib(10) == 55);
    stack_t now = {};
    NOPAL_CHECK(sigaltstack(nullptr, &now) == 0);
    NOPAL_CHECK(now.ss_sp == memory.data() && now.ss_flags == 0);
    now.ss_flags = SS_DISABLE;
    NOPAL_CHECK(sigaltstack(&now, nullptr) == 0);
  }).join();
  return 0;
}

// Behind the library's, so its destructors come later.
pthread_key_t later_key;
std::vector<char> memory_of_signal_stack(1 << 16);
bool is_still_in_force = false;

void look_at_signal_stack(void*) {
  stack_t now = {};
  is_still_in_force =
      sigaltstack(nullptr, &now) == 0 && now.ss_flags == 0 && now.ss_sp == memory_of_signal_stack.data();
  now.ss_flags = SS_DISABLE;
  sigaltstack(&now, nullptr);
}

NOPAL_PROGRAM(threads_that_set_a_signal_stack_later) {
  NOPAL_CHECK(support::fib(10) == 55);
  NOPAL_CHECK(pthread_key_create(&later_key, look_at_signal_stack) == 0);
  std::thread([] {
    NOPAL_CHECK(support::fib(10) == 55);
    stack_t own = {};
    own.ss_sp = memory_of_signal_stack.data();
    own.ss_size = memory_of_signal_stack.size();
    NOPAL_CHECK(sigaltstack(&own, nullptr) == 0);
    NOPAL_CHECK(pthread_setspecific(later_key, &own) == 0);
  }).join();
  NOPAL_CHECK(is_still_in_force);
  return 0;
}

/// Sends it after the first fork, and goes on if that ends nothing.
int send_itself(int (*send)()) {
  support::no_core();
  NOPAL_CHECK(support::fib(10) == 55);
  NOPAL_CHECK(send() == 0);
  support::sleep_ms(20);  // another thread may take it
  return 0;
}

NOPAL_PROGRAM(raises_the_signal) {
  return send_itself([] { return raise(SIGSEGV); });
}
NOPAL_PROGRAM(sends_its_process_the_signal) {
  return send_itself([] { return kill(getpid(), SIGSEGV); });
}
NOPAL_PROGRAM(queues_the_signal) {
  return send_itself([] { return sigqueue(getpid(), SIGSEGV, {}); });
}
NOPAL_PROGRAM(sends_an_idle_thread_the_signal) {
  static pthread_t idle;
  static flag is_known{false};
  std::thread([] {
    idle = pthread_self();
    support::set(is_known);
    support::sleep_ms(60'000);
  }).detach();
  while (!is_known) std::this_thread::yield();
  return send_itself([] { return pthread_kill(idle, SIGSEGV); });
}

NOPAL_PROGRAM(shallow) {
  for (int i = 0; i < 50; ++i) {
    flag went_on{false};
    scope s;
    s.fork([&] { support::wait_for_continuation(went_on); });
    support::set(went_on);
    NOPAL_CHECK(support::fib(15) == 610);
    s.join();
  }
  support::check_quiet();
  return 0;
}

support::environment with_stacks_of(const char* size, int workers) {
  support::environment with = support::on_workers(workers);
  with.emplace_back("NOPAL_STACK_SIZE", size);
  return with;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(overflow, is_told_in_one_line) {
  for (const auto& [size, bytes] : {std::pair("64K", "65536"), std::pair("1M", "1048576")}) {
    const support::outcome seen = support::run_program("overflows", with_stacks_of(size, 2));
    SCOPED_TRACE(seen.description());
    EXPECT_EQ(seen.signal, SIGSEGV);
    EXPECT_EQ(std::count(seen.err.begin(), seen.err.end(), '\n'), 1);
    EXPECT_TRUE(contains(seen.err, "stack overflow on worker 1:"));
    EXPECT_TRUE(contains(seen.err, std::string("has ") + bytes + " bytes"));
    EXPECT_TRUE(contains(seen.err, "NOPAL_STACK_SIZE"));
  }
}

// By a frame that does not touch the pages next to the stack.
TEST(overflow, is_told_in_one_line_where_a_frame_skips_pages) {
  for (const auto& [program, size] : {std::pair("skips_100_kib", "64K"), std::pair("skips_300_kib", "1M")}) {
    const support::outcome seen = support::run_program(program, with_stacks_of(size, 2));
    SCOPED_TRACE(seen.description());
    EXPECT_EQ(seen.signal, SIGSEGV);
    EXPECT_EQ(std::count(seen.err.begin(), seen.err.end(), '\n'), 1);
    EXPECT_TRUE(contains(seen.err, "stack overflow on worker 1:"));
  }
}

TEST(overflow, is_told_while_the_first_thread_still_installs_the_handler) {
  const support::outcome seen =
      support::run_program("overflows_while_another_installs", with_stacks_of("64K", 4));
  SCOPED_TRACE(seen.description());
  EXPECT_EQ(seen.signal, SIGSEGV);
  EXPECT_EQ(std::count(seen.err.begin(), seen.err.end(), '\n'), 1);
  EXPECT_TRUE(contains(seen.err, "stack overflow on worker"));
}

TEST(overflow, leaves_a_programs_own_handler_alone) {
  for (const char* const name :
       {"has_a_handler", "has_a_handler_that_asks_for_details", "gets_a_handler_later"}) {
    const support::outcome seen = support::run_program(name, support::on_workers(2));
    SCOPED_TRACE(seen.description());
    EXPECT_EQ(seen.exit_code, 7);
    EXPECT_EQ(seen.err, "mine\n");
  }
}

TEST(overflow, is_not_what_another_fault_is_called) {
  for (const char* const name : {"faults_far_from_its_stack", "faults_on_a_thread_that_forks_nothing"}) {
    const support::outcome seen = support::run_program(name, support::on_workers(2));
    SCOPED_TRACE(seen.description());
    EXPECT_EQ(seen.signal, SIGSEGV);
    EXPECT_EQ(seen.err, "");
  }
}

TEST(overflow, handler_does_not_swallow_a_signal_that_is_sent) {
  for (const char* const name : {"raises_the_signal", "sends_its_process_the_signal", "queues_the_signal",
                                 "sends_an_idle_thread_the_signal"}) {
    const support::outcome seen = support::run_program(name, support::on_workers(2));
    SCOPED_TRACE(name + seen.description());
    EXPECT_EQ(seen.signal, SIGSEGV);
    EXPECT_EQ(seen.err, "");
  }
}

TEST(overflow, leaves_a_threads_own_signal_stack_alone) {
  for (const char* const name : {"threads_with_a_signal_stack", "threads_that_set_a_signal_stack_later"}) {
    EXPECT_TRUE(support::succeeds(name, support::on_workers(2)));
  }
}

TEST(overflow, does_not_happen_to_shallow_programs_on_small_stacks) {
  for (const int workers : {1, 2, 7})
    EXPECT_TRUE(support::succeeds("shallow", with_stacks_of("64K", workers)));
}

}  // namespace
