// A parallel loop: the square roots of a vector's elements, in place.
#include <nopal/nopal.hpp>

#include <cmath>
#include <vector>

int main() {
  std::vector<double> v(1'000'000, 2.0);

  nopal::parallel_for(v.begin(), v.end(), [](double& x) { x = std::sqrt(x); });

  return v.back() > 1.4 ? 0 : 1;
}
