// The names of all variables that are read, and those that were meant to be.
#ifndef NOPAL_SCHEDULER_SETTING_NAMES_HPP
#define NOPAL_SCHEDULER_SETTING_NAMES_HPP

#include <array>
#include <string_view>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Of the library, and of that of checked programs.
inline constexpr std::array<std::string_view, 14> setting_names = {
    "NOPAL_WORKERS",     "NOPAL_STACK_SIZE", "NOPAL_RECLAIM", "NOPAL_RECLAIM_WITH",   "NOPAL_PIN",
    "NOPAL_FORKS",       "NOPAL_SIGNAL",     "NOPAL_STATS",   "NOPAL_ON_BAD_SETTING", "NOPAL_STEAL",
    "NOPAL_SUBSTITUTES", "NOPAL_TRACE",      "NOPAL_PROFILE", "NOPAL_CHECK"};

/// The setting that a name becomes if one letter is added, left out or replaced, or two neighbours change places;
/// empty: it is none, or a setting itself. Other names that begin alike are other programs' own.
std::string_view setting_meant_by(std::string_view name) noexcept;

/// One line on stderr for each variable of the environment whose name is nearly a setting's; once in a process.
void tell_of_misspelt_settings() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
