// Options of the subcommands: CLI11 reads them; what is wrong becomes one line that also says what is accepted.
#ifndef NOPAL_TOOLS_COMMAND_LINE_HPP
#define NOPAL_TOOLS_COMMAND_LINE_HPP

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace tool {

/// The text as one line: a blank stands for a newline, "?" for another control character.
[[nodiscard]] std::string one_line(std::string text);

/// The user asked for something that is not there. The message is one line.
class usage_error : public std::runtime_error {
public:
  explicit usage_error(const std::string& message) : std::runtime_error(one_line(message)) {}
};

inline constexpr std::int64_t largest_worker_count = 1024;

struct whole_number_range {
  std::int64_t least;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// Adds an option that takes a whole number in `range`.
CLI::Option* add_whole_number(CLI::App& app, const std::string& name, std::int64_t& target,
                              whole_number_range range, const std::string& description);

/// Adds an option that takes a number of bytes such as 4096, 64K, 64MiB or 1G (powers of 1024).
CLI::Option* add_byte_count(CLI::App& app, const std::string& name, std::int64_t& target,
                            const std::string& description);

/// Reads a list of worker counts such as "1,2,4". Throws usage_error.
[[nodiscard]] std::vector<int> parse_worker_list(std::string_view list);

/// What `nopal::workers()` says, a bad environment variable becoming a usage_error.
[[nodiscard]] int available_workers();

/// Reads the command line. False when it asked for help, which has then been printed.
[[nodiscard]] bool parse(CLI::App& app, int argc, char** argv);

}  // namespace tool

#endif
