// What starts workers, as processes or threads, and what they all know.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>

#include "mapped_stacks/runtime.hpp"

namespace mapped {

/// In memory that all workers share. Written before they start, but for `done` and what the outermost strand
/// writes before that.
struct shared_state {
  options with;
  program runs;
  int size;
  int repeats;
  memory* stacks;  ///< at the same address in each process, which only reads it
  /// Workers that look for work. Written by each as it begins, read by the first before it runs the program.
  std::atomic<int> begun;
  std::atomic<bool> done;  ///< the outermost strand is over
  long value;
  std::array<double, most_repeats> milliseconds;
  std::array<pid_t, most_workers> processes;
  std::array<worker, most_workers> workers;
};

/// At the same address in each process.
extern shared_state* state;

void begin_outermost(worker& w);
void begin_stealing(worker& w);

/// After a number of steals that failed in a row.
void rest(worker& w, unsigned failed);

}  // namespace mapped
