// Starts workers and collects what they counted.
#include "mapped_stacks/workers.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <new>
#include <thread>
#include <vector>

extern "C" void mapped_run(mapped::worker* w, void (*routine)(mapped::worker& w));

namespace mapped {
namespace {

std::uint64_t page_faults() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_minflt);
}

void work(worker& w, void (*routine)(worker& w)) {
  // In a process of its own what it has mapped is its own, too.
  region shown(*state->stacks, w.counted);
  w.shown = &shown;
  w.tip = no_stack;
  mapped_current = &w;
  const std::uint64_t before = page_faults();
  mapped_run(&w, routine);
  w.counted.page_faults = page_faults() - before;
}

void start_process(worker& w) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork", errno);
  state->processes[static_cast<std::size_t>(w.number)] = child;
  if (child > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(3);
  work(w, begin_stealing);
  // Neither buffers nor destructors: the first process has those.
  _exit(0);
}

void add(counts& to, const counts& what) {
  to.steals += what.steals;
  to.failed_steals += what.failed_steals;
  to.suspended_joins += what.suspended_joins;
  to.mmap_calls += what.mmap_calls;
  to.pages_mapped += what.pages_mapped;
  to.pages_returned_calls += what.pages_returned_calls;
  to.page_faults += what.page_faults;
}

/// Of the counter behind rdtsc, in this machine's time.
double cycles_per_us() {
  const auto now = [] {
    std::timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  const std::uint64_t from = __builtin_ia32_rdtsc();
  double end = begin;
  while (end - begin < 20'000) end = now();
  return static_cast<double>(__builtin_ia32_rdtsc() - from) / (end - begin);
}

outcome collect() {
  outcome all{};
  all.value = state->value;
  all.milliseconds = state->milliseconds;
  std::vector<std::uint32_t> samples;
  for (int i = 0; i < state->with.workers; ++i) {
    const worker& w = state->workers[static_cast<std::size_t>(i)];
    add(all.total, w.counted);
    const auto kept = std::min<std::uint64_t>(w.counted.steals, most_samples);
    samples.insert(samples.end(), w.steal_cycles.begin(),
                   w.steal_cycles.begin() + static_cast<std::ptrdiff_t>(kept));
  }
  if (!samples.empty()) {
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    all.steal_us = *middle / cycles_per_us();
  }
  all.most_stacks_used = state->stacks->table().used_most;
  all.resident_pages = state->stacks->resident_pages();
  return all;
}

}  // namespace

void rest(worker& w, unsigned failed) {
  if (failed < 16) {
    __builtin_ia32_pause();
    return;
  }
  sched_yield();
  // A worker process that is gone keeps the strand that it ran.
  if (w.number != 0 || state->with.stacks != kind::mapped || failed % 1024 != 0) return;
  int status = 0;
  const pid_t ended = waitpid(-1, &status, WNOHANG);
  // Others end by themselves only after the outermost strand.
  if (ended > 0 && status != 0) fail("a worker process ended early", 0);
}

outcome run(const options& with, program runs, int size, int repeats) {
  memory stacks(with);
  void* at = mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) fail("mmap", errno);
  state = new (at) shared_state{};
  state->with = with;
  state->runs = runs;
  state->size = size;
  state->repeats = repeats;
  state->stacks = &stacks;
  for (int i = 0; i < with.workers; ++i) {
    worker& w = state->workers[static_cast<std::size_t>(i)];
    w.number = i;
    w.seed = static_cast<std::uint64_t>(i) * 7919 + 1;
    w.tip = no_stack;
  }

  std::vector<std::thread> threads;
  for (int i = 1; i < with.workers; ++i) {
    worker& w = state->workers[static_cast<std::size_t>(i)];
    if (with.stacks == kind::mapped)
      start_process(w);
    else
      threads.emplace_back([&w] { work(w, begin_stealing); });
  }
  work(state->workers[0], begin_outermost);
  for (std::thread& thread : threads) thread.join();
  for (int i = 1; i < with.workers && with.stacks == kind::mapped; ++i) {
    int status = 0;
    // One that rest() has seen the end of is no more there, and ended well.
    if (waitpid(state->processes[static_cast<std::size_t>(i)], &status, 0) > 0 && status != 0)
      fail("a worker process ended badly", 0);
  }
  outcome all = collect();
  munmap(at, sizeof(shared_state));
  state = nullptr;
  return all;
}

}  // namespace mapped
