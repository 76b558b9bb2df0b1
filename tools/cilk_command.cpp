// `nopal cilk` and `nopal cilk++`: the translator is a program of its own, for it needs clang's library, which the others do
// without.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"

int cilk_command(int argc, char** argv) {
  std::error_code refused;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", refused).parent_path();
  const std::string file = (here / "nopal-cilk").string();
  if (access(file.c_str(), X_OK) != 0) {
    throw std::runtime_error("the translator was not built: install libclang-19-dev, or another libclang-dev "
                             "of 16 or newer, and build Nopal again");
  }
  std::vector<char*> arguments(argv, argv + argc);
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw std::runtime_error(fmt::format("'{}' cannot be run: {}", file, std::strerror(errno)));
}
