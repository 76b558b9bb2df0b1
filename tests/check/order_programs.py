"""Programs of programs_test.py about what is in order, and what is not: events, locks, and blocks of the heap."""
TWO = "template <class F> void two(F f) { nopal::scope s; s.fork(f); f(); s.join(); }\n"
# As PROGRAMS there.
ORDER_PROGRAMS = {
    "locks_of_their_own": ("""
#include <memory>
#include <mutex>
#include <nopal/scope.hpp>
int x, y, z;
std::mutex global;
struct holder { std::mutex m; int more; };
void by_a_local_lock() { std::mutex m; std::lock_guard g(m); ++x; }
void by_a_lock_of_the_heap() { const auto h = std::make_unique<holder>(); std::lock_guard g(h->m); ++y; }
void by_both() { std::mutex m; std::lock_guard g(m); std::lock_guard h(global); ++z; }
int main() {
  nopal::scope s;
  s.fork(by_a_local_lock);
  s.fork(by_a_local_lock);
  s.fork(by_a_lock_of_the_heap);
  s.fork(by_a_lock_of_the_heap);
  for (int i = 0; i < 20000; ++i) s.fork(by_both);
  s.join();
}
""", "-O1", [], 66, ["byte 0 of 'x'", "byte 0 of 'y'", "nopal: check: 2 races, 1 order"]),
    "after_an_event": ("""
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int x, y, z;
int main() {
  nopal::event e;
  nopal::scope s;
  s.fork([&] {
    x = y + z;
    e.set();
    x = 1;
    volatile int seen = y;
    static_cast<void>(seen);
  });
  e.wait();
  x = 3;
  y = 3;
  z = 3;
  s.join();
}
""", "-O1", [], 66, ["write at after_an_event.cpp:10 and write at after_an_event.cpp:15", "read at after_an_event.cpp:11",
                     "nopal: check: 2 races\n"]),
    "collection_after_an_event": ("""
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int x;
[[gnu::noinline]] void many() {
  nopal::scope s;
  for (int i = 0; i < 70000; ++i) s.fork([] {});
  s.join();
}
int main() {
  nopal::event e;
  e.set();
  nopal::scope s;
  s.fork([] { many(); x = 1; });
  x = 2;
  s.join();
}
""", "-O1", [], 66, ["nopal: check: 1 race\n"]),
    "many_futures": ("""
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
long sum;
int main() {
  for (long i = 0; i < 200000; ++i) {
    nopal::scope s;
    nopal::promise<long> p;
    auto f = p.get_future();
    s.fork([&p, i] { p.set_value(i); });
    sum += f.get();
    s.join();
  }
  return sum == 0;
}
""", "-O1", [], 0, []),
    "many_inlets": ("""
#include <nopal/speculate.hpp>
static int square(int x) { return x * x; }
int main() {
  long sum = 0;
  {
    nopal::cancel_scope s;
    for (int i = 0; i < 100000; ++i) s.fork_inlet([&sum](int x) { sum += x; }, square, i);
    s.join();
  }
  for (int i = 0; i < 100000; ++i) {
    nopal::cancel_scope s;
    for (int j = 0; j < 2; ++j) s.fork_inlet([&sum](int x) { sum += x; }, square, j);
    s.join();
  }
  return sum == 0;
}
""", "-O1", [], 0, []),
    "lock_over_other_forks": ("""
#include <mutex>
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int x;
nopal::mutex m;
int main() {
  nopal::scope outer;
  for (int i = 0; i < 20; ++i) {
    outer.fork([i] {
      std::lock_guard g(m);
      nopal::scope s;
      s.fork([i] { if (i == 15) x = 1; });
      x = 2;
      s.join();
    });
  }
  outer.join();
}
""", "-O1", [], 66, ["nopal: race: write at lock_over_other_forks.cpp:12 and write at lock_over_other_forks.cpp:13"]),
    "update_under_a_lock": ("""
#include <mutex>
#include <nopal/reducer.hpp>
#include <nopal/scope.hpp>
std::mutex m;
int main() {
  nopal::reducer<nopal::op_add<int>> sum;
  nopal::scope s;
  s.fork([&] { std::lock_guard g(m); *sum += 1; });
  volatile int seen = sum.value();
  static_cast<void>(seen);
  s.join();
}
""", "-O1", [], 66, ["nopal: race: update at update_under_a_lock.cpp:8 and look at the value at update_under_a_lock.cpp:9"]),
    "counted": ("""
#include <atomic>
#include <cstring>
#include <memory>
#include <nopal/scope.hpp>
std::atomic<int> releases;
struct forks_at_its_end {
  int v = 3;
  ~forks_at_its_end() { nopal::scope s; s.fork([] { ++releases; }); s.join(); }
};
[[gnu::noinline]] void use(const int& v) { volatile int seen = v; static_cast<void>(seen); }
int main(int, char** argv) {
  nopal::scope s;
  if (std::strcmp(argv[1], "shared") == 0) {
    std::shared_ptr<forks_at_its_end> all(new forks_at_its_end);
    s.fork([all] { use(all->v); });
    all.reset();
  } else if (std::strcmp(argv[1], "flag") == 0) {
    int* const block = new int(3);
    s.fork([block] { use(*block); releases.store(1); });
    if (releases.exchange(2) == 1) delete block;
  } else {
    ++releases;
    int* const block = new int(3);
    s.fork([block] { use(*block); });
    delete block;
  }
  s.join();
}
""", "-O1", [["shared"], ["flag"]], 0, []),
    "shrunk_mapping": ("""
#include <cstdlib>
#include <nopal/scope.hpp>
#include <sys/mman.h>
int main() {
  auto* const pages = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  nopal::scope s;
  s.fork([=] { pages[200] = 1; });
  if (mremap(pages, 8192, 100, 0) != pages) abort();
  pages[200] = 2;
  s.join();
}
""", "-O1", [], 66, ["nopal: check: 1 race\n"]),
    "blocks": ("""
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <nopal/scope.hpp>
""" + TWO + """
int main(int, char** argv) {
  auto* const block = static_cast<volatile int*>(malloc(16));
  block[0] = 1;
  nopal::scope s;
  if (std::strcmp(argv[1], "usable") == 0) {
    two([] {
      void* const more = malloc(16);
      std::memset(more, 1, malloc_usable_size(more));
      free(more);
    });
  } else if (std::strcmp(argv[1], "fails") == 0) {
    s.fork([=] { if (realloc(const_cast<int*>(block), SIZE_MAX / 2) != nullptr) abort(); });
    volatile int seen = block[0];
    static_cast<void>(seen);
  } else if (std::strcmp(argv[1], "grows") == 0) {
    s.fork([=] { if (realloc(const_cast<int*>(block), 24) != block) abort(); });
    volatile int seen = block[0];
    static_cast<void>(seen);
  } else {
    if (realloc(const_cast<int*>(block), SIZE_MAX / 2) != nullptr) abort();
    s.fork([=] { volatile int seen = block[1]; static_cast<void>(seen); });
    free(const_cast<int*>(block));
  }
  s.join();
}
""", "-O1", [["usable"], ["fails"]], 0, []),
    "used_after_it_was_let_go": ("""
#include <atomic>
#include <nopal/scope.hpp>
struct object { int x = 0; std::atomic<int> users{2}; };
static void let_go(object* p) { if (--p->users == 0) delete p; }
[[gnu::noinline]] static void put(object* p) { p->x = 1; }
int main() {
  object* p = new object;
  nopal::scope s;
  s.fork([p] { for (int i = 0; i < 2; ++i) { put(p); if (i == 0) let_go(p); } });
  s.fork([p] { let_go(p); });
  s.join();
}
""", "-O1", [], 66, ["write at used_after_it_was_let_go.cpp:5 and write at used_after_it_was_let_go.cpp:4",
                     "nopal: check: 1 race, 1 order"]),
    "waits_for_many": ("""
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
#include <vector>
int x;
int main() {
  const int n = 250000;
  std::vector<nopal::event> set(n);
  std::vector<int> values(n);
  nopal::scope s;
  for (int i = 0; i < n; ++i) {
    s.fork([&, i] {
      values[i] = i;
      set[i].set();
      if (i == 100) x = 1;
    });
  }
  for (auto& each : set) each.wait();
  long sum = 0;
  for (int each : values) sum += each;
  x = 2;
  s.join();
  return sum == 0;
}
""", "-O1", [], 66, ["write at waits_for_many.cpp:14 and write at waits_for_many.cpp:20", "nopal: check: 1 race\n"]),
    "events_of_one_child_before_a_collection": ("""
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int x, y, z;
nopal::event first, second;
[[gnu::noinline]] void many() { nopal::scope s; for (int i = 0; i < 140000; ++i) s.fork([] {}); s.join(); }
int main() {
  nopal::scope s;
  s.fork([] {
    x = 1;
    first.set();
    y = 1;
    z = 1;
    second.set();
  });
  many();
  first.wait();
  x = 2;
  y = 2;
  second.wait();
  z = 2;
  s.join();
}
""", "-O1", [], 66, ["write at events_of_one_child_before_a_collection.cpp:11 and write at "
                     "events_of_one_child_before_a_collection.cpp:18", "nopal: check: 1 race\n"]),
    "locks_of_many": ("""
#include <mutex>
#include <nopal/scope.hpp>
#include <vector>
struct node { std::mutex own; int x = 0; };
int common = 3, other = 3;
std::mutex global;
int main() {
  std::vector<node> nodes(100000);
  nopal::scope s;
  for (auto& each : nodes) {
    s.fork([&each] {
      std::scoped_lock held(each.own, global);
      each.x += common + other;
    });
  }
  s.fork([&nodes] {
    std::lock_guard held(nodes[99990].own);
    common = 2;
  });
  s.fork([] {
    std::lock_guard held(global);
    other = 2;
  });
  s.join();
}
""", "-O1", [], 66, ["read at locks_of_many.cpp:13 and write at locks_of_many.cpp:18 of 4 bytes of 'common'",
                     "nopal: check: 1 race, 1 order"]),
    "event_of_another_before_a_collection": ("""
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int x[4];
nopal::event e[4];
[[gnu::noinline]] void many() { nopal::scope s; for (int i = 0; i < 140000; ++i) s.fork([] {}); s.join(); }
int main() {
  nopal::scope s;
  for (int i = 0; i < 4; ++i) s.fork([i] { x[i] = 1; if (i % 2 == 0) e[i].set(); });
  many();
  e[0].wait();
  e[2].wait();
  x[0] = x[2] = 3;
  x[3] = 2;
  s.join();
}
""", "-O1", [], 66, ["write at event_of_another_before_a_collection.cpp:8 and write at event_of_another_before_a_collection.cpp:13",
                     "nopal: check: 1 race\n"]),
    "ended_by_the_last": ("""
#include <atomic>
#include <memory>
#include <nopal/scope.hpp>
#include <vector>
struct member { int* p; ~member() { p = nullptr; } };
struct object { member of{new int(1)}; std::atomic<int> users{2}; };
static void let_go(object* p) { if (--p->users == 0) delete p; }
std::atomic<int> inside;
int x;
static void count(int i) {
  ++inside;
  --inside;
  x = i;
}
int main() {
  std::vector<object*> objects;
  for (int i = 0; i < 300; ++i) objects.push_back(new object);
  long sum = 0;
  nopal::scope s;
  s.fork([&] { for (object* each : objects) { sum += *each->of.p; let_go(each); } });
  for (object* each : objects) let_go(each);
  s.join();
  auto shared = std::make_shared<std::unique_ptr<int>>(new int(1));
  for (int i = 0; i < 4; ++i) s.fork([shared] { static_cast<void>(**shared); });
  shared.reset();
  s.join();
  for (int i = 0; i < 4; ++i) s.fork(count, i);
  s.join();
}
""", "-O0", [], 66, ["write at ended_by_the_last.cpp:13 and write at ended_by_the_last.cpp:13 of 4 bytes of 'x'",
                     "nopal: check: 1 race,"]),
}
