// What a thread has and a strand could notice: docs/strand.md. What is carried is there after each steal and join; what is the
// thread's stays with it, which these programs show.
#include <gtest/gtest.h>

#include <asm/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

// Not pthread_self: it is declared to return the same in each call of one function, so compilers call it once.
[[gnu::noinline]] bool is_thread(pid_t number) { return support::thread_id() == number; }

/// `elsewhere` in a continuation that has surely been stolen, and `at_home` in the child meanwhile, on the thread that forked.
template <class Home, class Elsewhere>
void on_two_threads(Home at_home, Elsewhere elsewhere) {
  flag went_on{false};
  flag looked{false};
  const pid_t home = support::thread_id();
  {
    scope s;
    s.fork([&] {
      wait_for_continuation(went_on);
      NOPAL_CHECK(is_thread(home));
      at_home();
      while (!looked.load()) std::this_thread::yield();
    });
    set(went_on);
    NOPAL_CHECK(!is_thread(home));
    elsewhere();
    set(looked);
    s.join();
  }
  NOPAL_CHECK(is_thread(home));
}

// Carried.

constexpr unsigned sse_traps_and_modes = 0xffc0;

unsigned sse_control() {
  unsigned word;
  asm volatile("stmxcsr %0" : "=m"(word));
  return word & sse_traps_and_modes;
}
void set_sse_control(unsigned word) { asm volatile("ldmxcsr %0" : : "m"(word)); }
unsigned short x87_control() {
  unsigned short word;
  asm volatile("fnstcw %0" : "=m"(word));
  return word;
}
void set_x87_control(unsigned short word) { asm volatile("fldcw %0" : : "m"(word)); }

/// Rounding down, flush-to-zero, denormals-are-zero, a trap for division by zero; x87 rounding up with 53 bits and its trap.
NOPAL_PROGRAM(float_modes) {
  const unsigned sse_before = sse_control();
  const unsigned short x87_before = x87_control();
  constexpr unsigned sse = (0x1f80 & ~0x200U) | 0x2000 | 0x8000 | 0x40;
  constexpr unsigned short x87 = (0x037f & ~0x304 & ~0xc00) | 0x200 | 0x800;
  for (int i = 0; i < 20; ++i) {
    set_sse_control(sse);
    set_x87_control(x87);
    const auto is_ours = [] { NOPAL_CHECK(sse_control() == sse && x87_control() == x87); };
    on_two_threads(is_ours, is_ours);
    is_ours();
    set_sse_control(sse_before);
    set_x87_control(x87_before);
    const auto is_usual = [&] { NOPAL_CHECK(sse_control() == sse_before && x87_control() == x87_before); };
    on_two_threads(is_usual, is_usual);
  }
  return 0;
}

/// A continuation's own are still there after its join, on another thread again.
NOPAL_PROGRAM(float_modes_at_joins) {
  const unsigned sse_before = sse_control();
  const unsigned short x87_before = x87_control();
  constexpr unsigned sse = 0x1f80 | 0x4000 | 0x8000;
  constexpr unsigned short x87 = 0x037f | 0x400;
  for (int i = 0; i < 20; ++i) {
    on_two_threads([] {},
                   [] {
                     set_sse_control(sse);
                     set_x87_control(x87);
                   });
    NOPAL_CHECK(sse_control() == sse && x87_control() == x87);
    set_sse_control(sse_before);
    set_x87_control(x87_before);
  }
  return 0;
}

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

NOPAL_PROGRAM(segment_bases) {
  const auto base = [](int which) {
    unsigned long address = 0;
    NOPAL_CHECK(syscall(SYS_arch_prctl, which, &address) == 0);
    return address;
  };
  support::use_runtime();  // a thread begins with its starter's
  static int target;
  const auto own = reinterpret_cast<unsigned long>(&target);
  NOPAL_CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, own) == 0);
  const unsigned long thread_pointer = base(ARCH_GET_FS);
  on_two_threads([&] { NOPAL_CHECK(base(ARCH_GET_GS) == own && base(ARCH_GET_FS) == thread_pointer); },
                 [&] { NOPAL_CHECK(base(ARCH_GET_GS) == 0 && base(ARCH_GET_FS) != thread_pointer); });
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

/// As the ABI has it at each call; a slow push sees to it where the caller did not.
NOPAL_PROGRAM(direction_flag) {
  const auto is_clear = [] {
    unsigned long flags;
    asm volatile("pushfq\n\tpopq %0" : "=r"(flags));
    NOPAL_CHECK((flags & 0x400) == 0);
  };
  for (int i = 0; i < 20; ++i) {
    on_two_threads(is_clear, is_clear);
    if (support::watched) continue;  // a sanitizer's own calls rely on it
    // The first push of a root is a slow one.
    scope s;
    asm volatile("std" : : : "memory", "cc");
    s.fork(is_clear);
    is_clear();
    s.join();
  }
  return 0;
}

bool passes(const char* program) {
  const support::outcome seen = support::run_program(program, support::on_workers(2));
  EXPECT_TRUE(seen.exit_code == 0 && seen.err.empty()) << seen.description();
  return seen.exit_code == 0;
}

TEST(strand_carries, floating_point_modes_and_traps) { EXPECT_TRUE(passes("float_modes")); }
TEST(strand_carries, floating_point_modes_home) { EXPECT_TRUE(passes("float_modes_at_joins")); }
TEST(strand_carries, the_exceptions_it_handles) { EXPECT_TRUE(passes("exceptions")); }
TEST(strand_carries, a_clear_direction_flag) { EXPECT_TRUE(passes("direction_flag")); }

TEST(thread_keeps, error_numbers) { EXPECT_TRUE(passes("error_numbers")); }
TEST(thread_keeps, thread_local_variables) { EXPECT_TRUE(passes("thread_local_variables")); }
TEST(thread_keeps, floating_point_flags) { EXPECT_TRUE(passes("sticky_flags")); }
TEST(thread_keeps, signal_masks) { EXPECT_TRUE(passes("signal_masks")); }
TEST(thread_keeps, signal_stacks) { EXPECT_TRUE(passes("signal_stacks")); }
TEST(thread_keeps, locales) { EXPECT_TRUE(passes("locales")); }
TEST(thread_keeps, cancellation_states) { EXPECT_TRUE(passes("cancellation_states")); }
TEST(thread_keeps, stack_limits) { EXPECT_TRUE(passes("stack_limits")); }
TEST(thread_keeps, ownership_of_mutexes) { EXPECT_TRUE(passes("mutex_owners")); }
TEST(thread_keeps, names_and_numbers) { EXPECT_TRUE(passes("names_and_numbers")); }
TEST(thread_keeps, segment_bases) { EXPECT_TRUE(passes("segment_bases")); }
TEST(thread_keeps, protection_keys) { EXPECT_TRUE(passes("protection_keys")); }

}  // namespace
