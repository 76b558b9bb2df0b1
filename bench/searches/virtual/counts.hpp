// What the searches count and time (searches.hpp), in virtual time: a node that is counted is one that takes its time.
#ifndef NOPAL_BENCH_SEARCHES_VIRTUAL_COUNTS_HPP
#define NOPAL_BENCH_SEARCHES_VIRTUAL_COUNTS_HPP

#include <chrono>
#include <cstdint>
#include <optional>

#include "../searches.hpp"
#include "machine.hpp"

namespace virtual_time {

/// Of the searches that are run from here on.
[[nodiscard]] inline settings& current_settings() {
  static settings current;
  return current;
}

class tally : public searches::tally {
public:
  void add_nodes(std::uint64_t count) {
    machine::current().count_nodes(count);
    add_counted_nodes(count);
  }
  /// Whose time is counted already.
  void add_counted_nodes(std::uint64_t count) { searches::tally::add_nodes(count); }
};

/// As searches::visits.
template <class Stop>
class visits {
public:
  visits(tally& counts, Stop stop, std::uint64_t interval = 256)
      : counts_(counts), stop_(stop), skipped_(interval - 1) {}
  visits(const visits&) = delete;
  visits& operator=(const visits&) = delete;
  ~visits() { counts_.add_counted_nodes(nodes_); }
  [[nodiscard]] bool goes_on() {
    machine::current().count_nodes(1);
    if ((++nodes_ & skipped_) == 0) stopped_ = stopped_ || stop_();
    return !stopped_;
  }
  [[nodiscard]] bool is_stopped() const { return stopped_; }

private:
  tally& counts_;
  Stop stop_;
  const std::uint64_t skipped_;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;
};

/// As searches::stop_clock.
class stop_clock {
public:
  struct clock {
    using time_point = simulate::picoseconds;
    [[nodiscard]] static time_point now() { return machine::current().now(); }
  };
  void stopped() { at_ = clock::now(); }
  void stopped(clock::time_point at) { at_ = at; }
  void joined(tally& counts) const {
    constexpr simulate::picoseconds ps_per_ns = 1000;
    if (at_) counts.add_stop(std::chrono::nanoseconds((clock::now() - *at_) / ps_per_ns));
  }

private:
  std::optional<clock::time_point> at_;
};

/// Runs the search on virtual workers.
template <class Search>
searches::outcome timed(const Search& run) {
  constexpr double ps_per_second = 1e12;
  tally counts;
  machine on(current_settings());
  const std::int64_t answer = run(counts);
  const simulate::picoseconds took = on.now();
  searches::outcome all = counts.counts();
  all.answer = answer;
  all.seconds = static_cast<double>(took) / ps_per_second;
  return all;
}

}  // namespace virtual_time

#endif
