#include "command_line.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nopal/runtime.hpp>

namespace tool {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Bytes in one of the unit: "" 1, "k" 1024, and so on.
std::optional<std::int64_t> bytes_of_unit(std::string_view unit) {
  constexpr std::string_view prefixes = "KMGT";
  if (unit.empty() || unit == "B") return 1;
  const auto power = prefixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front()))));
  unit.remove_prefix(1);
  if (power == std::string_view::npos || (!unit.empty() && unit != "B" && unit != "iB")) return std::nullopt;
  return std::int64_t{1} << (10 * (power + 1));
}

std::optional<std::int64_t> byte_count(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = whole_number(text.substr(0, digits));
  const auto unit = bytes_of_unit(text.substr(digits));
  if (!number || !unit || *number > std::numeric_limits<std::int64_t>::max() / *unit) return std::nullopt;
  return *number * *unit;
}

std::string range_text(whole_number_range range) {
  if (range.most == std::numeric_limits<std::int64_t>::max()) return fmt::format("from {}", range.least);
  return fmt::format("from {} to {}", range.least, range.most);
}

std::string accepted_options(const CLI::App& app) {
  std::string names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    if (!names.empty()) names += ", ";
    names += option->get_name();
  }
  return names;
}

}  // namespace

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const auto controls = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), controls, '?');
  return text;
}

CLI::Option* add_whole_number(CLI::App& app, const std::string& name, std::int64_t& target,
                              whole_number_range range, const std::string& description) {
  const auto read = [name, &target, range](const CLI::results_t& given) {
    const std::string& text = given.front();
    const auto number = whole_number(text);
    if (!number || *number < range.least || *number > range.most) {
      throw usage_error(fmt::format("{} takes a whole number {}, not '{}'", name, range_text(range), text));
    }
    target = *number;
    return true;
  };
  return app.add_option(name, read, description)->type_name("N");
}

CLI::Option* add_byte_count(CLI::App& app, const std::string& name, std::int64_t& target,
                            const std::string& description) {
  const auto read = [name, &target](const CLI::results_t& given) {
    const std::string& text = given.front();
    const auto bytes = byte_count(text);
    if (!bytes || *bytes < 1) {
      throw usage_error(
          fmt::format("{} takes a number of bytes such as 4096, 64K, 64MiB or 1G, not '{}'", name, text));
    }
    target = *bytes;
    return true;
  };
  return app.add_option(name, read, description)->type_name("BYTES");
}

std::vector<int> parse_worker_list(std::string_view list) {
  std::vector<int> counts;
  for (std::size_t start = 0; start <= list.size();) {
    const auto comma = std::min(list.find(',', start), list.size());
    const auto count = whole_number(list.substr(start, comma - start));
    if (!count || *count < 1 || *count > largest_worker_count) {
      throw usage_error(
          fmt::format("--workers takes numbers from 1 to {} separated by commas such as 1,2, not '{}'",
                      largest_worker_count, list));
    }
    if (std::find(counts.begin(), counts.end(), static_cast<int>(*count)) == counts.end()) {
      counts.push_back(static_cast<int>(*count));
    }
    start = comma + 1;
  }
  return counts;
}

int available_workers() {
  try {
    return nopal::workers();
  } catch (const nopal::error& e) {
    throw usage_error(e.what());
  }
}

bool parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ExtrasError& e) {
    throw usage_error(fmt::format("{}; accepted: {}", e.what(), accepted_options(app)));
  } catch (const CLI::ParseError& e) {
    throw usage_error(fmt::format("{}; --help shows what is accepted", e.what()));
  }
}

}  // namespace tool
