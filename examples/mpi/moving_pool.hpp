// Work that moves between ranks by MPI: strands put and take, and one serves the other ranks.
#ifndef NOPAL_EXAMPLES_MPI_MOVING_POOL_HPP
#define NOPAL_EXAMPLES_MPI_MOVING_POOL_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "moving.hpp"
#include "program.hpp"

namespace moving {

/// `Thing` is copied as bytes.
template <class Thing>
class pool {
public:
  pool(const nopal::mpi::session& session, std::int64_t most_given)
      : rank_(session.rank()), most_given_(most_given),
        protocol_(session.rank(), session.size(), most_given) {}

  void put(const std::vector<Thing>& things) {
    send(locked([&] { return protocol_.put(things); }));
  }

  /// Up to `most` things, the latest; waits while there are none. None: there are none on any rank.
  std::vector<Thing> take(std::size_t most) {
    for (;;) {
      std::vector<Thing> taken;
      messages out;
      {
        const std::lock_guard guard(lock_);
        taken = protocol_.take(most);
        if (!taken.empty() || protocol_.is_over()) return taken;
        has_work_.reset();
        out = protocol_.become_idle();
        tell();
      }
      send(out);
      has_work_.wait();
    }
  }

  /// Answers the other ranks until the end. For a strand of its own.
  void serve() {
    std::vector<Thing> buffer(static_cast<std::size_t>(most_given_));
    nopal::scope answers;
    for (;;) {
      MPI_Status status{};
      nopal::mpi::complete(
          [&](MPI_Request* r) {
            return MPI_Irecv(buffer.data(), static_cast<int>(buffer.size() * sizeof(Thing)), MPI_BYTE,
                             MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, r);
          },
          &status, "MPI_Irecv");
      const auto which = static_cast<tag>(status.MPI_TAG);
      if (which == stop) break;
      int bytes = 0;
      nopal::mpi::start([&] { return MPI_Get_count(&status, MPI_BYTE, &bytes); }, "MPI_Get_count");
      std::int64_t number = 0;
      std::vector<Thing> things;
      if (which == work || which == gift) {
        things.assign(buffer.begin(), buffer.begin() + bytes / static_cast<int>(sizeof(Thing)));
      } else {
        std::memcpy(&number, buffer.data(), sizeof number);
      }
      messages out = locked([&] { return protocol_.receive(status.MPI_SOURCE, which, number, things); });
      // Never waited for here: MPI may have a send wait until the other rank receives, and that one may send to this one.
      if (!out.empty()) answers.fork([out = std::move(out)] { send(out); });
    }
    answers.join();
  }

  /// After `take` has found the end: waits until all ranks have, and ends `serve`.
  void end() {
    // Whoever comes to the barrier has the answers to all that it asked: nothing is under way behind it.
    is_answered_.wait();
    nopal::mpi::barrier();
    send({{rank_, stop}});
  }

  [[nodiscard]] std::int64_t moved() const { return protocol_.moved(); }

private:
  using messages = typename protocol<Thing>::messages;
  static_assert(sizeof(Thing) >= sizeof(std::int64_t));

  template <class F>
  messages locked(F step) {
    const std::lock_guard guard(lock_);
    messages out = step();
    tell();
    return out;
  }

  /// Under the lock: so an event says how things stand.
  void tell() {
    if (protocol_.has_things() || protocol_.is_over()) has_work_.set();
    protocol_.is_answered() ? is_answered_.set() : is_answered_.reset();
  }

  static void send(const messages& all) {
    for (const message<Thing>& one : all) {
      const bool has_things = !one.things.empty();
      const void* const data = has_things ? static_cast<const void*>(one.things.data()) : &one.number;
      const std::size_t bytes = has_things ? one.things.size() * sizeof(Thing) : sizeof one.number;
      nopal::mpi::complete(
          [&](MPI_Request* r) {
            return MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, one.to, one.which, MPI_COMM_WORLD, r);
          },
          nullptr, "MPI_Isend");
    }
  }

  const int rank_;
  const std::int64_t most_given_;

  std::mutex lock_;  // held for some steps, never across a wait
  protocol<Thing> protocol_;
  nopal::event has_work_;     // or it is over
  nopal::event is_answered_;  // nothing that this rank has asked is open
};

}  // namespace moving

#endif
