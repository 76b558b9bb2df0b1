// Reads sparse matrices, and graphs as matrices, from files in Matrix Market form: a line that says what follows, comments,
// the numbers of rows, columns and entries, then a line "row column value" for each entry.
#ifndef NOPAL_BENCH_PROGRAMS_MATRIX_MARKET_HPP
#define NOPAL_BENCH_PROGRAMS_MATRIX_MARKET_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// An entry on or below the diagonal; rows and columns count from 0.
struct matrix_entry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

/// A symmetric matrix by its entries on and below the diagonal, row by row, each place at most once.
struct symmetric_matrix {
  std::int32_t rows = 0;
  std::vector<matrix_entry> entries;
};

inline constexpr std::int32_t most_matrix_rows = 1'000'000;

/// The edges of a graph, from the first vertex to the second, as they are in the file and maybe several times; vertices
/// count from 0.
struct edge_list {
  std::int32_t vertices = 0;
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
};

inline constexpr std::int32_t most_graph_vertices = 10'000'000;

/// A matrix that cannot be had. The message is one line, without a line's end.
class bad_matrix : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The matrix that `text` holds in the form "matrix coordinate real symmetric". Throws bad_matrix.
[[nodiscard]] symmetric_matrix parse_matrix_market(std::string_view text);

/// The same of a file, whose name is in the messages.
[[nodiscard]] symmetric_matrix read_matrix_market(const std::string& file);

/// The graph whose adjacency matrix `text` holds in one of the forms "matrix coordinate {pattern, integer, real}
/// {general, symmetric}": an edge from its row to its column for each entry, whatever its value, and one back where the
/// matrix is symmetric. Throws bad_matrix.
[[nodiscard]] edge_list parse_graph(std::string_view text);

/// The same of a file, whose name is in the messages.
[[nodiscard]] edge_list read_graph(const std::string& file);

}  // namespace bench

#endif
