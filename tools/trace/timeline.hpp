// A process's records made into what people look at: for each worker, slices of time that do not overlap
// but for sleeps within searches, moments, and arrows between the two ends of a steal, a suspension or a
// wake-up.
#ifndef NOPAL_TOOLS_TRACE_TIMELINE_HPP
#define NOPAL_TOOLS_TRACE_TIMELINE_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "trace/raw_file.hpp"

namespace tool::tracing {

enum class slice_kind : std::uint8_t { strand, search, sleep };

/// How a strand came to its worker.
enum class beginning : std::uint8_t { unknown, of_program, stolen, after_join, ready, task };

struct slice {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  slice_kind kind = slice_kind::strand;
  beginning how = beginning::unknown;
  std::uint64_t code = 0;  ///< where a stolen or ready strand goes on, or a task's function; 0: not known
  int victim = -1;         ///< the lane that it was stolen from; -1: none, or not known
  std::vector<std::uint64_t> flows_in;   ///< arrows that end at its beginning
  std::vector<std::uint64_t> flows_out;  ///< arrows that begin in it
};

enum class moment_kind : std::uint8_t {
  stolen_from,
  suspends,
  wakes,
  woken,
  asks,
  promotes,
  sits,
  gets_up,
  reclaims,
  forks
};

/// Something without a duration.
struct moment {
  std::uint64_t ns = 0;
  moment_kind kind = moment_kind::wakes;
  std::uint64_t about = 0;     ///< a lane, a number, or an address, by the kind
  std::uint64_t flow_in = 0;   ///< 0: none
  std::uint64_t flow_out = 0;  ///< 0: none
};

struct totals {
  std::uint64_t strand_ns = 0;
  std::uint64_t search_ns = 0;  ///< without sleep
  std::uint64_t sleep_ns = 0;
  std::uint64_t steals = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t resumptions = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t promoted = 0;
  std::uint64_t questions = 0;
  std::uint64_t pages = 0;
  std::uint64_t forks = 0;  ///< that were noted

  [[nodiscard]] std::uint64_t life_ns() const { return strand_ns + search_ns + sleep_ns; }
  void add(const totals& other);
};

/// A thread that was a worker, and those that had its ring after it.
struct lane {
  std::string name;
  int thread = 0;  ///< the system's number
  int index = 0;   ///< the worker's
  bool of_pool = false;
  std::vector<slice> slices;  ///< by their beginnings; a sleep comes after the search it is in
  std::vector<moment> moments;
  std::uint64_t lost = 0;        ///< records before the first that is known
  std::uint64_t known_from = 0;  ///< when that was, in ns
  totals sum;
};

struct timeline {
  int process = 0;
  std::string program;
  std::uint64_t program_headers = 0;
  std::uint64_t began_ns = 0;   ///< with its first fork, or another call that starts the runtime
  std::uint64_t before_ns = 0;  ///< of the program until then; 0: not known
  std::uint64_t ended_ns = 0;
  bool was_ended = false;
  std::vector<lane> lanes;
  totals sum;
  std::uint64_t lost = 0;
};

/// `first_flow` is the number of the first arrow; it becomes that of the next.
[[nodiscard]] timeline timeline_of(const raw_process& raw, std::uint64_t& first_flow);

}  // namespace tool::tracing

#endif
