// Starting and stopping the runtime while other threads are in the middle of something: functions of the C library that the runtime
// calls there hold the thread up, until another one has done what it can.
#include <gtest/gtest.h>

#include <nopal/nopal.hpp>

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/strands.hpp"

namespace {

using support::flag;

/// Where a thread stops until another one lets it go.
class gate {
public:
  /// On the thread that stops.
  void stop() {
    reached_ = true;
    while (!open_) std::this_thread::yield();
  }
  /// False: `other` was set first.
  [[nodiscard]] bool await(const flag& other) const {
    while (!reached_ && !other) std::this_thread::yield();
    return reached_;
  }
  void open() { open_ = true; }

private:
  flag reached_{false};
  flag open_{false};
};

// Of the thread that is to stop at one of its next locks.
thread_local gate* stop_at = nullptr;
thread_local int locks_before_stop = 0;

}  // namespace

// In the C library's place.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using function = int (*)(pthread_mutex_t*);
  static const auto original = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  if (stop_at != nullptr && locks_before_stop-- == 0) {
    stop_at->stop();
    stop_at = nullptr;
  }
  return original(mutex);
}

namespace {

// At looks for pages, which giving a stack back begins with, this thread has another one try to stop the runtime.
thread_local bool may_have_it_stopped = false;
flag is_coming_home{false};
std::atomic<int> looks{0};
std::atomic<int> looks_answered{0};

}  // namespace

// In the C library's place.
extern "C" int mincore(void* address, size_t bytes, unsigned char* resident) noexcept {
  if (may_have_it_stopped && is_coming_home) {
    const int own = ++looks;
    while (looks_answered < own) std::this_thread::yield();
  }
  return static_cast<int>(syscall(SYS_mincore, address, bytes, resident));
}

namespace {

int threads_of_the_pool() {
  int count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  NOPAL_CHECK(tasks != nullptr);
  while (const dirent* const one = readdir(tasks)) {
    const std::string name = "/proc/self/task/" + std::string(one->d_name) + "/comm";
    std::FILE* const file = std::fopen(name.c_str(), "r");
    char text[32] = "";
    if (file == nullptr) continue;
    if (std::fgets(text, sizeof text, file) == nullptr) text[0] = '\0';
    std::fclose(file);
    count += std::string(text).compare(0, 6, "nopal-") == 0 ? 1 : 0;
  }
  closedir(tasks);
  return count;
}

/// Configures while a first fork is about to take its lock for the time after `locks`. False if it does not.
bool configures_at_lock(int locks) {
  nopal::configure({});
  gate at;
  flag forked{false};
  flag over{false};
  std::thread starter([&] {
    locks_before_stop = locks;
    stop_at = &at;
    NOPAL_CHECK(support::fib(8) == 21);
    stop_at = nullptr;
    forked = true;
    while (!over) std::this_thread::yield();
  });
  const bool reached = at.await(forked);
  bool configured = false;
  if (reached) {
    nopal::configuration with;
    with.workers = 2;
    try {
      nopal::configure(with);
      configured = true;
    } catch (const nopal::error&) {
      // It runs already.
    }
  }
  at.open();
  while (!forked) std::this_thread::yield();
  // A thread of the pool gives itself its name, and the system shows one for a while after it has ended.
  const int workers = configured ? 2 : 5;
  for (int i = 0; i < 5000 && threads_of_the_pool() != workers - 1; ++i) support::sleep_ms(1);
  NOPAL_CHECK(threads_of_the_pool() == workers - 1);
  NOPAL_CHECK(nopal::workers() == workers);
  over = true;
  starter.join();
  nopal::shutdown();
  return reached;
}

NOPAL_PROGRAM(configures_beside_a_start) {
  int locks = 0;
  while (configures_at_lock(locks)) ++locks;
  NOPAL_CHECK(locks >= 2);
  return 0;
}

TEST(configuration_beside_a_start, is_heard_or_refused) {
  EXPECT_TRUE(support::succeeds("configures_beside_a_start", support::on_workers(5)));
}

// This thread holds up the end of the pool's stacks, for a while or until a task has begun.
thread_local bool holds_up_end_of_stacks = false;
flag stacks_are_to_go{false};
flag task_has_begun{false};
flag stacks_are_gone{false};

}  // namespace

