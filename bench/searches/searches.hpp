// Searches that stop once they are answered, each written once and compiled on several libraries.
#ifndef NOPAL_BENCH_SEARCHES_SEARCHES_HPP
#define NOPAL_BENCH_SEARCHES_SEARCHES_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace searches {

/// What a run came to. Plain data: it comes from another process.
struct outcome {
  std::int64_t answer = 0;  ///< the same for all libraries
  bool is_right = false;    ///< as far as can be told without the serial answer
  double seconds = 0;
  double processor_seconds = 0;  ///< of all threads
  std::uint64_t nodes = 0;
  std::uint64_t stops = 0;
  double stop_us = 0;        ///< from a stop to the end of its scope, on average
  double worst_stop_us = 0;  ///< the longest of these
};

/// A problem of a certain size on a certain library.
struct search {
  std::string name;
  std::function<outcome()> run;
};

/// What all strands of a run count, each once for much work. Relaxed: they are read after the last join.
class tally {
public:
  void add_nodes(std::uint64_t count) { nodes_.fetch_add(count, std::memory_order_relaxed); }
  void add_stop(std::chrono::nanoseconds lasted) {
    stops_.fetch_add(1, std::memory_order_relaxed);
    stop_ns_.fetch_add(lasted.count(), std::memory_order_relaxed);
    std::int64_t worst = worst_ns_.load(std::memory_order_relaxed);
    while (lasted.count() > worst &&
           !worst_ns_.compare_exchange_weak(worst, lasted.count(), std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  [[nodiscard]] outcome counts() const {
    outcome all;
    all.nodes = nodes();
    all.stops = stops_.load(std::memory_order_relaxed);
    all.stop_us = static_cast<double>(stop_ns_.load(std::memory_order_relaxed)) /
                  static_cast<double>(std::max<std::uint64_t>(all.stops, 1)) * 1e-3;
    all.worst_stop_us = static_cast<double>(worst_ns_.load(std::memory_order_relaxed)) * 1e-3;
    return all;
  }

private:
  std::atomic<std::uint64_t> nodes_ = 0;
  std::atomic<std::uint64_t> stops_ = 0;
  std::atomic<std::int64_t> stop_ns_ = 0;
  std::atomic<std::int64_t> worst_ns_ = 0;
};

/// How long a scope goes on after its stop. Whoever stops it says so at most once, before the join.
class stop_clock {
public:
  using clock = std::chrono::steady_clock;
  void stopped() { at_ = clock::now(); }
  void stopped(clock::time_point at) { at_ = at; }
  void joined(tally& counts) const {
    if (at_ != clock::time_point{}) counts.add_stop(clock::now() - at_);
  }

private:
  clock::time_point at_;
};

/// Runs the search, which returns the answer, and takes its time, that of processors as well.
template <class Search>
outcome timed(const Search& run) {
  tally counts;
  const std::clock_t used = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t answer = run(counts);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  outcome all = counts.counts();
  all.answer = answer;
  all.seconds = took.count();
  all.processor_seconds = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  return all;
}

/// The nodes of a serial part of the search, which looks from time to time whether it is to stop.
template <class Stop>
class visits {
public:
  /// Looks at every `interval`-th node, a power of two.
  visits(tally& counts, Stop stop, std::uint64_t interval = 256)
      : counts_(counts), stop_(stop), skipped_(interval - 1) {}
  visits(const visits&) = delete;
  visits& operator=(const visits&) = delete;
  ~visits() { counts_.add_nodes(nodes_); }
  /// At each node; false when the search is to end.
  [[nodiscard]] bool goes_on() {
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

/// One library's own.
struct library {
  std::string name;
  bool is_serial;
  std::function<std::vector<search>(bool quick)> searches;
  /// Calls `runs` on so many workers, in a process that has not used the library before.
  std::function<void(int workers, const std::function<void()>& runs)> with_workers;
  /// Not empty: a program has the runs, and what it has of all searches begins with one of these words.
  std::string program{};
  std::vector<std::string> known{};
};

}  // namespace searches

#endif
