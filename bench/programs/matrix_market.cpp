#include "programs/matrix_market.hpp"

#include <algorithm>
#include <array>
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
constexpr std::array<std::string_view, 6> graph_forms = {
    "matrix coordinate pattern general", "matrix coordinate pattern symmetric",
    "matrix coordinate integer general", "matrix coordinate integer symmetric",
    "matrix coordinate real general",    "matrix coordinate real symmetric"};
constexpr std::string_view accepted_graph_forms =
    "matrix coordinate, then pattern, integer or real, then general or symmetric";
constexpr std::string_view banner = "%%matrixmarket";
constexpr std::string_view blanks = " \t\r";
constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t shortest_entry = 5;  // "1 1 1", and perhaps a line's end
constexpr std::size_t shortest_place = 3;  // "1 1"

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

/// A line of these numbers and nothing else.
template <class... Number>
bool parse_line(std::string_view line, Number&... numbers) {
  return (parse_number(take_word(line), numbers) && ...) && take_word(line).empty();
}

/// What the first line says that follows, in lower case.
std::string take_form(text_lines& lines) {
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
  return form;
}

[[noreturn]] void refuse_form(const text_lines& lines, const std::string& form, std::string_view accepted) {
  lines.refuse("a " + in_quotes(form) + " cannot be read; accepted: " + std::string(accepted));
}

struct announced {
  std::int32_t rows;
  std::int64_t entries;
};

/// The line with the size of a square matrix.
announced take_size(text_lines& lines, std::int32_t most_rows) {
  std::string_view line;
  if (!lines.take_content(line)) throw bad_matrix("ends before the numbers of rows, columns and entries");
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  if (!parse_line(line, rows, columns, entries) || entries < 0)
    lines.refuse(in_quotes(line) + " is not understood; accepted: rows columns entries");
  if (rows != columns || rows < 0 || rows > most_rows) {
    lines.refuse(in_quotes(line) + ": accepted are as many columns as rows, up to " +
                 std::to_string(most_rows));
  }
  return {static_cast<std::int32_t>(rows), entries};
}

/// However many entries a file announces, it has no more than its bytes allow, which are `shortest` for one.
std::size_t room_for(const text_lines& lines, std::int64_t entries, std::size_t shortest) {
  return std::min(static_cast<std::size_t>(entries), lines.rest().size() / shortest);
}

void check_count(std::int64_t entries, std::size_t has) {
  if (static_cast<std::int64_t>(has) != entries)
    throw bad_matrix("announces " + std::to_string(entries) + " entries and has " + std::to_string(has));
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

std::pair<std::int32_t, std::int32_t> parse_edge(const text_lines& lines, std::string_view line,
                                                 std::int32_t vertices, bool has_value) {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double value = 0;
  const bool is_edge = has_value ? parse_line(line, from, to, value) : parse_line(line, from, to);
  if (!is_edge) {
    lines.refuse(in_quotes(line) + " is no entry; accepted: row column" +
                 std::string(has_value ? " value" : ""));
  }
  if (from < 1 || from > vertices || to < 1 || to > vertices)
    lines.refuse(in_quotes(line) + " is outside of the matrix");
  return {static_cast<std::int32_t>(from - 1), static_cast<std::int32_t>(to - 1)};
}

bool is_before(const matrix_entry& a, const matrix_entry& b) {
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

}  // namespace

symmetric_matrix parse_matrix_market(std::string_view text) {
  text_lines lines(text);
  const std::string form = take_form(lines);
  if (form != accepted_form) refuse_form(lines, form, accepted_form);
  const announced size = take_size(lines, most_matrix_rows);
  symmetric_matrix matrix;
  matrix.rows = size.rows;
  matrix.entries.reserve(room_for(lines, size.entries, shortest_entry));
  std::string_view line;
  while (lines.take_content(line)) matrix.entries.push_back(parse_entry(lines, line, matrix.rows));
  check_count(size.entries, matrix.entries.size());
  std::sort(matrix.entries.begin(), matrix.entries.end(), is_before);
  const auto twice = std::adjacent_find(matrix.entries.begin(), matrix.entries.end(),
                                        [](auto& a, auto& b) { return !is_before(a, b); });
  if (twice != matrix.entries.end()) {
    throw bad_matrix("has row " + std::to_string(twice->row + 1) + " column " +
                     std::to_string(twice->column + 1) + " twice");
  }
  return matrix;
}

edge_list parse_graph(std::string_view text) {
  text_lines lines(text);
  const std::string form = take_form(lines);
  const auto known = std::find(graph_forms.begin(), graph_forms.end(), form);
  if (known == graph_forms.end()) refuse_form(lines, form, accepted_graph_forms);
  const bool has_values = !form.starts_with("matrix coordinate pattern");
  const bool both_ways = form.ends_with("symmetric");
  const announced size = take_size(lines, most_graph_vertices);
  edge_list graph;
  graph.vertices = size.rows;
  const std::size_t room = room_for(lines, size.entries, has_values ? shortest_entry : shortest_place);
  graph.edges.reserve(both_ways ? 2 * room : room);
  std::size_t entries = 0;
  for (std::string_view line; lines.take_content(line); ++entries) {
    const auto [from, to] = parse_edge(lines, line, size.rows, has_values);
    if (both_ways && to > from)
      lines.refuse(in_quotes(line) + " is above the diagonal; accepted: on it or below");
    graph.edges.emplace_back(from, to);
    if (both_ways && to != from) graph.edges.emplace_back(to, from);
  }
  check_count(size.entries, entries);
  return graph;
}

namespace {

std::string text_of_file(const std::string& file) {
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
  return text;
}

template <class Parse>
auto parsed_file(const std::string& file, Parse parse) {
  const std::string text = text_of_file(file);
  try {
    return parse(text);
  } catch (const bad_matrix& e) {
    throw bad_matrix(in_quotes(file) + ": " + e.what());
  }
}

}  // namespace

symmetric_matrix read_matrix_market(const std::string& file) {
  return parsed_file(file, parse_matrix_market);
}

edge_list read_graph(const std::string& file) { return parsed_file(file, parse_graph); }

}  // namespace bench
