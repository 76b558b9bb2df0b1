// Finds and reads text files.
#ifndef NOPAL_TOOLS_DEMO_GATHER_HPP
#define NOPAL_TOOLS_DEMO_GATHER_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

struct gather_limits {
  std::uint64_t bytes;
  std::uint64_t files;
};

struct gathered_texts {
  std::vector<std::string> texts;
  std::uint64_t bytes = 0;
  std::uint64_t unreadable = 0;  ///< files and directories that could not be read
  std::uint64_t not_text = 0;    ///< files that hold something else
  bool limit_reached = false;    ///< more might have been there
};

/// Reads the text files under a directory, in the order of their names, or the one file named.
/// Symbolic links met on the way are not followed. Throws tool::usage_error when `path` itself is
/// missing, unreadable, or neither.
[[nodiscard]] gathered_texts gather(const std::filesystem::path& path, const gather_limits& limits);

/// Whether the beginning of a file looks like text: no NUL, and UTF-8 or mostly printable Latin-1.
[[nodiscard]] bool looks_like_text(std::string_view beginning);

/// The lines of all texts, without their newlines. The last need not have one.
[[nodiscard]] std::vector<std::string_view> split_lines(const std::vector<std::string>& texts);

}  // namespace demo

#endif
