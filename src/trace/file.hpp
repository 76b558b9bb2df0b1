// What the writing of records has to know of the file.
#ifndef NOPAL_TRACE_FILE_HPP
#define NOPAL_TRACE_FILE_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace trace {

/// When the file began, in ticks. Written before `is_on`.
extern std::uint64_t first_ticks;

}  // namespace trace
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
