// Begin and end of the process.
#ifndef NOPAL_CHECK_START_HPP
#define NOPAL_CHECK_START_HPP

#include <string>
#include <vector>

#include "options.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Makes the tables and begins the first thread. Only the first call does something.
void start() noexcept;

/// Prints the summary, once. The exit status of a program that would end with `status`.
int finish(int status) noexcept;

const std::vector<std::string>& suppression_patterns();
int report_file() noexcept;
bool is_logged() noexcept;
const char* log_name() noexcept;

}  // namespace nopal_check

#endif
