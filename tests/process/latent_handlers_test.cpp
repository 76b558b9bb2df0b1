// The signals that ask threads for their latent forks, and a program's handlers of the same number.
#include <gtest/gtest.h>

#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <thread>

#include "latent_signals.hpp"

namespace {

using signals::nested;
using signals::sends_signals;
using signals::use_polls;
using signals::use_signals;
using support::flag;
using support::signals_sent;

volatile std::sig_atomic_t urgent = 0;
volatile std::sig_atomic_t wrong_value = 0;

void on_urgent(int) { urgent = urgent + 1; }

void on_urgent_with_value(int number, siginfo_t* info, void* context) {
  urgent = urgent + 1;
  if (number != SIGURG || context == nullptr || info->si_pid != getpid()) wrong_value = 1;
}

void install(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  NOPAL_CHECK(sigaction(SIGURG, &action, nullptr) == 0);
}

bool is_installed(void (*handler)(int)) {
  struct sigaction action = {};
  NOPAL_CHECK(sigaction(SIGURG, nullptr, &action) == 0);
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == handler;
}

int raised = 0;

/// Until it has arrived: the system drops a signal while a question of the same number waits for the thread.
void raise_urgent() {
  const int before = urgent;
  do {
    ++raised;
    NOPAL_CHECK(pthread_kill(pthread_self(), SIGURG) == 0);
  } while (urgent == before);
}

NOPAL_PROGRAM(handler_before_forks) {
  install(on_urgent);
  raise_urgent();
  for (int round = 0; round < 20; ++round) {
    use_signals();
    raise_urgent();
    flag went_on{false};
    NOPAL_CHECK(nested(raise_urgent, went_on, 3) == 3);
  }
  NOPAL_CHECK(urgent >= 41 && urgent <= raised);  // not one of the library's
  if (sends_signals()) NOPAL_CHECK(signals_sent() > 0);
  return 0;
}

NOPAL_PROGRAM(handler_with_value_before_forks) {
  struct sigaction action = {};
  action.sa_sigaction = on_urgent_with_value;
  action.sa_flags = SA_SIGINFO;
  NOPAL_CHECK(sigaction(SIGURG, &action, nullptr) == 0);
  for (int round = 0; round < 20; ++round) {
    use_signals();
    raise_urgent();
    sigval value{};
    value.sival_int = round;
    const int before = urgent;
    do {
      ++raised;
      NOPAL_CHECK(pthread_sigqueue(pthread_self(), SIGURG, value) == 0);
    } while (urgent == before);
  }
  NOPAL_CHECK(urgent >= 40 && urgent <= raised && wrong_value == 0);
  return 0;
}

/// By default and where it is ignored, nothing happens.
NOPAL_PROGRAM(no_handler) {
  for (void (*const action)(int) : {SIG_DFL, SIG_IGN}) {
    install(action);
    for (int round = 0; round < 10; ++round) {
      use_signals();
      NOPAL_CHECK(pthread_kill(pthread_self(), SIGURG) == 0);
      NOPAL_CHECK(kill(getpid(), SIGURG) == 0);
    }
    nopal::shutdown();
  }
  return 0;
}

/// It takes the number away: the questions come to it as well, and forks promote by themselves.
NOPAL_PROGRAM(handler_after_forks) {
  use_signals();
  install(on_urgent);
  for (int round = 0; round < 20; ++round) {
    use_polls();
    const int before = urgent;
    NOPAL_CHECK(pthread_kill(pthread_self(), SIGURG) == 0);
    NOPAL_CHECK(urgent > before);
  }
  NOPAL_CHECK(is_installed(on_urgent));
  nopal::shutdown();
  NOPAL_CHECK(is_installed(on_urgent));
  return 0;
}

NOPAL_PROGRAM(handler_after_shutdown) {
  install(on_urgent);
  for (int round = 0; round < 5; ++round) {
    use_signals();
    nopal::shutdown();
    NOPAL_CHECK(is_installed(on_urgent));
    raise_urgent();
  }
  return 0;
}

volatile std::sig_atomic_t alarm_was_blocked = 0;
volatile std::sig_atomic_t another_was_blocked = 0;

void on_urgent_without_alarms(int) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  alarm_was_blocked = sigismember(&now, SIGALRM);
  another_was_blocked = sigismember(&now, SIGUSR1);
  urgent = urgent + 1;
}

/// What the program's handler was installed with holds: it interrupts calls, and other signals wait for its end.
NOPAL_PROGRAM(handler_with_a_mask) {
  struct sigaction action = {};
  action.sa_handler = on_urgent_without_alarms;
  sigaddset(&action.sa_mask, SIGALRM);
  NOPAL_CHECK(sigaction(SIGURG, &action, nullptr) == 0);
  for (int round = 0; round < 5; ++round) use_signals();
  raise_urgent();
  NOPAL_CHECK(alarm_was_blocked == 1 && another_was_blocked == 0);

  int ends[2];
  NOPAL_CHECK(pipe(ends) == 0);
  std::atomic<bool> interrupted{false};
  std::thread reader([&] {
    char got;
    interrupted = read(ends[0], &got, 1) == -1 && errno == EINTR;
  });
  for (int i = 0; i < 1000 && !interrupted; ++i) {
    NOPAL_CHECK(pthread_kill(reader.native_handle(), SIGURG) == 0);
    support::sleep_ms(1);
  }
  NOPAL_CHECK(interrupted);
  reader.join();
  return 0;
}

/// Much more than a signal stack has.
void on_signal_that_goes_deep(int) {
  char room[200 << 10];
  for (std::size_t at = 0; at < sizeof room; at += 1024) room[at] = 1;
  asm volatile("" : : "r"(room) : "memory");
}

