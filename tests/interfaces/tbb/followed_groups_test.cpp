// Groups of oneTBB's interface that are stopped with what they were made in, where that is another group's task, and after
// fork(2); and which groups are not.
#include <gtest/gtest.h>
#include <nopal/speculate.hpp>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using context = tbb::task_group_context;

/// Whether a task of the group runs, and what its wait says.
template <class Group>
bool is_free(Group& group) {
  int ran = 0;
  group.run([&ran] { ++ran; });
  const tbb::task_group_status status = group.wait();
  NOPAL_CHECK(status == (ran == 0 ? tbb::canceled : tbb::complete));
  return ran == 1;
}

/// Each one is made in a task of the one before.
NOPAL_PROGRAM(groups_made_in_groups_that_follow) {
  for (const bool outer_end : {true, false}) {
    std::unique_ptr<tbb::task_group> first;
    std::unique_ptr<tbb::task_group> second;
    std::unique_ptr<tbb::task_group> third;
    {
      cancel_scope s;
      first = std::make_unique<tbb::task_group>();
      first->run([&second] { second = std::make_unique<tbb::task_group>(); });
      NOPAL_CHECK(first->wait() == tbb::complete);
      second->run([&third] {
        cancel_scope inner;
        third = std::make_unique<tbb::task_group>();
        inner.join();
      });
      NOPAL_CHECK(second->wait() == tbb::complete && is_free(*third));
      if (outer_end) {
        first.reset();
        second.reset();
      }
      s.request_stop();
      // Waits that find nothing take the cancellation back, and what is around is stopped all the same.
      for (int i = 0; i < 2; ++i) {
        for (auto* const each : {first.get(), second.get(), third.get()}) {
          NOPAL_CHECK(each == nullptr || each->wait() == tbb::canceled);
        }
      }
      for (auto* const each : {third.get(), first.get(), second.get()}) {
        NOPAL_CHECK(each == nullptr || !is_free(*each));
      }
      s.join();
    }
    NOPAL_CHECK(is_free(*third) && (outer_end || (is_free(*first) && is_free(*second))));
    if (!outer_end) {
      first->cancel();
      NOPAL_CHECK(third->wait() == tbb::canceled);
    }
  }
  return 0;
}

[[gnu::noinline]] std::unique_ptr<tbb::task_group> made_in_a_group(context& of_it) {
  tbb::task_group group(of_it);
  std::unique_ptr<tbb::task_group> made;
  group.run([&made] { made = std::make_unique<tbb::task_group>(); });
  group.wait();
  return made;
}
NOPAL_PROGRAM(groups_made_in_isolated_groups) {
  cancel_scope s;
  context apart(context::isolated);
  context bound;
  const auto free = made_in_a_group(apart);
  const auto stopped = made_in_a_group(bound);
  s.request_stop();
  NOPAL_CHECK(is_free(*free) && !is_free(*stopped));
  s.join();
  return 0;
}

NOPAL_PROGRAM(groups_made_before_a_scope) {
  {
    tbb::task_group local;
    const auto other = std::make_unique<tbb::task_group>();
    cancel_scope s;
    tbb::task_group inside;
    context apart(context::isolated);
    tbb::task_group isolated(apart);
    s.request_stop();
    int ran = 0;
    local.run([&ran] { ++ran; });
    NOPAL_CHECK(local.wait() == tbb::complete && ran == 1);
    isolated.run([&ran] { ++ran; });
    NOPAL_CHECK(isolated.wait() == tbb::complete && ran == 2);
    other->run([&ran] { ++ran; });
    NOPAL_CHECK(other->wait() == tbb::complete && ran == 3);
    inside.run([&ran] { ++ran; });
    NOPAL_CHECK(inside.wait() == tbb::canceled && inside.wait() == tbb::canceled && ran == 3);
    s.join();
  }
  // In the place of a scope that it was made in.
  alignas(tbb::task_group) char place[sizeof(tbb::task_group)];
  tbb::task_group* group = nullptr;
  for (const bool makes : {true, false}) {
    cancel_scope s;
    if (makes) {
      group = new (place) tbb::task_group;
    } else {
      int ran = 0;
      s.request_stop();
      group->run([&ran] { ++ran; });
      NOPAL_CHECK(group->wait() == tbb::complete && ran == 1);
    }
    s.join();
  }
  group->~task_group();
  return 0;
}

struct session {
  alignas(tbb::task_group) char place[sizeof(tbb::task_group)];
  tbb::task_group* group;
};
struct in_other_thread {
  std::atomic<int> phase{0};
  [[gnu::noinline]] void stay(session& memory) {
    cancel_scope s;
    memory.group = new (memory.place) tbb::task_group;
    const auto another = std::make_unique<tbb::task_group>();
    phase = 1;
    while (phase != 2) delete new tbb::task_group;  // at any time somebody has the list
    s.join();
  }
  void run() {
    session memory;
    stay(memory);
    memory.group->~task_group();
  }
};

/// Threads that are in the parent alone leave followers on stacks that new threads get.
NOPAL_PROGRAM(groups_that_follow_in_a_new_process) {
  for (int round = 0; round < 20; ++round) {
    in_other_thread other;
    std::thread thread([&other] { other.run(); });
    while (other.phase != 1) std::this_thread::yield();
    cancel_scope s;
    auto first = std::make_unique<tbb::task_group>();
    std::unique_ptr<tbb::task_group> second;
    std::unique_ptr<tbb::task_group> third;
    first->run([&second] { second = std::make_unique<tbb::task_group>(); });
    first->wait();
    tbb::parallel_for(0, 1, [&third](int) { third = std::make_unique<tbb::task_group>(); });
    tbb::task_group local;
    const pid_t child = support::split();
    if (child == 0) {
      s.request_stop();
      NOPAL_CHECK(!is_free(*second) && !is_free(*first) && !is_free(*third) && !is_free(local));
      s.join();
      for (int i = 0; i < 4; ++i) {
        std::thread([] {
          char all[2 << 20];
          std::memset(all, 0x55, sizeof all);
          __asm__ volatile("" : : "r"(all) : "memory");
        }).join();
        cancel_scope inner;
        const auto late = std::make_unique<tbb::task_group>();
        inner.request_stop();
        NOPAL_CHECK(!is_free(*late));
        inner.join();
      }
      _exit(0);
    }
    support::exited_with_0(child);
    NOPAL_CHECK(is_free(*second) && is_free(local));
    other.phase = 2;
    thread.join();
    s.join();
  }
  return 0;
}

class followed_groups : public support::program_at_workers {};

TEST_P(followed_groups, made_in_groups_that_follow) { EXPECT_TRUE(run("groups_made_in_groups_that_follow")); }
TEST_P(followed_groups, are_none_in_isolated_groups) { EXPECT_TRUE(run("groups_made_in_isolated_groups")); }
TEST_P(followed_groups, are_none_of_a_later_scope) { EXPECT_TRUE(run("groups_made_before_a_scope")); }
TEST_P(followed_groups, go_on_in_a_new_process) { EXPECT_TRUE(run("groups_that_follow_in_a_new_process")); }

INSTANTIATE_TEST_SUITE_P(tbb, followed_groups, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
