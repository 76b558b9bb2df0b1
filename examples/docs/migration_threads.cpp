// std::async and std::thread, in Nopal's words.
#include <nopal/nopal.hpp>

#include <functional>
#include <numeric>
#include <thread>
#include <vector>

namespace {

// snippet: async
long sum(const int* first, const int* last) {
  if (last - first < 10'000) return std::accumulate(first, last, 0L);
  const int* const middle = first + (last - first) / 2;
  long left;  // std::future<long> left =
  nopal::scope s;
  s.fork_into(left, sum, first, middle);  //   std::async(std::launch::async, sum, first, middle);
  const long right = sum(middle, last);
  s.join();
  return left + right;  // left.get() + right
}
// end snippet

// snippet: threads
void update(std::vector<int>& part) {
  for (int& value : part) ++value;
}

void update_all(std::vector<std::vector<int>>& parts) {
  nopal::scope s;  // std::vector<std::thread> threads;
  for (std::vector<int>& part : parts)
    s.fork(update, std::ref(part));  // threads.emplace_back(update, std::ref(part));
  s.join();                          // for (std::thread& each : threads) each.join();
}
// end snippet

}  // namespace

int main() {
  const std::vector<int> ones(1'000'000, 1);
  std::vector<std::vector<int>> parts(100, std::vector<int>(100));
  update_all(parts);
  long total = 0;
  // snippet: own_thread
  std::thread own([&] { total = sum(ones.data(), ones.data() + ones.size()); });  // forks: becomes a worker
  own.join();
  // end snippet
  for (const std::vector<int>& part : parts)
    if (part != std::vector<int>(100, 1)) return 1;
  return total == 1'000'000 ? 0 : 1;
}
