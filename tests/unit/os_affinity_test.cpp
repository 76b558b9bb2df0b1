// The CPUs that threads may run on, on the machine that runs the tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "os/os.hpp"

namespace {

namespace os = nopal::internal::os;

TEST(affinity, a_pin_is_undone_by_the_set_from_before) {
  const std::vector<int> before = os::current_affinity();
  ASSERT_FALSE(before.empty());
  EXPECT_TRUE(std::is_sorted(before.begin(), before.end()));
  for (const int cpu : before) {
    ASSERT_TRUE(os::pin_current_thread(cpu));
    EXPECT_EQ(os::current_affinity(), std::vector<int>{cpu});
    EXPECT_EQ(os::current_cpu(), cpu);
  }
  ASSERT_TRUE(os::set_current_affinity(before));
  EXPECT_EQ(os::current_affinity(), before);
}

TEST(affinity, a_thread_leaves_a_cpu_and_is_allowed_back) {
  const std::vector<int> before = os::current_affinity();
  if (before.size() < 2) GTEST_SKIP() << "needs two CPUs";
  const int cpu = os::current_cpu();
  os::cpu_bits allowed{};
  ASSERT_TRUE(os::forbid_cpu(os::current_thread_id(), cpu, allowed));
  EXPECT_NE(os::current_cpu(), cpu);
  EXPECT_TRUE(os::allow_cpus(allowed));
  EXPECT_EQ(os::current_affinity(), before);
}

TEST(affinity, a_thread_is_kept_off_another_cpu_instead) {
  const std::vector<int> before = os::current_affinity();
  if (before.size() < 2) GTEST_SKIP() << "needs two CPUs";
  const int self = os::current_thread_id();
  os::cpu_bits allowed{};
  ASSERT_TRUE(os::forbid_cpu(self, before[0], allowed));
  EXPECT_TRUE(os::is_kept_off(self, before[0], allowed));
  ASSERT_TRUE(os::allow_cpus_but(self, before[1], allowed));
  std::vector<int> others = before;
  others.erase(others.begin() + 1);
  EXPECT_EQ(os::current_affinity(), others);
  EXPECT_FALSE(os::allow_cpus_but(self, -1, allowed));
  EXPECT_TRUE(os::allow_cpus_again(before[1], allowed));
  EXPECT_EQ(os::current_affinity(), before);
}

TEST(affinity, what_others_changed_meanwhile_stands) {
  const std::vector<int> before = os::current_affinity();
  if (before.size() < 2) GTEST_SKIP() << "needs two CPUs";
  os::cpu_bits allowed{};
  ASSERT_TRUE(os::forbid_cpu(os::current_thread_id(), before[0], allowed));
  const std::vector<int> changed = {before[0]};
  ASSERT_TRUE(os::set_current_affinity(changed));
  EXPECT_FALSE(os::is_kept_off(os::current_thread_id(), before[0], allowed));
  EXPECT_TRUE(os::allow_cpus_again(before[0], allowed));
  EXPECT_EQ(os::current_affinity(), changed);
  ASSERT_TRUE(os::set_current_affinity(before));
}

TEST(affinity, the_only_cpu_of_a_thread_is_left_to_it) {
  const std::vector<int> before = os::current_affinity();
  ASSERT_TRUE(os::pin_current_thread(before.front()));
  os::cpu_bits allowed{};
  EXPECT_FALSE(os::forbid_cpu(os::current_thread_id(), before.front(), allowed));
  EXPECT_EQ(os::current_affinity(), std::vector<int>{before.front()});
  EXPECT_FALSE(os::forbid_cpu(os::current_thread_id(), -1, allowed));
  ASSERT_TRUE(os::set_current_affinity(before));
}

TEST(affinity, nonsense_is_refused) {
  EXPECT_FALSE(os::set_current_affinity({}));
  EXPECT_FALSE(os::pin_current_thread(-1));
  EXPECT_FALSE(os::pin_current_thread(60000));
  EXPECT_FALSE(os::pin_current_thread(std::numeric_limits<int>::max()));
}

TEST(affinity, one_cpu_allows_one_worker) {
  const std::vector<int> before = os::current_affinity();
  ASSERT_TRUE(os::pin_current_thread(before.back()));
  const os::cpu_allowance allowance = os::read_cpu_allowance();
  ASSERT_TRUE(os::set_current_affinity(before));
  EXPECT_EQ(allowance.affinity, 1);
  EXPECT_EQ(allowance.allowed, 1);
  EXPECT_GE(allowance.online, 1);
}

}  // namespace
