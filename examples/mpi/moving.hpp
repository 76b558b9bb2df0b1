// Work that moves between ranks, and how they learn that there is none left: what a rank does with its work and
// with messages of others, whoever carries these.
//
// A rank without work asks others, one after the other. If nobody has some, it leaves its name with the next
// rank, and waits: a rank that has work and names of others gives them a part. So nobody asks again and again.
// (After Saraswat et al., "Lifeline-based global load balancing", 2011, with a ring for the lifelines.)
//
// The end is found as Safra's algorithm does (Dijkstra, EWD998, 1987): a token goes round while ranks are idle.
// It adds up how many messages with work were sent and not received, and becomes black where one was received
// since the token's last visit. White, and with the sum 0, it says that there is no work and none under way.
#ifndef NOPAL_EXAMPLES_MPI_MOVING_HPP
#define NOPAL_EXAMPLES_MPI_MOVING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace moving {

enum tag : int {
  request,  // for work: 1 where the asker wants its name kept if there is none
  nothing,  // the answer, where there is none
  work,     // the answer, where there is some
  gift,     // work for one that left its name
  token,
  over,  // to all, by rank 0: there is no work anywhere
  stop,  // to oneself: nobody sends any more
};

/// A number, or things.
template <class Thing>
struct message {
  int to;
  tag which;
  std::int64_t number = 0;
  std::vector<Thing> things{};
};

/// Of one rank. Each call gives back the messages that are to be sent for it. One call at a time.
template <class Thing>
class protocol {
public:
  using messages = std::vector<message<Thing>>;

  protocol(int rank, int ranks, std::int64_t most_given)
      : rank_(rank), ranks_(ranks), most_given_(most_given), holds_token_(rank == 0) {}

  [[nodiscard]] bool has_things() const { return !things_.empty(); }
  [[nodiscard]] bool is_over() const { return is_over_; }
  /// All that this rank has asked.
  [[nodiscard]] bool is_answered() const { return unanswered_ == 0; }
  /// Things that were given to others.
  [[nodiscard]] std::int64_t moved() const { return moved_; }

  messages put(const std::vector<Thing>& things) {
    messages out;
    things_.insert(things_.end(), things.begin(), things.end());
    while (!names_.empty() && !is_poor()) {
      out.push_back({names_.back(), gift, 0, part()});
      names_.pop_back();
    }
    return out;
  }

  /// Up to `most` things, the latest.
  std::vector<Thing> take(std::size_t most) {
    std::vector<Thing> taken;
    while (!things_.empty() && taken.size() < most) {
      taken.push_back(things_.back());
      things_.pop_back();
    }
    return taken;
  }

  /// There was nothing to take, and nothing is in work.
  messages become_idle() {
    messages out;
    is_idle_ = true;
    ask_next(out);
    pass_token(out);
    return out;
  }

  messages receive(int from, tag which, std::int64_t number, const std::vector<Thing>& things) {
    messages out;
    if (which == nothing || which == work) --unanswered_;
    switch (which) {
    case request: out.push_back(answer(from, number != 0)); break;
    case nothing: ask_next(out); break;
    case work:
    case gift: accept(things); break;
    case token:
      token_ = number;
      holds_token_ = true;
      pass_token(out);
      break;
    case over: is_over_ = true; break;
    case stop: break;
    }
    return out;
  }

private:
  static constexpr std::int64_t black = std::int64_t{1} << 62;

  [[nodiscard]] bool is_poor() const { return things_.size() < 2; }

  /// Half of the things, the oldest, whose subtrees are likely to be large.
  std::vector<Thing> part() {
    const auto half = std::min(static_cast<std::int64_t>(things_.size() / 2), most_given_);
    std::vector<Thing> given(things_.begin(), things_.begin() + half);
    things_.erase(things_.begin(), things_.begin() + half);
    ++messages_;
    moved_ += half;
    return given;
  }

  /// Asks the next rank; where all were asked, leaves its name with one. Whose name is there asks nobody.
  void ask_next(messages& out) {
    if (!is_idle_ || is_over_ || ranks_ == 1 || asked_ >= ranks_) return;
    ++asked_;
    ++unanswered_;
    const bool leaves_name = asked_ == ranks_;
    out.push_back({(rank_ + (leaves_name ? 1 : asked_)) % ranks_, request, leaves_name ? 1 : 0});
  }

  message<Thing> answer(int from, bool leaves_name) {
    if (!is_poor()) return {from, work, 0, part()};
    if (leaves_name) names_.push_back(from);
    return {from, nothing};
  }

  void accept(const std::vector<Thing>& things) {
    --messages_;
    is_black_ = true;
    is_idle_ = false;
    asked_ = 0;
    things_.insert(things_.end(), things.begin(), things.end());
  }

  /// If this rank is idle and has it. Rank 0 begins a round, and judges it.
  void pass_token(messages& out) {
    if (!holds_token_ || !is_idle_ || is_over_) return;
    std::int64_t value = 0;
    if (rank_ != 0) {
      value = token_ + messages_ + (is_black_ && token_ < black / 2 ? black : 0);
    } else if (ranks_ == 1 || (has_begun_round_ && !is_black_ && token_ + messages_ == 0)) {
      for (int to = 1; to < ranks_; ++to) out.push_back({to, over});
      is_over_ = true;
      return;
    }
    has_begun_round_ = true;
    is_black_ = false;
    holds_token_ = false;
    out.push_back({(rank_ + 1) % ranks_, token, value});
  }

  const int rank_;
  const int ranks_;
  const std::int64_t most_given_;

  std::deque<Thing> things_;  // the oldest first
  std::vector<int> names_;    // of ranks that get a part when there is one
  bool is_idle_ = false;
  bool is_over_ = false;
  int asked_ = 0;  // since it is idle; with as many as there are ranks, its name is with the next
  int unanswered_ = 0;
  std::int64_t moved_ = 0;

  // Of Safra's algorithm: messages with work that were sent less those received; whether one came since the
  // token's last visit; the token's sum, with `black` added once if it is.
  std::int64_t messages_ = 0;
  bool is_black_ = false;
  bool holds_token_;
  bool has_begun_round_ = false;
  std::int64_t token_ = 0;
};

}  // namespace moving

#endif
