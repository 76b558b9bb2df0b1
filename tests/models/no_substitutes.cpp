// Most models have no strands that block.
#include "scheduler/substitutes.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void send_substitute() noexcept {}
bool is_surplus(const worker*) noexcept { return false; }
void rest(worker*, bool) noexcept {}
void wake_substitutes(runtime&) noexcept {}
void join_substitutes(runtime&) noexcept {}
void forget_substitutes(runtime&, void (*)(runtime&, worker*)) noexcept {}
void leave_old_substitutes(runtime&) noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
