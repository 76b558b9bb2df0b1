// Reading configuration and environment; every refusal is one line that says what is accepted.

#include "scheduler/settings.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "os/interruptions.hpp"
#include "os/os.hpp"
#include "scheduler/setting_names.hpp"
#include "trace/trace.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr const char* workers_accepted = "a whole number from 1 to 1024";
constexpr const char* substitutes_accepted = "a whole number from 0 to 4096";
constexpr const char* steal_accepted =
    "usual, or always, which needs two workers at least: NOPAL_WORKERS or the program asks for one";
constexpr const char* trace_accepted =
    "a file's name, or one and ,size=BYTES for each worker's records, from 64K to 1G (4M)";
constexpr const char* stack_accepted = "bytes from 64K to 64G, with K, M or G if you like";
constexpr const char* signal_accepted = "off, or a signal that the program does not use: URG (the default), "
                                        "USR1, USR2, IO, PWR, WINCH, or a real-time "
                                        "signal from 35 to 64";
// configure() takes numbers, not text; in each member one number leaves the setting alone.
constexpr const char* workers_member_accepted = "a whole number from 1 to 1024; 0 leaves it alone";
constexpr const char* stack_member_accepted = "bytes from 65536 to 68719476736; 0 leaves it alone";

/// Reads the variables, and remembers those that are not understood.
class environment_reader {
public:
  environment_reader(variable_reader read, refused_variables& refused) : read_(read), refused_(refused) {}

  /// The variable's value; null if it is unset or empty.
  [[nodiscard]] const char* value(const char* name) const {
    const char* const text = read_(name);
    return text != nullptr && *text != '\0' ? text : nullptr;
  }

  void refuse(const char* name, const char* text, const char* accepted) {
    refused_.at[refused_.count++] = {name, text, accepted};
  }

  /// The position of the variable's value among `names`; -1 if it is unset.
  int choice(const char* name, std::initializer_list<const char*> names, const char* accepted) {
    const char* const text = value(name);
    if (text == nullptr) return -1;
    int position = 0;
    for (const char* candidate : names) {
      if (std::strcmp(text, candidate) == 0) return position;
      ++position;
    }
    refuse(name, text, accepted);
    return -1;
  }

private:
  variable_reader read_;
  refused_variables& refused_;
};

/// Reads a number from `least` to `most`; false for anything else, and `number` stays.
bool parse_number(std::string_view text, int least, int most, int& number) {
  int value = 0;
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [parsed_to, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || parsed_to != end || value < least || value > most) return false;
  number = value;
  return true;
}

/// The text without what would end the line or control a terminal, and short enough to leave room
/// for the rest.
std::string shown(const char* text) {
  constexpr std::size_t most_bytes = 200;
  std::size_t length = strnlen(text, most_bytes + 1);
  const bool cut = length > most_bytes;
  if (cut) length = most_bytes;
  // A letter of several bytes stays whole.
  while (cut && length > 0 && (text[length] & 0xc0) == 0x80) --length;
  std::string result(text, length);
  for (char& c : result) {
    const auto code = static_cast<unsigned char>(c);  // a char has a sign on some machines only
    if (code < ' ' || code == 0x7f) c = '?';
  }
  return cut ? result + "..." : result;
}

/// A program that runs with more rights than its user has writes no file that the user names.
const char* from_environment(const char* name) {
  const bool names_file = std::strcmp(name, "NOPAL_TRACE") == 0 || std::strcmp(name, "NOPAL_PROFILE") == 0;
  return names_file ? secure_getenv(name) : std::getenv(name);
}

/// Reads "FILE" or "FILE,size=BYTES".
bool parse_trace(const char* text, trace_setting& result) {
  constexpr std::string_view size_follows = ",size=";
  const std::string_view whole = text;
  const std::size_t at = whole.rfind(size_follows);
  std::size_t bytes = trace::default_ring_bytes;
  if (at != std::string_view::npos && !parse_bytes(text + at + size_follows.size(), bytes)) return false;
  if (at == 0 || bytes < trace::least_ring_bytes || bytes > trace::most_ring_bytes) return false;
  result = {text, at == std::string_view::npos ? whole.size() : at, bytes};
  return true;
}

bool stack_in_range(std::size_t bytes) { return bytes >= least_stack_bytes && bytes <= most_stack_bytes; }

}  // namespace

