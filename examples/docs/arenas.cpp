// The code of docs/arenas.md.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include <nopal/nopal.hpp>

namespace {

std::atomic<int> done{0};
void work(int) { ++done; }

// snippet: limit
void at_most_two() {
  nopal::arena two(2);
  two.execute([] { nopal::parallel_for(0, 1000, [](int i) { work(i); }); });
}
// end snippet

// snippet: shared
void requests() {
  nopal::arena four(4);  // for all of the threads that serve
  std::vector<std::thread> servers;
  for (int i = 0; i != 32; ++i) {
    servers.emplace_back([&four] { four.execute([] { nopal::parallel_for(0, 100, work); }); });
  }
  for (std::thread& one : servers) one.join();
}
// end snippet

// snippet: enqueue
void in_the_background() {
  nopal::arena low(2, nopal::priority::low);
  for (int i = 0; i != 100; ++i) low.enqueue([i] { work(i); });
  at_most_two();  // goes first wherever a worker has the choice
  low.wait();
}
// end snippet

}  // namespace

int main() {
  at_most_two();
  requests();
  in_the_background();
  std::printf("%d\n", done.load());
  return done == 1000 + 3200 + 1100 ? 0 : 1;
}
