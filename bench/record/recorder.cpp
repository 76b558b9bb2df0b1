#include "record/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace recording {
namespace {

/// What strands lasted without the notes. What a note takes varies; where it took less than usual, the next strand makes
/// up for it, so that the sum stays right.
class net_durations {
public:
  explicit net_durations(double overhead_ticks) : overhead_ticks_(overhead_ticks) {}
  double next(std::uint32_t note) {
    constexpr std::uint32_t duration_mask = (1U << packed_bits) - 1;
    const double net = static_cast<double>(unpack(note & duration_mask)) - overhead_ticks_ - owed_;
    owed_ = std::max(-net, 0.0);
    return std::max(net, 0.0);
  }

private:
  double overhead_ticks_;
  double owed_ = 0;
};

}  // namespace

void recorder::begin_run() {
  count_ = 0;
  open_scopes_ = 0;
  this_thread_recorder = this;
  begun_ = ticks();
  last_ = begun_;
}

void recorder::refuse() {
  refused_ = true;
  throw too_many_events("more than " + std::to_string(most_events_) + " forks, ends of children and joins");
}

void recorder::finish_run() {
  note(step::end);
  this_thread_recorder = nullptr;
  shortest_run_ = std::min(shortest_run_, last_ - begun_);
  if (first_run_) count_of_first_run_ = count_;
  first_run_ = false;
}

graph recorder::make_graph(double overhead_ticks, picoseconds work) const {
  if (interleaved_)
    throw not_recorded("two scopes of one function are open at once: no series-parallel graph");
  if (count_ != count_of_first_run_) throw not_recorded("its runs differ from one another");
  if (count_ > notes_.size() || count_ >= none) throw not_recorded("its events were counted only");

  double sum = 0;
  net_durations measured(overhead_ticks);
  for (std::size_t i = 0; i < count_; ++i) sum += measured.next(notes_[i]);
  const double scale = sum > 0 ? static_cast<double>(work) / sum : 0;
  net_durations durations(overhead_ticks);
  graph_builder builder(count_);
  for (std::size_t i = 0; i + 1 < count_; ++i) {
    const auto lasted = static_cast<picoseconds>(std::llround(durations.next(notes_[i]) * scale));
    switch (static_cast<step>(notes_[i] >> packed_bits)) {
    case step::first_fork: builder.fork(lasted, true); break;
    case step::fork: builder.fork(lasted, false); break;
    case step::end: builder.end(lasted); break;
    case step::join: builder.join(lasted); break;
    }
  }
  return builder.finish(static_cast<picoseconds>(std::llround(durations.next(notes_[count_ - 1]) * scale)));
}

}  // namespace recording
