#include "format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace tool {

std::string format_seconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3)
    return fmt::format("{:.{}f} ms", seconds * 1e3, seconds >= 0.1 ? 0 : seconds >= 0.01 ? 1 : 2);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return format_count(bytes, "byte");
  double scaled = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; scaled >= 1024 && unit + 1 < units.size(); ++unit) scaled /= 1024;
  return fmt::format("{:.1f} {}", scaled, units[unit]);
}

std::string format_count(std::uint64_t count, const std::string& noun) {
  const std::string plain = std::to_string(count);
  std::string digits;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i != 0 && (plain.size() - i) % 3 == 0) digits += ',';
    digits += plain[i];
  }
  return fmt::format("{} {}{}", digits, noun, count == 1 ? "" : "s");
}

std::string text_table::str() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tool
