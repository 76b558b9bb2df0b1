// Names of variables that are settings but for a slip. Who misspells one gets the default, and no other sign.

#include "scheduler/setting_names.hpp"

#include <algorithm>
#include <atomic>

#include <unistd.h>

#include "os/os.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr std::string_view common_beginning = "NOPAL_";

bool is_one_slip_from(std::string_view a, std::string_view b) noexcept {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() == 2 && b.size() == 2) return a[0] == b[1] && a[1] == b[0];
  return a.size() <= 1 && b.size() <= 1;
}

}  // namespace

std::string_view setting_meant_by(std::string_view name) noexcept {
  if (name.substr(0, common_beginning.size()) != common_beginning) return {};
  if (std::find(setting_names.begin(), setting_names.end(), name) != setting_names.end()) return {};
  const auto* const meant =
      std::find_if(setting_names.begin(), setting_names.end(),
                   [name](std::string_view setting) { return is_one_slip_from(name, setting); });
  return meant == setting_names.end() ? std::string_view{} : *meant;
}

void tell_of_misspelt_settings() noexcept {
  static std::atomic<bool> told{false};
  // Nothing else is handed over: it orders nothing.
  if (environ == nullptr || told.exchange(true, std::memory_order_relaxed)) return;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const std::string_view meant = setting_meant_by(name);
    if (meant.empty() || name.size() == text.size()) continue;
    // What replaces a letter may be no letter.
    const bool is_printable =
        std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
    if (!is_printable) continue;
    os::write_stderr("nopal: %.*s: there is no such setting; is %.*s meant?\n", static_cast<int>(name.size()),
                     name.data(), static_cast<int>(meant.size()), meant.data());
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