// In the C library's place.
extern "C" int munmap(void* address, size_t bytes) noexcept {
  const bool is_pool = holds_up_end_of_stacks && bytes >= std::size_t{64} << 20;
  if (is_pool) {
    stacks_are_to_go = true;
    for (int i = 0; i < 300 && !task_has_begun; ++i) support::sleep_ms(1);
  }
  const int result = static_cast<int>(syscall(SYS_munmap, address, bytes));
  if (is_pool) stacks_are_gone = true;
  return result;
}

namespace {

bool stops() {
  try {
    nopal::shutdown();
    return true;
  } catch (const nopal::error&) {
    return false;
  }
}

NOPAL_PROGRAM(stops_while_a_thread_comes_home) {
  flag over{false};
  flag stopped{false};
  std::thread other([&over, &stopped] {
    while (!over) {
      if (looks_answered < looks) {
        if (stops()) stopped = true;
        ++looks_answered;
      }
      std::this_thread::yield();
    }
  });
  may_have_it_stopped = true;
  const pid_t home = support::thread_id();
  // Until it has happened: whether it does is a matter of microseconds.
  for (int i = 0; !stopped && (i < 60 || (looks == 0 && i < 60000)); ++i) {
    flag stolen{false};
    nopal::scope s;
    s.fork([&stolen] { support::wait_for_continuation(stolen); });
    stolen = true;
    // The thread has no work meanwhile, and takes a stack to be ready for some. It gives that back also before it sleeps.
    s.fork([home, i] {
      if (support::thread_id() == home) return;
      support::burn(i % 400 * 1000);
      is_coming_home = true;
    });
    s.join();
    is_coming_home = false;
  }
  over = true;
  other.join();
  NOPAL_CHECK(looks > 0);
  NOPAL_CHECK(!stopped);
  return 0;
}

TEST(stop_while_a_thread_comes_home, waits_until_its_stack_is_given_back) {
  EXPECT_TRUE(support::succeeds("stops_while_a_thread_comes_home",
                                {{"NOPAL_WORKERS", "3"}, {"NOPAL_RECLAIM", "eager"}}));
}

constexpr std::size_t bytes_of_thread = std::size_t{4} << 20;

/// A task that a wait runs for want of room while another thread stops the runtime.
void* wait_beside_a_stop(void*) {
  NOPAL_CHECK(support::fib(8) == 21);
  std::thread other([] {
    holds_up_end_of_stacks = true;
    NOPAL_CHECK(stops());
  });
  while (!stacks_are_to_go) std::this_thread::yield();
  volatile char used[bytes_of_thread / 4 * 3];
  used[0] = 1;
  tbb::task_group group;
  group.run([&used] {
    volatile char own[20'000];
    task_has_begun = true;
    while (!stacks_are_gone) std::this_thread::yield();
    for (volatile char& one : own) one = 1;
    const auto here = reinterpret_cast<std::uintptr_t>(own);
    const auto there = reinterpret_cast<std::uintptr_t>(used);
    NOPAL_CHECK(here + bytes_of_thread < there || there + bytes_of_thread < here);
  });
  group.wait();
  NOPAL_CHECK(used[0] == 1);
  other.join();
  return nullptr;
}

NOPAL_PROGRAM(stops_while_a_wait_takes_a_stack) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, bytes_of_thread) == 0);
  pthread_t thread;
  NOPAL_CHECK(pthread_create(&thread, &attributes, wait_beside_a_stop, nullptr) == 0);
  return pthread_join(thread, nullptr);
}

TEST(stop_while_a_wait_takes_a_stack, leaves_it_or_comes_first) {
  EXPECT_TRUE(support::succeeds("stops_while_a_wait_takes_a_stack",
                                {{"NOPAL_WORKERS", "2"}, {"NOPAL_STACK_SIZE", "8M"}}));
}

}  // namespace
