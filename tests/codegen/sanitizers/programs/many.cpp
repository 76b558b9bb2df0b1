// Correct: more steals from one function than ThreadSanitizer's list of the functions called is long. What an end of a
// child left behind there would overflow it.
#include "forced.hpp"

#include <stdexcept>
#include <vector>

int main() {
  constexpr int rounds = 70000;
  long elements = 0;
  int caught = 0;
  for (int round = 0; round < rounds; ++round) {
    flag continued{false};
    try {
      nopal::scope s;
      s.fork(
          [&continued, &elements](std::vector<int> values) {
            wait_for(continued);
            if (values.size() == 3) throw std::runtime_error("three");
            elements += static_cast<long>(values.size());
          },
          std::vector<int>(round % 2 == 0 ? 2 : 3, 1));
      set(continued);
      s.join();
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  return elements == rounds && caught == rounds / 2 ? 0 : 1;
}
