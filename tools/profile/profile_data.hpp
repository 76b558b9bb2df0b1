// A profile as the library leaves it, and what follows from it.
#ifndef NOPAL_TOOLS_PROFILE_DATA_HPP
#define NOPAL_TOOLS_PROFILE_DATA_HPP

#include <string>
#include <string_view>
#include <vector>

namespace tool::profile {

/// In ns.
struct work_and_span {
  double work = 0;
  double span = 0;
  double burdened_span = 0;

  [[nodiscard]] double parallelism() const { return span > 0 ? work / span : 0; }
  [[nodiscard]] double burdened_parallelism() const { return burdened_span > 0 ? work / burdened_span : 0; }
};

struct site {
  int number = 0;
  std::string object;
  unsigned long long offset = 0;
  std::string symbol;
  std::string function;  ///< by the debug information, else the symbol, else object and offset
  std::string file;      ///< empty: not known
  int line = 0;
  double forks = 0;
  double unobserved = 0;  ///< forks whose child was not looked into
  double work = 0;        ///< ns of children, as all that follow
  double own_work = 0;
  double all_work = 0;
  double path = 0;  ///< on the critical path
  double sampled_forks = 0;
  double sampled_work = 0;

  [[nodiscard]] double mean_grain() const { return forks > 0 ? all_work / forks : 0; }
  /// From one fork to the next; 0: not known.
  [[nodiscard]] double between_forks() const;
  /// "tree (tree.cpp:12)"
  [[nodiscard]] std::string label() const;
};

/// Of the critical path what lies in children of one site, within children of others.
struct path_part {
  std::vector<int> sites;  ///< numbers, the outermost first
  double ns = 0;
};

struct interval {
  std::string name;
  double count = 0;
  work_and_span lengths;
};

struct data {
  std::string program;
  int workers = 0;
  bool complete = true;
  work_and_span regions;
  double outside = 0;
  double seen_work = 0;  ///< with that of regions that were not over
  double wall = 0;
  double region_count = 0;
  double region_wall = 0;
  double forks = 0;
  double unobserved = 0;
  double preempted = 0;
  double turned_out_long = 0;
  double roots = 0;
  double burden = 0, steal = 0, wake = 0, cold_stack = 0;
  double record = 400;      ///< what a fork that is recorded takes, with its join
  std::vector<site> sites;  ///< the largest part of the path first
  std::vector<path_part> path;
  std::vector<interval> intervals;

  [[nodiscard]] std::string label_of(int site_number) const;
  /// The whole program: what lies outside of regions is serial.
  [[nodiscard]] work_and_span whole() const;
};

/// Reads the lines of a file. Throws usage_error that names `file`.
[[nodiscard]] data read(const std::string& text, const std::string& file);

/// No more than this on so many workers.
[[nodiscard]] double most_speedup(const work_and_span& of, int workers);
/// At least about this, by a greedy schedule in which each continuation of the path is stolen.
[[nodiscard]] double least_speedup(const work_and_span& of, int workers);

/// Looks the sites up. Without debug information or tools they keep their symbols.
void find_source_lines(data& all);

/// In ns, by a tree of forks on this machine: what a fork and its join take where nothing is stolen.
[[nodiscard]] double measure_fork();

}  // namespace tool::profile

#endif
