// Work that moves between ranks, and how they learn that there is none left.
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

#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "program.hpp"

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

/// Of one rank: the work that it has, and a strand that serves the others. `Thing` is copied as bytes.
template <class Thing>
class pool {
public:
  pool(const nopal::mpi::session& session, std::int64_t most_given)
      : rank_(session.rank()), ranks_(session.size()), most_given_(most_given), holds_token_(rank_ == 0) {
    is_answered_.set();
  }

  void put(const std::vector<Thing>& things) {
    std::vector<std::pair<int, std::vector<Thing>>> gifts;
    {
      const std::lock_guard guard(lock_);
      things_.insert(things_.end(), things.begin(), things.end());
      while (!names_.empty() && !is_poor()) {
        gifts.emplace_back(names_.back(), part());
        names_.pop_back();
      }
    }
    for (const auto& [to, given] : gifts) send_work(to, gift, given);
  }

  /// Up to `most` things, the latest; waits while there are none. None: there are none on any rank.
  std::vector<Thing> take(std::size_t most) {
    for (;;) {
      {
        const std::lock_guard guard(lock_);
        std::vector<Thing> taken;
        while (!things_.empty() && taken.size() < most) {
          taken.push_back(things_.back());
          things_.pop_back();
        }
        if (!taken.empty() || is_over_) return taken;
        is_idle_ = true;
        has_work_.reset();
      }
      ask_next();
      pass_token();
      has_work_.wait();
    }
  }

  /// Answers the other ranks until the end. For a strand of its own.
  void serve() {
    std::vector<Thing> buffer(static_cast<std::size_t>(most_given_));
    for (;;) {
      MPI_Status status{};
      nopal::mpi::complete(
          [&](MPI_Request* r) {
            return MPI_Irecv(buffer.data(), static_cast<int>(buffer.size() * sizeof(Thing)), MPI_BYTE,
                             MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, r);
          },
          &status, "MPI_Irecv");
      int bytes = 0;
      nopal::mpi::start([&] { return MPI_Get_count(&status, MPI_BYTE, &bytes); }, "MPI_Get_count");
      std::int64_t number = 0;
      if (status.MPI_TAG != work && status.MPI_TAG != gift)
        std::memcpy(&number, buffer.data(), sizeof number);
      if (status.MPI_TAG == nothing || status.MPI_TAG == work) count_answer();
      switch (status.MPI_TAG) {
      case request: answer(status.MPI_SOURCE, number != 0); break;
      case nothing: ask_next(); break;
      case work:
      case gift: receive({buffer.begin(), buffer.begin() + bytes / static_cast<int>(sizeof(Thing))}); break;
      case token: receive_token(number); break;
      case over: finish(); break;
      default: return;
      }
    }
  }

  /// After `take` has found the end: waits until all ranks have, and ends `serve`.
  void end() {
    // Whoever comes to the barrier has the answers to all that it asked: nothing is under way behind it.
    is_answered_.wait();
    nopal::mpi::barrier();
    send(rank_, stop, 0);
  }

  [[nodiscard]] std::int64_t moved() const { return moved_; }

private:
  static_assert(sizeof(Thing) >= sizeof(std::int64_t));
  static constexpr std::int64_t black = std::int64_t{1} << 62;

  [[nodiscard]] bool is_poor() const { return things_.size() < 2; }

  /// Half of the things, the oldest, whose subtrees are likely to be large. Under the lock.
  std::vector<Thing> part() {
    const auto half = std::min(static_cast<std::int64_t>(things_.size() / 2), most_given_);
    std::vector<Thing> given(things_.begin(), things_.begin() + half);
    things_.erase(things_.begin(), things_.begin() + half);
    ++messages_;
    moved_ += half;
    return given;
  }

  void send(int to, tag which, std::int64_t number) {
    nopal::mpi::complete(
        [&](MPI_Request* r) {
          return MPI_Isend(&number, sizeof number, MPI_BYTE, to, which, MPI_COMM_WORLD, r);
        },
        nullptr, "MPI_Isend");
  }
  void send_work(int to, tag which, const std::vector<Thing>& given) {
    nopal::mpi::complete(
        [&](MPI_Request* r) {
          return MPI_Isend(given.data(), static_cast<int>(given.size() * sizeof(Thing)), MPI_BYTE, to, which,
                           MPI_COMM_WORLD, r);
        },
        nullptr, "MPI_Isend");
  }

  /// Asks the next rank; where all were asked, leaves its name with one. Whose name is there asks nobody.
  void ask_next() {
    int to = 0;
    bool keeps_name = false;
    {
      const std::lock_guard guard(lock_);
      if (!is_idle_ || is_over_ || ranks_ == 1 || asked_ >= ranks_) return;
      ++asked_;
      ++unanswered_;
      is_answered_.reset();
      keeps_name = asked_ == ranks_;
      const int step = keeps_name ? 1 : asked_;
      to = (rank_ + step) % ranks_;
    }
    send(to, request, keeps_name ? 1 : 0);
  }

  void count_answer() {
    const std::lock_guard guard(lock_);
    if (--unanswered_ == 0) is_answered_.set();
  }

  void answer(int from, bool keeps_name) {
    std::vector<Thing> given;
    {
      const std::lock_guard guard(lock_);
      if (!is_poor()) {
        given = part();
      } else if (keeps_name) {
        names_.push_back(from);
      }
    }
    given.empty() ? send(from, nothing, 0) : send_work(from, work, given);
  }

  void receive(const std::vector<Thing>& things) {
    {
      const std::lock_guard guard(lock_);
      --messages_;
      is_black_ = true;
      is_idle_ = false;
      asked_ = 0;
      things_.insert(things_.end(), things.begin(), things.end());
    }
    has_work_.set();
  }

  void receive_token(std::int64_t value) {
    {
      const std::lock_guard guard(lock_);
      token_ = value;
      holds_token_ = true;
    }
    pass_token();
  }

  /// If this rank is idle and has it. Rank 0 begins a round, and judges it.
  void pass_token() {
    std::int64_t value = 0;
    bool is_end = false;
    {
      const std::lock_guard guard(lock_);
      if (!holds_token_ || !is_idle_ || !things_.empty()) return;
      if (rank_ == 0) {
        is_end = ranks_ == 1 || (began_round_ && !is_black_ && token_ + messages_ == 0);
        began_round_ = true;
        value = 0;
      } else {
        value = token_ + messages_ + (is_black_ && token_ < black / 2 ? black : 0);
      }
      is_black_ = false;
      holds_token_ = false;
    }
    if (!is_end) {
      send((rank_ + 1) % ranks_, token, value);
      return;
    }
    for (int to = 1; to < ranks_; ++to) send(to, over, 0);
    finish();
  }

  void finish() {
    {
      const std::lock_guard guard(lock_);
      is_over_ = true;
    }
    has_work_.set();
  }

  const int rank_;
  const int ranks_;
  const std::int64_t most_given_;

  // Held for some steps, never across a wait.
  std::mutex lock_;
  nopal::event has_work_;     // or it is over
  nopal::event is_answered_;  // all that this rank has asked
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
  bool began_round_ = false;
  std::int64_t token_ = 0;
};

}  // namespace moving

#endif
