// scheduler/questions.cpp, and what models have to name of it.
#include "scheduler/questions.cpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

const void* explored_listening() noexcept { return &listening; }

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
