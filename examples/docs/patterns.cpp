// Each pattern of <nopal/parallel.hpp>, as the page on patterns shows it.
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>

namespace {

bool all_right = true;

void check(bool right, const char* what) {
  if (!right) std::printf("wrong: %s\n", what);
  all_right = all_right && right;
}

// snippet: invoke
long area(long width, long height) { return width * height; }

void both() {
  auto [first, second] =
      nopal::parallel_invoke([] { return area(3, 4); }, [] { return std::string("text"); });
  check(first == 12 && second == "text", "parallel_invoke");
}
// end snippet

// snippet: for
void square_roots(std::vector<double>& values) {
  nopal::parallel_for(0, std::ssize(values), [&](auto i) {
    values[static_cast<std::size_t>(i)] = std::sqrt(values[static_cast<std::size_t>(i)]);
  });
  nopal::parallel_for(values.begin(), values.end(),
                      [](double& value) { value += 1; });  // elements, through iterators
}
// end snippet

// snippet: for_chunk
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  nopal::reducer<nopal::op_add<double>> sum;
  nopal::parallel_for(std::size_t{0}, a.size(), std::size_t{4096}, [&](std::size_t from, std::size_t to) {
    double mine = 0;  // a plain loop, which the compiler may vectorize
    for (std::size_t i = from; i < to; ++i) mine += a[i] * b[i];
    *sum += mine;
  });
  return sum.value();
}
// end snippet

// snippet: for_range
void halve(std::vector<double>& values) {
  nopal::parallel_for(values, [](double& value) { value /= 2; });  // each element
}
// end snippet

// snippet: for_2d
void transpose(const std::vector<float>& from, std::vector<float>& to, std::size_t rows,
               std::size_t columns) {
  nopal::parallel_for(
      nopal::range_2d{std::size_t{0}, rows, std::size_t{0}, columns},
      [&](std::size_t row, std::size_t column) { to[column * rows + row] = from[row * columns + column]; });
}
// end snippet

// snippet: for_blocks
void sum_of_tiles(const std::vector<float>& image, int rows, int columns,
                  nopal::reducer<nopal::op_max<float>>& most) {
  nopal::parallel_for(nopal::range_2d{0, rows, 64, 0, columns, 64}, [&](const nopal::range_2d<int>& tile) {
    float sum = 0;
    for (int row = tile.rows().begin(); row != tile.rows().end(); ++row) {
      for (int column = tile.columns().begin(); column != tile.columns().end(); ++column) {
        sum += image[static_cast<std::size_t>(row * columns + column)];
      }
    }
    *most = std::max(*most, sum);
  });
}
// end snippet

// snippet: for_each
void shout(std::list<std::string>& lines) {
  nopal::parallel_for_each(lines, [](std::string& line) { line += '!'; });
}
// end snippet

// snippet: reduce
long sum_of_squares(const std::vector<int>& values) {
  return nopal::parallel_reduce(
      values.begin(), values.end(), 0L, [](int value) { return static_cast<long>(value) * value; },
      std::plus<>());
}

long product(const std::vector<int>& values) {  // a whole range, and without a map
  return nopal::parallel_reduce(values, 1L, std::multiplies<>());
}
// end snippet

// snippet: reduce_fixed
double sum(const std::vector<double>& values) {  // the same bits on each run, on any number of workers
  return nopal::parallel_reduce(values, 1024, 0.0, std::plus<>());
}
// end snippet

// snippet: transform
std::vector<int> lengths(const std::vector<std::string>& words) {
  std::vector<int> result(words.size());
  nopal::parallel_transform(words, result.begin(),
                            [](const std::string& word) { return static_cast<int>(word.size()); });
  return result;
}
// end snippet

// snippet: scan
std::vector<int> positions(const std::vector<int>& sizes) {  // where each piece begins in one buffer
  std::vector<int> begins(sizes.size());
  nopal::parallel_exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  return begins;
}
// end snippet

// snippet: find_if
bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

int first_prime_from(const std::vector<int>& numbers) {
  const auto found = nopal::parallel_find_if(numbers, is_prime);
  return found != numbers.end() ? *found : -1;  // the first, on each run
}
// end snippet

// snippet: any_of
bool has_negative(const std::vector<double>& values) {
  return nopal::parallel_any_of(values, [](double value) { return value < 0; });
}
// end snippet

}  // namespace

int main() {
  both();
  std::vector<double> values(100'000, 4.0);
  square_roots(values);
  check(values == std::vector<double>(100'000, 3.0), "parallel_for");
  check(dot(values, values) == 900'000.0, "parallel_for by chunks");
  halve(values);
  check(values == std::vector<double>(100'000, 1.5), "parallel_for over a range");
  std::vector<float> matrix(50 * 30);
  std::iota(matrix.begin(), matrix.end(), 0.0F);
  std::vector<float> transposed(matrix.size());
  std::vector<float> back(matrix.size());
  transpose(matrix, transposed, 50, 30);
  transpose(transposed, back, 30, 50);
  check(transposed[1] == 30 && back == matrix, "parallel_for over rows and columns");
  nopal::reducer<nopal::op_max<float>> most;
  sum_of_tiles(std::vector<float>(200 * 100, 1.0F), 200, 100, most);
  check(most.value() == 2500, "parallel_for over blocks");
  std::list<std::string> lines(100, "line");
  shout(lines);
  check(lines == std::list<std::string>(100, "line!"), "parallel_for_each");
  std::vector<int> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  check(sum_of_squares(numbers) == 333'383'335'000, "parallel_reduce");
  check(product({1, 2, 3, 4, 5}) == 120, "parallel_reduce without a map");
  const std::vector<double> thirds(10'001, 1.0 / 3);
  check(sum(thirds) == sum(thirds), "parallel_reduce by a fixed tree");
  check(lengths({"a", "bcd", ""}) == std::vector<int>{1, 3, 0}, "parallel_transform");
  check(positions({3, 1, 2}) == std::vector<int>{0, 3, 4}, "parallel_exclusive_scan");
  std::vector<int> from_8(1000);
  std::iota(from_8.begin(), from_8.end(), 8);
  check(first_prime_from(from_8) == 11, "parallel_find_if");
  check(!has_negative(values), "parallel_any_of");
  return all_right ? 0 : 1;
}
