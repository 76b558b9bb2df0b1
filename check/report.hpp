// The text of reports, and where it goes.
#ifndef NOPAL_CHECK_REPORT_HPP
#define NOPAL_CHECK_REPORT_HPP

#include <string>
#include <string_view>
#include <vector>

#include "races.hpp"
#include "symbols.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// One pair of instructions may be reached by several pairs of places, as those of a header are: so
/// many stacks of it are looked at.
inline constexpr std::uint32_t most_stacks_of_a_pair = 1024;

std::string text_of_race(const race& one, const std::vector<source_frame>& earlier,
                         const std::vector<source_frame>& now, const std::vector<source_frame>& fork);

/// To the log, or standard error.
void write_report(std::string_view text) noexcept;

}  // namespace nopal_check

#endif
