// Each eager fork's record beside what a walk would have made of it, where there are walks.
#ifndef NOPAL_TESTS_PROGRAMS_RECORDS_HPP
#define NOPAL_TESTS_PROGRAMS_RECORDS_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <nopal/detail/frame.h>

#include "arch/arch.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

#if defined(__x86_64__)
inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Registers of the function that forks, as the walk has them, and as the fork recorded them.
inline void compare_records(const arch::registers& walked, const nopal_frame& frame) {
  const std::uint64_t found[] = {walked.rbx, walked.r12, walked.r13, walked.r14,
                                 walked.r15, walked.rbp, walked.ip};
  const void* const kept[] = {frame.callee_saved[0], frame.callee_saved[1], frame.callee_saved[2],
                              frame.callee_saved[3], frame.callee_saved[4], frame.frame_pointer,
                              frame.resume_address};
  const char* const names[] = {"rbx", "r12", "r13", "r14", "r15", "rbp", "rip"};
  for (int i = 0; i < 7; ++i) {
    if (found[i] != address_of(kept[i])) {
      std::fprintf(stderr, "a walk finds %#lx in %s where the fork recorded %p\n", found[i], names[i],
                   kept[i]);
      std::abort();
    }
  }
}

/// Walks from the slow push to the function that forks. What is between them are the fork's own functions.
inline void check_record(const arch::registers* pushed, const nopal_frame& frame) {
  if (pushed == nullptr) {
    return;
  }
  const std::uint64_t caller = address_of(frame.call_stack_pointer) + sizeof(void*);
  arch::registers at = *pushed;
  for (int frames = 0; frames < 8 && at.sp < caller; ++frames) {
    const arch::place here = arch::look(at, false, true);
    if (arch::step_out(at, here, false, true, caller) != arch::step::done) {
      return;  // C without tables
    }
    if (at.sp == caller) {
      compare_records(at, frame);
    }
  }
}
#else
inline void check_record(const arch::registers*, const nopal_frame&) {}
#endif

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
