// Reads sparse matrices from files in Matrix Market form: a line that says what follows, comments, the
// numbers of rows, columns and entries, then a line "row column value" for each entry.
#ifndef NOPAL_BENCH_PROGRAMS_MATRIX_MARKET_HPP
#define NOPAL_BENCH_PROGRAMS_MATRIX_MARKET_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
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

/// A matrix that cannot be had. The message is one line, without a line's end.
class bad_matrix : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The matrix that `text` holds in the form "matrix coordinate real symmetric". Throws bad_matrix.
[[nodiscard]] symmetric_matrix parse_matrix_market(std::string_view text);

/// The same of a file, whose name is in the messages.
[[nodiscard]] symmetric_matrix read_matrix_market(const std::string& file);

}  // namespace bench

#endif
