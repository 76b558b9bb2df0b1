// Sparse matrices, and graphs as matrices, in Matrix Market form.
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "fuzz.hpp"
#include "programs/matrix_market.hpp"

namespace {

// Nothing if the text is refused, which takes one line.
std::optional<bench::symmetric_matrix> read(std::string_view text) {
  try {
    return bench::parse_matrix_market(text);
  } catch (const bench::bad_matrix& refusal) {
    FUZZ_CHECK(fuzz::is_one_line(refusal.what() + std::string("\n")));
    FUZZ_CHECK(std::string_view(refusal.what()).size() < 300);
    return {};
  }
}

void check_entries(const bench::symmetric_matrix& matrix) {
  const bench::matrix_entry* before = nullptr;
  for (const bench::matrix_entry& entry : matrix.entries) {
    FUZZ_CHECK(entry.row >= 0 && entry.row < matrix.rows);
    FUZZ_CHECK(entry.column >= 0 && entry.column <= entry.row);
    FUZZ_CHECK(std::isfinite(entry.value));
    FUZZ_CHECK(before == nullptr || before->row < entry.row ||
               (before->row == entry.row && before->column < entry.column));
    before = &entry;
  }
}

// The matrix as a file.
std::string print(const bench::symmetric_matrix& matrix) {
  const std::string rows = std::to_string(matrix.rows);
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + rows + " " + rows + " " +
                     std::to_string(matrix.entries.size()) + "\n";
  for (const bench::matrix_entry& entry : matrix.entries) {
    char line[100];
    std::snprintf(line, sizeof line, "%d %d %.17g\n", entry.row + 1, entry.column + 1, entry.value);
    text += line;
  }
  return text;
}

void check_graph(std::string_view text) {
  bench::edge_list graph;
  try {
    graph = bench::parse_graph(text);
  } catch (const bench::bad_matrix& refusal) {
    FUZZ_CHECK(fuzz::is_one_line(refusal.what() + std::string("\n")));
    FUZZ_CHECK(std::string_view(refusal.what()).size() < 300);
    return;
  }
  FUZZ_CHECK(graph.vertices >= 0 && graph.vertices <= bench::most_graph_vertices);
  FUZZ_CHECK(graph.edges.capacity() <= 2 + 2 * text.size());
  for (const auto& [from, to] : graph.edges) {
    FUZZ_CHECK(from >= 0 && from < graph.vertices);
    FUZZ_CHECK(to >= 0 && to < graph.vertices);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_graph(text);
  const auto matrix = read(text);
  if (!matrix) return 0;
  FUZZ_CHECK(matrix->rows >= 0 && matrix->rows <= bench::most_matrix_rows);
  FUZZ_CHECK(matrix->entries.capacity() <= 1 + text.size());  // whatever number the text announces
  check_entries(*matrix);
  const auto again = read(print(*matrix));
  FUZZ_CHECK(again && again->rows == matrix->rows && again->entries.size() == matrix->entries.size());
  for (std::size_t i = 0; i < matrix->entries.size(); ++i) {
    FUZZ_CHECK(again->entries[i].row == matrix->entries[i].row);
    FUZZ_CHECK(again->entries[i].column == matrix->entries[i].column);
    FUZZ_CHECK(again->entries[i].value == matrix->entries[i].value);
  }
  return 0;
}
