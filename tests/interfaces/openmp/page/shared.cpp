// What threads of OpenMP share, and what strands share, side by side.
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

void expect(bool right, const char* what) {
  if (!right) {
    std::printf("wrong: %s\n", what);
    std::exit(1);
  }
}

bool matches(int i) { return i % 3 == 0; }

namespace with_openmp {
// snippet: critical
std::vector<int> find(int n) {
  std::vector<int> found;  // in whatever order
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (matches(i)) {
#pragma omp critical
      found.push_back(i);
    }
  }
  return found;
}
// end snippet

// snippet: atomic
long count(int n) {
  long found = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (matches(i)) {
#pragma omp atomic
      ++found;
    }
  }
  return found;
}
// end snippet

// snippet: threadprivate
std::array<int, 64> scratch;
#pragma omp threadprivate(scratch)

long work(int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < scratch.size(); ++k) scratch[k] = i;
    sum += scratch[0];
  }
  return sum;
}
// end snippet
}  // namespace with_openmp

namespace with_nopal {
// snippet: critical nopal
std::vector<int> find(int n) {
  nopal::reducer<nopal::op_vector_append<int>> found;  // in the order of the serial program
  nopal::parallel_for(0, n, [&](int i) {
    if (matches(i)) found->push_back(i);
  });
  return found.take();
}
// end snippet

// snippet: atomic nopal
long count(int n) {
  nopal::reducer<nopal::op_add<long>> found;
  nopal::parallel_for(0, n, [&](int i) {
    if (matches(i)) ++*found;
  });
  return found.value();
}
// end snippet

// snippet: threadprivate nopal
long work(int n) {
  nopal::holder<std::array<int, 64>> scratch;
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::parallel_for(0, n, [&](int i) {
    std::array<int, 64>& mine = *scratch;
    for (int& each : mine) each = i;
    *sum += mine[0];
  });
  return sum.value();
}
// end snippet

// snippet: mutex nopal
std::string log_of(int n) {
  std::string lines;
  std::mutex guard;
  nopal::parallel_for(0, n, [&](int i) {
    const std::string line = std::to_string(i) + "\n";  // forks, if any, before the lock
    const std::lock_guard lock(guard);
    lines += line;
  });
  return lines;
}
// end snippet
}  // namespace with_nopal

}  // namespace

int main() {
  expect(with_openmp::find(1000).size() == 334, "find");
  const std::vector<int> found = with_nopal::find(1000);
  for (std::size_t i = 0; i < 334; ++i) expect(found.at(i) == static_cast<int>(3 * i), "find in order");
  expect(with_openmp::count(1000) == 334 && with_nopal::count(1000) == 334, "count");
  expect(with_openmp::work(1000) == 499500 && with_nopal::work(1000) == 499500, "work");
  expect(with_nopal::log_of(10).size() == 20, "log");
}
