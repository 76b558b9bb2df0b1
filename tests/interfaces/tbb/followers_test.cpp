// Groups of oneTBB's interface that may outlive what they are made in: stopped with that, and with what is around it, for
// as long as it lasts, wherever the group lies and whoever runs the function that makes it.
#include <gtest/gtest.h>
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>
#include <nopal/waiting.hpp>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <pthread.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using context = tbb::task_group_context;

/// How many tasks of a group run whose wait is to say that it was canceled.
template <class Group>
int ran_in(Group& group) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 10; ++i) group.run([&ran] { ++ran; });
  NOPAL_CHECK(group.wait() == tbb::canceled);
  // The wait has reset the context; what is around it is stopped all the same.
  group.run([&ran] { ++ran; });
  group.wait();
  return ran;
}

[[gnu::noinline]] int ran_behind_a_scope() {
  cancel_scope s;
  tbb::task_group group;
  const int ran = ran_in(group);
  s.join();
  return ran;
}

NOPAL_PROGRAM(groups_in_what_is_stopped) {
  // Local ones, behind a scope of their function.
  tbb::parallel_for(0, 1, [](int) {
    tbb::task::current_context()->cancel_group_execution();
    NOPAL_CHECK(ran_behind_a_scope() == 0);
  });
  // On the heap, in two algorithms, the outer one of which is cancelled.
  context outer;
  tbb::parallel_for(
      0, 1,
      [&outer](int) {
        tbb::parallel_for(0, 1, [&outer](int) {
          const auto group = std::make_unique<tbb::task_group>();
          outer.cancel_group_execution();
          NOPAL_CHECK(ran_in(*group) == 0);
          const auto late = std::make_unique<tbb::task_group>();
          NOPAL_CHECK(ran_in(*late) == 0);
        });
      },
      outer);
  // In a scope.
  tbb::task_arena arena(2);
  cancel_scope s;
  tbb::parallel_for(0, 1, [&s, &arena](int) {
    const auto group = std::make_unique<tbb::task_group>();
    arena.execute([&s] {
      tbb::task_group local;
      s.request_stop();
      NOPAL_CHECK(ran_in(local) == 0);
    });
    NOPAL_CHECK(ran_in(*group) == 0);
    // Not what is isolated, or shielded.
    nopal::shield([] {
      tbb::task_group free;
      int ran = 0;
      free.run([&ran] { ++ran; });
      NOPAL_CHECK(free.wait() == tbb::complete && ran == 1);
    });
    context apart(context::isolated);
    const auto isolated = std::make_unique<tbb::task_group>(apart);
    int ran = 0;
    isolated->run([&ran] { ++ran; });
    NOPAL_CHECK(isolated->wait() == tbb::complete && ran == 1);
  });
  s.join();
  return 0;
}

NOPAL_PROGRAM(groups_that_share_a_context) {
  context one;
  int ran = 0;
  tbb::parallel_for(0, 1, [&](int) {
    auto first = std::make_unique<tbb::task_group>(one);
    const auto second = std::make_unique<tbb::task_group>(one);
    first.reset();
    tbb::task::current_context()->cancel_group_execution();
    second->run([&ran] { ++ran; });
    second->wait();
  });
  NOPAL_CHECK(ran == 0);
  return 0;
}

/// In a mapping of its own, as large objects are.
struct session {
  char buffer[1 << 20];
  alignas(tbb::task_group) char place[sizeof(tbb::task_group)];
  tbb::task_group* group;
};

[[gnu::noinline]] void make_behind_a_fork(session& in) {
  support::flag on{false};
  nopal::scope s;
  s.fork([&on] { support::wait_for_continuation(on); });
  support::set(on);
  in.group = new (in.place) tbb::task_group;
  s.join();
}
[[gnu::noinline]] void make_in_a_scope(session& in) {
  cancel_scope s;
  make_behind_a_fork(in);
  s.join();
}
[[gnu::noinline]] void overwrite_stack(int byte) {
  char all[4096];
  std::memset(all, byte, sizeof all);
  __asm__ volatile("" : : "r"(all) : "memory");
}

