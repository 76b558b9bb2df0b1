// Lists of CPUs such as "0-3,8".
#include <algorithm>
#include <cstring>
#include <string>

#include "fuzz.hpp"
#include "os/os.hpp"

namespace {

// The list as the system would write it.
std::string print(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[first]);
    if (last > first) text.append("-").append(std::to_string(cpus[last]));
    first = last + 1;
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  std::vector<int> cpus{-7};
  if (!nopal::internal::os::parse_cpu_list(text.c_str(), cpus)) {
    FUZZ_CHECK(cpus.empty());
    return 0;
  }
  FUZZ_CHECK(cpus.capacity() <= 4 * 65536);  // however often a number is repeated
  FUZZ_CHECK(std::is_sorted(cpus.begin(), cpus.end()));
  FUZZ_CHECK(std::adjacent_find(cpus.begin(), cpus.end()) == cpus.end());
  FUZZ_CHECK(cpus.empty() || (cpus.front() >= 0 && cpus.back() < 65536));
  FUZZ_CHECK(std::strspn(text.c_str(), "0123456789-, \t\r\n") == std::strlen(text.c_str()));
  std::vector<int> again;
  FUZZ_CHECK(nopal::internal::os::parse_cpu_list((print(cpus) + "\n").c_str(), again));
  FUZZ_CHECK(again == cpus);
  return 0;
}
