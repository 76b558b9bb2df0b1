// usage: thrown WHAT. Runs a function of thrown.c; exits with 3 if its exception arrives here, with 5 if what C has to clean up on the
// way was cleaned up, with 0 if there is none.
#include <nopal/nopal.hpp>

#include <pthread.h>

#include <cstring>
#include <stdexcept>

#include "thrown.h"

int cleaned_up = 0;

void throw_something() { throw std::runtime_error("something"); }

namespace {
/// Thrown by value, opens when it is copied into the exception: the stack is unwound after that.
struct opens {
  gate* which;
};
}  // namespace

void throw_and_open(gate* which) {
  gate_open(which);
  throw opens{which};
}

void catch_something() {
  try {
    throw_something();
  } catch (const std::runtime_error&) {
  }
}

void end_thread() { pthread_exit(nullptr); }

int main(int, char** arguments) {
  constexpr struct {
    const char* name;
    void (*run)(int workers);
  } all[] = {{"child", fork_a_child_that_throws},
             {"forkable", fork_a_forkable_that_throws},
             {"fibril", fork_a_fibril_that_throws},
             {"parent", throw_between_fork_and_join},
             {"thread_child", fork_a_child_that_ends_its_thread},
             {"thread_parent", end_the_thread_between_fork_and_join},
             {"allowed", throw_where_it_is_allowed}};
  for (const auto& one : all) {
    if (std::strcmp(one.name, arguments[1]) != 0) continue;
    try {
      one.run(nopal::workers());
    } catch (const std::exception&) {
      return failures != 0 ? 1 : cleaned_up != 0 ? 5 : 3;
    } catch (const opens&) {
      return 4;
    }
    return failures != 0 ? 1 : 0;
  }
  return 2;
}
