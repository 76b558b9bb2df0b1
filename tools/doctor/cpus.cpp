#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nopal/runtime.hpp>

#include "doctor/checks.hpp"
#include "format.hpp"
#include "os/os.hpp"

namespace tool::doctor {
namespace {

namespace os = nopal::internal::os;

finding affinity_finding(const os::cpu_allowance& allowance) {
  finding found{"affinity mask", std::to_string(allowance.affinity), allowance.affinity, verdict::ok, {}};
  if (allowance.affinity < allowance.online) {
    judge(found, verdict::note, "fewer CPUs than are online: taskset or a cpuset restricts this process");
  }
  return found;
}

finding quota_finding(const os::cpu_allowance& allowance) {
  if (allowance.cgroup_version == 0) {
    finding none = plain_finding("cgroup quota", "none: no control group is visible");
    none.data = nullptr;
    return none;
  }
  const double quota = allowance.cgroup_quota;
  const std::string where = fmt::format("(version {}, {})", allowance.cgroup_version, allowance.cgroup_path);
  finding found{"cgroup quota",
                quota > 0 ? fmt::format("{:.4g} CPUs {}", quota, where) : "none " + where,
                nullptr,
                verdict::ok,
                {}};
  if (quota <= 0) return found;
  found.data = quota;
  if (std::floor(quota) < quota && quota < allowance.affinity) {
    judge(found, verdict::note,
          "workers that all run use the quota up early and then wait; a whole number is better");
  }
  return found;
}

std::string reason(const os::cpu_allowance& allowance) {
  if (std::getenv("NOPAL_WORKERS") != nullptr) return "NOPAL_WORKERS says so";
  if (allowance.allowed < allowance.affinity) return "the cgroup quota, rounded up, is the least";
  if (allowance.affinity < allowance.online) return "the affinity mask allows no more";
  return "every CPU that is online";
}

finding workers_finding(const os::cpu_allowance& allowance) {
  finding found{"workers", "", nullptr, verdict::ok, {}};
  const int workers =
      nopal::workers();  // a senseless variable ends the program here, with a line that says so
  found.value = fmt::format("{}: {}", workers, reason(allowance));
  found.data = workers;
  if (workers > allowance.allowed) {
    judge(found, verdict::note,
          fmt::format("more than the {} that have a CPU; they take turns", allowance.allowed));
  } else if (workers == 1) {
    judge(found, verdict::note, "nothing runs in parallel");
  }
  return found;
}

template <class Number>
std::size_t distinct(const os::topology& machine, Number number) {
  std::set<int> seen;
  for (const os::cpu_place& place : machine.places) seen.insert(number(place));
  seen.erase(-1);
  return seen.size();
}

finding part_finding(const std::string& name, std::size_t count) {
  finding found{name, std::to_string(count), count, verdict::ok, {}};
  if (count == 0) {
    found.value = "not described";
    judge(found, verdict::note, "thieves look for victims without regard to it");
  }
  return found;
}

// How many pairs of CPUs are how far apart: what the choice of victims goes by.
finding distance_finding(const os::topology& machine) {
  static constexpr const char* names[os::distance_levels] = {"same core", "shared L2", "shared L3",
                                                             "same NUMA node", "other NUMA node"};
  std::size_t pairs[os::distance_levels] = {};
  for (std::size_t a = 0; a < machine.places.size(); ++a) {
    for (std::size_t b = a + 1; b < machine.places.size(); ++b) {
      ++pairs[machine.distance(machine.places[a].cpu, machine.places[b].cpu)];
    }
  }
  finding found{"distances", "", nlohmann::ordered_json::object(), verdict::ok, {}};
  for (int level = 0; level < os::distance_levels; ++level) {
    if (pairs[level] == 0) continue;
    if (!found.value.empty()) found.value += ", ";
    found.value += fmt::format("{} {}", format_count(pairs[level], "pair"), names[level]);
    found.data[names[level]] = pairs[level];
  }
  if (found.value.empty()) found.value = "none: one CPU";
  return found;
}

}  // namespace

int worker_count() { return nopal::workers(); }

section check_cpus() {
  return describe_cpus(os::read_cpu_allowance(), os::read_topology(os::current_affinity()));
}

section describe_cpus(const os::cpu_allowance& allowance, const os::topology& machine) {
  return {"CPUs",
          {{"online", std::to_string(allowance.online), allowance.online, verdict::ok, {}},
           affinity_finding(allowance),
           quota_finding(allowance),
           workers_finding(allowance),
           part_finding("cores", distinct(machine, [](const auto& place) { return place.core; })),
           part_finding("L2 caches", distinct(machine, [](const auto& place) { return place.l2; })),
           part_finding("L3 caches", distinct(machine, [](const auto& place) { return place.l3; })),
           part_finding("packages", distinct(machine, [](const auto& place) { return place.package; })),
           part_finding("NUMA nodes", distinct(machine, [](const auto& place) { return place.node; })),
           distance_finding(machine)}};
}

}  // namespace tool::doctor
