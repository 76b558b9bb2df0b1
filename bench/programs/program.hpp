// What the benchmark asks of a program, and how one source becomes several programs.
//
// Each program is one source, compiled once per variant (see bench/variants.cmake) with
// NOPAL_PROGRAM_VARIANT naming the namespace it goes to:
//   parallel  forks and joins
//   elided    the serial elision of the same text
//   depth     the serial elision, counting how deeply forks nest
//   record    the serial elision, noting when it forks and joins (see bench/record)
//   plain     where the source offers it: the serial function against which a fork's cost is measured
//   peer      the same text on another library's forks and joins (see fork_join.hpp), in a process of its own
#ifndef NOPAL_BENCH_PROGRAMS_PROGRAM_HPP
#define NOPAL_BENCH_PROGRAMS_PROGRAM_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "list.hpp"

namespace bench {

/// What one run works on.
struct input {
  std::int64_t size = 0;
  std::int64_t grain = 0;
  std::uint64_t seed = 0;
  std::string matrix_file{};  ///< in place of what is made of `size`; empty: none
};

/// One run: its constructor makes the data ready, `run` is what is timed, and `verify` checks the
/// result by other means than those that made it.
class instance {
public:
  instance() = default;
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  virtual ~instance() = default;

  virtual void run() = 0;
  [[nodiscard]] virtual bool verify() const = 0;
};

/// The inputs a program takes.
struct size_range {
  std::string_view meaning;
  std::int64_t usual;  ///< about a second serially
  std::int64_t quick;  ///< a few milliseconds to a tenth of a second
  std::int64_t paper;  ///< the papers' input
  std::int64_t largest;
  std::int64_t suite = -1;  ///< the public suite's (docs/benchmarks.md); -1: it has no such program
};

/// How much work stays serial at the leaves.
struct grain_range {
  std::string_view meaning;               ///< empty where a program has no grain
  std::int64_t usual = 0;                 ///< 0: what `calibrate` finds
  std::int64_t (*calibrate)() = nullptr;  ///< measures the usual grain on this machine
};

/// What a program takes from a Matrix Market file.
enum class matrix_kind {
  none,
  symmetric,  ///< a symmetric matrix
  graph       ///< a graph
};

struct program {
  std::string_view name;
  std::string_view summary;
  size_range size;
  grain_range grain;
  std::unique_ptr<instance> (*prepare)(const input&);
  matrix_kind reads_matrix = matrix_kind::none;
};

template <class Instance>
std::unique_ptr<instance> prepare(const input& with) {
  return std::make_unique<Instance>(with);
}

}  // namespace bench

#ifdef NOPAL_PROGRAM_VARIANT
namespace bench::NOPAL_PROGRAM_VARIANT {
#define NOPAL_DECLARE_PROGRAM(name) extern const program name##_program;
NOPAL_BENCH_PROGRAMS(NOPAL_DECLARE_PROGRAM)
#undef NOPAL_DECLARE_PROGRAM
}  // namespace bench::NOPAL_PROGRAM_VARIANT
#endif

#endif
