// What a thread has and a strand could notice: docs/strand.md. What is carried is there after each steal and join; what is the
// thread's stays with it, which these programs show. What one processor alone has: strand_<processor>_test.cpp.
#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "runtime/two_threads.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;
using two_threads::is_thread;
using two_threads::on_two_threads;
using two_threads::passes;

// Carried.

NOPAL_PROGRAM(exceptions) {
  try {
    throw 5;
  } catch (const int&) {
    const std::exception_ptr own = std::current_exception();
    flag went_on{false};
    const pid_t home = support::thread_id();
    scope s;
    s.fork([&] {
      NOPAL_CHECK(std::current_exception() == own);
      support::fork_until_continued(went_on);
    });
    NOPAL_CHECK(!is_thread(home) && std::current_exception() == own);
    NOPAL_CHECK(std::uncaught_exceptions() == 0);
    set(went_on);
    s.join();
    NOPAL_CHECK(std::current_exception() == own);
  }
  return 0;
}

// Of the thread.

[[gnu::noinline]] int error_number() { return errno; }
[[gnu::noinline]] void set_error_number(int number) { errno = number; }

NOPAL_PROGRAM(error_numbers) {
  constexpr int unusual = 12345;
  flag is_set{false};
  flag seen{false};
  const auto at_home = [&] {
    set_error_number(unusual);
    set(is_set);
    while (!seen.load()) std::this_thread::yield();
    NOPAL_CHECK(error_number() == unusual);
  };
  on_two_threads(at_home, [&] {
    while (!is_set.load()) std::this_thread::yield();
    NOPAL_CHECK(error_number() != unusual);
    set(seen);
  });
  return 0;
}

thread_local int of_thread = 0;
// Without the statement the compiler sees that nothing but an address comes of a call, and makes one for two.
[[gnu::noinline]] int* own_copy() {
  asm volatile("");
  return &of_thread;
}

thread_local std::unique_ptr<int> owned_by_thread;

// Destroyed by the thread, when strands that used it are over.
NOPAL_PROGRAM(thread_local_objects) {
  std::atomic<int> uses{0};
  for (int round = 0; round != 200; ++round) {
    nopal::scope children;
    for (int i = 0; i != 4; ++i) {
      children.fork([&uses] {
        std::this_thread::yield();
        if (owned_by_thread == nullptr) owned_by_thread = std::make_unique<int>(1);
        ++uses;
      });
      if (owned_by_thread == nullptr) owned_by_thread = std::make_unique<int>(2);
    }
    children.join();
  }
  NOPAL_CHECK(uses == 800);
  nopal::shutdown();
  return 0;
}

NOPAL_PROGRAM(thread_local_variables) {
  int* const copy = own_copy();
  on_two_threads([copy] { NOPAL_CHECK(own_copy() == copy); }, [copy] { NOPAL_CHECK(own_copy() != copy); });
  return 0;
}

NOPAL_PROGRAM(signal_masks) {
  const auto blocks = [](int signal) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    return sigismember(&now, signal) == 1;
  };
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &own, nullptr);
  const auto at_home = [blocks] { NOPAL_CHECK(blocks(SIGPROF) && !blocks(SIGUSR1)); };
  // Started without the mask that this thread has now, and with what the pool blocks.
  support::use_runtime();
  nopal::shutdown();
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  support::use_runtime();
  pthread_sigmask(SIG_BLOCK, &own, nullptr);
  on_two_threads(at_home, [blocks] { NOPAL_CHECK(!blocks(SIGPROF) && blocks(SIGUSR1)); });
  return 0;
}

NOPAL_PROGRAM(signal_stacks) {
  static char memory[1 << 16];
  const auto is_ours = [] {
    stack_t now;
    NOPAL_CHECK(sigaltstack(nullptr, &now) == 0);
    return now.ss_sp == memory;
  };
  stack_t own = {};
  own.ss_sp = memory;
  own.ss_size = sizeof memory;
  NOPAL_CHECK(sigaltstack(&own, nullptr) == 0);
  on_two_threads([is_ours] { NOPAL_CHECK(is_ours()); }, [is_ours] { NOPAL_CHECK(!is_ours()); });
  NOPAL_CHECK(is_ours());
  return 0;
}

NOPAL_PROGRAM(locales) {
  const locale_t own = newlocale(LC_ALL_MASK, "C", nullptr);
  NOPAL_CHECK(own != nullptr);
  uselocale(own);
  on_two_threads([own] { NOPAL_CHECK(uselocale(nullptr) == own); },
                 [] { NOPAL_CHECK(uselocale(nullptr) == LC_GLOBAL_LOCALE); });
  uselocale(LC_GLOBAL_LOCALE);
  freelocale(own);
  return 0;
}

NOPAL_PROGRAM(cancellation_states) {
  const auto state = [] {
    int now;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &now);
    pthread_setcancelstate(now, nullptr);
    return now;
  };
  const auto type = [] {
    int now;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &now);
    return now;
  };
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  on_two_threads(
      [state] { NOPAL_CHECK(state() == PTHREAD_CANCEL_DISABLE); },
      [state, type] { NOPAL_CHECK(state() == PTHREAD_CANCEL_ENABLE && type() == PTHREAD_CANCEL_DEFERRED); });
  NOPAL_CHECK(state() == PTHREAD_CANCEL_DISABLE);
  return 0;
}

