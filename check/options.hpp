// What NOPAL_CHECK says: `name=value` pairs, separated by commas or colons.
#ifndef NOPAL_CHECK_OPTIONS_HPP
#define NOPAL_CHECK_OPTIONS_HPP

#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("hidden")]] nopal_check {

struct options {
  std::string log;           ///< the file for reports; empty: standard error
  std::string suppressions;  ///< the file that names races not to report; empty: none
  int exit_code = 66;        ///< of a program that races were found in
};

/// Reads the variable; ends the process with a line where that is not understood.
options read_options(const char* text);

/// The patterns of a file of suppressions. Ends the process where it cannot be read.
std::vector<std::string> read_suppressions(const std::string& file);

/// Whether a text has the pattern; a `*` in that stands for any text.
bool has_pattern(std::string_view text, std::string_view pattern) noexcept;

}  // namespace nopal_check

#endif
