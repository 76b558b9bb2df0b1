// The system's part of the scheduler's costs, by the calls and instructions that the runtime uses for them.
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "measure/costs.hpp"
#include "measure/samples.hpp"

namespace measure {
namespace {

void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void spin_for(std::int64_t ns) {
  for (const std::int64_t until = now_ns() + ns; now_ns() < until;) cpu_relax();
}

bool barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

/// Barriers against a thread that runs all the time, and the holes that they make in its time. A barrier counts only if
/// that thread did run just before and just after.
void measure_barrier(simulate::costs& into) {
  if (!barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) return;
  constexpr std::size_t enough = 300;
  constexpr std::int64_t at_most_ns = 2'000'000'000;
  constexpr std::int64_t shortest_hole_ns = 300;
  constexpr std::int64_t longest_hole_ns = 50'000;  // longer ones are other programs' turns
  std::atomic<bool> over{false};
  std::atomic<std::int64_t> seen_at{0};
  samples holes;
  std::thread other([&] {
    std::int64_t last = now_ns();
    while (!over.load(std::memory_order_relaxed)) {
      const std::int64_t now = now_ns();
      if (now - last > shortest_hole_ns && now - last < longest_hole_ns) holes.add(now - last);
      last = now;
      seen_at.store(now, std::memory_order_relaxed);
    }
  });
  constexpr std::int64_t just_now_ns = 1'000;
  const auto runs = [&] { return now_ns() - seen_at.load(std::memory_order_relaxed) < just_now_ns; };
  samples durations;
  for (const std::int64_t deadline = now_ns() + at_most_ns;
       durations.count() < enough && now_ns() < deadline;) {
    spin_for(5'000);
    const bool ran_before = runs();
    const std::int64_t start = now_ns();
    if (!barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) break;
    const std::int64_t end = now_ns();
    spin_for(2'000);
    if (ran_before && runs()) durations.add(end - start);
  }
  over = true;
  other.join();
  into.barrier = durations.median(into.barrier);
  into.interrupted = holes.median(into.interrupted);
}

void measure_line(simulate::costs& into) {
  constexpr int trips = 2000;
  alignas(64) std::atomic<int> ball{0};
  std::thread other([&ball] {
    for (int i = 0; i < trips; ++i) {
      while (ball.load(std::memory_order_acquire) != 2 * i + 1) cpu_relax();
      ball.store(2 * i + 2, std::memory_order_release);
    }
  });
  samples round_trips;
  for (int i = 0; i < trips; ++i) {
    const std::int64_t start = now_ns();
    ball.store(2 * i + 1, std::memory_order_release);
    while (ball.load(std::memory_order_acquire) != 2 * i + 2) cpu_relax();
    round_trips.add(now_ns() - start);
  }
  other.join();
  // There and back, each time a line asked for and sent.
  into.line = round_trips.median(2 * into.line) / 2;
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void measure_wake(simulate::costs& into) {
  constexpr std::uint32_t rounds = 100;
  std::atomic<std::uint32_t> word{0};
  std::atomic<std::int64_t> woke_at{0};
  std::thread sleeper([&] {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      while (word.load() == i) futex(word, FUTEX_WAIT_PRIVATE, i);
      woke_at = now_ns();
    }
  });
  samples calls;
  samples latencies;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    usleep(200);  // until it sleeps
    spin_for(20'000);
    woke_at = 0;
    const std::int64_t start = now_ns();
    word = i + 1;
    futex(word, FUTEX_WAKE_PRIVATE, 1);
    calls.add(now_ns() - start);
    while (woke_at == 0) cpu_relax();
    latencies.add(woke_at - start);
  }
  sleeper.join();
  into.wake = calls.median(into.wake);
  into.wake_latency = latencies.median(into.wake_latency);
}

/// As many pages as a strand's stack usually has touched.
void measure_pages(simulate::costs& into) {
  constexpr std::size_t pages = 4;
  constexpr int rounds = 200;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const mapped = mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED) return;
  auto* const memory = static_cast<volatile char*>(mapped);
  samples discards;
  samples touches;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t start = now_ns();
    for (std::size_t page = 0; page < pages; ++page) memory[page * page_bytes] = 1;
    const std::int64_t touched = now_ns();
    madvise(mapped, pages * page_bytes, MADV_DONTNEED);
    touches.add(touched - start);
    discards.add(now_ns() - touched);
  }
  munmap(mapped, pages * page_bytes);
  into.discard = discards.median(into.discard);
  into.refault = touches.median(into.refault);
}

/// What a look at somebody without work takes whose deque nobody writes: a wait instruction and little more.
void measure_looks(simulate::costs& into) {
  constexpr int looks = 64;
  constexpr int rounds = 200;
  volatile std::uint64_t random = 1;
  samples batches;
  samples yields;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t start = now_ns();
    for (int look = 0; look < looks; ++look) {
      random = random * 6364136223846793005 + 1442695040888963407;
      cpu_relax();
    }
    const std::int64_t looked = now_ns();
    sched_yield();
    batches.add(looked - start);
    yields.add(now_ns() - looked);
  }
  into.look = batches.median(into.look * looks) / looks;
  into.yield = yields.median(into.yield);
}

}  // namespace

void measure_system(simulate::costs& into) {
  measure_looks(into);
  measure_pages(into);
  if (std::thread::hardware_concurrency() < 2) return;
  measure_line(into);
  measure_barrier(into);
  measure_wake(into);
}

}  // namespace measure
