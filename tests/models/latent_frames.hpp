// A strand's stack for the real walk of promotion.cpp: calls, the return addresses that they left, and the scopes of those
// that forked. What arch::look and arch::step_out find in tables elsewhere is known here by numbers.
#ifndef NOPAL_TESTS_EXPLORE_LATENT_FRAMES_HPP
#define NOPAL_TESTS_EXPLORE_LATENT_FRAMES_HPP

#include "models/redirect.hpp"
// The macros come first.
#include "arch/arch.hpp"

namespace explore {

/// How a function was called.
enum class call_kind {
  latent,    ///< by a latent fork
  in_place,  ///< by one that is called in place
  copying,   ///< by one whose child copies its arguments first
  eager,     ///< by an eager fork
  unknown,   ///< by code without tables
};

/// Where the thread is, as an interruption finds it.
enum class spot {
  in_code,         ///< of the youngest function
  before_call,     ///< there, between a latent fork's look and its call
  after_latent,    ///< the child of the youngest call has returned, and the fork was latent
  after_promoted,  ///< the same, and it had been promoted
  in_end,          ///< in the library's end of the youngest call's child
  out_of_strand,   ///< on the scheduler's stack
};

class call_stack {
public:
  static constexpr int most_calls = 8;
  static constexpr std::size_t call_bytes = 64;

  void clear();
  /// `frame`: the scope of a fork; null for other calls.
  void call(call_kind kind, nopal_frame* frame);
  /// The youngest call is over.
  void leave() { --calls_; }
  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] call_kind kind(int call) const { return kinds_[call]; }
  [[nodiscard]] nopal_frame* frame(int call) const { return frames_[call]; }
  /// By the return address of the call.
  [[nodiscard]] bool is_latent(int call) const;
  [[nodiscard]] bool is_promoted(int call) const;
  /// What a promoted return leaves where the return address was: where nopal_end_promoted returns to.
  void end_promoted();

  [[nodiscard]] nopal::internal::arch::registers registers(spot where) const;
  [[nodiscard]] const char* low() const { return memory_; }
  [[nodiscard]] const char* high() const { return memory_ + sizeof memory_; }
  /// Of the next call.
  [[nodiscard]] void* frame_pointer() { return address_of(calls_) + 2; }
  [[nodiscard]] void* return_slot() { return address_of(calls_); }
  /// Where the fork's continuation is, if it is recorded for the call as it should be.
  [[nodiscard]] void* continuation(int call) const;

  // For the walk.
  [[nodiscard]] nopal_frame* scope_at(std::uint64_t stack_pointer) const;
  bool step_out(nopal::internal::arch::registers& at) const;

private:
  [[nodiscard]] std::uint64_t* address_of(int call);
  [[nodiscard]] const std::uint64_t* address_of(int call) const {
    return const_cast<call_stack*>(this)->address_of(call);
  }
  /// The youngest call whose return address lies at or above; negative: there is none.
  [[nodiscard]] int call_above(std::uint64_t stack_pointer) const;

  int calls_ = 0;
  call_kind kinds_[most_calls] = {};
  nopal_frame* frames_[most_calls] = {};
  alignas(64) char memory_[(most_calls + 1) * call_bytes] = {};
};

/// That a walk by the running thread goes through. A model sets it; null: none is known.
extern call_stack* the_call_stack;

}  // namespace explore

#endif
