// Numbers and tables as people read them.
#ifndef NOPAL_TOOLS_FORMAT_HPP
#define NOPAL_TOOLS_FORMAT_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace tool {

/// "85.3 ms", "1.204 s": three to four digits whatever the magnitude.
[[nodiscard]] std::string format_seconds(double seconds);

/// "512 bytes", "61.9 MiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// "4,096 files", "1 file".
[[nodiscard]] std::string format_count(std::uint64_t count, const std::string& noun);

/// Rows of cells under a heading, the first column flush left, the others flush right.
class text_table {
public:
  explicit text_table(std::vector<std::string> heading) : rows_{std::move(heading)} {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string str() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tool

#endif
