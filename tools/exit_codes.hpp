// What the exit codes of `nopal` mean. An interrupted command exits with 128 plus the signal's number.
#ifndef NOPAL_TOOLS_EXIT_CODES_HPP
#define NOPAL_TOOLS_EXIT_CODES_HPP

namespace tool {

inline constexpr int exit_success = 0;
inline constexpr int exit_failed_check = 1;
inline constexpr int exit_bad_usage = 2;

}  // namespace tool

#endif
