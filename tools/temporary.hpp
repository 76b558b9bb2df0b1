// Names for files that go with a command.
#ifndef NOPAL_TOOLS_TEMPORARY_HPP
#define NOPAL_TOOLS_TEMPORARY_HPP

#include <filesystem>
#include <string>

namespace tool {

/// For mkstemp and mkdtemp, which put a unique name in place of its last six letters. From the root: a program that
/// is run may go elsewhere.
inline std::string temporary_template(const std::string& name) {
  return (std::filesystem::absolute(std::filesystem::temp_directory_path()) / name).string() + "-XXXXXX";
}

}  // namespace tool

#endif
