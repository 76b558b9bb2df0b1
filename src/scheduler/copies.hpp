// Several copies of the library in one process.
#ifndef NOPAL_SCHEDULER_COPIES_HPP
#define NOPAL_SCHEDULER_COPIES_HPP

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Whether the names of this copy are bound to another's: then nobody calls this one, but for what
/// the loader does.
[[nodiscard]] bool is_stand_in() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
