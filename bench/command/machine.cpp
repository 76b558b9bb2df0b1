#include "machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include <nopal/nopal.hpp>

#include "command_line.hpp"
#include "commit.hpp"

namespace tool {
namespace {

// The value after "name :" in the first such line of /proc/cpuinfo; empty where there is none.
std::string processor_model() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("model name")) continue;
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

}  // namespace

nlohmann::json describe_machine() {
  utsname system{};
  uname(&system);
  return {{"cpu", processor_model()},
          {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
          {"available_workers", available_workers()},
          {"memory_bytes", sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)},
          {"page_bytes", sysconf(_SC_PAGESIZE)},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"architecture", system.machine}};
}

nlohmann::json describe_build() {
  return {{"version", NOPAL_VERSION_STRING},
          {"commit", NOPAL_BUILD_COMMIT},
          {"compiler", NOPAL_BUILD_COMPILER},
          {"build_type", NOPAL_BUILD_TYPE},
          {"flags", NOPAL_BUILD_FLAGS}};
}

}  // namespace tool
