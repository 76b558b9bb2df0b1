// Arenas on memory nodes: each thread that enters runs on the node's CPUs, and where it might before when it
// leaves. The machine is described by files that the tests write.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "os/os.hpp"
#include "scheduler/nodes.hpp"
#include "scheduler/runtime.hpp"
#include "support/at_once.hpp"
#include "support/program.hpp"

namespace {

using nopal::internal::the_runtime;
using nopal::internal::os::current_affinity;

/// Nodes 2 and 5, with half of this process's CPUs each; the first has the first of them. Returns below
/// which directory; empty: there is one CPU.
std::filesystem::path write_two_nodes() {
  const std::vector<int> cpus = current_affinity();
  if (cpus.size() < 2) {
    return {};
  }
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("nopal_nodes_" + std::to_string(getpid()));
  const auto list = [](auto from, auto to) {
    std::string text;
    for (; from != to; ++from) text.append(text.empty() ? "" : ",").append(std::to_string(*from));
    return text;
  };
  const auto middle = cpus.begin() + static_cast<std::ptrdiff_t>(cpus.size() / 2);
  const std::filesystem::path nodes = root / "sys/devices/system/node";
  std::filesystem::create_directories(nodes / "node2");
  std::filesystem::create_directories(nodes / "node5");
  std::ofstream(nodes / "online") << "2,5\n";
  std::ofstream(nodes / "node2/cpulist") << list(cpus.begin(), middle) << "\n";
  std::ofstream(nodes / "node5/cpulist") << list(middle, cpus.end()) << "\n";
  return root;
}

/// So for arenas.
bool describe_two_nodes() {
  const std::filesystem::path root = write_two_nodes();
  if (!root.empty()) {
    nopal::internal::describe_nodes(root.c_str());
    std::filesystem::remove_all(root);
  }
  return !root.empty();
}

/// For stacks as well. Starts the runtime.
bool start_on_two_nodes() {
  const std::filesystem::path root = write_two_nodes();
  if (!root.empty()) {
    nopal::internal::describe_nodes(root.c_str());
    the_runtime().machine_files = root.c_str();
    nopal::parallel_for(0, 100, [](int) {});
    the_runtime().machine_files = "";
    std::filesystem::remove_all(root);
    NOPAL_CHECK(the_runtime().stacks.nodes() == 2);
  }
  return !root.empty();
}

std::vector<int> cpus_of(int node) {
  const std::vector<int> cpus = current_affinity();
  const auto middle = cpus.begin() + static_cast<std::ptrdiff_t>(cpus.size() / 2);
  return node == 2 ? std::vector<int>(cpus.begin(), middle) : std::vector<int>(middle, cpus.end());
}

NOPAL_PROGRAM(two_nodes) {
  if (!describe_two_nodes()) return 0;
  const std::vector<int> all = current_affinity();
  NOPAL_CHECK((nopal::memory_nodes() == std::vector<int>{2, 5}));
  NOPAL_CHECK(nopal::cpus_of_node(2) + nopal::cpus_of_node(5) == static_cast<int>(all.size()));
  NOPAL_CHECK(nopal::cpus_of_node(0) == 0);
  const std::vector<int> of_two = cpus_of(2);
  const std::vector<int> of_five = cpus_of(5);
  nopal::arena two({.node = 2, .limit = 3});
  nopal::arena five({.node = 5, .limit = 3});
  std::atomic<int> checked{0};
  const auto all_on = [&checked](const std::vector<int>& cpus) {
    nopal::parallel_for(0, 300, [&](int) {
      NOPAL_CHECK(current_affinity() == cpus);
      ++checked;
    });
  };
  for (int round = 0; round != 20; ++round) {
    two.execute([&] { all_on(of_two); });
    NOPAL_CHECK(current_affinity() == all);
    five.execute([&] {
      all_on(of_five);
      two.execute([&] {
        // It has none of its own CPUs there, so it gets those of the node.
        NOPAL_CHECK(current_affinity() == of_two);
        five.execute([&] { NOPAL_CHECK(current_affinity() == of_five); });
        NOPAL_CHECK(current_affinity() == of_two);
      });
      NOPAL_CHECK(current_affinity() == of_five);
    });
    NOPAL_CHECK(current_affinity() == all);
    nopal::parallel_for(0, 300, [&](int) { NOPAL_CHECK(current_affinity() == all); });
    for (int i = 0; i != 10; ++i) {
      two.enqueue([&] { NOPAL_CHECK(current_affinity() == of_two); });
    }
    two.wait();
  }
  NOPAL_CHECK(checked == 20 * 600);
  return 0;
}

NOPAL_PROGRAM(default_limits) {
  if (!describe_two_nodes()) return 0;
  for (const int node : nopal::memory_nodes()) {
    const int least = std::min(nopal::workers(), nopal::cpus_of_node(node));
    NOPAL_CHECK(nopal::arena({.node = node}).max_concurrency() == least);
    NOPAL_CHECK(tbb::info::default_concurrency(node) == least);
    NOPAL_CHECK(tbb::task_arena(tbb::task_arena::constraints(node)).max_concurrency() == least);
  }
  NOPAL_CHECK(nopal::arena({.limit = 3}).max_concurrency() == 3);
  return 0;
}

NOPAL_PROGRAM(refused_nodes) {
  if (!describe_two_nodes()) return 0;
  const std::string text = "nopal: arena: no memory node 7: those with CPUs of this process are 2, 5";
  int refused = 0;
  try {
    const nopal::arena none({.node = 7});
  } catch (const nopal::error& error) {
    refused += error.what() == text ? 1 : 0;
  }
  try {
    tbb::task_arena none(tbb::task_arena::constraints{}.set_numa_id(7));
    none.initialize();
  } catch (const nopal::error& error) {
    refused += error.what() == text ? 1 : 0;
  }
  NOPAL_CHECK(refused == 2);
  return 0;
}

NOPAL_PROGRAM(arenas_of_onetbb) {
  if (!describe_two_nodes()) return 0;
  NOPAL_CHECK((tbb::info::numa_nodes() == std::vector<int>{2, 5}));
  const std::vector<int> all = current_affinity();
  const std::vector<int> of_five = cpus_of(5);
  tbb::task_arena arena(tbb::task_arena::constraints{}.set_numa_id(5).set_max_concurrency(2));
  tbb::task_arena copy(arena);
  for (int round = 0; round != 20; ++round) {
    for (tbb::task_arena* const one : {&arena, &copy}) {
      one->execute(
          [&] { tbb::parallel_for(0, 300, [&](int) { NOPAL_CHECK(current_affinity() == of_five); }); });
    }
    NOPAL_CHECK(current_affinity() == all);
    tbb::parallel_for(0, 300, [&](int) { NOPAL_CHECK(current_affinity() == all); });
  }
  return 0;
}

// A thread that may run on less than the node keeps to that, and each mask comes back.
NOPAL_PROGRAM(own_masks) {
  if (!describe_two_nodes()) return 0;
  const std::vector<int> one = {cpus_of(2).front()};
  nopal::arena two({.node = 2, .limit = 2});
  nopal::arena five({.node = 5, .limit = 2});
  const std::vector<int> of_five = cpus_of(5);
  std::thread([&] {
    NOPAL_CHECK(nopal::internal::os::set_current_affinity(one));
    two.execute([&] { NOPAL_CHECK(current_affinity() == one); });
    five.execute([&] { NOPAL_CHECK(current_affinity() == of_five); });
    NOPAL_CHECK(current_affinity() == one);
  }).join();
  return 0;
}

/// The continuation has come here by a steal, and the thread does not leave its node.
[[gnu::noinline]] void look_at_stolen(std::atomic<int>& steals) {
  namespace internal = nopal::internal;
  const nopal_stack* const stack = internal::get(internal::this_worker()->deque.strand.stack);
  NOPAL_CHECK(stack->native_owner == nullptr);
  NOPAL_CHECK(the_runtime().stacks.node_of(stack) ==
              the_runtime().topology->node_index(internal::os::current_cpu()));
  ++steals;
}

void look_at_stolen_of_tree(std::atomic<int>& steals, int depth) {
  if (depth == 0) return;
  nopal::scope scope;
  const int forked_on = nopal::worker_index();
  scope.fork([&steals, depth] { look_at_stolen_of_tree(steals, depth - 1); });
  if (nopal::worker_index() != forked_on) look_at_stolen(steals);
  look_at_stolen_of_tree(steals, depth - 1);
  scope.join();
}

NOPAL_PROGRAM(stacks_of_pinned_workers) {
  if (!start_on_two_nodes()) return 0;
  NOPAL_CHECK(nopal::internal::os::set_current_affinity({cpus_of(2).front()}));
  std::atomic<int> steals{0};
  for (int round = 0; round != 10; ++round) look_at_stolen_of_tree(steals, 4);
  NOPAL_CHECK(steals > 0 || nopal::workers() == 1);
  return 0;
}

// Workers come with the stack that they have at hand from another node.
NOPAL_PROGRAM(stacks_in_arenas) {
  if (!start_on_two_nodes()) return 0;
  std::atomic<int> steals{0};
  for (int round = 0; round != 10; ++round) {
    nopal::arena({.node = round % 2 == 0 ? 2 : 5, .limit = 3}).execute([&steals] {
      look_at_stolen_of_tree(steals, 4);
    });
  }
  NOPAL_CHECK(steals > 0 || nopal::workers() == 1);
  return 0;
}

// What this machine itself says: every CPU is of some node that an arena can have.
NOPAL_PROGRAM(this_machine) {
  int cpus = 0;
  for (const int node : nopal::memory_nodes()) {
    NOPAL_CHECK(nopal::cpus_of_node(node) > 0);
    cpus += nopal::cpus_of_node(node);
    nopal::arena arena({.node = node});
    support::at_once trees;
    arena.execute([&] { support::tree(trees, 5); });
  }
  NOPAL_CHECK(cpus <= static_cast<int>(current_affinity().size()));
  return 0;
}

/// As far as there is a thief.
support::environment where_all_is_stolen(int workers) {
  support::environment settings = support::on_workers(workers);
  if (workers > 1) {
    settings.emplace_back("NOPAL_STEAL", "always");
  }
  return settings;
}

class nodes : public support::program_at_workers {};

TEST_P(nodes, have_the_threads_of_their_arenas) { EXPECT_TRUE(run("two_nodes")); }
TEST_P(nodes, limit_arenas_by_their_cpus) { EXPECT_TRUE(run("default_limits")); }
TEST_P(nodes, are_named_where_another_is_asked_for) { EXPECT_TRUE(run("refused_nodes")); }
TEST_P(nodes, have_arenas_of_onetbb) { EXPECT_TRUE(run("arenas_of_onetbb")); }
TEST_P(nodes, leave_threads_what_they_were_confined_to) { EXPECT_TRUE(run("own_masks")); }
TEST_P(nodes, have_stacks_of_their_own) {
  support::environment settings = where_all_is_stolen(GetParam());
  settings.emplace_back("NOPAL_PIN", "1");
  EXPECT_TRUE(support::succeeds("stacks_of_pinned_workers", settings));
}
TEST_P(nodes, give_their_stacks_to_those_who_come) {
  EXPECT_TRUE(support::succeeds("stacks_in_arenas", where_all_is_stolen(GetParam())));
}
TEST_P(nodes, are_those_of_the_machine) { EXPECT_TRUE(run("this_machine")); }

INSTANTIATE_TEST_SUITE_P(at_workers, nodes, testing::Values(1, 2, 4), testing::PrintToStringParamName());

}  // namespace
