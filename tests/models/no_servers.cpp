// No thread of a model serves what is enqueued.
#include "scheduler/waiters.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void tell_server_of_sleep() noexcept {}
void tell_server_of_wake() noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
