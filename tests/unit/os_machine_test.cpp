// What the system says about its CPUs, read from made-up machines.
#include "os/os.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "fake_root.hpp"

namespace {

namespace os = nopal::internal::os;

const std::string v2_mount =
    "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 master:1 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1_mount = "31 25 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                             "32 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

class cgroup_test : public testing::Test {
protected:
  void mounts(const std::string& text) { root_.write("/proc/self/mountinfo", text); }
  void groups(const std::string& text) { root_.write("/proc/self/cgroup", text); }
  void v2_limit(const std::string& group, const std::string& text) {
    root_.write("/sys/fs/cgroup" + group + "/cpu.max", text);
  }
  void v1_limit(const std::string& group, const std::string& quota, const std::string& period) {
    root_.write("/sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota);
    root_.write("/sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", period);
  }

  // Reads the allowance and compares what the control groups say; `allowed` follows from that.
  void expect(int version, double quota, const std::string& path) {
    const os::cpu_allowance allowance = os::read_cpu_allowance(root_.path());
    EXPECT_EQ(allowance.cgroup_version, version);
    EXPECT_DOUBLE_EQ(allowance.cgroup_quota, quota);
    EXPECT_EQ(std::string(allowance.cgroup_path), path);
    const int affinity = static_cast<int>(os::current_affinity().size());
    EXPECT_EQ(allowance.affinity, affinity);
    const int granted = quota > 0 ? static_cast<int>(std::min(std::ceil(quota), 1e6)) : affinity;
    EXPECT_EQ(allowance.allowed, std::min(affinity, granted));
  }

  fake_root root_;
};

TEST_F(cgroup_test, without_any_file_there_is_no_quota) { expect(0, 0, ""); }

TEST_F(cgroup_test, v2_reads_the_processs_own_group) {
  mounts(v2_mount);
  groups("0::/user/app\n");
  v2_limit("/user/app", "100000 100000\n");
  expect(2, 1, "/sys/fs/cgroup/user/app");
}

TEST_F(cgroup_test, v2_takes_the_least_on_the_way_up) {
  mounts(v2_mount);
  groups("0::/user/app/job\n");
  v2_limit("/user/app/job", "300000 100000\n");
  v2_limit("/user/app", "max 100000\n");
  v2_limit("/user", "75000 50000\n");
  expect(2, 1.5, "/sys/fs/cgroup/user");
  v2_limit("/user/app/job", "120000 100000\n");
  expect(2, 1.2, "/sys/fs/cgroup/user/app/job");
}

TEST_F(cgroup_test, less_than_a_cpu_still_allows_one_worker) {
  mounts(v2_mount);
  groups("0::/a\n");
  v2_limit("/a", "10000 100000\n");
  expect(2, 0.1, "/sys/fs/cgroup/a");
}

TEST_F(cgroup_test, more_than_the_machine_is_no_limit) {
  mounts(v2_mount);
  groups("0::/a\n");
  v2_limit("/a", "9000000000000000000 1\n");
  expect(2, 9e18, "/sys/fs/cgroup/a");
}

TEST_F(cgroup_test, v2_without_quota_names_the_group) {
  mounts(v2_mount);
  groups("0::/a\n");
  v2_limit("/a", "max 100000\n");
  expect(2, 0, "/sys/fs/cgroup/a");
}

TEST_F(cgroup_test, malformed_limits_are_none) {
  mounts(v2_mount);
  groups("0::/a\n");
  for (const char* text :
       {"", "\n", "garbage", "100000", "100000 0", "100000 -1", "-5 100000", "0 100000", "1e5 100000",
        "100000 100000 7", "99999999999999999999 100000", "max", " 100000 100000", "100000  100000"}) {
    SCOPED_TRACE(text);
    v2_limit("/a", text);
    expect(2, 0, "/sys/fs/cgroup/a");
  }
}

TEST_F(cgroup_test, malformed_tables_are_none) {
  for (const char* text :
       {"", "\n\n", "0", "0::", "0::relative\n", "::::\n", "x:cpu\n", "4:cpu,cpuacct:\n"}) {
    SCOPED_TRACE(text);
    mounts(v2_mount + v1_mount);
    groups(text);
    expect(0, 0, "");
  }
  groups("0::/a\n");
  for (const char* text :
       {"", "-", "30 25 0:26 /\n", "30 25 0:26 / /sys/fs/cgroup rw\n", "- cgroup2\n", "- - - - - -\n"}) {
    SCOPED_TRACE(text);
    mounts(text);
    expect(0, 0, "");
  }
}

TEST_F(cgroup_test, a_container_that_mounts_its_own_group_reads_it_at_the_mount) {
  mounts("30 25 0:26 /docker/1a2b /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  groups("0::/docker/1a2b\n");
  v2_limit("", "50000 100000\n");
  expect(2, 0.5, "/sys/fs/cgroup");
}

TEST_F(cgroup_test, groups_below_a_mounted_one_are_found_there) {
  mounts("30 25 0:26 /docker/1a2b /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  groups("0::/docker/1a2b/inner\n");
  v2_limit("", "150000 100000\n");
  v2_limit("/inner", "20000 100000\n");
  expect(2, 0.2, "/sys/fs/cgroup/inner");
}

TEST_F(cgroup_test, a_path_that_is_not_visible_falls_back_to_the_mount) {
  mounts(v2_mount);
  v2_limit("", "150000 100000\n");
  for (const char* path : {"0::/kubepods/pod7/1a2b\n", "0::/../sibling\n", "0::/..\n"}) {
    SCOPED_TRACE(path);
    groups(path);
    expect(2, 1.5, "/sys/fs/cgroup");
  }
}

TEST_F(cgroup_test, a_name_that_only_starts_alike_is_another_group) {
  mounts("30 25 0:26 /docker/1a /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  groups("0::/docker/1a2b\n");
  root_.make_directory("/sys/fs/cgroup2b");
  v2_limit("", "50000 100000\n");
  expect(2, 0.5, "/sys/fs/cgroup");
}

TEST_F(cgroup_test, the_mount_that_shows_the_group_is_taken) {
  mounts("29 25 0:26 /elsewhere /other rw - cgroup2 cgroup2 rw\n" + v2_mount);
  groups("0::/a\n");
  root_.write("/other/cpu.max", "10000 100000\n");
  v2_limit("/a", "90000 100000\n");
  expect(2, 0.9, "/sys/fs/cgroup/a");
}

TEST_F(cgroup_test, blanks_and_colons_in_names_are_read) {
  mounts("30 25 0:26 / /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw\n");
  groups("0::/a:b c\n");
  root_.write("/sys/fs/my groups/a:b c/cpu.max", "50000 100000\n");
  expect(2, 0.5, "/sys/fs/my groups/a:b c");
}

TEST_F(cgroup_test, v1_reads_quota_and_period) {
  mounts(v1_mount);
  groups("5:cpuset:/set\n4:cpu,cpuacct:/a/b\n1:name=systemd:/user\n");
  v1_limit("/a/b", "-1\n", "100000\n");
  v1_limit("/a", "150000\n", "100000\n");
  expect(1, 1.5, "/sys/fs/cgroup/cpu,cpuacct/a");
  v1_limit("/a/b", "25000\n", "50000\n");
  expect(1, 0.5, "/sys/fs/cgroup/cpu,cpuacct/a/b");
}

TEST_F(cgroup_test, v1_without_quota_names_the_group) {
  mounts(v1_mount);
  groups("4:cpu,cpuacct:/\n");
  v1_limit("", "-1\n", "100000\n");
  expect(1, 0, "/sys/fs/cgroup/cpu,cpuacct");
}

TEST_F(cgroup_test, v1_malformed_limits_are_none) {
  mounts(v1_mount);
  groups("4:cpu,cpuacct:/\n");
  v1_limit("", "150000 100000\n", "100000\n");
  expect(1, 0, "/sys/fs/cgroup/cpu,cpuacct");
  v1_limit("", "150000\n", "0\n");
  expect(1, 0, "/sys/fs/cgroup/cpu,cpuacct");
  v1_limit("", "150000\n", "\n");
  expect(1, 0, "/sys/fs/cgroup/cpu,cpuacct");
}

TEST_F(cgroup_test, v1_in_a_container_falls_back_to_the_mount) {
  mounts("32 25 0:28 /docker/1a2b /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  groups("4:cpu,cpuacct:/docker/1a2b/unseen\n");
  v1_limit("", "50000\n", "100000\n");
  expect(1, 0.5, "/sys/fs/cgroup/cpu,cpuacct");
}

TEST_F(cgroup_test, with_both_versions_the_one_that_limits_decides) {
  mounts("33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" + v1_mount);
  groups("4:cpu,cpuacct:/a\n0::/b\n");
  root_.make_directory("/sys/fs/cgroup/unified/b");
  v1_limit("/a", "50000\n", "100000\n");
  expect(1, 0.5, "/sys/fs/cgroup/cpu,cpuacct/a");
  v1_limit("/a", "-1\n", "100000\n");
  expect(1, 0, "/sys/fs/cgroup/cpu,cpuacct/a");
  root_.write("/sys/fs/cgroup/unified/b/cpu.max", "50000 100000\n");
  expect(2, 0.5, "/sys/fs/cgroup/unified/b");
}

TEST_F(cgroup_test, a_long_path_is_cut) {
  const std::string group =
      "/" + std::string(200, 'a') + "/" + std::string(200, 'b') + "/" + std::string(200, 'c');
  mounts(v2_mount);
  groups("0::" + group + "\n");
  v2_limit(group, "50000 100000\n");
  const os::cpu_allowance allowance = os::read_cpu_allowance(root_.path());
  EXPECT_DOUBLE_EQ(allowance.cgroup_quota, 0.5);
  EXPECT_EQ(std::strlen(allowance.cgroup_path), sizeof allowance.cgroup_path - 1);
}

TEST_F(cgroup_test, online_cpus_are_counted_from_the_list) {
  root_.write("/sys/devices/system/cpu/online", "0-3,6\n");
  EXPECT_EQ(os::read_cpu_allowance(root_.path()).online, 5);
  root_.write("/sys/devices/system/cpu/online", "nonsense\n");
  EXPECT_GE(os::read_cpu_allowance(root_.path()).online, 1);
}

std::vector<int> cpus_of(const char* text) {
  std::vector<int> cpus{-7};  // what was there must go
  EXPECT_TRUE(os::parse_cpu_list(text, cpus)) << text;
  return cpus;
}

TEST(cpu_list, reads_numbers_and_ranges) {
  EXPECT_EQ(cpus_of("0-3,8,10-11\n"), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(cpus_of("5"), std::vector<int>{5});
  EXPECT_EQ(cpus_of("4-4"), std::vector<int>{4});
  EXPECT_EQ(cpus_of("0-65535").size(), 65536u);
  EXPECT_EQ(cpus_of("1023-1025"), (std::vector<int>{1023, 1024, 1025}));
}

TEST(cpu_list, is_empty_where_the_system_writes_nothing) {
  EXPECT_TRUE(cpus_of("").empty());
  EXPECT_TRUE(cpus_of("\n").empty());
}

TEST(cpu_list, orders_and_drops_repeats) {
  EXPECT_EQ(cpus_of("9,1-3,2,0"), (std::vector<int>{0, 1, 2, 3, 9}));
}

TEST(cpu_list, refuses_everything_else) {
  for (const char* text : {",", "1,", ",1", "1,,2", "-", "1-", "-1", "3-1", "1-2-3", "a", "1, 2", "0x1", "+1",
                           "1.5", "0-3:1/2", "65536", "0-40000,0-40000", "0-99999999999999999999", "--1"}) {
    std::vector<int> cpus{1};
    EXPECT_FALSE(os::parse_cpu_list(text, cpus)) << text;
    EXPECT_TRUE(cpus.empty()) << text;
  }
}

class topology_test : public testing::Test {
protected:
  std::string cpu_directory(int cpu) { return "/sys/devices/system/cpu/cpu" + std::to_string(cpu); }
  void cache(std::initializer_list<int> cpus, int index, int level, const char* type,
             const std::string& shared_by) {
    for (const int cpu : cpus) {
      const std::string directory = cpu_directory(cpu) + "/cache/index" + std::to_string(index);
      root_.write(directory + "/level", std::to_string(level) + "\n");
      root_.write(directory + "/type", std::string(type) + "\n");
      root_.write(directory + "/shared_cpu_list", shared_by + "\n");
    }
  }
  void package(std::initializer_list<int> cpus, int number) {
    for (const int cpu : cpus) {
      root_.write(cpu_directory(cpu) + "/topology/physical_package_id", std::to_string(number) + "\n");
    }
  }
  void node(int number, const std::string& cpus) {
    root_.write("/sys/devices/system/node/node" + std::to_string(number) + "/cpulist", cpus + "\n");
  }
  void nodes_online(const std::string& nodes) {
    root_.write("/sys/devices/system/node/online", nodes + "\n");
  }

  fake_root root_;
};

TEST_F(topology_test, two_packages_of_two_pairs) {
  for (const int first : {0, 2, 4, 6}) {
    const std::string pair = std::to_string(first) + "-" + std::to_string(first + 1);
    cache({first, first + 1}, 1, 1, "Instruction", pair);  // shared, but no way for data
    cache({first, first + 1}, 2, 2, "Unified", pair);
    cache({first}, 0, 1, "Data", std::to_string(first));
    cache({first + 1}, 0, 1, "Data", std::to_string(first + 1));
  }
  cache({0, 1, 2, 3}, 3, 3, "Unified", "0-3");
  cache({4, 5, 6, 7}, 3, 3, "Unified", "4-7");
  package({0, 1, 2, 3}, 0);
  package({4, 5, 6, 7}, 1);
  nodes_online("0,2");
  node(0, "0-3");
  node(2, "4-7");
  const os::topology machine = os::read_topology({7, 0, 1, 2, 3, 4, 5, 6, 0}, root_.path());
  ASSERT_EQ(machine.places.size(), 8u);
  EXPECT_EQ(machine.places[7].cpu, 7);
  EXPECT_EQ(machine.nodes, 2);
  EXPECT_TRUE(machine.node_index(3) == 0 && machine.node_index(4) == 1 && machine.node_index(8) == 0);
  EXPECT_EQ(machine.places[7].node, 2);
  EXPECT_EQ(machine.distance(3, 3), os::distance_same_core);
  EXPECT_EQ(machine.distance(0, 1), os::distance_shared_l2);
  EXPECT_EQ(machine.distance(0, 2), os::distance_shared_l3);
  EXPECT_EQ(machine.distance(0, 4), os::distance_other_node);
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) EXPECT_EQ(machine.distance(a, b), machine.distance(b, a));
  }
}

TEST_F(topology_test, hardware_threads_share_their_core) {
  for (const int cpu : {0, 4}) root_.write(cpu_directory(cpu) + "/topology/thread_siblings_list", "0,4\n");
  cache({1, 5}, 0, 1, "Data", "1,5");  // the same, told by the first-level cache alone
  const os::topology machine = os::read_topology({0, 1, 4, 5}, root_.path());
  EXPECT_EQ(machine.distance(0, 4), os::distance_same_core);
  EXPECT_EQ(machine.distance(1, 5), os::distance_same_core);
  EXPECT_EQ(machine.distance(0, 1), os::distance_same_node);
}

TEST_F(topology_test, third_level_caches_split_a_node) {
  cache({0, 1}, 0, 3, "Unified", "0-1");
  cache({2, 3}, 0, 3, "Unified", "2-3");
  package({0, 1, 2, 3}, 0);
  nodes_online("0");
  node(0, "0-3");
  const os::topology machine = os::read_topology({0, 1, 2, 3}, root_.path());
  EXPECT_EQ(machine.distance(0, 1), os::distance_shared_l3);
  EXPECT_EQ(machine.distance(1, 2), os::distance_same_node);
}

TEST_F(topology_test, packages_stand_in_for_caches_and_nodes_that_are_not_described) {
  package({0, 1}, 0);
  package({2, 3}, 1);
  const os::topology machine = os::read_topology({0, 1, 2, 3}, root_.path());
  EXPECT_EQ(machine.distance(0, 1), os::distance_shared_l3);
  EXPECT_EQ(machine.distance(1, 2), os::distance_other_node);
}

TEST_F(topology_test, no_description_is_one_flat_class) {
  const os::topology machine = os::read_topology({0, 1, 2}, root_.path());
  EXPECT_EQ(machine.distance(0, 0), os::distance_same_core);
  EXPECT_EQ(machine.distance(0, 1), os::distance_same_node);
  EXPECT_EQ(machine.distance(1, 2), os::distance_same_node);
  EXPECT_EQ(machine.distance(0, 9), os::distance_other_node);
}

TEST_F(topology_test, malformed_files_say_nothing) {
  cache({0, 1}, 0, 2, "Unified", "not a list");
  root_.write(cpu_directory(0) + "/topology/physical_package_id", "-1\n");
  root_.write(cpu_directory(1) + "/topology/physical_package_id", "none\n");
  nodes_online("?");
  const os::topology machine = os::read_topology({0, 1}, root_.path());
  EXPECT_EQ(machine.distance(0, 1), os::distance_same_node);
}

TEST_F(topology_test, a_package_number_beyond_int_says_nothing) {
  root_.write(cpu_directory(0) + "/topology/physical_package_id", "4294967296\n");
  root_.write(cpu_directory(1) + "/topology/physical_package_id", "2147483648\n");
  const os::topology machine = os::read_topology({0, 1}, root_.path());
  EXPECT_EQ(machine.places[0].package, -1);
  EXPECT_EQ(machine.places[1].package, -1);
}

TEST(topology, of_this_machine_is_complete) {
  const std::vector<int> cpus = os::current_affinity();
  const os::topology machine = os::read_topology(cpus);
  ASSERT_EQ(machine.places.size(), cpus.size());
  EXPECT_EQ(machine.distance(cpus.front(), cpus.front()), os::distance_same_core);
  EXPECT_LT(machine.distance(cpus.front(), cpus.back()), static_cast<int>(os::distance_levels));
}

}  // namespace
