// OpenMP's loops and reductions, in Nopal's words.
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <functional>
#include <vector>

namespace {

// snippet: loop
void scale(std::vector<double>& values, double factor) {
  // #pragma omp parallel for
  nopal::parallel_for(std::size_t{0}, values.size(), [&](std::size_t i) { values[i] *= factor; });
}

double sum(const std::vector<double>& values) {
  // #pragma omp parallel for reduction(+ : total)
  return nopal::parallel_reduce(
      values.begin(), values.end(), 0.0, [](double value) { return value; }, std::plus<>());
}
// end snippet

}  // namespace

int main() {
  std::vector<double> values(100'000, 2.0);
  scale(values, 0.5);
  return sum(values) == 100'000.0 ? 0 : 1;
}
