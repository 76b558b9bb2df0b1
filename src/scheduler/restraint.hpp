// When a thief keeps away from others, since what it stole was no use.
#ifndef NOPAL_SCHEDULER_RESTRAINT_HPP
#define NOPAL_SCHEDULER_RESTRAINT_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// What a thief knows of its steals. Each costs both sides as long as several lines need to travel between their processors, which
/// it sees when a stolen strand starts. A steal was no use if the strand took less than that. One that came to a join without
/// having done anything is judged by its victim: if that came there soon, too, what both had to do was little; if not, nothing
/// is known. Steals of no use are paid for by useful strands, or by pauses. All in ticks.
struct restraint {
  static constexpr std::uint64_t starts_in_cost = 8;
  static constexpr std::uint64_t starts_to_join = 2;  ///< who comes to a join so soon did nothing before
  static constexpr std::uint64_t free_steals = 3;     ///< need not be paid for at once
  static constexpr std::uint64_t strands_to_pay = 4;  ///< a useful strand pays this part of its time
  static constexpr std::uint64_t pauses_to_pay = 16;  ///< and a pause this one
  static constexpr std::uint64_t most_start = 1500;   ///< longer ones waited for something else
  static constexpr std::uint64_t starts_in_mean = 8;

  std::uint64_t began;                          ///< the look that took the strand; 0: what was stolen is over
  std::uint64_t started;                        ///< the strand
  std::uint64_t starts = 250 * starts_in_mean;  ///< how long so many take from the look on
  std::uint64_t owes;
  std::uint64_t resumed;  ///< how many strands the victim had resumed when the last stolen one began to wait
  int victim;             ///< its place in the table of workers
  bool is_unjudged;       ///< the last stolen strand waits, and did nothing before
};

[[nodiscard]] inline std::uint64_t mean_start(const restraint& shy) noexcept {
  return shy.starts / restraint::starts_in_mean;
}

[[nodiscard]] inline std::uint64_t cost_of_steal(const restraint& shy) noexcept {
  return mean_start(shy) * restraint::starts_in_cost;
}

/// So much of the time until the stolen strand starts is no part of what the steal costs, as that of a wake-up.
inline void leave_out(restraint& shy, std::uint64_t ticks) noexcept { shy.began += ticks; }

/// A stolen strand starts.
inline void note_start(restraint& shy, std::uint64_t now) noexcept {
  const std::uint64_t took = now - shy.began;
  shy.starts -= mean_start(shy);
  shy.starts += took < restraint::most_start ? took : restraint::most_start;
  shy.started = now;
}

inline void note_useless(restraint& shy) noexcept { shy.owes += cost_of_steal(shy); }

/// Others may need the next ones, whatever they cost.
inline void forgive(restraint& shy) noexcept { shy.owes = 0; }

/// A strand is over, or has arrived at a join: if it was the stolen one, that is judged. False if it arrived there too soon for that.
[[nodiscard]] inline bool judge_strand(restraint& shy, std::uint64_t now, bool arrives) noexcept {
  if (shy.began == 0) {
    return true;
  }
  shy.began = 0;
  const std::uint64_t took = now - shy.started;
  if (arrives && took < mean_start(shy) * restraint::starts_to_join) {
    return false;
  }
  if (took <= cost_of_steal(shy)) {
    note_useless(shy);
  } else {
    const std::uint64_t pays = took / restraint::strands_to_pay;
    shy.owes -= pays < shy.owes ? pays : shy.owes;
  }
  return true;
}

/// Judges a strand that was not, by whether its victim has resumed one since, if that can be said by now.
inline void judge_by_victim(restraint& shy, std::uint64_t now, std::uint64_t resumed) noexcept {
  if (resumed != shy.resumed) {
    note_useless(shy);
  } else if (now - shy.started <= cost_of_steal(shy)) {
    return;
  }
  shy.is_unjudged = false;
}

/// For how long the thief is to keep away. That pays.
[[nodiscard]] inline std::uint64_t keeps_away_for(restraint& shy) noexcept {
  const std::uint64_t free = cost_of_steal(shy) * restraint::free_steals;
  if (shy.owes <= free) {
    return 0;
  }
  const std::uint64_t due = shy.owes - free;
  shy.owes = free;
  return due * restraint::pauses_to_pay;
}

struct runtime;
struct worker;

/// The look that began then took a strand.
void note_steal(worker* self, const worker* victim, std::uint64_t began) noexcept;

/// For how long `self` is to keep away, all judged that can be.
[[nodiscard]] std::uint64_t keeps_away_for(worker* self) noexcept;

/// Whether any thief may now. Where workers share CPUs they take turns anyhow, and one that waits without work would take one from
/// the others. A strand that blocks may wait for what its worker does not do meanwhile.
[[nodiscard]] bool may_keep_away(const runtime& all) noexcept;

/// A strand has arrived at a join. False if it was stolen and did nothing before, and so is to be judged by what becomes of it.
[[nodiscard]] bool judge_arrival(worker* self) noexcept;

/// Such a strand waits.
void judge_later(worker* self) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
