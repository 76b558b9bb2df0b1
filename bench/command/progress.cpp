#include "progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace tool {

progress::progress(std::size_t total_runs)
    : total_runs_(total_runs), on_terminal_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() { erase(); }

void progress::begin_run(std::string label) {
  label_ = std::move(label);
  tick();
}

void progress::tick() {
  if (!on_terminal_) return;
  constexpr std::size_t width = 24;
  const std::size_t filled = width * finished_runs_ / total_runs_;
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}/{}  {}  {}", "", filled, "", width - filled, finished_runs_,
             total_runs_, time_left(), label_);
  std::fflush(stderr);
}

void progress::note(const std::string& line) {
  if (!on_terminal_) fmt::print(stderr, "{}\n", line);
}

// Runs differ, but every round holds all of them: the mean so far is good enough.
std::string progress::time_left() const {
  if (finished_runs_ == 0) return "";
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double seconds = elapsed.count() / static_cast<double>(finished_runs_) *
                         static_cast<double>(total_runs_ - finished_runs_);
  const auto whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s left", whole)
                    : fmt::format("{} min {} s left", whole / 60, whole % 60);
}

void progress::erase() {
  if (on_terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace tool
