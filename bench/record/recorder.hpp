// Notes when a serial run forks, ends a child and joins. Several runs of the same program are noted over each other:
// of each strand the shortest duration stays, so that what disturbs one run leaves no trace.
#ifndef NOPAL_BENCH_RECORD_RECORDER_HPP
#define NOPAL_BENCH_RECORD_RECORDER_HPP

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "record/graph.hpp"

namespace recording {

/// A graph cannot be recorded: too large, or not of the kind that is.
class not_recorded : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What is noted, in the upper two bits of a note; the other bits are the packed ticks since the last.
enum class step : std::uint32_t { first_fork, fork, end, join };

[[nodiscard]] inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// More events than were allowed.
class too_many_events : public not_recorded {
public:
  using not_recorded::not_recorded;
};

class recorder {
public:
  enum class keep { notes, count_only };

  /// A run that has more than `most_events`, the program's end included, ends with too_many_events thrown from a fork or
  /// a join.
  explicit recorder(std::size_t most_events, keep what = keep::notes)
      : notes_(what == keep::notes ? most_events : 0), most_events_(most_events) {}

  /// The next run begins now; it is what this thread's scopes tell of until `finish_run`.
  void begin_run();
  void finish_run();

  /// Events of the last run, the program's end included.
  [[nodiscard]] std::size_t events() const { return count_; }
  /// Sum of the strands, `overhead_ticks` being what each note takes.
  [[nodiscard]] double net_ticks(double overhead_ticks) const;
  /// What a note takes where nothing is between two.
  [[nodiscard]] static double least_note_ticks();

  /// The graph, `overhead_ticks` being what each note takes; all strands are scaled so that their sum is `work`. Throws
  /// not_recorded.
  [[nodiscard]] graph make_graph(double overhead_ticks, picoseconds work) const;

  void note(step what) {
    const std::uint64_t now = ticks();
    if (count_ == most_events_) refuse();
    const std::size_t at = count_++;
    if (at < notes_.size()) {
      const std::uint32_t fresh = static_cast<std::uint32_t>(what) << packed_bits | pack(now - last_);
      std::uint32_t& kept = notes_[at];
      if (first_run_ || fresh < kept) kept = fresh;
    }
    last_ = now;
  }

  [[nodiscard]] bool refused() const { return refused_; }

  /// A scope that is forked on for the first time since its join gets a level; back to it at its later forks and its join.
  int open_scope() { return ++open_scopes_; }
  void check_level(int level) { interleaved_ = interleaved_ || level != open_scopes_; }
  void close_scope() { --open_scopes_; }

private:
  [[noreturn]] void refuse();

  std::vector<std::uint32_t> notes_;
  std::size_t most_events_;
  std::size_t count_ = 0;
  std::size_t count_of_first_run_ = 0;
  std::uint64_t last_ = 0;
  int open_scopes_ = 0;
  bool first_run_ = true;
  bool interleaved_ = false;
  bool refused_ = false;
};

/// The recorder of the run that this thread is in.
inline thread_local recorder* this_thread_recorder = nullptr;

}  // namespace recording

#endif
