// No walks yet: see unwinding.hpp. Nothing here is called, as no code says that it has latent forks.

#include "arch/arch.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

void find_tables_by(table_finder /*find*/) noexcept {}

void prepare_kept_steps() noexcept {}

place look(const registers& /*at*/, bool /*exact*/, bool /*looks_up*/) noexcept {
  return {code::unknown, nullptr, 0};
}

step step_out(registers& /*at*/, const place& /*here*/, bool /*exact*/, bool /*looks_up*/,
              std::uint64_t /*end*/) noexcept {
  return step::unknown;
}

bool is_between_look_and_call(const registers& /*at*/) noexcept { return false; }

bool is_behind_call_in_place(std::uint64_t /*address*/) noexcept { return false; }

extern "C" void* nopal_scope_of(std::uint64_t /*routine*/, const registers* /*at*/) noexcept {
  return nullptr;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
