// scheduler/tasks.cpp: whoever finds a list's lock taken goes on once somebody else has moved.
#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {
namespace {
void explored_yield() { ::explore::yield(); }
}  // namespace
}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
#define yield explored_yield
#include "scheduler/tasks.cpp"
