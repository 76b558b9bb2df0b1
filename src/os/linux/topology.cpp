// CPU lists, and which caches and memory nodes CPUs share, from sysfs.
#include "os/os.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "os/linux/text_file.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

/// Beyond any kernel's configuration; a larger number is nonsense.
constexpr std::size_t most_numbers = 1 << 16;

bool parse_cpu_number(std::string_view text, int& cpu) {
  long long number = 0;
  if (text.empty() || text.front() == '-' || !parse_number(text, number) ||
      number >= static_cast<long long>(most_numbers))
    return false;
  cpu = static_cast<int>(number);
  return true;
}

bool parse_cpu_range(std::string_view text, std::vector<int>& cpus) {
  int first = 0;
  int last = 0;
  const bool is_range = text.find('-') != std::string_view::npos;
  if (!parse_cpu_number(take_until(text, '-'), first)) return false;
  if (!is_range) {
    last = first;
  } else if (!parse_cpu_number(text, last) || last < first) {
    return false;
  }
  // The system repeats no number; a text that does could name any number of them in few characters.
  if (cpus.size() + static_cast<std::size_t>(last - first) >= most_numbers) return false;
  for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  return true;
}

std::vector<int> read_cpu_list(const std::string& path) {
  std::string text;
  std::vector<int> cpus;
  if (read_text_file(path, text)) (void)parse_cpu_list(text.c_str(), cpus);
  return cpus;
}

// What names a shared part: the lowest of the CPUs that share it.
int lowest_of_list(const std::string& path) {
  const std::vector<int> cpus = read_cpu_list(path);
  return cpus.empty() ? -1 : cpus.front();
}

// Caches for instructions alone do not count: no data travels through them.
void read_caches(const std::string& cpu_directory, cpu_place& place) {
  for (int index = 0;; ++index) {
    const std::string cache = cpu_directory + "/cache/index" + std::to_string(index);
    long long level = 0;
    if (!read_number_file(cache + "/level", level)) return;
    std::string type;
    if (read_text_file(cache + "/type", type) && trim_end(type) == "Instruction") continue;
    const int shared_by = lowest_of_list(cache + "/shared_cpu_list");
    if (level == 1 && place.core == -1) place.core = shared_by;
    if (level == 2) place.l2 = shared_by;
    if (level == 3) place.l3 = shared_by;
  }
}

cpu_place read_place(const std::string& cpu_directory, int cpu) {
  cpu_place place;
  place.cpu = cpu;
  place.core = lowest_of_list(cpu_directory + "/topology/thread_siblings_list");
  long long package = -1;
  if (read_number_file(cpu_directory + "/topology/physical_package_id", package) && package >= 0 &&
      package <= std::numeric_limits<int>::max()) {
    place.package = static_cast<int>(package);
  }
  read_caches(cpu_directory, place);
  return place;
}

// `Places` is a vector of places, const or not.
template <class Places>
auto find_place(Places& places, int cpu) -> decltype(places.data()) {
  const auto found = std::lower_bound(places.begin(), places.end(), cpu,
                                      [](const cpu_place& place, int number) { return place.cpu < number; });
  return found != places.end() && found->cpu == cpu ? &*found : nullptr;
}

void read_nodes(const std::string& prefix, std::vector<cpu_place>& places) {
  const std::string nodes = prefix + "/sys/devices/system/node";
  std::string text;
  std::vector<int> numbers;  // node numbers may have gaps; the list is written like one of CPUs
  if (!read_text_file(nodes + "/online", text) || !parse_cpu_list(text.c_str(), numbers)) return;
  for (const int node : numbers) {
    for (const int cpu : read_cpu_list(nodes + "/node" + std::to_string(node) + "/cpulist")) {
      if (cpu_place* const place = find_place(places, cpu)) place->node = node;
    }
  }
}

/// Numbers the nodes of these CPUs without gaps, and returns how many there are: one at least.
int index_nodes(std::vector<cpu_place>& places) {
  std::vector<int> numbers;
  for (const cpu_place& place : places) {
    if (place.node >= 0) numbers.push_back(place.node);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (cpu_place& place : places) {
    if (place.node < 0) continue;
    place.node_index =
        static_cast<int>(std::lower_bound(numbers.begin(), numbers.end(), place.node) - numbers.begin());
  }
  return numbers.empty() ? 1 : static_cast<int>(numbers.size());
}

bool same_known(int a, int b) { return a == b && a != -1; }

}  // namespace

bool parse_cpu_list(const char* text, std::vector<int>& cpus) {
  cpus.clear();
  std::string_view rest = trim_end(text);
  if (rest.empty()) return true;
  if (rest.back() == ',') return false;
  while (!rest.empty()) {
    if (!parse_cpu_range(take_until(rest, ','), cpus)) {
      cpus.clear();
      return false;
    }
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return true;
}

int topology::distance(int a, int b) const noexcept {
  const cpu_place* const x = find_place(places, a);
  const cpu_place* const y = find_place(places, b);
  if (x == nullptr || y == nullptr) return distance_other_node;
  if (a == b || same_known(x->core, y->core)) return distance_same_core;
  if (same_known(x->l2, y->l2)) return distance_shared_l2;
  const bool l3_known = x->l3 != -1 && y->l3 != -1;
  if (l3_known ? x->l3 == y->l3 : same_known(x->package, y->package)) return distance_shared_l3;
  const bool node_known = x->node != -1 && y->node != -1;
  if (node_known ? x->node == y->node : x->package == y->package) return distance_same_node;
  return distance_other_node;
}

int topology::node_index(int cpu) const noexcept {
  const cpu_place* const place = find_place(places, cpu);
  return place == nullptr ? 0 : place->node_index;
}

topology read_topology(const std::vector<int>& cpus, const char* root) {
  const std::string prefix(root);
  std::vector<int> ordered(cpus);
  std::sort(ordered.begin(), ordered.end());
  ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
  topology machine;
  machine.places.reserve(ordered.size());
  for (const int cpu : ordered) {
    machine.places.push_back(read_place(prefix + "/sys/devices/system/cpu/cpu" + std::to_string(cpu), cpu));
  }
  read_nodes(prefix, machine.places);
  machine.nodes = index_nodes(machine.places);
  return machine;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
