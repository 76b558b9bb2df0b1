// The models have no observers: nobody observes, and no arena is bound.
#include "scheduler/observers.hpp"

#include "scheduler/nodes.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

int observing = 0;
void change_presence(worker*, nopal_arena*) noexcept {}
void leave_away(worker*) noexcept {}
bool is_in_the_way(const worker*, bool) noexcept { return false; }
void be_present_before_call() noexcept {}
void begin_presence_of_call(worker*, nopal_arena*, bool) noexcept {}
void leave_call(worker*) noexcept {}
void end_presences(worker*) noexcept {}
void forget_presences(worker*) noexcept {}
worker* worker_of_observer_call() noexcept { return nullptr; }
bool may_be_adopted() noexcept { return true; }
void lock_observers() noexcept {}
void unlock_observers() noexcept {}
void unbind_arena(nopal_arena*) noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
