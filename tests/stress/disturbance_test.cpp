// Where schedules are disturbed, and that a disturbance keeps the registers of the code around it. The test has its own,
// in place of the library's: it counts, and overwrites every register that a call may.
#include <gtest/gtest.h>

#include <nopal/nopal.hpp>

#include <cstdlib>

#include "support/fibril_fork.h"

namespace {

int disturbances = 0;

}  // namespace

extern "C" void nopal_disturb_now() {
  ++disturbances;
  asm volatile(
      "movq $-1, %%rax\n\tmovq %%rax, %%rcx\n\tmovq %%rax, %%rdx\n\tmovq %%rax, %%rsi\n\tmovq %%rax, "
      "%%rdi\n\t"
      "movq %%rax, %%r8\n\tmovq %%rax, %%r9\n\tmovq %%rax, %%r10\n\tmovq %%rax, %%r11\n\t"
      "pcmpeqd %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm1\n\tmovdqa %%xmm0, %%xmm2\n\tmovdqa %%xmm0, %%xmm3\n\t"
      "movdqa %%xmm0, %%xmm4\n\tmovdqa %%xmm0, %%xmm5\n\tmovdqa %%xmm0, %%xmm6\n\tmovdqa %%xmm0, %%xmm7"
      :
      :
      : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
        "xmm5", "xmm6", "xmm7", "cc");
}

namespace {

double sum(double a, float b) { return a + static_cast<double>(b); }

double fork_of_scope() {
  double result = 0;
  nopal::scope s;
  s.fork_into(result, sum, 1.5, 2.25F);
  s.join();
  return result;
}

class disturbance : public testing::Test {
protected:
  // Alone, a worker disturbs itself only at what it does for the fork.
  static void SetUpTestSuite() {
    setenv("NOPAL_WORKERS", "1", 1);
    fork_of_scope();
  }
};

template <class Fork>
int disturbances_of(Fork fork) {
  const int before = disturbances;
  fork();
  return disturbances - before;
}

TEST_F(disturbance, reaches_both_steps_of_an_unstolen_fork) {
  EXPECT_EQ(disturbances_of([] { EXPECT_EQ(fork_of_scope(), 3.75); }), 2);
}

TEST_F(disturbance, reaches_both_steps_of_a_fibril_fork_and_keeps_its_arguments) {
  EXPECT_EQ(disturbances_of([] { EXPECT_EQ(fibril_fork_of_many_arguments(), 511.75); }), 2);
}

}  // namespace