bool parse_bytes(const char* text, std::size_t& bytes) noexcept {
  if (*text < '0' || *text > '9') {
    return false;
  }
  char* end;
  errno = 0;
  const unsigned long long value = std::strtoull(text, &end, 10);
  unsigned shift = 0;
  switch (*end) {
  case 'k':
  case 'K':
    shift = 10;
    ++end;
    break;
  case 'm':
  case 'M':
    shift = 20;
    ++end;
    break;
  case 'g':
  case 'G':
    shift = 30;
    ++end;
    break;
  default: break;
  }
  if (errno != 0 || *end != '\0' || value > (~0ULL >> shift)) {
    return false;
  }
  bytes = static_cast<std::size_t>(value << shift);
  return true;
}

void check_configuration(const configuration& asked) {
  if (asked.workers < 0 || asked.workers > most_workers) {
    throw error("nopal: configure: workers = " + std::to_string(asked.workers) +
                ": accepted: " + workers_member_accepted);
  }
  if (asked.stack_size != 0 && !stack_in_range(asked.stack_size)) {
    throw error("nopal: configure: stack_size = " + std::to_string(asked.stack_size) +
                ": accepted: " + stack_member_accepted);
  }
  const int reclaim_value = static_cast<int>(asked.reclaim);
  if (reclaim_value < -1 || reclaim_value > 2) {
    throw error("nopal: configure: reclaim = " + std::to_string(reclaim_value) +
                ": accepted: nopal::reclaim::lazy, eager or never (in C nopal_reclaim_lazy and so on)");
  }
  if (asked.pin < -1 || asked.pin > 1) {
    throw error("nopal: configure: pin = " + std::to_string(asked.pin) +
                ": accepted: 1 (bound to CPUs), 0 (not); -1 leaves it alone");
  }
  if (asked.reclaim_with < -1 || asked.reclaim_with > 1) {
    throw error(
        "nopal: configure: reclaim_with = " + std::to_string(asked.reclaim_with) +
        ": accepted: nopal::reclaim_call::dontneed or free, as a number (in C nopal_reclaim_with_dontneed or "
        "nopal_reclaim_with_free)");
  }
  const int on_bad_setting = static_cast<int>(asked.on_bad_setting);
  if (on_bad_setting < -1 || on_bad_setting > 2) {
    throw error(
        "nopal: configure: on_bad_setting = " + std::to_string(on_bad_setting) +
        ": accepted: nopal::bad_setting::exit, refuse or use_default (in C nopal_bad_setting_exit and "
        "so on)");
  }
}

configuration followed_by(const configuration& earlier, const configuration& asked) noexcept {
  const bool names_reclaim = static_cast<int>(asked.reclaim) >= 0;
  const bool names_bad_setting = static_cast<int>(asked.on_bad_setting) >= 0;
  if (asked.workers == 0 && asked.stack_size == 0 && !names_reclaim && asked.pin < 0 &&
      asked.reclaim_with < 0 && !names_bad_setting) {
    return {};
  }
  configuration result = earlier;
  if (asked.workers != 0) result.workers = asked.workers;
  if (asked.stack_size != 0) result.stack_size = asked.stack_size;
  if (names_reclaim) result.reclaim = asked.reclaim;
  if (asked.pin >= 0) result.pin = asked.pin;
  if (asked.reclaim_with >= 0) result.reclaim_with = asked.reclaim_with;
  if (names_bad_setting) result.on_bad_setting = asked.on_bad_setting;
  return result;
}

std::string refusal_line(const refused_variable& refused) {
  return std::string("nopal: ") + refused.name + "=" + shown(refused.value) +
         ": not understood; accepted: " + refused.accepted + "\n";
}

