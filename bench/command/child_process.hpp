// Runs this very program again, or another, as a child and collects what it prints.
#ifndef NOPAL_TOOLS_BENCH_CHILD_PROCESS_HPP
#define NOPAL_TOOLS_BENCH_CHILD_PROCESS_HPP

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "interrupt.hpp"

namespace tool {

struct child_limits {
  std::chrono::seconds time;
  std::function<void()> tick;  ///< called a few times a second meanwhile
};

/// Where the running program is.
inline const std::string this_program = "/proc/self/exe";

/// Standard output of `program arguments...`. Throws std::runtime_error saying how the child
/// ended unless it exited with 0 after at most 1 MiB, and `interrupted` when `watch` saw a signal; no child is left behind.
std::string output_of(const std::string& program, const std::vector<std::string>& arguments,
                      const interrupt_watch& watch, const child_limits& limits);

}  // namespace tool

#endif
