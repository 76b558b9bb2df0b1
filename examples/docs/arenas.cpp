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

// snippet: observer
class attendance : public nopal::observer {
public:
  explicit attendance(const nopal::arena& of) : observer(of) { observe(); }
  ~attendance() override { observe(false); }  // before the members are gone
  void on_entry(bool /*is_worker*/) override { ++threads_; }
  void on_exit(bool /*is_worker*/) override { --threads_; }
  int threads() const { return threads_; }

private:
  std::atomic<int> threads_{0};
};
// end snippet

int attended() {
  nopal::arena two(2);
  const attendance seen(two);
  return two.execute([&seen] { return seen.threads(); });
}

// snippet: nodes
void on_each_node() {
  std::vector<std::thread> threads;
  for (const int node : nopal::memory_nodes()) {
    threads.emplace_back([node] {
      nopal::arena here({.node = node});
      here.execute([] { nopal::parallel_for(0, 100, work); });  // its data was first written here too
    });
  }
  for (std::thread& one : threads) one.join();
}
// end snippet

}  // namespace

int main() {
  at_most_two();
  requests();
  in_the_background();
  const int before = done;
  on_each_node();
  const int nodes = static_cast<int>(nopal::memory_nodes().size());
  std::printf("%d\n", before);
  return before == 1000 + 3200 + 1100 && done - before == 100 * nodes && attended() == 1 ? 0 : 1;
}
