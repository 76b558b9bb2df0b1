// A profile in words, as a table of comma-separated values, as JSON, and as a page.
#ifndef NOPAL_TOOLS_PROFILE_REPORT_HPP
#define NOPAL_TOOLS_PROFILE_REPORT_HPP

#include <string>

#include "profile_data.hpp"

namespace tool::profile {

/// `fork_ns`: what a fork and its join take here.
[[nodiscard]] std::string words(const data& all, double fork_ns);
/// What to do next, in one line.
[[nodiscard]] std::string advice(const data& all, double fork_ns);
/// The columns of Cilkscale, in seconds: an interval a line, and last the whole, which has no tag.
[[nodiscard]] std::string csv(const data& all);
[[nodiscard]] std::string json(const data& all, double fork_ns);
[[nodiscard]] std::string page(const data& all, double fork_ns);

}  // namespace tool::profile

#endif
