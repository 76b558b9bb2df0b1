#include "programs/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace bench {
namespace {

constexpr std::string_view accepted_form = "matrix coordinate real symmetric";
constexpr std::string_view banner = "%%matrixmarket";
constexpr std::string_view blanks = " \t\r";
constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t shortest_entry = 5;  // "1 1 1", and perhaps a line's end

/// `text` fit for a message: cut, with "?" for what is not a plain character.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string result = "'";
  for (const char c : text.substr(0, most)) result += c >= ' ' && c < 0x7f ? c : '?';
  return result + (text.size() > most ? "...'" : "'");
}

/// The lines of a text, and what is wrong with the one that was taken last.
class text_lines {
public:
  explicit text_lines(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// Takes a line into `line`; false at the end.
  bool take(std::string_view& line) {
    if (rest_.empty()) return false;
    ++number_;
    line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    return true;
  }
  /// Takes the next line that is neither blank nor a comment.
  bool take_content(std::string_view& line) {
    while (take(line)) {
      const std::size_t first = line.find_first_not_of(blanks);
      if (first != std::string_view::npos && line[first] != '%') return true;
    }
    return false;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw bad_matrix("line " + std::to_string(number_) + ": " + what);
  }

private:
  std::string_view rest_;
  long number_ = 0;
};

/// Takes the next word off `line`; empty at its end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(blanks)));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

/// A word as a number, in whole; a leading "+" is taken too.
template <class Number>
bool parse_number(std::string_view word, Number& number) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

/// A line of three numbers and nothing else.
template <class Last>
bool parse_line(std::string_view line, std::int64_t& first, std::int64_t& second, Last& last) {
  return parse_number(take_word(line), first) && parse_number(take_word(line), second) &&
         parse_number(take_word(line), last) && take_word(line).empty();
}

void check_form(text_lines& lines) {
  std::string_view line;
  lines.take(line);
  std::string form;
  bool is_first = true;
  bool has_banner = false;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (is_first) {
      has_banner = lower == banner;
    } else {
      form += (form.empty() ? "" : " ") + lower;
    }
    is_first = false;
  }
  if (!has_banner) throw bad_matrix("no Matrix Market file: line 1 does not begin with %%MatrixMarket");
  if (form != accepted_form) {
    lines.refuse("a " + in_quotes(form) + " cannot be read; accepted: " + std::string(accepted_form));
  }
}

matrix_entry parse_entry(const text_lines& lines, std::string_view line, std::int32_t rows) {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 0;
  if (!parse_line(line, row, column, value))
    lines.refuse(in_quotes(line) + " is no entry; accepted: row column value");
  if (row < 1 || row > rows || column < 1 || column > rows)
    lines.refuse(in_quotes(line) + " is outside of the matrix");
  if (column > row) lines.refuse(in_quotes(line) + " is above the diagonal; accepted: on it or below");
  if (!std::isfinite(value)) lines.refuse(in_quotes(line) + " has no finite value");
  return {static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1), value};
}

bool is_before(const matrix_entry& a, const matrix_entry& b) {
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

}  // namespace

symmetric_matrix parse_matrix_market(std::string_view text) {
  text_lines lines(text);
  check_form(lines);
  std::string_view line;
  if (!lines.take_content(line)) throw bad_matrix("ends before the numbers of rows, columns and entries");
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  if (!parse_line(line, rows, columns, entries) || entries < 0)
    lines.refuse(in_quotes(line) + " is not understood; accepted: rows columns entries");
  if (rows != columns || rows < 0 || rows > most_matrix_rows) {
    lines.refuse(in_quotes(line) + ": accepted are as many columns as rows, up to " +
                 std::to_string(most_matrix_rows));
  }
  symmetric_matrix matrix;
  matrix.rows = static_cast<std::int32_t>(rows);
  // However many entries a file announces, it has no more than its bytes allow.
  const auto room = static_cast<std::int64_t>(lines.rest().size() / shortest_entry);
  matrix.entries.reserve(static_cast<std::size_t>(std::min(entries, room)));
  while (lines.take_content(line)) matrix.entries.push_back(parse_entry(lines, line, matrix.rows));
  if (static_cast<std::int64_t>(matrix.entries.size()) != entries) {
    throw bad_matrix("announces " + std::to_string(entries) + " entries and has " +
                     std::to_string(matrix.entries.size()));
  }
  std::sort(matrix.entries.begin(), matrix.entries.end(), is_before);
  const auto twice = std::adjacent_find(matrix.entries.begin(), matrix.entries.end(),
                                        [](auto& a, auto& b) { return !is_before(a, b); });
  if (twice != matrix.entries.end()) {
    throw bad_matrix("has row " + std::to_string(twice->row + 1) + " column " +
                     std::to_string(twice->column + 1) + " twice");
  }
  return matrix;
}

symmetric_matrix read_matrix_market(const std::string& file) {
  // Every run reads the file again, which only a regular file allows.
  std::error_code error;
  const bool is_regular = std::filesystem::is_regular_file(file, error);
  if (error) throw bad_matrix("cannot read " + in_quotes(file) + ": " + error.message());
  if (!is_regular) throw bad_matrix("cannot read " + in_quotes(file) + ": not a regular file");
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  if (bytes > most_file_bytes) throw bad_matrix("cannot read " + in_quotes(file) + ": larger than 1 GiB");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(bytes)))
    throw bad_matrix("cannot read " + in_quotes(file) + ": " + std::generic_category().message(errno));
  try {
    return parse_matrix_market(text);
  } catch (const bad_matrix& e) {
    throw bad_matrix(in_quotes(file) + ": " + e.what());
  }
}

}  // namespace bench
