// What one worker has for work that nobody waits for by the library's means: a thread that keeps a place.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "at_workers.hpp"

namespace {

using nopal::execution::get_scheduler;

/// Of a sender that ends on another scheduler, so that the wait knows nothing of Nopal.
void wait_for_one() {
  ex::sync_wait(ex::schedule(get_scheduler()) | ex::continues_on(ex::inline_scheduler()));
}

struct counts {
  using receiver_concept = ex::receiver_tag;
  std::atomic<int>* left;
  void set_value() noexcept { left->fetch_sub(1); }
};

/// Most of the time is that of the starts.
void start_many() {
  constexpr int count = 32;
  std::atomic<int> left{count};
  struct connected {
    using type = decltype(ex::connect(ex::schedule(get_scheduler()), std::declval<counts>()));
    operator type() const { return ex::connect(ex::schedule(get_scheduler()), counts{of}); }
    std::atomic<int>* of;
  };
  std::optional<connected::type> operations[count];
  for (auto& one : operations) ex::start(one.emplace(connected{&left}));
  while (left.load() != 0) std::this_thread::yield();
}

class one_worker : public testing::Test {
protected:
  void SetUp() override { nopal::configure({.workers = 1}); }
};

/// A thread of the program's that waits for signals gets them, and the process does not end by them.
TEST_F(one_worker, has_no_thread_that_takes_signals) {
  wait_for_one();
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
  ASSERT_EQ(kill(getpid(), SIGUSR1), 0);
  const timespec limit{.tv_sec = 10, .tv_nsec = 0};
  EXPECT_EQ(sigtimedwait(&one, nullptr, &limit), SIGUSR1);
}

/// A child of fork(2) has its own, whatever other threads of its parent were in.
TEST_F(one_worker, is_one_in_new_processes_too) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> others;
  for (int i = 0; i != 4; ++i) {
    others.emplace_back([&is_over] {
      while (!is_over.load()) start_many();
    });
  }
  int failed = 0;
  for (int i = 0; i != 300 && failed == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      wait_for_one();
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) ++failed;
  }
  is_over.store(true);
  for (std::thread& other : others) other.join();
  EXPECT_EQ(failed, 0);
}

/// A line says so.
TEST_F(one_worker, needs_a_thread) {
  const auto without_threads = [] {
    // The first process of a user that has no limits has none of this kind.
    constexpr uid_t nobody = 65534;
    if (getuid() == 0 && setuid(nobody) != 0) _exit(1);
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_NPROC, &none);
    wait_for_one();
  };
  EXPECT_EXIT(without_threads(), testing::KilledBySignal(SIGABRT),
              "nopal: execution: the system refuses the thread that one worker needs: ");
}

}  // namespace
