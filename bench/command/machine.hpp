// Where and how numbers were taken, for whoever reads them later.
#ifndef NOPAL_TOOLS_BENCH_MACHINE_HPP
#define NOPAL_TOOLS_BENCH_MACHINE_HPP

#include <nlohmann/json.hpp>

namespace tool {

/// Processor model, cores, memory and kernel.
[[nodiscard]] nlohmann::json describe_machine();

/// Version, compiler and flags of this program.
[[nodiscard]] nlohmann::json describe_build();

}  // namespace tool

#endif
