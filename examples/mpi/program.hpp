// What the programs with MPI share: options of the command line, the end of a program that failed, numbers that
// look random, and times.
#ifndef NOPAL_EXAMPLES_MPI_PROGRAM_HPP
#define NOPAL_EXAMPLES_MPI_PROGRAM_HPP

#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace program {

/// One option: a number after its name, or a flag, which has none and becomes 1.
struct option {
  const char* name;
  const char* help;
  std::int64_t* value;
  std::int64_t least;
  std::int64_t most;
  bool is_flag = false;
};

struct wrong_option : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A result that is wrong in a way that has a line of its own.
struct wrong_result : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void print_help(const char* name, const char* about, std::initializer_list<option> options) {
  std::printf("usage: mpirun -n RANKS %s [OPTION...]\n%s\n\n", name, about);
  for (const option& one : options) {
    std::printf("  %-12s %-4s %s", one.name, one.is_flag ? "" : "N", one.help);
    if (!one.is_flag) std::printf(" [%lld]", static_cast<long long>(*one.value));
    std::printf("\n");
  }
}

/// Sets the values; whether help was asked for. Throws `wrong_option`.
inline bool read_options(int argc, char** argv, std::initializer_list<option> options) {
  std::string names = "--help";
  for (const option& one : options) names += std::string(" ") + one.name;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help") return true;
    const option* found = nullptr;
    for (const option& one : options) {
      if (word == one.name) found = &one;
    }
    if (found == nullptr) throw wrong_option(std::string(word) + ": no option; accepted: " + names);
    if (found->is_flag) {
      *found->value = 1;
      continue;
    }
    const std::string_view text = i + 1 < argc ? argv[++i] : "";
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size() || value < found->least ||
        value > found->most) {
      throw wrong_option(std::string(found->name) + " '" + std::string(text) +
                         "': accepted: a whole number from " + std::to_string(found->least) + " to " +
                         std::to_string(found->most));
    }
    *found->value = value;
  }
  return false;
}

/// The option that all have: how MPI may be called. 1: FUNNELED, 2: SERIALIZED, 3: MULTIPLE.
inline option level_option(std::int64_t& value) {
  return {"--level", "of threads: 1 funneled, 2 serialized, 3 multiple", &value, MPI_THREAD_FUNNELED,
          MPI_THREAD_MULTIPLE};
}

/// Runs `body(session)`, which says whether the result is right, and returns the exit code: 0, 1 for a wrong
/// result, 2 for an option that is not understood. All ranks may throw `wrong_option` or `wrong_result` alike;
/// another exception ends all ranks, which would wait for this one.
template <class Body>
int run(int argc, char** argv, const char* name, const char* about, std::initializer_list<option> options,
        const std::int64_t& level, Body body) {
  bool asks_for_help = false;
  std::string wrong;
  try {
    asks_for_help = read_options(argc, argv, options);
  } catch (const wrong_option& thrown) {
    wrong = thrown.what();
  }
  nopal::mpi::session session(argc, argv,
                              {.level = static_cast<nopal::mpi::thread_level>(wrong.empty() ? level : 1)});
  const bool speaks = session.rank() == 0;
  if (!wrong.empty()) {
    if (speaks) std::fprintf(stderr, "%s: %s\n", name, wrong.c_str());
    return 2;
  }
  if (asks_for_help) {
    if (speaks) print_help(name, about, options);
    return 0;
  }
  try {
    if (body(session)) return 0;
    if (speaks) std::fprintf(stderr, "%s: the result is wrong\n", name);
    return 1;
  } catch (const wrong_result& thrown) {
    if (speaks) std::fprintf(stderr, "%s: %s\n", name, thrown.what());
    return 1;
  } catch (const wrong_option& thrown) {
    if (speaks) std::fprintf(stderr, "%s: %s\n", name, thrown.what());
    return 2;
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "%s: rank %d: %s\n", name, session.rank(), thrown.what());
    nopal::mpi::start([] { return MPI_Abort(MPI_COMM_WORLD, 1); }, "MPI_Abort");
    return 1;
  }
}

/// A number that looks random, for each seed and place the same: whoever needs it computes it. After Steele,
/// Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t mixed = seed + (place + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

/// Of `count` things over `parts`, the first of part `which`; parts differ by one at most.
constexpr std::int64_t first_of(std::int64_t count, int parts, int which) { return count * which / parts; }

class stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The sum, the largest, ... of all ranks' values, at each of them.
template <class Number>
Number reduced(Number value, MPI_Datatype type, MPI_Op with) {
  Number result{};
  nopal::mpi::complete(
      [&](MPI_Request* r) { return MPI_Iallreduce(&value, &result, 1, type, with, MPI_COMM_WORLD, r); },
      nullptr, "MPI_Iallreduce");
  return result;
}

inline std::int64_t sum_of(std::int64_t value) { return reduced(value, MPI_INT64_T, MPI_SUM); }
inline double largest_of(double value) { return reduced(value, MPI_DOUBLE, MPI_MAX); }
/// Whether it holds on all ranks.
inline bool everywhere(bool here) { return reduced(here ? 1 : 0, MPI_INT, MPI_MIN) != 0; }

}  // namespace program

#endif
