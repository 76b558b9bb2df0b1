// The page: plain HTML with drawings in it, and nothing that it loads.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "format.hpp"
#include "profile_report.hpp"

namespace tool::profile {

namespace {

constexpr double width = 640;
constexpr double height = 400;
constexpr double margin = 48;
constexpr double most_workers = 256;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  }
  return result;
}

/// At most so many bytes, and no half of a character.
std::string beginning(const std::string& text, std::size_t bytes) {
  const auto goes_on = [&text](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  if (bytes >= text.size()) return text;
  while (bytes > 0 && goes_on(bytes)) --bytes;
  return text.substr(0, bytes);
}

/// Both axes count doublings.
double across(double workers) {
  return margin + (width - 2 * margin) * std::log2(workers) / std::log2(most_workers);
}
double up(double speedup) {
  return height - margin -
         (height - 2 * margin) * std::log2(std::max(1.0, speedup)) / std::log2(most_workers);
}

template <class Speedup>
std::string line_of(const char* kind, Speedup speedup) {
  std::string points;
  const int halves = static_cast<int>(2 * std::log2(most_workers));
  for (int i = 0; i <= halves; ++i) {
    const double workers = std::exp2(i / 2.0);
    points += fmt::format("{:.1f},{:.1f} ", across(workers), up(speedup(workers)));
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", kind, points);
}

std::string plot(const data& all) {
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Speedup by workers\">\n", width, height);
  for (double at = 1; at <= most_workers; at *= 4) {
    svg += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
                       "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.0f}</text>\n",
                       across(at), margin, height - margin, height - margin + 18, at);
    svg += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
                       "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.0f}</text>\n",
                       margin, width - margin, up(at), margin - 8, up(at) + 4, at);
  }
  const work_and_span& of = all.regions;
  svg += line_of("perfect", [](double workers) { return workers; });
  svg +=
      line_of("most", [&of](double workers) { return std::min(workers, std::max(1.0, of.parallelism())); });
  svg += line_of("least", [&of](double workers) {
    const double time = of.work / workers + of.burdened_span;
    return time > 0 ? std::min(of.work / time, workers) : 1;
  });
  if (all.region_wall > 0 && all.workers >= 1) {
    svg += fmt::format("<circle class=\"seen\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n",
                       across(std::min<double>(all.workers, most_workers)), up(of.work / all.region_wall));
  }
  svg +=
      fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">workers</text>\n", width / 2, height - 8);
  return svg + "</svg>\n<p class=\"key\"><span class=\"perfect\">perfect</span> <span class=\"most\">at "
               "most, by work "
               "and span</span> <span class=\"least\">at least about, with the burden of steals</span> <span "
               "class=\"seen\">this run</span></p>\n";
}

/// A part of the critical path with what lies in it.
struct flame {
  int site = 0;
  double ns = 0;  ///< with all in it
  std::vector<flame> in_it;
};

void add(flame& to, const std::vector<int>& sites, std::size_t at, double ns) {
  to.ns += ns;
  if (at == sites.size()) return;
  auto found =
      std::find_if(to.in_it.begin(), to.in_it.end(), [&](const flame& one) { return one.site == sites[at]; });
  if (found == to.in_it.end()) {
    to.in_it.push_back({sites[at], 0, {}});
    found = to.in_it.end() - 1;
  }
  add(*found, sites, at + 1, ns);
}

flame flames_of(const data& all) {
  flame root;
  for (const path_part& each : all.path) add(root, each.sites, 0, each.ns);
  if (!all.path.empty()) return root;
  // A file of before the library wrote which site lies in which.
  for (const site& each : all.sites) add(root, {each.number}, 0, each.path);
  return root;
}

/// Draws what lies in a part below it, the longest first, and counts the rows.
class flame_graph {
public:
  explicit flame_graph(const data& of) : all_(of) {}

  std::string svg() {
    flame root = flames_of(all_);
    if (root.ns <= 0) return "";
    draw(root, 0, width, 1);
    return fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"The critical path by sites\">\n"
        "<rect class=\"root\" width=\"{0}\" height=\"{2}\"/><text x=\"6\" y=\"{3}\">critical path, "
        "{4}</text>\n{5}</svg>\n",
        width, static_cast<double>(rows_) * row, row - 2, row / 2 + 4,
        escaped(format_seconds(all_.regions.span / 1e9)), drawn_);
  }

private:
  static constexpr double row = 28;
  static constexpr double least = 0.5;  ///< narrower parts are left out

  void draw(flame& around, double from, double wide, std::size_t depth) {
    rows_ = std::max(rows_, depth);
    std::sort(around.in_it.begin(), around.in_it.end(),
              [](const flame& a, const flame& b) { return a.ns > b.ns; });
    for (flame& each : around.in_it) {
      const double part = each.ns / around.ns * wide;
      if (!(part >= least)) continue;
      bar(each, from, part, depth);
      draw(each, from, part, depth + 1);
      from += part;
    }
  }

  void bar(const flame& one, double from, double part, std::size_t depth) {
    const double top = static_cast<double>(depth) * row;
    rows_ = std::max(rows_, depth + 1);
    const std::string label = all_.label_of(one.site);
    const auto room = static_cast<std::size_t>(part / 7);
    drawn_ += fmt::format(
        "<g><title>{0}: {1}</title><rect class=\"part{2}\" x=\"{3:.1f}\" y=\"{4}\" width=\"{5:.1f}\" "
        "height=\"{6}\"/><text x=\"{7:.1f}\" y=\"{8}\">{9}</text></g>\n",
        escaped(label), escaped(format_seconds(one.ns / 1e9)), one.site % 4, from, top, part, row - 2,
        from + 4, top + row / 2 + 4, escaped(room < 4 ? "" : beginning(label, room)));
  }

  const data& all_;
  std::string drawn_;
  std::size_t rows_ = 1;
};

constexpr const char* style = R"(<style>
:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; font-size: 13px; }
svg { width: 100%; max-width: 44rem; display: block; }
svg text { font-size: 12px; fill: currentColor; }
.grid { stroke: var(--line); }
polyline { fill: none; stroke-width: 2; }
polyline.perfect { stroke: #888; stroke-dasharray: 4 4; }
polyline.most { stroke: #2a7de1; }
polyline.least { stroke: #d9822b; }
circle.seen { fill: #2e9e5b; }
.key span { padding-right: 1rem; border-bottom: 3px solid; margin-right: 1rem; }
.key .perfect { border-color: #888; } .key .most { border-color: #2a7de1; }
.key .least { border-color: #d9822b; } .key .seen { border-color: #2e9e5b; }
.root { fill: #8885; }
.part0 { fill: #2a7de188; } .part1 { fill: #d9822b88; } .part2 { fill: #2e9e5b88; } .part3 { fill: #a05ac888; }
</style>)";

}  // namespace

std::string page(const data& all, double fork_ns) {
  const std::string name = all.program.substr(all.program.rfind('/') + 1);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>Work and span of "
      "{0}</title>\n{1}</head>\n"
      "<body><h1>Work and span of {0}</h1>\n<p>{2}</p>\n<h2>Speedup</h2>\n{3}<h2>The critical path</h2>\n{4}"
      "<h2>All numbers</h2>\n<pre>{5}</pre>\n</body></html>",
      escaped(name), style, escaped(advice(all, fork_ns)), plot(all), flame_graph(all).svg(),
      escaped(words(all, fork_ns)));
}

}  // namespace tool::profile
