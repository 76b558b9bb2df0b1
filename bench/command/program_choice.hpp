// The programs that a command line names.
#ifndef NOPAL_TOOLS_BENCH_PROGRAM_CHOICE_HPP
#define NOPAL_TOOLS_BENCH_PROGRAM_CHOICE_HPP

#include <string>
#include <vector>

#include "programs/registry.hpp"

namespace tool {

/// Each of them once, in the order given; all programs without any. Throws usage_error for a name that is none.
[[nodiscard]] std::vector<const bench::program_family*>
choose_programs(const std::vector<std::string>& names);

}  // namespace tool

#endif
