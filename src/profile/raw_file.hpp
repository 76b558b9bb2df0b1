// The file that a profiled program leaves: a summary in words, then a line of JSON for the whole, for
// each site and for each interval that the program has named. `nopal profile --read` reads it;
// docs/profile.md has its fields.
#ifndef NOPAL_PROFILE_RAW_FILE_HPP
#define NOPAL_PROFILE_RAW_FILE_HPP

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// Returns 0 or an errno value.
int open_raw_file(const char* path, int workers) noexcept;
void write_raw_file(bool is_complete) noexcept;
/// False in a child of fork(2).
bool is_own_process() noexcept;

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
