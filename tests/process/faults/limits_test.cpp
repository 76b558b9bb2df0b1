// Limits of the process: address space, stack, threads, memory of its control group.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::environment;

constexpr int refused = 3;

rlim_t mapped_bytes() {
  long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  NOPAL_CHECK(file != nullptr && std::fscanf(file, "%ld", &pages) == 1);
  std::fclose(file);
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void limit(__rlimit_resource what, rlim_t value) {
  const rlimit both{value, value};
  NOPAL_CHECK(setrlimit(what, &both) == 0);
}

rlim_t asked(const char* name) {
  const char* const text = std::getenv(name);
  NOPAL_CHECK(text != nullptr);
  return std::strtoull(text, nullptr, 10);
}

int compute() {
  try {
    for (int i = 0; i < 5; ++i) NOPAL_CHECK(support::fib(17) == 1597);
  } catch (const nopal::error& error) {
    std::fprintf(stderr, "%s\n", error.what());  // as the program's end would
    return refused;
  } catch (const std::bad_alloc&) {
    return refused;
  }
  return 0;
}

NOPAL_PROGRAM(little_address_space) {
  limit(RLIMIT_AS, mapped_bytes() + (asked("SPARE_KIB") << 10));
  return compute();
}

testing::AssertionResult is_answer_or_words(const support::outcome& seen) {
  const bool in_words = seen.err.empty() || seen.err.compare(0, 7, "nopal: ") == 0;
  if (in_words && (seen.exit_code == 0 || (seen.exit_code == refused && !seen.err.empty())))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << seen.description();
}

TEST(address_space, of_any_size_gives_the_answer_or_words) {
  int answers = 0;
  int refusals = 0;
  for (const char* const size : {"64K", "1M"}) {
    for (long spare_kib = 0; spare_kib <= 1 << 20; spare_kib += 16 + spare_kib / 2) {
      const support::outcome seen = support::run_program(
          "little_address_space",
          {{"NOPAL_WORKERS", "4"}, {"NOPAL_STACK_SIZE", size}, {"SPARE_KIB", std::to_string(spare_kib)}});
      EXPECT_TRUE(is_answer_or_words(seen)) << spare_kib << " KiB to spare";
      (seen.exit_code == 0 ? answers : refusals) += 1;
    }
  }
  EXPECT_GT(answers, 0);
  EXPECT_GT(refusals, 0);
}

/// What `ulimit -v 650000` leaves is the program's for the most part.
NOPAL_PROGRAM(some_address_space) {
  limit(RLIMIT_AS, rlim_t{650000} << 10);
  const int computed = compute();
  void* volatile const memory = std::malloc(std::size_t{200} << 20);
  NOPAL_CHECK(memory != nullptr);
  std::free(memory);
  return computed;
}

TEST(address_space, is_left_to_the_program) {
  EXPECT_TRUE(support::succeeds("some_address_space", support::on_workers(2)));
}

NOPAL_PROGRAM(from_the_environment) { return compute(); }

/// `ulimit -s` is read when a program is started.
NOPAL_PROGRAM(little_stack) {
  limit(RLIMIT_STACK, asked("STACK_KIB") << 10);
  setenv("TEST_PROGRAM", "from_the_environment", 1);
  execl("/proc/self/exe", "test", static_cast<char*>(nullptr));
  return 126;
}

TEST(native_stack, may_be_tiny) {
  for (const char* const kib : {"128", "192", "256", "8192"}) {
    EXPECT_TRUE(support::succeeds("little_stack", {{"NOPAL_WORKERS", "3"}, {"STACK_KIB", kib}}))
        << kib << " KiB";
  }
}

/// Root is exempt from the limit, so another user is asked; one that nobody else's processes belong to.
NOPAL_PROGRAM(few_threads) {
  constexpr uid_t nobody_at_all = 54321;
  if (geteuid() == 0 && setresuid(nobody_at_all, nobody_at_all, nobody_at_all) != 0) return 77;
  limit(RLIMIT_NPROC, 3);
  return compute();
}

TEST(threads, beyond_the_limit_are_a_line_and_fewer_workers) {
  const support::outcome seen = support::run_program("few_threads", support::on_workers(8));
  if (seen.exit_code == 77) GTEST_SKIP() << "this container's root cannot become another user";
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  if (geteuid() == 0) {
    EXPECT_EQ(seen.err, "nopal: started 3 of 8 workers: the system refused another thread: Resource "
                        "temporarily unavailable\n");
  }
}

/// A control group of our own, where the system lets us make one.
class memory_group {
public:
  memory_group() {
    for (const char* const parent : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
      path_ = std::string(parent) + "/nopal-test-" + std::to_string(getpid());
      if (mkdir(path_.c_str(), 0755) == 0 &&
          (write("memory.max", "25165824") || write("memory.limit_in_bytes", "25165824")))
        return;
      rmdir(path_.c_str());
    }
    path_.clear();
  }
  memory_group(const memory_group&) = delete;
  memory_group& operator=(const memory_group&) = delete;
  ~memory_group() {
    if (!path_.empty()) rmdir(path_.c_str());
  }

  [[nodiscard]] const std::string& path() const { return path_; }

private:
  [[nodiscard]] bool write(const char* file, const char* text) const {
    std::FILE* const opened = std::fopen((path_ + "/" + file).c_str(), "w");
    if (opened == nullptr) return false;
    const bool written = std::fputs(text, opened) >= 0;
    return (std::fclose(opened) == 0) && written;
  }

  std::string path_;
};

/// Pages of far more stacks than the group may hold at once go back in time under `eager`.
NOPAL_PROGRAM(little_memory) {
  std::FILE* const members = std::fopen((std::string(std::getenv("GROUP")) + "/cgroup.procs").c_str(), "w");
  if (members == nullptr || std::fprintf(members, "%d", static_cast<int>(getpid())) < 0 ||
      std::fclose(members) != 0)
    return 77;
  for (int i = 0; i < 200; ++i) {
    support::flag went_on{false};
    scope s;
    s.fork([&] { support::wait_briefly(went_on); });
    support::set(went_on);
    volatile char deep[256 << 10];
    for (std::size_t at = 0; at < sizeof deep; at += 4096) deep[at] = 1;
    NOPAL_CHECK(support::fib(10) == 55);
    s.join();
  }
  return 0;
}

TEST(memory, of_a_control_group_suffices_for_eager_reclaim) {
  const memory_group group;
  if (group.path().empty()) GTEST_SKIP() << "no control group for memory can be made here";
  const support::outcome seen = support::run_program(
      "little_memory", {{"NOPAL_WORKERS", "4"}, {"NOPAL_RECLAIM", "eager"}, {"GROUP", group.path()}});
  if (seen.exit_code == 77) GTEST_SKIP() << "the control group takes no process";
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
}

}  // namespace
