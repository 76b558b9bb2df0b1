// Atomic operations, locks, events and threads.
// clang-format off
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>

#include "corpus.hpp"

namespace synchronization_data { int x, y; }
using namespace synchronization_data;
static std::atomic<int> count{0};
CASE(atomic_increments) {
  nopal::scope s;
  for (int i = 0; i < 4; ++i) s.fork([] { count.fetch_add(1); });
  ++count;
  s.join();
  use(count);
}
CASE(atomic_load_and_store) {
  nopal::scope s;
  s.fork([] { count.store(1); });
  use(count.load());
  s.join();
}
CASE(atomic_and_plain) {
  static int plain; use_address(&plain);
  nopal::scope s;
  s.fork([] { __atomic_store_n(&plain, 1, __ATOMIC_RELAXED); });  // race: A
  plain = 2;  // with: A
  s.join();
}
CASE(plain_and_atomic) {
  static int plain; use_address(&plain);
  nopal::scope s;
  s.fork([] { plain = 2; });  // race: A
  use(__atomic_load_n(&plain, __ATOMIC_RELAXED));  // with: A
  s.join();
}
CASE(plain_read_and_atomic_read) {
  static int plain; use_address(&plain);
  nopal::scope s;
  s.fork([] { use(plain); });
  use(__atomic_load_n(&plain, __ATOMIC_RELAXED));
  s.join();
}
CASE(atomic_before_the_fork) {
  static int plain; use_address(&plain);
  __atomic_store_n(&plain, 1, __ATOMIC_RELAXED);
  nopal::scope s;
  s.fork([] { plain = 2; });
  s.join();
  use(__atomic_load_n(&plain, __ATOMIC_RELAXED));
}
CASE(atomic_flag_does_not_order) {
  static std::atomic<bool> flag; use_address(&flag);
  nopal::scope s;
  s.fork([] { x = 1; flag.store(true, std::memory_order_release); });  // race: A
  if (flag.load(std::memory_order_acquire)) use(x);  // with: A
  s.join();
}
CASE(atomics_of_every_width) {
  static std::atomic<std::uint8_t> a; use_address(&a);
  static std::atomic<std::uint16_t> b; use_address(&b);
  static std::atomic<std::uint32_t> c;
  static std::atomic<std::uint64_t> d; use_address(&d);
  auto all = [] {
    a.fetch_add(1); b.fetch_or(2); c.exchange(3); d.fetch_xor(4);
    std::uint64_t seen = 9;
    d.compare_exchange_strong(seen, 5);
    std::uint32_t want = 3;
    c.compare_exchange_weak(want, 6);
    use(static_cast<std::int64_t>(a.load() + b.load() + c.load() + d.load()));
  };
  nopal::scope s;
  s.fork(all);
  s.fork(all);
  s.join();
}
CASE(atomic_reference_and_plain) {
  static int plain; use_address(&plain);
  nopal::scope s;
  s.fork([] { std::atomic_ref<int>(plain).fetch_add(1); });  // race: A
  plain = 2;  // with: A
  s.join();
}
CASE(atomic_of_halves_and_plain_half) {
  alignas(32) static struct { std::uint64_t wide; std::uint32_t low, high; } all; use_address(&all);
  static auto* const half = reinterpret_cast<char*>(&all.wide) + 4;
  all.low = all.high = 1;
  nopal::scope s;
  s.fork([] { use(static_cast<std::int64_t>(__atomic_load_n(&all.wide, __ATOMIC_RELAXED))); });
  s.fork([] { __atomic_fetch_add(&all.wide, 1, __ATOMIC_RELAXED); });  // race: A
  use(*half + all.low);  // with: A
  s.join();
}
namespace synchronization_data { std::mutex m, n; }
CASE(one_mutex) {
  nopal::scope s;
  s.fork([] { const std::lock_guard guard(m); x = 1; });
  { const std::lock_guard guard(m); x = 2; }
  s.join();
}
CASE(two_mutexes) {
  nopal::scope s;
  s.fork([] { const std::lock_guard guard(m); x = 1; });  // race: A
  { const std::lock_guard guard(n); x = 2; }  // with: A
  s.join();
}
CASE(mutex_in_one_alone) {
  nopal::scope s;
  s.fork([] { const std::lock_guard guard(m); x = 1; });  // race: A
  x = 2;  // with: A
  s.join();
}
CASE(mutex_released_too_early) {
  nopal::scope s;
  s.fork([] {
    { const std::lock_guard guard(m); y = 1; }
    x = 1;  // race: A
  });
  { const std::lock_guard guard(m); x = 2; }  // with: A
  s.join();
}
CASE(mutex_in_common_of_two) {
  nopal::scope s;
  s.fork([] { const std::scoped_lock guard(m, n); x = 1; });
  { const std::lock_guard guard(n); x = 2; }
  s.join();
}
CASE(three_mutexes_in_turn) {
  static std::mutex o; use_address(&o);
  nopal::scope s;
  s.fork([] { const std::scoped_lock guard(m, n); x = 1; });
  s.fork([] { const std::scoped_lock guard(n, o); x = 2; });
  s.fork([] { const std::scoped_lock guard(m, o); x = 3; });
  s.join();
}
CASE(later_lock_does_not_hide_an_earlier_one) {
  nopal::scope s;
  s.fork([] { const std::lock_guard guard(m); x = 1; });  // race: A
  s.fork([] { const std::scoped_lock guard(m, n); x = 2; });
  s.fork([] { const std::lock_guard guard(n); x = 3; });  // with: A
  s.join();
}
CASE(no_lock_hidden_by_a_locked_write) {
  nopal::scope s;
  s.fork([] { use(x); });  // race: A
  s.fork([] { const std::lock_guard guard(m); use(x + 1); });
  { const std::lock_guard guard(m); x = 2; }  // with: A
  s.join();
}
CASE(locked_siblings_count) {
  nopal::scope s;
  for (int i = 0; i < 10; ++i) s.fork([] { const std::lock_guard guard(m); ++x; });
  s.join();
  use(x);
}
namespace synchronization_data { std::shared_mutex rw; }
CASE(shared_lock_and_exclusive_lock) {
  nopal::scope s;
  s.fork([] { const std::shared_lock guard(rw); use(x); });
  { const std::unique_lock guard(rw); x = 2; }
  s.join();
}
CASE(write_under_shared_locks) {
  nopal::scope s;
  s.fork([] { const std::shared_lock guard(rw); x = 1; });  // race: A
  { const std::shared_lock guard(rw); x = 2; }  // with: A
  s.join();
}
namespace synchronization_data { nopal::mutex ours; }
CASE(nopal_mutex) {
  nopal::scope s;
  s.fork([] { const std::lock_guard guard(ours); x = 1; });
  { const std::lock_guard guard(ours); x = 2; }
  s.join();
}
CASE(nopal_mutex_across_a_fork) {
  nopal::scope s;
  s.fork([] {
    const std::lock_guard guard(ours);
    nopal::scope t;
    t.fork([] { y = 1; });
    x = 1;
    t.join();
  });
  { const std::lock_guard guard(ours); x = 2; }
  s.join();
}
CASE(nopal_mutex_in_one_alone) {
  nopal::scope s;
  s.fork([] { const std::lock_guard guard(ours); x = 1; });  // race: A
  x = 2;  // with: A
  s.join();
}
CASE(event_orders) {
  nopal::event set;
  nopal::scope s;
  s.fork([&set] { x = 1; set.set(); });
  set.wait();
  x = 2;
  s.join();
}
CASE(event_does_not_order_what_follows) {
  nopal::event set;
  nopal::scope s;
  s.fork([&set] {
    set.set();
    x = 1;  // race: A
  });
  set.wait();
  x = 2;  // with: A
  s.join();
}
CASE(event_orders_no_other_child) {
  nopal::event set;
  nopal::scope s;
  s.fork([] { x = 1; });  // race: A
  s.fork([&set] { y = 1; set.set(); });
  set.wait();
  x = 2;  // with: A
  s.join();
}
CASE(future_of_a_child) {
  nopal::promise<int> p;
  nopal::future<int> f = p.get_future();
  nopal::scope s;
  s.fork([&p] { x = 1; p.set_value(5); });
  use(f.get() + x);
  s.join();
}
CASE(failed_exchange_writes_what_was_expected) {
  std::atomic<int> a{7};
  static int expected;
  nopal::scope s;
  s.fork([&a] { a.compare_exchange_strong(expected, 5); });  // race: A
  use(expected);  // with: A
  s.join();
  use(a.load());
}
CASE(exchange_that_succeeds_reads_what_was_expected) {
  std::atomic<int> a{0};
  static int expected;
  nopal::scope s;
  s.fork([&a] { a.compare_exchange_strong(expected, 5); });
  use(expected);
  s.join();
  use(a.load());
}
CASE(blocking_call_in_both) {
  nopal::scope s;
  s.fork([] { nopal::blocking([] { x = 1; }); });  // race: A
  nopal::blocking([] { x = 2; });  // with: A
  s.join();
}
CASE(threads_of_the_program) {
  std::thread t([] {
    nopal::scope s;
    int mine = 0;
    s.fork([&mine] { mine = 1; });
    s.join();
    use(mine);
  });
  nopal::scope s;
  s.fork([] { y = 1; });
  s.join();
  t.join();
  x = 1;
}
CASE(race_in_a_thread) {
  std::thread t([] {
    nopal::scope s;
    s.fork([] { x = 1; });  // race: A
    x = 2;  // with: A
    s.join();
  });
  t.join();
}
CASE(many_threads_with_roots) {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([] {
      for (int j = 0; j < 50; ++j) {
        std::vector<int> a(16);
        nopal::scope s;
        for (int k = 0; k < 16; ++k) s.fork([&a, k] { a[static_cast<std::size_t>(k)] = k; });
        s.join();
      }
    });
  }
  for (std::thread& each : all) each.join();
}
