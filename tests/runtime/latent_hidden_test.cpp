// Latent forks that code without unwind tables hides from walks, and what becomes of them once that code has returned.
#include <gtest/gtest.h>

#include <functional>

#include "support/latent.hpp"

namespace {

using support::flag;
using support::set;

// Its tables say nothing of it, so a walk from below ends at it.
extern "C" void call_without_tables(void (*function)());
__asm__(".pushsection .text\n.type call_without_tables, @function\ncall_without_tables:\n\t"
        "pushq %rbp\n\tmovq %rsp, %rbp\n\tcall *%rdi\n\tpopq %rbp\n\tret\n\t"
        ".size call_without_tables, .-call_without_tables\n\t.popsection");

flag* thieves;

/// Its forks lie above those which the walk does not reach.
void forks_below() {
  flag went_on{false};
  nopal::scope s;
  s.fork([&] {
    set(*thieves);
    support::fork_until_continued(went_on);
  });
  set(went_on);
  s.join();
}

/// The leaf does not fork: only a signal can have the forks above it.
[[gnu::noinline]] int nested(int depth, flag& went_on) {
  if (depth == 0) {
    call_without_tables(forks_below);
    support::wait_for_continuation(went_on);
    return 0;
  }
  int below = -1;
  nopal::scope s;
  s.fork_into(below, nested, depth - 1, std::ref(went_on));
  if (depth == 3) set(went_on);
  s.join();
  return below + 1;
}

NOPAL_PROGRAM(after_code_without_tables) {
  for (int round = 0; round < 20; ++round) {
    support::before_thieves_are_hungry([](flag& release) {
      thieves = &release;
      flag went_on{false};
      NOPAL_CHECK(nested(3, went_on) == 3);
    });
  }
  return 0;
}

class hidden_latent_forks : public support::program_at_workers {};

TEST_P(hidden_latent_forks, can_be_had_again_after_code_without_tables) {
  EXPECT_TRUE(run("after_code_without_tables"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, hidden_latent_forks, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace
