// The programs of the benchmark, by name and variant.
#ifndef NOPAL_BENCH_PROGRAMS_REGISTRY_HPP
#define NOPAL_BENCH_PROGRAMS_REGISTRY_HPP

#include <span>
#include <string>
#include <string_view>

#include "programs/program.hpp"

namespace bench {

/// One program in all its variants; see program.hpp.
struct program_family {
  const program* parallel;
  const program* elided;
  const program* depth;
  const program* record;
  const program* plain;  ///< null where the source offers none

  [[nodiscard]] std::string_view name() const { return parallel->name; }
};

/// All programs, in the order in which tables list them.
[[nodiscard]] std::span<const program_family> all_programs();

/// The program of that name, or null.
[[nodiscard]] const program_family* find_program(std::string_view name);

/// "fib, nqueens, ..." for messages.
[[nodiscard]] std::string program_names();

}  // namespace bench

#endif
