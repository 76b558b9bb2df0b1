// What the first use of memory takes from the system.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "os/os.hpp"

namespace {

namespace os = nopal::internal::os;

/// Whether the system says that the mapping around an address takes no huge pages.
bool is_kept_small(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::FILE* const maps = std::fopen("/proc/self/smaps", "r");
  if (maps == nullptr) return false;
  char line[4096];
  bool is_in = false;
  bool found = false;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long first = 0;
    unsigned long end = 0;
    if (std::sscanf(line, "%lx-%lx ", &first, &end) == 2) is_in = first <= wanted && wanted < end;
    if (is_in && std::strncmp(line, "VmFlags:", 8) == 0) found = std::strstr(line, " nh") != nullptr;
  }
  std::fclose(maps);
  return found;
}

long faults_of_this_thread() {
  rusage now{};
  getrusage(RUSAGE_THREAD, &now);
  return now.ru_minflt;
}

TEST(first_use, of_each_kind_of_memory_takes_no_huge_page) {
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) GTEST_SKIP() << "a kernel without huge pages";
  constexpr std::size_t bytes = std::size_t{4} << 20;
  for (void* (*const map)(std::size_t) noexcept :
       {os::map_memory, os::map_stack_memory, os::reserve_stack_memory}) {
    void* const memory = map(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_TRUE(is_kept_small(memory));
    os::unmap(memory, bytes);
  }
}

TEST(first_use, of_a_threads_heap_can_be_had_before) {
  long faults = -1;
  std::thread([&faults] {
    os::prepare_allocation();
    const long before = faults_of_this_thread();
    void* volatile allocated = std::malloc(100);
    faults = faults_of_this_thread() - before;
    std::free(allocated);
  }).join();
  EXPECT_EQ(faults, 0);
}

}  // namespace
