// Sleepers are kept off a CPU, and come back to it.
#include <gtest/gtest.h>

#include <sched.h>

#include <memory>
#include <vector>

#include "os/os.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/worker.hpp"

namespace {

using namespace nopal::internal;

/// The calling thread as one of a pool that spreads its workers.
class sleeper : public testing::Test {
protected:
  void SetUp() override {
    if (before_.size() < 2) GTEST_SKIP() << "needs two CPUs";
    self_->of_pool = true;
    self_->thread_id = os::current_thread_id();
    the_runtime().spreads_woken = true;
  }
  void TearDown() override {
    the_runtime().spreads_woken = false;
    EXPECT_TRUE(os::set_current_affinity(before_));
  }

  [[nodiscard]] const std::vector<int>& cpus() const { return before_; }
  /// Before it sleeps, or as a waker that runs there does.
  void keep_off(int cpu) {
    self_->wakers_cpu = cpu;
    keep_off_wakers_cpu(self_.get());
  }
  void leave_own_cpu() { leave_cpu(self_.get(), os::current_cpu()); }
  void wake_up() { wait_until_awake(self_.get()); }

private:
  std::vector<int> before_ = os::current_affinity();
  std::unique_ptr<worker> self_ = std::make_unique<worker>();
};

TEST_F(sleeper, comes_back_to_the_cpu_it_was_kept_off) {
  for (const int cpu : {cpus()[0], cpus()[1], cpus()[0]}) {
    keep_off(cpu);
    EXPECT_EQ(os::current_affinity().size(), cpus().size() - 1);
  }
  wake_up();
  EXPECT_EQ(os::current_affinity(), cpus());
}

TEST_F(sleeper, that_is_kept_off_a_cpu_and_leaves_another_one_may_use_both_again) {
  for (const int cpu : {cpus()[0], cpus()[1]}) {
    keep_off(cpu);
    leave_own_cpu();
    wake_up();
    EXPECT_EQ(os::current_affinity(), cpus());
  }
}

TEST_F(sleeper, stays_where_others_put_it_whichever_cpu_its_waker_is_on) {
  const std::vector<int> changed = {cpus()[0]};
  for (const int wakers_cpu : {cpus()[0], cpus()[1]}) {
    keep_off(cpus()[0]);
    ASSERT_TRUE(os::set_current_affinity(changed));
    keep_off(wakers_cpu);
    wake_up();
    EXPECT_EQ(os::current_affinity(), changed) << wakers_cpu;
    ASSERT_TRUE(os::set_current_affinity(cpus()));
  }
}

/// Else nobody might look up: the thread that it is to look at may run on the only CPU that is left to it.
TEST_F(sleeper, of_a_real_time_policy_may_wake_anywhere) {
  sched_param priority{};
  priority.sched_priority = 1;
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0) {
    GTEST_SKIP() << "the system does not grant real-time policies";
  }
  keep_off(cpus()[0]);
  EXPECT_EQ(os::current_affinity(), cpus());
  priority.sched_priority = 0;
  ASSERT_EQ(sched_setscheduler(0, SCHED_OTHER, &priority), 0);
}

}  // namespace
