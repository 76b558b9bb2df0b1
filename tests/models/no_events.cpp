// The models have no strands that wait for events.
#include "scheduler/ready.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void make_ready(ready_strand&) noexcept {}
void take_ready(worker*) noexcept {}
bool has_ready(const worker*) noexcept { return false; }
bool any_ready() noexcept { return false; }
void lock_ready() noexcept {}
void unlock_ready() noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
