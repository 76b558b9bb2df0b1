// How far a measurement is, on standard error: a bar with the time left on a terminal, else plain lines.
#ifndef NOPAL_TOOLS_BENCH_PROGRESS_HPP
#define NOPAL_TOOLS_BENCH_PROGRESS_HPP

#include <chrono>
#include <cstddef>
#include <string>

namespace tool {

class progress {
public:
  explicit progress(std::size_t total_runs);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  /// A run begins; `label` says which.
  void begin_run(std::string label);
  /// Brings the bar up to date.
  void tick();
  void end_run() { ++finished_runs_; }
  /// Something worth a line of its own where there is no bar.
  void note(const std::string& line);

private:
  [[nodiscard]] std::string time_left() const;
  void erase();

  std::size_t total_runs_;
  std::size_t finished_runs_ = 0;
  bool on_terminal_;
  std::string label_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tool

#endif
