// Which caches, packages and memory nodes CPUs share, from the files of sysfs.
#include <string>

#include "fake_files.hpp"
#include "fuzz.hpp"
#include "os/os.hpp"

namespace {

namespace os = nopal::internal::os;

constexpr int cpu_count = 3;

std::vector<std::string> names() {
  std::vector<std::string> all = {"/sys/devices/system/node/online", "/sys/devices/system/node/node0/cpulist",
                                  "/sys/devices/system/node/node1/cpulist"};
  for (int cpu = 0; cpu < cpu_count; ++cpu) {
    const std::string directory = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    for (const char* name : {"/topology/thread_siblings_list", "/topology/physical_package_id",
                             "/cache/index0/level", "/cache/index0/type", "/cache/index0/shared_cpu_list",
                             "/cache/index1/level", "/cache/index1/type", "/cache/index1/shared_cpu_list"}) {
      all.push_back(directory + name);
    }
  }
  return all;
}

void check_place(const os::cpu_place& place, int cpu) {
  FUZZ_CHECK(place.cpu == cpu);
  for (const int part : {place.core, place.l2, place.l3, place.node}) FUZZ_CHECK(part >= -1 && part < 65536);
  FUZZ_CHECK(place.package >= -1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::fake_files files(names());
  files.set(fuzz::text_of(data, size));
  const os::topology machine = os::read_topology({2, 0, 1, 0}, files.path());
  FUZZ_CHECK(machine.places.size() == cpu_count);
  for (int a = 0; a < cpu_count; ++a) {
    check_place(machine.places[static_cast<std::size_t>(a)], a);
    FUZZ_CHECK(machine.distance(a, a) == os::distance_same_core);
    FUZZ_CHECK(machine.distance(a, cpu_count) == os::distance_other_node);
    for (int b = 0; b < cpu_count; ++b) {
      const int distance = machine.distance(a, b);
      FUZZ_CHECK(distance >= 0 && distance < os::distance_levels);
      FUZZ_CHECK(distance == machine.distance(b, a));
    }
  }
  return 0;
}
