// Waits for groups of tasks and for room in arenas: real code.
#ifndef NOPAL_TESTS_EXPLORE_TASK_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_TASK_MODEL_HPP

#include <memory>

#include "models/explorer.hpp"

namespace explore {

/// What threads do. The first waits for a group, unless it says otherwise.
enum class task_scene {
  finish,  ///< each of the others finishes one task of the group
  push,  ///< the second pushes a task of the group, and finishes its own when that has run, which it does not run itself
  push_last,      ///< the second pushes the only task of the group, which may be gone then
  push_to_arena,  ///< as push, where both are in an arena
  push_and_end,   ///< the second pushes the only task of the group, and its thread ends
  both_wait,      ///< the second waits too, the third finishes the task
  pool,           ///< the first pushes a task, and goes on when it has run; the second is of the pool
  pool_at_end,    ///< the same, but the first thread's worker ends before it waits for that
  enter,  ///< the first is in an arena that is full, and leaves it; each of the others enters and leaves
  arena,  ///< the first, in an arena, pushes a task there and leaves; the second is of the pool
  lend,  ///< the first, in an arena where no worker may come, pushes a task there and lends its seat; the second is of the pool
  place,  ///< the first pushes a task; the second, of the pool, sleeps in a call that may not run it, and gives its place
  place_in_arena,    ///< the same for a task of an arena
  place_of_another,  ///< as place, beside a third that sleeps so, and the second goes on once it is woken
};

/// `threads` is a letter for each: `w` of the program and a worker, `s` of the program and none, `p` of the pool, `a` of the
/// pool behind those and for arenas alone. Naps are endless. Every wait ends, and nobody touches the group then.
std::unique_ptr<model> make_task_model(task_scene scene, const char* threads);

/// The first thread waits for a group and has a thread's worker for its own; the second runs the group's task, which forks and joins.
/// The wait may take the fork's continuation, on a stack of the pool, and comes back as soon as that has ended, to find the
/// task over; the task's thread goes on where it was. Everything is as it was before, and each stack is given back.
/// `needed`: the fork's child waits until its continuation is taken, so whoever waits has to take it.
std::unique_ptr<model> make_scheduler_call_model(bool needed);

}  // namespace explore

#endif
