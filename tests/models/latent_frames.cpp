// arch::look, arch::step_out and their like, for call_stack.

#include "models/latent_frames.hpp"

namespace explore {

call_stack* the_call_stack = nullptr;

namespace {

namespace arch = nopal::internal::arch;

/// A record, and addresses that are its own: nothing lies there.
struct record_and_code {
  arch::fork_record record;
  char code[128];
};
constexpr arch::fork_record usual_record = {.first = 0xff,
                                            .landing = 30,
                                            .continuation = 40,
                                            .promoted_return = 50,
                                            .scope = 60,
                                            .copies = 0,
                                            .called = 70};
constexpr arch::fork_record copying_record = [] {
  arch::fork_record record = usual_record;
  record.copies = 1;
  return record;
}();
const record_and_code records[] = {
    {usual_record, {}}, {usual_record, {}}, {copying_record, {}}};  // by call_kind

/// Of code that is no latent fork's.
const char ordinary_code = 0, eager_return = 0, unknown_code = 0, jump_to_call = 0;

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }
bool is_latent_kind(call_kind kind) { return kind <= call_kind::copying; }
const arch::fork_record& record_of(call_kind kind) { return records[static_cast<int>(kind)].record; }

}  // namespace

std::uint64_t* call_stack::address_of(int call) {
  return reinterpret_cast<std::uint64_t*>(memory_ + sizeof memory_ -
                                          static_cast<std::size_t>(call) * call_bytes - 32);
}

void call_stack::clear() { calls_ = 0; }

void call_stack::call(call_kind kind, nopal_frame* frame) {
  require(calls_ < most_calls, "the model's stack is too small");
  kinds_[calls_] = kind;
  frames_[calls_] = frame;
  *address_of(calls_) = is_latent_kind(kind)         ? record_of(kind).at(record_of(kind).called)
                        : kind == call_kind::unknown ? number(&unknown_code)
                                                     : number(&eager_return);
  ++calls_;
}

bool call_stack::is_latent(int call) const {
  const call_kind kind = kinds_[call];
  return is_latent_kind(kind) && *address_of(call) == record_of(kind).at(record_of(kind).called);
}

bool call_stack::is_promoted(int call) const {
  const call_kind kind = kinds_[call];
  return is_latent_kind(kind) && *address_of(call) == record_of(kind).at(record_of(kind).promoted_return);
}

void call_stack::end_promoted() { *address_of(calls_ - 1) = number(&ordinary_code); }

void* call_stack::continuation(int call) const {
  const call_kind kind = kinds_[call];
  return is_latent_kind(kind) ? reinterpret_cast<void*>(record_of(kind).at(record_of(kind).continuation))
                              : const_cast<char*>(&eager_return);
}

arch::registers call_stack::registers(spot where) const {
  arch::registers at{};
  if (where == spot::out_of_strand) {
    at.ip = number(&ordinary_code);
    return at;
  }
  const int last = calls_ - 1;
  const bool in_child = where == spot::in_code || where == spot::before_call || where == spot::in_end;
  at.sp =
      where == spot::in_end ? number(address_of(last) - 1) : number(address_of(in_child ? calls_ : last) + 1);
  at.rbp = number(address_of(in_child ? calls_ : last) + 2);
  const auto& record = record_of(in_child ? call_kind::latent : kinds_[last]);
  at.ip = where == spot::before_call      ? number(&jump_to_call)
          : where == spot::after_latent   ? record.at(record.called)
          : where == spot::after_promoted ? record.at(record.promoted_return)
                                          : number(&ordinary_code);
  return at;
}

int call_stack::call_above(std::uint64_t stack_pointer) const {
  const std::uint64_t oldest = number(address_of(0));
  return stack_pointer > oldest ? -1 : static_cast<int>((oldest - stack_pointer) / call_bytes);
}

nopal_frame* call_stack::scope_at(std::uint64_t stack_pointer) const {
  return frames_[call_above(stack_pointer - sizeof(void*))];
}

bool call_stack::step_out(arch::registers& at) const {
  const int call = call_above(at.sp);
  if (call < 0) {
    return false;
  }
  require(call < calls_, "a walk reads what is no part of the stack");
  at.ip = *address_of(call);
  at.sp = number(address_of(call) + 1);
  at.rbp = number(address_of(call) + 2);
  at.rbx = static_cast<std::uint64_t>(call);
  return true;
}

}  // namespace explore

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

place look(const registers& at, bool exact, bool) noexcept {
  for (const auto& one : explore::records) {
    const bool in_place = &one == &explore::records[static_cast<int>(explore::call_kind::in_place)];
    if (at.ip == one.record.at(one.record.called)) {
      return !in_place ? place{code::latent_call, &one.record, 1}
             : exact   ? place{code::ordinary, nullptr, 1}
                       : place{code::latent_in_place, &one.record, 1};
    }
    if (at.ip == one.record.at(one.record.promoted_return)) {
      return {code::promoted, &one.record, 1};
    }
  }
  return {at.ip == explore::number(&explore::unknown_code) ? code::unknown : code::ordinary, nullptr, 1};
}

step step_out(registers& at, const place&, bool, bool, std::uint64_t) noexcept {
  return explore::the_call_stack->step_out(at) ? step::done : step::off_stack;
}

bool is_between_look_and_call(const registers& at) noexcept {
  return at.ip == explore::number(&explore::jump_to_call);
}

extern "C" void* nopal_scope_of(std::uint64_t, const registers* at) noexcept {
  return explore::the_call_stack->scope_at(at->sp);
}
extern "C" void nopal_registers_here(registers* here) noexcept {
  *here = explore::the_call_stack->registers(explore::spot::in_code);
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