[[gnu::noinline]] bool runs_on_the_threads_stack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  NOPAL_CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  NOPAL_CHECK(pthread_attr_getstack(&attributes, &low, &bytes) == 0);
  pthread_attr_destroy(&attributes);
  // Not a local's address: AddressSanitizer may have it elsewhere.
  const auto* const address = static_cast<const char*>(__builtin_frame_address(0));
  return address >= low && address < static_cast<char*>(low) + bytes;
}

NOPAL_PROGRAM(stack_limits) {
  on_two_threads([] { NOPAL_CHECK(runs_on_the_threads_stack()); },
                 [] { NOPAL_CHECK(!runs_on_the_threads_stack()); });
  NOPAL_CHECK(runs_on_the_threads_stack());
  return 0;
}

NOPAL_PROGRAM(mutex_owners) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_t mutex;
  NOPAL_CHECK(pthread_mutex_init(&mutex, &attributes) == 0 && pthread_mutex_lock(&mutex) == 0);
  on_two_threads([&mutex] { NOPAL_CHECK(pthread_mutex_lock(&mutex) == EDEADLK); },
                 [&mutex] { NOPAL_CHECK(pthread_mutex_unlock(&mutex) == EPERM); });
  NOPAL_CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

[[gnu::noinline]] std::string name() {
  char text[16] = "";
  pthread_getname_np(pthread_self(), text, sizeof text);
  return text;
}

NOPAL_PROGRAM(names_and_numbers) {
  pthread_setname_np(pthread_self(), "home");
  const pid_t number = support::thread_id();
  on_two_threads([&] { NOPAL_CHECK(name() == "home" && support::thread_id() == number); },
                 [&] { NOPAL_CHECK(name().rfind("nopal-", 0) == 0 && support::thread_id() != number); });
  return 0;
}

/// Rights of a key that this thread changes after the pool was started. Without such keys there is nothing to see.
NOPAL_PROGRAM(protection_keys) {
  support::use_runtime();
  const int key = pkey_alloc(0, 0);
  if (key < 0) return 0;
  NOPAL_CHECK(pkey_set(key, PKEY_DISABLE_WRITE) == 0);
  on_two_threads([key] { NOPAL_CHECK(pkey_get(key) == PKEY_DISABLE_WRITE); },
                 [key] { NOPAL_CHECK(pkey_get(key) != PKEY_DISABLE_WRITE); });
  pkey_free(key);
  return 0;
}

/// The flags of a strand's own arithmetic are there until its next fork or join, so each returns its own.
int flags_of(double divisor) {
  std::feclearexcept(FE_ALL_EXCEPT);
  volatile double result = 1.0;
  result = result / divisor;
  return std::fetestexcept(FE_DIVBYZERO);
}

NOPAL_PROGRAM(sticky_flags) {
  int of_child = 0;
  int of_continuation = 0;
  on_two_threads([&] { of_child = flags_of(0.0); }, [&] { of_continuation = flags_of(2.0); });
  NOPAL_CHECK(of_child == FE_DIVBYZERO && of_continuation == 0);
  on_two_threads([&] { of_child = flags_of(2.0); }, [&] { of_continuation = flags_of(0.0); });
  NOPAL_CHECK(of_child == 0 && of_continuation == FE_DIVBYZERO);
  return 0;
}

TEST(strand_carries, the_exceptions_it_handles) { EXPECT_TRUE(passes("exceptions")); }

TEST(thread_keeps, error_numbers) { EXPECT_TRUE(passes("error_numbers")); }
TEST(thread_keeps, what_strands_put_into_thread_local_objects) {
  EXPECT_TRUE(passes("thread_local_objects"));
}
TEST(thread_keeps, thread_local_variables) { EXPECT_TRUE(passes("thread_local_variables")); }
TEST(thread_keeps, floating_point_flags) { EXPECT_TRUE(passes("sticky_flags")); }
TEST(thread_keeps, signal_masks) { EXPECT_TRUE(passes("signal_masks")); }
TEST(thread_keeps, signal_stacks) { EXPECT_TRUE(passes("signal_stacks")); }
TEST(thread_keeps, locales) { EXPECT_TRUE(passes("locales")); }
TEST(thread_keeps, cancellation_states) { EXPECT_TRUE(passes("cancellation_states")); }
TEST(thread_keeps, stack_limits) { EXPECT_TRUE(passes("stack_limits")); }
TEST(thread_keeps, ownership_of_mutexes) { EXPECT_TRUE(passes("mutex_owners")); }
TEST(thread_keeps, names_and_numbers) { EXPECT_TRUE(passes("names_and_numbers")); }
TEST(thread_keeps, protection_keys) { EXPECT_TRUE(passes("protection_keys")); }

}  // namespace
