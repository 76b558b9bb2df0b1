// The stack that a thread which waits has for signal handlers: as large as a strand's, and an overflow of it is a line.
#include <gtest/gtest.h>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;

std::atomic<int> handled{0};
std::atomic<int> handled_on_own_stack{0};
char* own_low;
char* own_high;

std::size_t handler_bytes() { return std::strtoull(std::getenv("HANDLER_BYTES"), nullptr, 10); }
std::size_t wanted;

/// Uses as much as it is asked to, a page at a time as deep calls do.
[[gnu::noinline]] void use(std::size_t bytes) {
  char room[2048];
  std::memset(room, 1, sizeof room);
  asm volatile("" : : "r"(room) : "memory");
  if (bytes > sizeof room) use(bytes - sizeof room);
  asm volatile("" : : "r"(room) : "memory");  // no loop made of it
}

void on_signal(int) {
  const char here = 0;
  // It comes too early there: the thread does not wait yet.
  if (&here >= own_low && &here < own_high) {
    ++handled_on_own_stack;
  } else {
    use(wanted);
  }
  ++handled;
}

void prepare() {
  wanted = handler_bytes();
  struct sigaction action = {};
  action.sa_handler = on_signal;
  NOPAL_CHECK(sigaction(SIGUSR1, &action, nullptr) == 0 && sigaction(SIGPROF, &action, nullptr) == 0);
  void* low = nullptr;
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  NOPAL_CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0 &&
              pthread_attr_getstack(&attributes, &low, &bytes) == 0);
  pthread_attr_destroy(&attributes);
  own_low = static_cast<char*>(low);
  own_high = own_low + bytes;
}

void send(pthread_t to, int signal) {
  const int before = handled;
  NOPAL_CHECK(pthread_kill(to, signal) == 0);
  while (handled == before) std::this_thread::yield();
}

/// Sends signals until the thread took three while it waited at its join.
[[gnu::noinline]] void interrupt_at_a_join() {
  const pthread_t root = pthread_self();
  flag went_on{false};
  scope s;
  s.fork([&went_on] { support::wait_for_continuation(went_on); });
  support::set(went_on);
  while (handled - handled_on_own_stack < 3) send(root, SIGUSR1);
  s.join();
}

NOPAL_PROGRAM(handles_at_a_join) {
  support::no_core();
  prepare();
  interrupt_at_a_join();
  return 0;
}

NOPAL_PROGRAM(handles_at_a_threads_join) {
  support::no_core();
  std::thread([] {
    prepare();
    interrupt_at_a_join();
  }).join();
  return 0;
}

/// Else the compiler may keep the number across a fork.
[[gnu::noinline]] pthread_t this_thread() {
  asm volatile("");
  return pthread_self();
}

void interrupt_an_idle_worker() {
  prepare();
  pthread_t of_pool{};
  flag went_on{false};
  {
    scope s;
    s.fork([&went_on] { support::wait_for_continuation(went_on); });
    of_pool = this_thread();
    support::set(went_on);
    s.join();
  }
  NOPAL_CHECK(!pthread_equal(of_pool, this_thread()));
  for (int i = 0; i < 3; ++i) send(of_pool, SIGPROF);
}

NOPAL_PROGRAM(handles_on_an_idle_worker) {
  support::no_core();
  interrupt_an_idle_worker();
  return 0;
}

/// There the pool's threads have stacks of our making. Ends as the new process does.
NOPAL_PROGRAM(handles_on_an_idle_worker_of_a_new_process) {
  support::no_core();
  const pid_t child = support::split();
  if (child == 0) {
    interrupt_an_idle_worker();
    _exit(0);
  }
  const int status = support::status_of(child);
  if (WIFSIGNALED(status)) {
    std::signal(WTERMSIG(status), SIG_DFL);
    std::raise(WTERMSIG(status));
  }
  return WEXITSTATUS(status);
}

constexpr const char* programs[] = {"handles_at_a_join", "handles_at_a_threads_join",
                                    "handles_on_an_idle_worker",
                                    "handles_on_an_idle_worker_of_a_new_process"};

support::outcome run(const char* program, const char* stack, std::size_t bytes) {
  return support::run_program(
      program,
      {{"NOPAL_WORKERS", "2"}, {"NOPAL_STACK_SIZE", stack}, {"HANDLER_BYTES", std::to_string(bytes)}});
}

TEST(handler_on_a_thread_that_waits, has_as_much_stack_as_a_strand) {
  for (const char* const program : programs) {
    const support::outcome ordinary = run(program, "1M", 900 << 10);
    EXPECT_EQ(ordinary.exit_code, 0) << program << " " << ordinary.description();
    const support::outcome large = run(program, "8M", 7000 << 10);
    EXPECT_EQ(large.exit_code, 0) << program << " " << large.description();
  }
}

TEST(handler_on_a_thread_that_waits, has_enough_for_ordinary_ones_where_strands_have_little) {
  for (const char* const program : programs) {
    const support::outcome seen = run(program, "64K", 200 << 10);
    EXPECT_EQ(seen.exit_code, 0) << program << " " << seen.description();
  }
}

TEST(handler_on_a_thread_that_waits, is_told_in_one_line_that_it_needs_too_much) {
  for (const char* const program : programs) {
    const support::outcome seen = run(program, "1M", 64 << 20);
    SCOPED_TRACE(seen.description());
    EXPECT_EQ(seen.signal, SIGSEGV) << program;
    EXPECT_EQ(std::count(seen.err.begin(), seen.err.end(), '\n'), 1);
    EXPECT_TRUE(seen.err.starts_with("nopal: stack overflow on worker ")) << program;
    EXPECT_NE(seen.err.find("while it waits"), std::string::npos);
    EXPECT_NE(seen.err.find("NOPAL_STACK_SIZE"), std::string::npos);
  }
}

}  // namespace
