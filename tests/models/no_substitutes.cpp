// The models have no strands that block, and none that wait for events.
#include "scheduler/ready.hpp"
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

void make_ready(ready_strand&) noexcept {}
void take_ready(worker*) noexcept {}
bool has_ready(const worker*) noexcept { return false; }
bool any_ready() noexcept { return false; }
void lock_ready() noexcept {}
void unlock_ready() noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
