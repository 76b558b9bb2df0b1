// The split deque as the simulation sees it: whole operations at moments in time. docs/deque.md has the real one.
#ifndef NOPAL_BENCH_SIMULATE_DEQUE_HPP
#define NOPAL_BENCH_SIMULATE_DEQUE_HPP

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "record/graph.hpp"
#include "simulate/costs.hpp"

namespace simulate {

/// Entries are forks, by their event. Invariant: top <= split <= bottom, but for `raising`.
class deque {
public:
  [[nodiscard]] bool poisoned() const { return poisoned_; }
  void poison() { poisoned_ = true; }
  void unpoison() { poisoned_ = false; }

  [[nodiscard]] std::size_t size() const { return entries_.size() - top_; }
  [[nodiscard]] bool has_public() const { return split_ > top_; }
  [[nodiscard]] bool raising() const { return raising_; }

  void push(std::uint32_t fork) { entries_.push_back(fork); }

  /// Owner, after a push that found the limit poisoned. Returns how many entries became public.
  std::size_t publish() {
    unpoison();
    const std::size_t most = policy::most_published;
    const std::size_t batch = size() < 2 * most ? (size() + 1) / 2 : most;
    if (raising_) return 0;
    const std::size_t split = std::min(split_ + batch, entries_.size());
    return split - std::exchange(split_, split);
  }

  enum class popped { privately, publicly, stolen };

  /// Owner: takes the youngest entry back, if it is still there.
  popped pop() {
    if (size() == 0) return popped::stolen;
    const std::size_t wanted = entries_.size() - 1;
    popped how = popped::privately;
    if (raising_) {
      split_ = std::max(std::min(wanted, raised_split_), top_);
      raising_ = false;
      how = popped::publicly;
    }
    if (wanted < split_) {
      split_ = top_ + (wanted - top_ + 1) / 2;
      how = popped::publicly;
    }
    entries_.pop_back();
    return how;
  }

  /// Thief: the oldest public entry.
  std::uint32_t steal() {
    const std::uint32_t fork = entries_[top_++];
    if (top_ == split_) poisoned_ = true;
    return fork;
  }

  /// Thief: asks for the older half of the private entries, to be granted by `settle` if the owner did not come by.
  bool raise() {
    if (raising_ || has_public() || size() == 0) return false;
    raising_ = true;
    raised_split_ = split_ + (size() + 1) / 2;
    return true;
  }
  /// True if something became public.
  bool settle() {
    if (!raising_) return false;
    raising_ = false;
    split_ = std::max(std::min(raised_split_, entries_.size()), top_);
    return has_public();
  }

  /// Owner: the strand is gone, and with it the entries.
  void reset() {
    entries_.clear();
    top_ = split_ = 0;
    raising_ = false;
    poisoned_ = true;
  }

private:
  std::vector<std::uint32_t> entries_;
  std::size_t top_ = 0;
  std::size_t split_ = 0;
  std::size_t raised_split_ = 0;
  bool raising_ = false;
  bool poisoned_ = true;
};

}  // namespace simulate

#endif
