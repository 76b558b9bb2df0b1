// A fork-join graph, recorded from a serial run: strands with durations between forks, ends of children and joins,
// in serial order.
//
// Invariants: every fork has the end of its child behind it; forks, ends and joins are nested like brackets; the last
// event is the end of the whole program, which belongs to no fork.
#ifndef NOPAL_BENCH_RECORD_GRAPH_HPP
#define NOPAL_BENCH_RECORD_GRAPH_HPP

#include <cstdint>
#include <vector>

namespace recording {

/// Picoseconds: strands of a nanosecond are common.
using picoseconds = std::int64_t;

/// A duration in 30 bits: 24 significant ones and a power of two. Order is kept.
using packed_duration = std::uint32_t;
inline constexpr unsigned packed_bits = 30;
[[nodiscard]] packed_duration pack(std::uint64_t duration);
[[nodiscard]] inline std::uint64_t unpack(packed_duration packed) {
  constexpr unsigned significant_bits = 24;
  return std::uint64_t{packed & ((1U << significant_bits) - 1)} << (packed >> significant_bits);
}

enum class event_kind : std::uint32_t { fork, end, join };

inline constexpr std::uint32_t none = UINT32_MAX;

/// What ends a strand.
struct event {
  std::uint32_t kind_and_work;  ///< two bits of event_kind, then the packed picoseconds of the strand it ends
  std::uint32_t partner;        ///< fork: the end of its child; end: its fork, or `none` for the program's
  std::uint32_t scope;          ///< scopes are numbered; one that is used again after its join is another

  [[nodiscard]] event_kind kind() const { return static_cast<event_kind>(kind_and_work >> packed_bits); }
  [[nodiscard]] picoseconds work() const {
    return static_cast<picoseconds>(unpack(kind_and_work & ((1U << packed_bits) - 1)));
  }
};

struct graph {
  std::vector<event> events;
  std::uint32_t scopes = 0;
  std::uint32_t forks = 0;
};

/// Makes a graph of events in serial order. Throws std::logic_error if they do not nest.
class graph_builder {
public:
  explicit graph_builder(std::size_t expected_events = 0) { graph_.events.reserve(expected_events); }

  /// The strand so far lasted `work`, then a child was forked; `opens`: the scope's first fork since its last join.
  void fork(picoseconds work, bool opens);
  /// The strand lasted `work`, then the child forked last and not ended returned.
  void end(picoseconds work);
  /// The strand lasted `work`, then the innermost open scope was joined.
  void join(picoseconds work);
  /// The last strand lasted `work`.
  [[nodiscard]] graph finish(picoseconds work);

private:
  /// A fork whose child has not ended, and how many scopes were open before the child.
  struct open_fork {
    std::uint32_t event;
    std::size_t scopes_before;
  };
  std::uint32_t add(event_kind kind, picoseconds work, std::uint32_t scope);

  graph graph_;
  std::vector<open_fork> open_forks_;
  std::vector<std::uint32_t> open_scopes_;
};

/// What a path is charged beside its strands.
struct path_costs {
  picoseconds fork = 0;          ///< at each fork
  picoseconds continuation = 0;  ///< at each end of a child on the way to what follows its fork
};

/// The sum of all strands, and of a fork's cost for each fork.
[[nodiscard]] picoseconds work_of(const graph& of, picoseconds fork_cost = 0);

/// The longest path.
[[nodiscard]] picoseconds span_of(const graph& of, const path_costs& with = {});

}  // namespace recording

#endif
