// Matrix Market files: what is read, and that every refusal is one line that says what is wrong or accepted.
#include "programs/matrix_market.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fake_root.hpp"

namespace {

const std::string form = "%%MatrixMarket matrix coordinate real symmetric\n";

/// What the reader says of a text; empty if it accepts it.
std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(bench::parse_matrix_market(text));
    return "";
  } catch (const bench::bad_matrix& refusal) {
    return refusal.what();
  }
}

TEST(matrix_market, reads_entries_in_any_order_and_sorts_them) {
  const auto matrix =
      bench::parse_matrix_market(form + "% said\n\n 3 3 4\n3 3 4e0\n%\n2 1 -1.5\r\n\n1\t1  +2\n2 2 3");
  EXPECT_EQ(matrix.rows, 3);
  ASSERT_EQ(matrix.entries.size(), 4u);
  const std::vector<bench::matrix_entry> expected = {{0, 0, 2}, {1, 0, -1.5}, {1, 1, 3}, {2, 2, 4}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(matrix.entries[i].row, expected[i].row) << i;
    EXPECT_EQ(matrix.entries[i].column, expected[i].column) << i;
    EXPECT_EQ(matrix.entries[i].value, expected[i].value) << i;
  }
}

TEST(matrix_market, reads_what_is_empty_or_large) {
  EXPECT_EQ(bench::parse_matrix_market(form + "0 0 0\n").rows, 0);
  EXPECT_EQ(bench::parse_matrix_market(form + "1000000 1000000 0").rows, 1'000'000);
  EXPECT_EQ(refusal_of("%%matrixMARKET Matrix COORDINATE real Symmetric\n1 1 1\n1 1 1\n"), "");
}

struct refused {
  std::string text;
  std::string says;
};

TEST(matrix_market, refuses_everything_else_in_words) {
  const std::vector<refused> all = {
      {"", "no Matrix Market file: line 1 does not begin with %%MatrixMarket"},
      {"1 1 1\n1 1 1\n", "no Matrix Market file: line 1 does not begin with %%MatrixMarket"},
      {"%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n",
       "line 1: a 'matrix coordinate pattern symmetric' cannot be read; accepted: matrix coordinate real "
       "symmetric"},
      {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
       "line 1: a 'matrix coordinate real general' cannot be read; accepted: matrix coordinate real "
       "symmetric"},
      {form, "ends before the numbers of rows, columns and entries"},
      {form + "2 2\n", "line 2: '2 2' is not understood; accepted: rows columns entries"},
      {form + "2 2 -1\n", "line 2: '2 2 -1' is not understood; accepted: rows columns entries"},
      {form + "2 2 1.0\n", "line 2: '2 2 1.0' is not understood; accepted: rows columns entries"},
      {form + "2 3 1\n1 1 1\n", "line 2: '2 3 1': accepted are as many columns as rows, up to 1000000"},
      {form + "1000001 1000001 1\n",
       "line 2: '1000001 1000001 1': accepted are as many columns as rows, up to 1000000"},
      {form + "1 1 1\n1 1\n", "line 3: '1 1' is no entry; accepted: row column value"},
      {form + "1 1 1\n1 1 1 1\n", "line 3: '1 1 1 1' is no entry; accepted: row column value"},
      {form + "1 1 1\n1 1 1x\n", "line 3: '1 1 1x' is no entry; accepted: row column value"},
      {form + "1 1 1\n\n% said\n1 1 1e999\n", "line 5: '1 1 1e999' is no entry; accepted: row column value"},
      {form + "1 1 1\n1 1 inf\n", "line 3: '1 1 inf' has no finite value"},
      {form + "1 1 1\n1 1 nan\n", "line 3: '1 1 nan' has no finite value"},
      {form + "2 2 1\n0 1 1\n", "line 3: '0 1 1' is outside of the matrix"},
      {form + "2 2 1\n3 1 1\n", "line 3: '3 1 1' is outside of the matrix"},
      {form + "2 2 1\n1 2 1\n", "line 3: '1 2 1' is above the diagonal; accepted: on it or below"},
      {form + "2 2 2\n2 1 1\n2 1 3\n", "has row 2 column 1 twice"},
      {form + "2 2 2\n1 1 1\n", "announces 2 entries and has 1"},
      {form + "2 2 1\n1 1 1\n2 2 1\n", "announces 1 entries and has 2"},
      {form + "2 2 9223372036854775807\n1 1 1\n", "announces 9223372036854775807 entries and has 1"},
      {form + "1 1 1\n1 1 \x1b[2J\n", "line 3: '1 1 ?[2J' is no entry; accepted: row column value"},
      {form + "1 1 1\n" + std::string(100, 'x'),
       "line 3: '" + std::string(60, 'x') + "...' is no entry; accepted: row column value"}};
  for (const refused& one : all) EXPECT_EQ(refusal_of(one.text), one.says);
}

using edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

std::string refusal_of_graph(const std::string& text) {
  try {
    static_cast<void>(bench::parse_graph(text));
    return "";
  } catch (const bench::bad_matrix& refusal) {
    return refusal.what();
  }
}

TEST(matrix_market, reads_graphs_as_they_are) {
  const std::string start = "%%MatrixMarket matrix coordinate ";
  const auto graph = bench::parse_graph(start + "pattern general\n% said\n3 3 4\n3 1\n\n1\t3\r\n1 3\n2 2");
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_EQ(graph.edges, (edges{{2, 0}, {0, 2}, {0, 2}, {1, 1}}));
  EXPECT_EQ(bench::parse_graph(start + "pattern symmetric\n3 3 2\n3 1\n2 2\n").edges,
            (edges{{2, 0}, {0, 2}, {1, 1}}));
  EXPECT_EQ(bench::parse_graph(start + "real general\n2 2 1\n1 2 0.5\n").edges, (edges{{0, 1}}));
  EXPECT_EQ(bench::parse_graph(start + "integer symmetric\n2 2 1\n2 1 -7\n").edges, (edges{{1, 0}, {0, 1}}));
  EXPECT_EQ(bench::parse_graph(start + "pattern general\n0 0 0\n").vertices, 0);
}

TEST(matrix_market, refuses_what_is_no_graph_in_words) {
  const std::string general = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  const std::string accepted =
      "; accepted: matrix coordinate, then pattern, integer or real, then general or symmetric";
  const std::vector<refused> all = {
      {"", "no Matrix Market file: line 1 does not begin with %%MatrixMarket"},
      {"%%MatrixMarket matrix array real general\n",
       "line 1: a 'matrix array real general' cannot be read" + accepted},
      {"%%MatrixMarket matrix coordinate complex general\n",
       "line 1: a 'matrix coordinate complex general' cannot be read" + accepted},
      {general, "ends before the numbers of rows, columns and entries"},
      {general + "2 2\n", "line 2: '2 2' is not understood; accepted: rows columns entries"},
      {general + "2 3 0\n", "line 2: '2 3 0': accepted are as many columns as rows, up to 10000000"},
      {general + "10000001 10000001 0\n",
       "line 2: '10000001 10000001 0': accepted are as many columns as rows, up to 10000000"},
      {general + "2 2 1\n1\n", "line 3: '1' is no entry; accepted: row column"},
      {general + "2 2 1\n1 2 3\n", "line 3: '1 2 3' is no entry; accepted: row column"},
      {general + "2 2 1\n1 b\n", "line 3: '1 b' is no entry; accepted: row column"},
      {real + "2 2 1\n1 2\n", "line 3: '1 2' is no entry; accepted: row column value"},
      {general + "2 2 1\n0 1\n", "line 3: '0 1' is outside of the matrix"},
      {general + "2 2 1\n1 3\n", "line 3: '1 3' is outside of the matrix"},
      {symmetric + "2 2 1\n1 2\n", "line 3: '1 2' is above the diagonal; accepted: on it or below"},
      {general + "2 2 2\n1 2\n", "announces 2 entries and has 1"},
      {symmetric + "2 2 1\n2 1\n2 2\n", "announces 1 entries and has 2"},
      {general + "2 2 9223372036854775807\n1 1\n", "announces 9223372036854775807 entries and has 1"}};
  for (const refused& one : all) EXPECT_EQ(refusal_of_graph(one.text), one.says);
}

TEST(matrix_market, reads_files_and_names_them) {
  fake_root root;
  const std::string file = root.path() + std::string("/good.mtx");
  root.write("/good.mtx", form + "1 1 1\n1 1 2\n");
  EXPECT_EQ(bench::read_matrix_market(file).entries.size(), 1u);
  EXPECT_EQ(bench::read_graph(file).edges, (edges{{0, 0}}));
  EXPECT_THROW(static_cast<void>(bench::read_graph("/nonexistent")), bench::bad_matrix);
  const auto refusal = [](const std::string& name) {
    try {
      static_cast<void>(bench::read_matrix_market(name));
      return std::string();
    } catch (const bench::bad_matrix& refused) {
      return std::string(refused.what());
    }
  };
  EXPECT_EQ(refusal("/nonexistent"), "cannot read '/nonexistent': No such file or directory");
  EXPECT_EQ(refusal("/"), "cannot read '/': not a regular file");
  root.write("/bad", "x");
  EXPECT_NE(refusal(root.path() + std::string("/bad")).find("no Matrix Market file"), std::string::npos);
}

}  // namespace
