// Names for files that go with a command.
#ifndef NOPAL_TOOLS_TEMPORARY_HPP
#define NOPAL_TOOLS_TEMPORARY_HPP

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "command_line.hpp"

namespace tool {

/// For mkstemp and mkdtemp, which put a unique name in place of its last six letters. From the root: a program that
/// is run may go elsewhere.
inline std::string temporary_template(const std::string& name) {
  std::error_code refused;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(refused);
  if (refused) {
    const char* const named = std::getenv("TMPDIR");
    throw usage_error(fmt::format("TMPDIR: '{}' is no folder", named != nullptr ? named : "/tmp"));
  }
  constexpr std::size_t letters = 6;
  return (std::filesystem::absolute(folder) / name).string() + '-' + std::string(letters, 'X');
}

}  // namespace tool

#endif