/// One that has its stack's room finds that even where a question has just arrived.
NOPAL_PROGRAM(deep_handlers) {
  struct sigaction action = {};
  action.sa_handler = on_signal_that_goes_deep;
  NOPAL_CHECK(sigaction(SIGUSR2, &action, nullptr) == 0);
  std::atomic<bool> over{false};
  std::thread sender([&over, to = pthread_self()] {
    while (!over) {
      pthread_kill(to, SIGUSR2);
      std::this_thread::sleep_for(std::chrono::microseconds(50));  // forks below a handler are out of reach
    }
  });
  for (int round = 0; round < 200; ++round) use_signals();
  over = true;
  sender.join();
  return 0;
}

long fib_of_long_leaves(int n) {
  if (n < 2) {
    for (int i = 0; i < 20000; ++i) asm volatile("" : : : "memory");
    return n;
  }
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib_of_long_leaves, n - 1);
  const long y = fib_of_long_leaves(n - 2);
  s.join();
  return x + y;
}

/// What lies below a signal stack as small as the system takes is the program's.
NOPAL_PROGRAM(small_signal_stack) {
  constexpr std::size_t page = 4096;
  alignas(page) static unsigned char bytes[6 * page];
  const unsigned long least = getauxval(AT_MINSIGSTKSZ);
  for (std::size_t size = (least + page - 1) / page * page; size <= 4 * page; size += page) {
    std::memset(bytes, 0x5a, sizeof bytes);
    stack_t small = {};
    small.ss_sp = bytes + page;
    small.ss_size = size;
    NOPAL_CHECK(sigaltstack(&small, nullptr) == 0);
    NOPAL_CHECK(fib_of_long_leaves(15) == 610);
    for (std::size_t i = 0; i < page; ++i) NOPAL_CHECK(bytes[i] == 0x5a);
  }
  if (sends_signals()) NOPAL_CHECK(signals_sent() > 0);
  return 0;
}

void on_urgent_with_a_large_frame(int) {
  volatile char buffer[64 * 1024];
  for (std::size_t at = 0; at < sizeof buffer; at += 512) buffer[at] = 1;
  urgent = urgent + 1;
}

/// Installed without SA_ONSTACK, it needs more than the stack that the library gives a thread for handlers.
NOPAL_PROGRAM(handler_without_a_stack_of_its_own) {
  install(on_urgent_with_a_large_frame);
  for (int round = 0; round < 5; ++round) {
    use_signals();
    raise_urgent();
  }
  return 0;
}

NOPAL_PROGRAM(handler_for_once) {
  for (int round = 0; round < 3; ++round) {
    urgent = 0;
    struct sigaction action = {};
    action.sa_handler = on_urgent;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    NOPAL_CHECK(sigaction(SIGURG, &action, nullptr) == 0);
    use_signals();
    raise_urgent();
    for (int again = 0; again < 5; ++again) NOPAL_CHECK(pthread_kill(pthread_self(), SIGURG) == 0);
    NOPAL_CHECK(urgent == 1);
    nopal::shutdown();
    NOPAL_CHECK(is_installed(SIG_DFL));
  }
  return 0;
}

/// The process ends by a signal whose default that is, as without the library.
NOPAL_PROGRAM(ends_by_default) {
  support::no_core();
  use_signals();
  NOPAL_CHECK(kill(getpid(), SIGUSR1) == 0);
  for (int i = 0; i < 1000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return 0;
}

class latent_signals_beside_handlers : public support::program_at_workers {};

TEST_P(latent_signals_beside_handlers, leave_a_handlers_own_to_it) {
  EXPECT_TRUE(run("handler_before_forks"));
}
TEST_P(latent_signals_beside_handlers, leave_a_handlers_own_to_it_with_their_values) {
  EXPECT_TRUE(run("handler_with_value_before_forks"));
}
TEST_P(latent_signals_beside_handlers, change_nothing_where_there_is_no_handler) {
  EXPECT_TRUE(run("no_handler"));
}
TEST_P(latent_signals_beside_handlers, may_be_taken_over_by_a_handler) {
  EXPECT_TRUE(run("handler_after_forks"));
}
TEST_P(latent_signals_beside_handlers, give_a_handler_its_place_back) {
  EXPECT_TRUE(run("handler_after_shutdown"));
}
TEST_P(latent_signals_beside_handlers, leave_a_handlers_mask_to_it) {
  EXPECT_TRUE(run("handler_with_a_mask"));
}
TEST_P(latent_signals_beside_handlers, keep_to_a_small_signal_stack) {
  EXPECT_TRUE(run("small_signal_stack"));
}
TEST_P(latent_signals_beside_handlers, leave_deep_handlers_their_stack) { EXPECT_TRUE(run("deep_handlers")); }

TEST_P(latent_signals_beside_handlers, leave_large_handlers_the_stack_they_had) {
  EXPECT_TRUE(run("handler_without_a_stack_of_its_own"));
}
TEST_P(latent_signals_beside_handlers, call_a_handler_once_that_is_for_once) {
  EXPECT_TRUE(run("handler_for_once"));
}
TEST_P(latent_signals_beside_handlers, end_the_process_where_that_is_the_default) {
  support::environment with = support::on_workers(GetParam());
  with.emplace_back("NOPAL_SIGNAL", "USR1");
  const support::outcome ended = support::run_program("ends_by_default", with);
  EXPECT_EQ(ended.signal, SIGUSR1) << ended.description();
}

INSTANTIATE_TEST_SUITE_P(at_workers, latent_signals_beside_handlers, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace
