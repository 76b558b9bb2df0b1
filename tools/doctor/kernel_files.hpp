// What `nopal doctor` reads from the files of /proc and /sys. `root` stands before their names, for tests.
#ifndef TOOLS_DOCTOR_KERNEL_FILES_HPP
#define TOOLS_DOCTOR_KERNEL_FILES_HPP

#include <string>

#include "doctor/finding.hpp"

namespace tool::doctor {

[[nodiscard]] finding mapping_count_finding(int workers, const std::string& root = "");
[[nodiscard]] finding overcommit_finding(const std::string& root = "");
[[nodiscard]] finding pids_finding(const std::string& root = "");
[[nodiscard]] finding shadow_stack_finding(const std::string& root = "");
[[nodiscard]] finding perf_finding(const std::string& root = "");
[[nodiscard]] finding ptrace_finding(const std::string& root = "");

/// The mode in force of transparent huge pages; empty if the kernel has none.
[[nodiscard]] std::string huge_page_mode(const std::string& root = "");

}  // namespace tool::doctor

#endif