settings complete_settings(const configuration& asked, variable_reader read, refused_variables& refused) {
  environment_reader environment(read, refused);
  settings result;
  result.workers = asked.workers;
  if (const char* const text = environment.value("NOPAL_WORKERS")) {
    int workers = 0;
    if (!parse_number(text, 1, most_workers, workers))
      environment.refuse("NOPAL_WORKERS", text, workers_accepted);
    result.workers = asked.workers != 0 ? asked.workers : workers;
  }
  if (const char* const text = environment.value("NOPAL_SUBSTITUTES")) {
    if (!parse_number(text, 0, most_substitutes, result.substitutes)) {
      environment.refuse("NOPAL_SUBSTITUTES", text, substitutes_accepted);
    }
  }
  if (const char* const text = environment.value("NOPAL_STACK_SIZE")) {
    std::size_t bytes = 0;
    if (parse_bytes(text, bytes) && stack_in_range(bytes)) {
      result.stack_bytes = bytes;
    } else {
      environment.refuse("NOPAL_STACK_SIZE", text, stack_accepted);
    }
  }
  if (asked.stack_size != 0) {
    result.stack_bytes = asked.stack_size;
  }
  const std::size_t page_bytes = os::page_size();
  result.stack_bytes = (result.stack_bytes + page_bytes - 1) / page_bytes * page_bytes;

  const int reclaim_choice =
      environment.choice("NOPAL_RECLAIM", {"lazy", "eager", "never"}, "lazy, eager or never");
  result.reclaim = static_cast<int>(asked.reclaim) >= 0 ? asked.reclaim
                   : reclaim_choice >= 0                ? static_cast<nopal::reclaim>(reclaim_choice)
                                                        : nopal::reclaim::lazy;
  const int call_choice = environment.choice("NOPAL_RECLAIM_WITH", {"dontneed", "free"}, "dontneed or free");
  const int call = asked.reclaim_with >= 0 ? asked.reclaim_with : call_choice;
  result.reclaim_with = call >= 0 ? static_cast<reclaim_call>(call) : reclaim_call::dontneed;
  const int pin_choice = environment.choice("NOPAL_PIN", {"0", "1"}, "0 or 1");
  result.pin = (asked.pin >= 0 ? asked.pin : pin_choice) == 1;
  result.print_stats = environment.choice("NOPAL_STATS", {"0", "1"}, "0 or 1") == 1;
  result.profile_file = environment.value("NOPAL_PROFILE");
  const int forks_choice = environment.choice("NOPAL_FORKS", {"latent", "eager"}, "latent or eager");
  result.eager_forks = forks_choice == 1;
  result.latent_forks_named = forks_choice == 0;
  result.signal = os::default_interruption();
  if (const char* const text = environment.value("NOPAL_SIGNAL")) {
    if (!os::parse_interruption(text, result.signal)) {
      environment.refuse("NOPAL_SIGNAL", text, signal_accepted);
    }
  }
  if (const char* const text = environment.value("NOPAL_TRACE")) {
    if (!parse_trace(text, result.trace)) environment.refuse("NOPAL_TRACE", text, trace_accepted);
  }
  result.steals_always = environment.choice("NOPAL_STEAL", {"usual", "always"}, "usual or always") == 1;
  if (result.steals_always && result.workers == 1) {
    environment.refuse("NOPAL_STEAL", environment.value("NOPAL_STEAL"), steal_accepted);
    result.steals_always = false;
  }
  const int bad_choice = environment.choice("NOPAL_ON_BAD_SETTING", {"exit", "default"}, "exit or default");
  result.on_bad_setting = static_cast<int>(asked.on_bad_setting) >= 0 ? asked.on_bad_setting
                          : bad_choice == 1                           ? bad_setting::use_default
                                                                      : bad_setting::exit;

  if (result.workers == 0) {
    const int allowed = os::read_cpu_allowance().allowed;
    result.workers = allowed < most_workers ? allowed : most_workers;
    if (result.steals_always && result.workers < workers_to_steal_always) {
      result.workers = workers_to_steal_always;
    }
  }
  return result;
}

int usual_workers() {
  refused_variables refused;
  return complete_settings({}, from_environment, refused).workers;
}

settings read_settings(const configuration& asked) {
  tell_of_misspelt_settings();
  refused_variables refused;
  const settings result = complete_settings(asked, from_environment, refused);
  for (int i = 0; i < refused.count; ++i) {
    std::string line = refusal_line(refused.at[i]);
    if (result.on_bad_setting != bad_setting::use_default) {
      os::write_stderr("%s", line.c_str());
      std::exit(2);
    }
    line.insert(line.size() - 1, "; taken as unset");
    os::write_stderr("%s", line.c_str());
  }
  return result;
}

void refuse_environment(const configuration& asked) {
  if (asked.on_bad_setting != bad_setting::refuse) return;
  refused_variables refused;
  static_cast<void>(complete_settings(asked, from_environment, refused));
  if (refused.count == 0) return;
  std::string line = refusal_line(refused.at[0]);
  line.pop_back();
  throw error(line);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
