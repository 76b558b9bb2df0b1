// The NOPAL_ variables. An input's lines are their values; an empty line leaves one unset.
#include "scheduler/settings.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "fuzz.hpp"

namespace {

constexpr const char* names[] = {
    "NOPAL_WORKERS", "NOPAL_STACK_SIZE",     "NOPAL_RECLAIM", "NOPAL_RECLAIM_WITH", "NOPAL_PIN",
    "NOPAL_STATS",   "NOPAL_ON_BAD_SETTING", "NOPAL_FORKS",   "NOPAL_SIGNAL",       "NOPAL_SUBSTITUTES",
    "NOPAL_STEAL",   "NOPAL_TRACE",          "NOPAL_PROFILE"};
std::string values[std::size(names)];

const char* fuzzed_variable(const char* name) {
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (std::strcmp(name, names[i]) == 0) return values[i].empty() ? nullptr : values[i].c_str();
  }
  fuzz::property_failed("an unknown variable is read", __FILE__, __LINE__);
}

void check_refusal(const nopal::internal::refused_variable& refused) {
  const std::string line = nopal::internal::refusal_line(refused);
  FUZZ_CHECK(fuzz::is_one_line(line));
  FUZZ_CHECK(line.size() < 1000);  // what one message holds
  FUZZ_CHECK(line.starts_with(std::string("nopal: ") + refused.name + "="));
  FUZZ_CHECK(line.ends_with(std::string("accepted: ") + refused.accepted + "\n"));
  FUZZ_CHECK(fuzzed_variable(refused.name) == refused.value);
  const std::string value(refused.value);
  const bool plain = value.size() <= 200 &&
                     std::none_of(value.begin(), value.end(), [](char c) { return c < ' ' || c == 0x7f; });
  FUZZ_CHECK(!plain || line.find("=" + value + ":") != std::string::npos);
}

void check_ranges(const nopal::internal::settings& result) {
  FUZZ_CHECK(result.workers >= 1 && result.workers <= nopal::internal::most_workers);
  FUZZ_CHECK(result.stack_bytes >= nopal::internal::least_stack_bytes &&
             result.stack_bytes <= nopal::internal::most_stack_bytes);
  FUZZ_CHECK(result.stack_bytes % 4096 == 0);
  FUZZ_CHECK(result.substitutes >= 0 && result.substitutes <= nopal::internal::most_substitutes);
}

void check_accepted(const nopal::internal::settings& result) {
  FUZZ_CHECK(values[0].empty() || std::stol(values[0]) == result.workers);
  FUZZ_CHECK(values[2].empty() || values[2][0] == "len"[static_cast<int>(result.reclaim)]);
  FUZZ_CHECK(values[3].empty() || values[3][0] == "df"[static_cast<int>(result.reclaim_with)]);
  FUZZ_CHECK(result.pin == (values[4] == "1"));
  FUZZ_CHECK(result.print_stats == (values[5] == "1"));
  FUZZ_CHECK((result.on_bad_setting == nopal::bad_setting::use_default) == (values[6] == "default"));
  FUZZ_CHECK(result.eager_forks == (values[7] == "eager"));
  FUZZ_CHECK((result.signal == 0) == (values[8] == "off"));
  FUZZ_CHECK(result.signal >= 0 && result.signal <= 64);
  FUZZ_CHECK(result.steals_always == (values[10] == "always"));
  FUZZ_CHECK(!result.steals_always || result.workers >= 2);
  FUZZ_CHECK(values[9].empty() || std::stol(values[9]) == result.substitutes);
}

void check_bytes(const std::string& text) {
  std::size_t bytes = 7;
  if (!nopal::internal::parse_bytes(text.c_str(), bytes)) {
    FUZZ_CHECK(bytes == 7);
    return;
  }
  std::size_t again = 0;
  FUZZ_CHECK(nopal::internal::parse_bytes(std::to_string(bytes).c_str(), again));
  FUZZ_CHECK(again == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = fuzz::split(fuzz::text_of(data, size), "\n");
  for (std::size_t i = 0; i < std::size(names); ++i) {
    values[i] = i < lines.size() ? lines[i] : "";
    values[i].resize(std::strlen(values[i].c_str()));  // no variable holds a NUL
    // A line cannot hold a newline, which a value can.
    for (char& c : values[i]) c = c == '\v' ? '\n' : c;
    check_bytes(values[i]);
  }
  nopal::internal::refused_variables refused;
  const nopal::internal::settings result = nopal::internal::complete_settings({}, fuzzed_variable, refused);
  check_ranges(result);
  FUZZ_CHECK(refused.count <= static_cast<int>(std::size(names)));
  for (int i = 0; i < refused.count; ++i) check_refusal(refused.at[i]);
  if (refused.count == 0) check_accepted(result);
  return 0;
}
