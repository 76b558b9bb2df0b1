// Memory, threads and waiting, on the machine that runs the tests.
#include "os/os.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

namespace {

namespace os = nopal::internal::os;

// A stack's worth of memory, unmapped at the end.
class stack_memory {
public:
  explicit stack_memory(std::size_t pages)
      : bytes_(pages * os::page_size()), base_(os::map_stack_memory(bytes_)) {}
  stack_memory(const stack_memory&) = delete;
  stack_memory& operator=(const stack_memory&) = delete;
  ~stack_memory() { os::unmap(base_, bytes_); }

  [[nodiscard]] char* page(std::size_t index) const {
    return static_cast<char*>(base_) + index * os::page_size();
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t resident() const { return os::resident_pages(base_, bytes_); }
  void touch(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) *page(i) = 'x';
  }

private:
  std::size_t bytes_;
  void* base_;
};

// Runs `body` in a child process and returns its exit status, -1 if it did not exit.
template <class Body>
int exit_status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(memory, takes_only_the_pages_that_are_touched) {
  stack_memory memory(600);
  ASSERT_NE(memory.page(0), nullptr);
  EXPECT_EQ(memory.resident(), 0u);
  memory.touch(599, 1);
  EXPECT_EQ(memory.resident(), 1u);
  memory.touch(0, 300);  // more than resident_pages looks at in one system call
  EXPECT_EQ(memory.resident(), 301u);
  EXPECT_EQ(os::resident_pages(memory.page(299), 2 * os::page_size()), 1u);
  EXPECT_EQ(os::resident_pages(memory.page(0), 0), 0u);
}

TEST(memory, no_huge_page_stands_behind_one_touch) {
  stack_memory memory(2048);
  memory.touch(1024, 1);
  EXPECT_EQ(memory.resident(), 1u);
}

TEST(memory, an_impossible_size_fails_with_a_reason) {
  errno = 0;
  EXPECT_EQ(os::map_stack_memory(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(memory, discarded_pages_leave_and_come_back_as_zeroes) {
  stack_memory memory(8);
  memory.touch(0, 8);
  EXPECT_TRUE(os::discard_pages(memory.page(2), 4 * os::page_size(), false));
  EXPECT_EQ(memory.resident(), 4u);
  EXPECT_EQ(*memory.page(1), 'x');
  EXPECT_EQ(*memory.page(2), 0);
  EXPECT_EQ(*memory.page(5), 0);
  EXPECT_EQ(*memory.page(6), 'x');
}

TEST(memory, lazily_discarded_pages_keep_what_is_written_later) {
  stack_memory memory(4);
  memory.touch(0, 4);
  EXPECT_TRUE(os::discard_pages(memory.page(0), memory.bytes(), true));
  EXPECT_TRUE(*memory.page(1) == 'x' || *memory.page(1) == 0);
  *memory.page(1) = 'y';
  EXPECT_EQ(*memory.page(1), 'y');
}

TEST(memory, discarding_nothing_succeeds) {
  stack_memory memory(1);
  EXPECT_TRUE(os::discard_pages(memory.page(0), 0, true));
}

TEST(memory, discarding_what_is_not_mapped_fails) {
  void* const memory = os::map_stack_memory(os::page_size());
  os::unmap(memory, os::page_size());
  EXPECT_FALSE(os::discard_pages(memory, os::page_size(), true));
  EXPECT_EQ(os::resident_pages(memory, os::page_size()), 0u);
}

TEST(memory_death_test, a_guard_page_faults_and_its_neighbour_does_not) {
  stack_memory memory(2);
  ASSERT_TRUE(os::protect_none(memory.page(0), os::page_size()));
  memory.touch(1, 1);
  const auto touch_guard = [&] {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would end the process its own way
    memory.touch(0, 1);
  };
  EXPECT_EXIT(touch_guard(), testing::KilledBySignal(SIGSEGV), "");
}

struct thread_report {
  sigset_t blocked;
  char name[16];
  char* low;
  char* high;
  char* local;
};

void report_thread(void* argument) {
  auto& report = *static_cast<thread_report*>(argument);
  char local = 0;
  report.local = &local;
  pthread_sigmask(SIG_BLOCK, nullptr, &report.blocked);
  os::name_current_thread("a name of more than fifteen characters");
  pthread_getname_np(pthread_self(), report.name, sizeof report.name);
  void* low = nullptr;
  void* high = nullptr;
  if (os::native_stack_bounds(low, high)) {
    report.low = static_cast<char*>(low);
    report.high = static_cast<char*>(high);
  }
}

TEST(threads, run_with_the_programs_signals_blocked_and_their_own_open) {
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  thread_report report{};
  os::thread_handle thread;
  ASSERT_EQ(os::start_thread(report_thread, &report, 0, thread), 0);
  EXPECT_TRUE(thread.joinable());
  ASSERT_EQ(os::join_thread(thread), 0);
  EXPECT_FALSE(thread.joinable());
  for (const int sent : {SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1, SIGHUP}) {
    EXPECT_EQ(sigismember(&report.blocked, sent), 1) << strsignal(sent);
  }
  for (const int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF, SIGPIPE, SIGXFSZ}) {
    EXPECT_EQ(sigismember(&report.blocked, raised), 0) << strsignal(raised);
  }
  sigset_t after;
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal_number = 1; signal_number < 32; ++signal_number) {
    EXPECT_EQ(sigismember(&after, signal_number), sigismember(&before, signal_number)) << signal_number;
  }
  EXPECT_STREQ(report.name, "a name of more ");
}

TEST(threads, get_the_stack_they_ask_for) {
  constexpr std::ptrdiff_t asked_bytes = 512 * 1024;
  thread_report report{};
  os::thread_handle thread;
  ASSERT_EQ(os::start_thread(report_thread, &report, asked_bytes - 100, thread), 0);  // rounded up to pages
  ASSERT_EQ(os::join_thread(thread), 0);
  EXPECT_LT(report.low, report.high);
  EXPECT_GE(report.high - report.low, asked_bytes / 2);
  EXPECT_LE(report.high - report.low, asked_bytes * 2);
}

TEST(threads, have_fresh_mappings_until_they_are_joined) {
  constexpr std::ptrdiff_t asked_bytes = 512 * 1024;
  for (int round = 0; round < 3; ++round) {
    thread_report report{};
    os::thread_handle thread;
    ASSERT_EQ(os::start_thread(report_thread, &report, asked_bytes, thread, os::stack_from::fresh_mapping),
              0);
    ASSERT_EQ(os::join_thread(thread), 0);
    EXPECT_FALSE(thread.joinable());
    ASSERT_LT(report.low, report.high);
    EXPECT_GE(report.high - report.low, asked_bytes);
    unsigned char resident;
    EXPECT_NE(mincore(report.low, 1, &resident), 0) << "the stack is still there";
  }
}

TEST(threads, that_cannot_start_say_why) {
  for (const os::stack_from from : {os::stack_from::library, os::stack_from::fresh_mapping}) {
    os::thread_handle thread;
    errno = 0;
    EXPECT_NE(os::start_thread(report_thread, nullptr, std::size_t{1} << 60, thread, from), 0);
    EXPECT_EQ(errno, 0);
    EXPECT_FALSE(thread.joinable());
    EXPECT_EQ(os::join_thread(thread), EINVAL);
  }
}

TEST(threads, the_main_stack_has_bounds) {
  void* low = nullptr;
  void* high = nullptr;
  ASSERT_TRUE(os::native_stack_bounds(low, high));
  const void* const here = __builtin_frame_address(0);
  EXPECT_LT(low, here);
  EXPECT_GT(high, here);
}

struct sleeper {
  std::atomic<std::uint32_t> word{0};
  std::atomic<int> awake{0};
};

void sleep_on_word(void* argument) {
  auto& shared = *static_cast<sleeper*>(argument);
  while (shared.word.load() == 0) os::futex_wait(shared.word, 0);
  shared.awake.fetch_add(1);
}

TEST(futex, wakes_every_sleeper_it_is_asked_to) {
  sleeper shared;
  os::thread_handle threads[3];
  for (auto& thread : threads) ASSERT_EQ(os::start_thread(sleep_on_word, &shared, 0, thread), 0);
  EXPECT_EQ(shared.awake.load(), 0);
  shared.word.store(1);
  EXPECT_LE(os::futex_wake(shared.word, std::numeric_limits<int>::max()), 3);
  for (auto& thread : threads) EXPECT_EQ(os::join_thread(thread), 0);
  EXPECT_EQ(shared.awake.load(), 3);
}

TEST(futex, wakes_no_more_than_it_is_asked_to) {
  sleeper shared;
  os::thread_handle threads[2];
  for (auto& thread : threads) ASSERT_EQ(os::start_thread(sleep_on_word, &shared, 0, thread), 0);
  int woken = 0;  // a sleeper woken too early goes back to sleep, so the word keeps two until it changes
  while (woken < 4) {
    const int now = os::futex_wake(shared.word, 1);
    ASSERT_LE(now, 1);
    woken += now;
    os::yield();
  }
  EXPECT_EQ(shared.awake.load(), 0);
  shared.word.store(1);
  os::futex_wake(shared.word, 2);
  for (auto& thread : threads) EXPECT_EQ(os::join_thread(thread), 0);
}

TEST(futex, a_changed_word_and_a_passed_time_end_the_wait) {
  std::atomic<std::uint32_t> word{7};
  os::futex_wait(word, 8);
  EXPECT_TRUE(os::futex_wait_for(word, 8, 60'000'000'000));
  const std::uint64_t before_ns = os::monotonic_ns();
  EXPECT_FALSE(os::futex_wait_for(word, 7, 2'000'000));
  EXPECT_GE(os::monotonic_ns() - before_ns, 2'000'000u);
  EXPECT_FALSE(os::futex_wait_for(word, 7, 0));
  EXPECT_EQ(os::futex_wake(word, 1), 0);
}

TEST(process_barrier, registers_again_and_again) {
  if (!os::process_barrier_register()) GTEST_SKIP() << "this system has no private expedited membarrier";
  EXPECT_TRUE(os::process_barrier());
  EXPECT_TRUE(os::process_barrier_register());
  EXPECT_TRUE(os::process_barrier());
}

TEST(process_barrier, works_in_a_child_process) {
  if (!os::process_barrier_register()) GTEST_SKIP() << "this system has no private expedited membarrier";
  EXPECT_EQ(exit_status_of_child([] { return os::process_barrier() ? 0 : 1; }), 0);
}

// One round of the store-buffer litmus: each side writes its flag, then reads the other's.
struct barrier_litmus {
  static constexpr int rounds = 5000;
  std::atomic<int> round{0};
  std::atomic<int> done{0};
  alignas(64) std::atomic<int> fast_flag{0};
  alignas(64) std::atomic<int> slow_flag{0};
  int fast_saw = 0;
};

// Spins, so that both sides meet within nanoseconds; yields where only one of them has a CPU.
void await_value(const std::atomic<int>& value, int wanted) {
  for (int spins = 0; value.load() != wanted; ++spins) {
    if (spins > 1000) os::yield();
  }
}

// Moves the moment of the slow side's store over that of the fast side's.
void delay(int steps) {
  for (volatile int step = 0; step < steps;) step = step + 1;
}

// The side that pays nothing: only the compiler is kept from swapping its store and its load.
void fast_side(void* argument) {
  auto& litmus = *static_cast<barrier_litmus*>(argument);
  for (int round = 1; round <= barrier_litmus::rounds; ++round) {
    await_value(litmus.round, round);
    litmus.fast_flag.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    litmus.fast_saw = litmus.slow_flag.load(std::memory_order_relaxed);
    litmus.done.store(round);
  }
}

TEST(process_barrier, is_a_fence_for_the_side_that_has_none) {
  if (!os::process_barrier_register()) GTEST_SKIP() << "this system has no private expedited membarrier";
  barrier_litmus litmus;
  os::thread_handle thread;
  ASSERT_EQ(os::start_thread(fast_side, &litmus, 0, thread), 0);
  int neither_saw = 0;
  for (int round = 1; round <= barrier_litmus::rounds; ++round) {
    litmus.fast_flag.store(0);
    litmus.slow_flag.store(0);
    litmus.round.store(round);
    delay(round % 128);
    litmus.slow_flag.store(1, std::memory_order_relaxed);
    if (!os::process_barrier()) ADD_FAILURE() << "the barrier failed once registered";
    const int slow_saw = litmus.fast_flag.load(std::memory_order_relaxed);
    await_value(litmus.done, round);
    if (slow_saw == 0 && litmus.fast_saw == 0) ++neither_saw;
  }
  EXPECT_EQ(os::join_thread(thread), 0);
  EXPECT_EQ(neither_saw, 0);
}

TEST(message, comes_out_whole_and_keeps_errno) {
  testing::internal::CaptureStderr();
  errno = ERANGE;
  os::write_stderr("nopal: %s is %d\n", "answer", 42);
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "nopal: answer is 42\n");
}

TEST(message, that_is_too_long_is_cut_at_a_line_end) {
  testing::internal::CaptureStderr();
  os::write_stderr("%s\n", std::string(5000, 'a').c_str());
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.size(), 1023u);
  EXPECT_EQ(text.back(), '\n');
}

}  // namespace
