#include "trace/page.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "trace/perfetto.hpp"
#include "trace/summary.hpp"
#include "trace/symbols.hpp"

// See page/assets.S.
extern "C" {
extern const char nopal_trace_html[], nopal_trace_html_end[];
extern const char nopal_trace_css[], nopal_trace_css_end[];
extern const char nopal_trace_lanes[], nopal_trace_lanes_end[];
extern const char nopal_trace_script[], nopal_trace_script_end[];
}

namespace tool::tracing {
namespace {

using nlohmann::json;

constexpr std::size_t most_slices = 200'000;
constexpr std::size_t most_arcs = 20'000;
constexpr std::size_t intervals = 400;

std::string text(const char* first, const char* last) {
  return {first, static_cast<std::size_t>(last - first)};
}

// Within a script element nothing may look like its end.
std::string for_script(std::string code) {
  for (std::size_t at = 0; (at = code.find("</", at)) != std::string::npos; at += 3)
    code.insert(at + 1, 1, '\\');
  return code;
}

double ms(std::uint64_t ns) {
  const std::uint64_t tens = ns / 10;  // no more digits than that
  return static_cast<double>(tens) / 1e5;
}

/// Names by number, so that each stands once in the page.
class name_list {
public:
  std::size_t number(const std::string& name) {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at != names_.end()) return static_cast<std::size_t>(at - names_.begin());
    names_.push_back(name);
    return names_.size() - 1;
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
  std::vector<std::string> names_;
};

/// How many workers were in strands, looked for work and slept, on average in each interval.
json utilization(const timeline& process) {
  std::vector<double> ns[3];
  for (auto& each : ns) each.assign(intervals, 0);
  const double width = std::max(1.0, static_cast<double>(process.ended_ns - process.began_ns) /
                                         static_cast<double>(intervals));
  const auto spread = [&](const slice& one, std::vector<double>& to, double sign) {
    double from = static_cast<double>(one.begin_ns - process.began_ns) / width;
    const double end = static_cast<double>(one.end_ns - process.began_ns) / width;
    while (from < end && from < static_cast<double>(intervals)) {
      const auto at = static_cast<std::size_t>(from);
      const double next = std::min(end, static_cast<double>(at + 1));
      to[at] += sign * (next - from);
      from = next;
    }
  };
  for (const lane& one : process.lanes) {
    for (const slice& each : one.slices) {
      spread(each, ns[static_cast<int>(each.kind)], 1);
      if (each.kind == slice_kind::sleep) spread(each, ns[static_cast<int>(slice_kind::search)], -1);
    }
  }
  json result = json::array();
  for (auto& each : ns) {
    for (double& value : each)
      value = std::max(0.0, static_cast<double>(static_cast<long>(value * 1000)) / 1000);
    result.push_back(each);
  }
  return result;
}

/// Slices shorter than this many ns are drawn as part of the one before, where there are too many.
std::uint64_t shortest_drawn(const timeline& process) {
  std::size_t slices = 0;
  for (const lane& one : process.lanes) slices += one.slices.size();
  return slices <= most_slices ? 0
                               : (process.ended_ns - process.began_ns) * process.lanes.size() / most_slices;
}

json slices_of(const lane& one, const timeline& process, const symbols& functions, std::uint64_t shortest,
               name_list& names) {
  json result = json::array();
  std::uint64_t drawn_to = 0;
  for (const slice& each : one.slices) {
    if (each.end_ns - each.begin_ns < shortest && each.end_ns - drawn_to < shortest) continue;
    drawn_to = each.end_ns;
    result.push_back({ms(each.begin_ns - process.began_ns), ms(each.end_ns - process.began_ns),
                      static_cast<int>(each.kind),
                      names.number(name_of(each, functions.name_of(each.code)))});
  }
  return result;
}

/// Each steal: when, from which lane, to which.
json arcs_of(const timeline& process) {
  std::vector<json> all;
  for (std::size_t thief = 0; thief < process.lanes.size(); ++thief) {
    for (const slice& each : process.lanes[thief].slices) {
      if (each.how == beginning::stolen && each.victim >= 0) {
        all.push_back({ms(each.begin_ns - process.began_ns), each.victim, thief});
      }
    }
  }
  json result = json::array();
  const std::size_t step = all.size() / most_arcs + 1;
  for (std::size_t i = 0; i < all.size(); i += step) result.push_back(std::move(all[i]));
  return result;
}

json totals_of(const totals& sum) {
  return {{"strand", ms(sum.strand_ns)}, {"search", ms(sum.search_ns)}, {"sleep", ms(sum.sleep_ns)},
          {"life", ms(sum.life_ns())},   {"steals", sum.steals},        {"suspensions", sum.suspensions},
          {"sleeps", sum.sleeps},        {"promoted", sum.promoted},    {"questions", sum.questions},
          {"pages", sum.pages},          {"forks", sum.forks}};
}

/// The functions whose forks were noted, and how many of each: the most first.
json forks_of(const timeline& process, const symbols& functions) {
  std::map<std::string, std::uint64_t> counts;
  for (const lane& one : process.lanes) {
    for (const moment& each : one.moments) {
      if (each.kind == moment_kind::forks) ++counts[functions.name_of(each.about)];
    }
  }
  std::vector<std::pair<std::string, std::uint64_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  json result = json::array();
  for (const auto& [name, count] : order) result.push_back({name, count});
  return result;
}

json process_of(const timeline& process) {
  const symbols functions(process.program, process.program_headers);
  const std::uint64_t shortest = shortest_drawn(process);
  name_list names;
  json lanes = json::array();
  for (const lane& one : process.lanes) {
    lanes.push_back({{"name", one.name},
                     {"slices", slices_of(one, process, functions, shortest, names)},
                     {"lost", one.lost},
                     {"totals", totals_of(one.sum)}});
  }
  return {{"program", process.program},
          {"number", process.process},
          {"ms", ms(process.ended_ns - process.began_ns)},
          {"summary", summary_line(process)},
          {"advice", advice_for(process)},
          {"gaps", gaps_of(process)},
          {"shortest", ms(shortest)},
          {"names", names.names()},
          {"utilization", utilization(process)},
          {"lanes", lanes},
          {"arcs", arcs_of(process)},
          {"forks", forks_of(process, functions)},
          {"totals", totals_of(process.sum)}};
}

}  // namespace

std::string page_of(const std::vector<timeline>& processes) {
  json all = json::array();
  for (const timeline& each : processes) all.push_back(process_of(each));
  const std::string data = for_script(all.dump(-1, ' ', false, json::error_handler_t::replace));
  const std::string whole = text(nopal_trace_html, nopal_trace_html_end);
  std::string_view rest = whole;
  std::string page;
  // Each mark stands once, in this order.
  const auto up_to = [&](std::string_view mark, std::string_view put) {
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(put);
    rest.remove_prefix(at + mark.size());
  };
  up_to("@STYLE@", text(nopal_trace_css, nopal_trace_css_end));
  up_to("@TRACE@", data);
  up_to("@LANES@", text(nopal_trace_lanes, nopal_trace_lanes_end));
  up_to("@SCRIPT@", text(nopal_trace_script, nopal_trace_script_end));
  return page.append(rest);
}

}  // namespace tool::tracing
