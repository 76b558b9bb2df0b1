#include "record/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace recording {
namespace {

/// What a strand lasted without its note, in ticks; never nothing, so that where strands are shorter than the clock can
/// tell they come out equal.
double net_duration(std::uint32_t note, double overhead_ticks) {
  constexpr std::uint32_t duration_mask = (1U << packed_bits) - 1;
  return std::max(static_cast<double>(unpack(note & duration_mask)) - overhead_ticks, 1.0);
}

}  // namespace

void recorder::begin_run() {
  count_ = 0;
  open_scopes_ = 0;
  this_thread_recorder = this;
  last_ = ticks();
}

void recorder::refuse() {
  refused_ = true;
  throw too_many_events("more than " + std::to_string(most_events_) + " forks, ends of children and joins");
}

void recorder::finish_run() {
  note(step::end);
  this_thread_recorder = nullptr;
  if (first_run_) count_of_first_run_ = count_;
  first_run_ = false;
}

double recorder::net_ticks(double overhead_ticks) const {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(count_, notes_.size()); ++i) {
    sum += net_duration(notes_[i], overhead_ticks);
  }
  return sum;
}

double recorder::least_note_ticks() {
  constexpr std::size_t notes_a_run = 10'000;
  recorder empty(notes_a_run + 1);
  for (int run = 0; run < 10; ++run) {
    empty.begin_run();
    for (std::size_t i = 0; i < notes_a_run; ++i) empty.note(step::end);
    empty.finish_run();
  }
  return empty.net_ticks(0) / static_cast<double>(empty.count_);
}

graph recorder::make_graph(double overhead_ticks, picoseconds work) const {
  if (interleaved_)
    throw not_recorded("two scopes of one function are open at once: no series-parallel graph");
  if (count_ != count_of_first_run_) throw not_recorded("its runs differ from one another");
  if (count_ > notes_.size() || count_ >= none) throw not_recorded("its events were counted only");

  const double sum = net_ticks(overhead_ticks);
  const double scale = sum > 0 ? static_cast<double>(work) / sum : 0;
  graph_builder builder(count_);
  for (std::size_t i = 0; i + 1 < count_; ++i) {
    const auto lasted =
        static_cast<picoseconds>(std::llround(net_duration(notes_[i], overhead_ticks) * scale));
    switch (static_cast<step>(notes_[i] >> packed_bits)) {
    case step::first_fork: builder.fork(lasted, true); break;
    case step::fork: builder.fork(lasted, false); break;
    case step::end: builder.end(lasted); break;
    case step::join: builder.join(lasted); break;
    }
  }
  return builder.finish(
      static_cast<picoseconds>(std::llround(net_duration(notes_[count_ - 1], overhead_ticks) * scale)));
}

}  // namespace recording
