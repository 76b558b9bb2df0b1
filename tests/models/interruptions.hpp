// Interruptions of threads, for the real questions.cpp: who is asked by its number, and what its handler is.
#ifndef NOPAL_TESTS_EXPLORE_INTERRUPTIONS_HPP
#define NOPAL_TESTS_EXPLORE_INTERRUPTIONS_HPP

#include "models/redirect.hpp"
// The macros come first.
#include "os/interruptions.hpp"

namespace explore {

/// The system's side of it.
class interrupter {
public:
  virtual ~interrupter() = default;
  /// A thread of this number is interrupted, if there is one.
  virtual bool send(int thread_id) = 0;
};

extern interrupter* the_interrupter;
/// What answers an interruption, once the library listens.
extern void (*the_answer)(const nopal::internal::os::interrupted&);
/// A flag that is set once and for all.
const void* word_of_listening();

}  // namespace explore

#endif