/// What lies between the two stacks of a function that was stolen is no local variable of it.
NOPAL_PROGRAM(groups_made_by_stolen_strands) {
  const auto all = std::make_unique<session>();
  context other;
  other.cancel_group_execution();
  for (int round = 0; round < 100; ++round) {
    make_in_a_scope(*all);
    overwrite_stack(round % 2);
    int ran = 0;
    all->group->run([&ran] { ++ran; });
    NOPAL_CHECK(all->group->wait() == tbb::complete && ran == 1);
    all->group->~task_group();
  }
  other.reset();
  return 0;
}

[[gnu::noinline]] int ran_in_a_stolen_function(context& outer) {
  support::flag on{false};
  nopal::scope s;
  s.fork([&on] { support::wait_for_continuation(on); });
  support::set(on);
  tbb::task_group group;
  outer.cancel_group_execution();
  const int ran = ran_in(group);
  s.join();
  return ran;
}
alignas(4096) char own_stack[8 << 20];  // below all stacks of the pool

NOPAL_PROGRAM(local_groups_of_stolen_strands) {
  auto work = [] {
    for (int round = 0; round < 50; ++round) {
      context outer;
      tbb::parallel_for(
          0, 1,
          [&outer](int) {
            tbb::parallel_for(0, 1, [&outer](int) { NOPAL_CHECK(ran_in_a_stolen_function(outer) == 0); });
          },
          outer);
    }
  };
  using type = decltype(work);
  work();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, own_stack, sizeof own_stack);
  pthread_t thread;
  const auto call = [](void* f) -> void* {
    (*static_cast<type*>(f))();
    return nullptr;
  };
  NOPAL_CHECK(pthread_create(&thread, &attributes, call, &work) == 0);
  pthread_join(thread, nullptr);
  return 0;
}

/// A reduction combines behind a shield: what is stopped meanwhile are its groups, too, but after it.
NOPAL_PROGRAM(groups_made_in_reductions) {
  cancel_scope s;
  context of_group;
  std::unique_ptr<tbb::task_group> group;
  const auto make = [&](int /*i*/) {
    group = std::make_unique<tbb::task_group>(of_group);
    return 1;
  };
  const auto stop_and_add = [&](int a, int b) {
    s.request_stop();
    return a + b;
  };
  NOPAL_CHECK(nopal::parallel_reduce(0, 1, 0, make, stop_and_add) == 1);
  NOPAL_CHECK(of_group.is_group_execution_cancelled());
  group.reset();
  s.join();
  return 0;
}

/// Groups begin and cease to follow while others ask.
NOPAL_PROGRAM(followers_beside_requests) {
  for (int round = 0; round < 200; ++round) {
    cancel_scope s;
    s.fork([] {
      for (int i = 0; i < 10; ++i) {
        const auto group = std::make_unique<tbb::task_group>();
        group->run([] {});
        group->wait();
      }
    });
    tbb::parallel_for(0, 8, [&s, round](int i) {
      const auto group = std::make_unique<tbb::task_group>();
      if (i == round % 16) s.request_stop();
      const bool stopped = nopal::stop_requested();
      int ran = 0;
      group->run([&ran] { ++ran; });
      group->wait();
      NOPAL_CHECK(!stopped || ran == 0);
    });
    s.join();
  }
  support::check_quiet_soon();
  return 0;
}

class followers : public support::program_at_workers {};

TEST_P(followers, are_stopped_with_what_is_around_them) { EXPECT_TRUE(run("groups_in_what_is_stopped")); }
TEST_P(followers, have_places_of_their_own_in_a_shared_context) {
  EXPECT_TRUE(run("groups_that_share_a_context"));
}
TEST_P(followers, made_by_stolen_strands_outlive_what_is_around_these) {
  EXPECT_TRUE(run("groups_made_by_stolen_strands"));
}
TEST_P(followers, that_are_local_variables_of_stolen_strands) {
  EXPECT_TRUE(run("local_groups_of_stolen_strands"));
}
TEST_P(followers, made_in_reductions_that_stop_while_they_combine) {
  EXPECT_TRUE(run("groups_made_in_reductions"));
}
TEST_P(followers, come_and_go_beside_requests) { EXPECT_TRUE(run("followers_beside_requests")); }

INSTANTIATE_TEST_SUITE_P(tbb, followers, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
