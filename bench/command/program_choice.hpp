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

/// Those of them that the public suite has (docs/benchmarks.md). Throws usage_error where others were chosen by name.
[[nodiscard]] std::vector<const bench::program_family*>
only_of_suite(const std::vector<const bench::program_family*>& chosen, bool by_name);

}  // namespace tool

#endif
