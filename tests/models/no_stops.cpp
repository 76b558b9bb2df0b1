// Models without parts that may be stopped.
#include "models/redirect.hpp"
// The macros come first.
#include "scheduler/stops.hpp"

unsigned char nopal_stops_used = 0;
std::uint32_t nopal_stops_requested = 0;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace stops {

void use() noexcept {}
nopal_stop* part_of_oldest(const worker*) noexcept { return nullptr; }
void begin(worker*, nopal_stop*) noexcept {}
void begin_call(worker*) noexcept {}
void end_call(worker*) noexcept {}
void keep(const nopal_frame*, nopal_stop*) noexcept {}
nopal_stop* take(const nopal_frame*) noexcept { return nullptr; }
bool is_stopped_here(const worker*) noexcept { return false; }
bool throws_at_join(const worker*, const nopal_frame*) noexcept { return false; }
void forget(worker*) noexcept {}
void lock_followers() noexcept {}
void unlock_followers() noexcept {}

}  // namespace stops

extern "C" nopal_stop* nopal_innermost_stop() { return nullptr; }
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
