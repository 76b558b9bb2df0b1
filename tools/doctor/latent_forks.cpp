#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "os/interruptions.hpp"

namespace tool::doctor {
namespace {

namespace os = nopal::internal::os;

// As the variable has it, which the runtime has understood.
std::string signal_name(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return fmt::format("signal {}", text);
  }
  return fmt::format("{}{}", text.starts_with("SIG") ? "" : "SIG", text);
}

bool is_set(const char* variable) { return variable != nullptr && *variable != '\0'; }

}  // namespace

finding latent_forks_finding(bool finds_tables, const char* forks, const char* signal) {
  finding found{"latent forks", "", {{"possible", finds_tables}, {"signal", nullptr}}, verdict::ok, {}};
  if (!finds_tables) {
    found.value = "not possible";
    judge(found, verdict::note,
          "every fork is eager: the C library has no _dl_find_object, which glibc 2.35 has");
    return found;
  }
  if (is_set(forks) && std::string_view(forks) == "eager") {
    found.value = "turned off by NOPAL_FORKS";
    return found;
  }
  int number = os::default_interruption();
  if (is_set(signal) && !os::parse_interruption(signal, number)) {
    number = os::default_interruption();  // as the runtime where it lets bad settings pass
    signal = nullptr;
  }
  if (number == 0) {
    found.value = "possible, without a signal";
    judge(found, verdict::note, "forks below a long leaf wait for its end: NOPAL_SIGNAL says off");
    return found;
  }
  found.value =
      fmt::format("possible; threads are asked by {}", signal_name(is_set(signal) ? signal : "URG"));
  found.data["signal"] = number;
  return found;
}

}  // namespace tool::doctor
