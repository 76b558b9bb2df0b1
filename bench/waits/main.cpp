// What it takes to wake a strand that waits for a pipe: a byte goes to and fro between it and a thread.
#include <nopal/io.hpp>
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

namespace {

constexpr int trips = 20'000;
constexpr int rounds = 7;

struct pipe_ends {
  std::array<int, 2> made{};
  explicit pipe_ends(int flags) {
    if (pipe2(made.data(), flags | O_CLOEXEC) != 0) std::abort();
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() {
    close(made[0]);
    close(made[1]);
  }
};

void must(bool holds) {
  if (!holds) std::abort();
}

/// Answers each byte, by the plain calls of the system.
void answer(int reads, int writes) {
  char byte = 0;
  for (int i = 0; i < trips; ++i) must(read(reads, &byte, 1) == 1 && write(writes, &byte, 1) == 1);
}

/// Medians of the rounds for one trip to and fro: time, and that of processors.
struct cost {
  double us;
  double processor_us;
};

/// `get` reads the byte that the thread sends.
template <class Get>
cost measure(int flags, Get get) {
  std::array<double, rounds> times{};
  std::array<double, rounds> processor_times{};
  for (int round = 0; round < rounds; ++round) {
    const pipe_ends there(0);
    const pipe_ends back(flags);
    std::thread other([&] { answer(there.made[0], back.made[1]); });
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    for (int i = 0; i < trips; ++i) must(write(there.made[1], "x", 1) == 1 && get(back.made[0]));
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    times.at(static_cast<std::size_t>(round)) = took.count() / trips;
    processor_times.at(static_cast<std::size_t>(round)) =
        static_cast<double>(std::clock() - used) * 1e6 / CLOCKS_PER_SEC / trips;
    other.join();
  }
  std::sort(times.begin(), times.end());
  std::sort(processor_times.begin(), processor_times.end());
  return {times[rounds / 2], processor_times[rounds / 2]};
}

void print(const char* what, cost of) { std::printf("| %s | %.1f | %.1f |\n", what, of.us, of.processor_us); }

template <class Get>
cost measure_in_strand(int flags, Get get) {
  cost result{};
  nopal::scope s;
  s.fork([&] { result = measure(flags, get); });
  s.join();
  return result;
}

}  // namespace

int main() {
  std::puts("| a byte to and fro between a thread and | us | us of processors |\n|---|---|---|");
  const auto plainly = [](int reads) {
    char byte = 0;
    return read(reads, &byte, 1) == 1;
  };
  const auto as_strand = [](int reads) {
    char byte = 0;
    return nopal::read(reads, &byte, 1) == 1;
  };
  print("another thread", measure(0, plainly));
  print("a strand, by nopal::blocking",
        measure_in_strand(0, [&](int reads) { return nopal::blocking([&] { return plainly(reads); }); }));
  print("a strand, by nopal::read, O_NONBLOCK", measure_in_strand(O_NONBLOCK, as_strand));
  print("a strand, by nopal::read of a blocking pipe", measure_in_strand(0, as_strand));
  return 0;
}
