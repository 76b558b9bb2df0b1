// How far a loop goes before it looks, and how it goes on alone where the last one from the same place was short.
#ifndef NOPAL_DETAIL_WHOLE_LOOP_HPP
#define NOPAL_DETAIL_WHOLE_LOOP_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/detail/loop_demand.h>
#include <nopal/detail/quiet_loops.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// A strand looks 8 times on its way through a range, and every 4096 positions: a look costs a
/// nanosecond or two. A thief need not wait for a look while the later half of the strand's range
/// is in its deque.
inline constexpr std::size_t looks_at_least = 8;
inline constexpr std::size_t longest_chunk = 4096;

/// Chunks end where vectors do: the next one has no single positions to begin with.
inline constexpr std::size_t positions_of_vectors = 32;

/// How far a strand goes before it looks, in a range of `count` positions, of which `grain` are not
/// worth a fork.
[[gnu::always_inline]] inline std::size_t chunk_of(std::size_t count, std::size_t grain) noexcept {
  std::size_t share = count / looks_at_least;
  if (share >= 2 * positions_of_vectors) {
    share = (share + positions_of_vectors / 2) / positions_of_vectors * positions_of_vectors;
  }
  const std::size_t usual = share < longest_chunk ? share : longest_chunk;
  return usual > grain ? usual : grain;
}

/// The end of the chunk that begins at `from`.
[[gnu::always_inline]] inline std::size_t end_of_chunk(std::size_t from, std::size_t to,
                                                       std::size_t chunk) noexcept {
  return to - from > chunk ? from + chunk : to;
}

/// The time of a whole loop. Where the last one from the same place was over before a thief would have been
/// of use, the loop goes on alone until that much time has passed.
class whole_loop {
public:
#ifdef NOPAL_ELIDE
  whole_loop(const void*, std::size_t) noexcept {}
  void note_end() const noexcept {}
#else
  whole_loop(const void* place, std::size_t count) noexcept
      : place_(place), count_(count), began_(nopal_begin_loop(place, count, &alone_)) {}
  /// For the next one. Not called where an exception ends the loop.
  void note_end() const noexcept {
    if (alone_ != nopal_alone_as_before) {
      nopal_end_loop(place_, count_, began_);
    }
  }
#endif

  /// Calls `visit(from, to)` for as many chunks as it goes on alone, or until that is false. Returns where
  /// the rest begins.
  template <class Visit>
  [[gnu::always_inline]] std::size_t go_alone(std::size_t grain, Visit visit) {
    std::size_t from = 0;
#ifndef NOPAL_ELIDE
    const std::size_t first = alone_ != nopal_not_alone ? chunk_of(count_, grain) : 0;
    for (std::size_t step = first; step != 0;) {
      const std::size_t next = end_of_chunk(from, count_, step);
      if (!visit(from, next)) {
        return count_;
      }
      from = next;
      step = from < count_ ? go_on_alone(from, first) : 0;
    }
#else
    static_cast<void>(grain);
    static_cast<void>(visit);
#endif
    return from;
  }

private:
#ifndef NOPAL_ELIDE
  /// How many positions more, `done` being over, and `first` having been the first ones.
  std::size_t go_on_alone(std::size_t done, std::size_t first) noexcept {
    const std::size_t more = nopal_may_go_on_alone(began_, done, count_ - done);
    if (alone_ == nopal_alone_in_steps) {
      return more < first ? more : first;
    }
    if (more != 0 || alone_ != nopal_alone_as_before) {
      return more;
    }
    // It began after that moment: as many positions again tell how long they take.
    alone_ = nopal_alone;
    began_ = nopal_loop_time();
    return done;
  }

  const void* place_;
  std::size_t count_;
  int alone_;
  std::uint64_t began_;  ///< or an earlier moment
#endif
};

/// A loop that goes on alone without the library, as those before it from the same place did after quiet.
class quiet_loop {
public:
#ifdef NOPAL_ELIDE
  quiet_loop(const void*, std::size_t) noexcept {}
  [[nodiscard]] bool goes_on() const noexcept { return false; }
  template <class Visit>
  std::size_t go_alone(std::size_t, Visit) {
    return 0;
  }
  void note_end() const noexcept {}
#else
  quiet_loop(const void* place, std::size_t count) noexcept
      : place_(place), count_(count), began_(nopal_begin_quiet_loop(place, count, &worth_)) {}
  [[nodiscard]] bool goes_on() const noexcept { return began_ != 0; }

  /// As whole_loop::go_alone.
  template <class Visit>
  [[gnu::always_inline]] std::size_t go_alone(std::size_t grain, Visit visit) {
    const std::size_t first = chunk_of(count_, grain);
    std::size_t from = 0;
    for (std::size_t step = first; step != 0;) {
      const std::size_t next = end_of_chunk(from, count_, step);
      if (!visit(from, next)) {
        return count_;
      }
      from = next;
      step = from < count_ ? nopal_go_on_quietly(began_, worth_, from, count_ - from, first) : 0;
    }
    if (from < count_) {
      nopal_forget_quiet_loop(place_);  // here, since the loop may end on another thread
    }
    return from;
  }
  void note_end() const noexcept {
    if (!nopal_end_quiet_loop(began_, worth_)) {
      nopal_forget_quiet_loop(place_);
      nopal_end_loop(place_, count_, began_);
    }
  }

private:
  const void* place_;
  std::size_t count_;
  std::uint64_t worth_ = 0;  ///< as much time
  std::uint64_t began_;      ///< 0: the library is to be asked
#endif
};

/// Whether a loop from there may be one.
[[gnu::always_inline]] inline bool may_be_quiet(const void* place, std::size_t count) noexcept {
#ifdef NOPAL_ELIDE
  static_cast<void>(place);
  static_cast<void>(count);
  return false;
#else
  return nopal_may_be_quiet(place, count) != 0;
#endif
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
