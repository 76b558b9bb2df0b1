// What the runtime was asked for: by configure(), by the environment, else by the machine.
#ifndef NOPAL_SCHEDULER_SETTINGS_HPP
#define NOPAL_SCHEDULER_SETTINGS_HPP

#include <cstddef>
#include <string>

#include <nopal/runtime.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

inline constexpr int most_workers = 1024;
inline constexpr int most_substitutes = 4096;
/// Where forks wait for thieves, and nobody says how many workers there are: some of these are without a
/// strand as a rule, also where there are fewer CPUs.
inline constexpr int workers_to_steal_always = 8;
inline constexpr int default_substitutes = 512;
inline constexpr std::size_t least_stack_bytes = std::size_t{64} << 10;
inline constexpr std::size_t most_stack_bytes = std::size_t{1} << 36;
inline constexpr std::size_t default_stack_bytes = std::size_t{1} << 20;

/// The file that NOPAL_TRACE names; null: none. The name is the environment's, without a zero behind it.
struct trace_setting {
  const char* name = nullptr;
  std::size_t name_bytes = 0;
  std::size_t ring_bytes = 0;
};

struct settings {
  int workers = 1;
  std::size_t stack_bytes = default_stack_bytes;
  nopal::reclaim reclaim = nopal::reclaim::lazy;
  nopal::reclaim_call reclaim_with = nopal::reclaim_call::dontneed;
  bool pin = false;
  bool print_stats = false;
  const char* profile_file = nullptr;  ///< null: the program is not profiled
  bool eager_forks = false;            ///< no fork is latent
  bool steals_always = false;          ///< forks wait for thieves; see awaited_thieves.hpp
  bool latent_forks_named = false;     ///< forks are latent also where a tool watches
  /// Threads that may take the places of blocked strands at once
  int substitutes = default_substitutes;
  /// By which threads are asked for their latent forks; 0: none
  int signal = 0;
  trace_setting trace;
  nopal::bad_setting on_bad_setting = nopal::bad_setting::exit;
};

/// A variable whose value is not understood.
struct refused_variable {
  const char* name = nullptr;
  const char* value = nullptr;
  const char* accepted = nullptr;
};

/// All of them, in the order they were read.
struct refused_variables {
  static constexpr int most = 16;  ///< as many as there are variables, at least
  refused_variable at[most];
  int count = 0;
};

/// Tells a variable's value: null if it is unset.
using variable_reader = const char* (*)(const char* name);

/// Completes `asked` from the variables and the machine. A variable that is not understood counts
/// as unset, and is put to `refused`.
settings complete_settings(const configuration& asked, variable_reader read, refused_variables& refused);

/// Throws `error` with the line of the first variable of the environment that is not understood, if
/// `asked` says so.
void refuse_environment(const configuration& asked);

/// One line that names the variable, its value (cut if long, "?" for control characters) and what
/// is accepted.
std::string refusal_line(const refused_variable& refused);

/// Completes `asked` from the environment and the machine. A bad variable is one line on stderr
/// that names it, its value and what is accepted; it counts as unset then, if that was chosen, and
/// ends the program with exit code 2 if not.
settings read_settings(const configuration& asked);
/// The number of workers where the program asks for none.
int usual_workers();

/// nopal::configure. `keeps_to_arenas`: workers beyond the usual number serve arenas alone.
void configure(const configuration& with, bool keeps_to_arenas);

/// Throws `error` naming the member of `asked` that is out of range.
void check_configuration(const configuration& asked);

/// What holds after `earlier` and then `asked` were set: what `asked` names, and of `earlier` what
/// it does not. Where it names nothing, nothing.
configuration followed_by(const configuration& earlier, const configuration& asked) noexcept;

/// Reads "65536", "64k", "1M", "2g" as bytes. False for anything else.
bool parse_bytes(const char* text, std::size_t& bytes) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
