// usage: thrown WHAT [latent]. Runs a function of thrown.c; exits with 3 if its exception arrives here, with 5 if what C has to clean up on
// the way was cleaned up, with 0 if there is none. `latent`: where its forks can be latent, the first one is; thieves are hungry when
// its child has begun.
#include <nopal/nopal.hpp>

#include <pthread.h>

#include <cstring>
#include <stdexcept>

#include "support/busy_thieves.hpp"
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

static std::atomic<bool>* thieves_may_go = nullptr;
void child_begins() {
  if (thieves_may_go != nullptr) *thieves_may_go = true;
}

static void run(void (*what)(int workers), bool latent) {
  if (!latent) {
    what(nopal::workers());
    return;
  }
  support::before_thieves_are_hungry([what](std::atomic<bool>& release) {
    thieves_may_go = &release;
    try {
      what(nopal::workers());
    } catch (...) {
      release = true;
      throw;
    }
    release = true;
  });
}

int main(int count, char** arguments) {
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
      run(one.run, count > 2);
    } catch (const std::exception&) {
      return failures != 0 ? 1 : cleaned_up != 0 ? 5 : 3;
    } catch (const opens&) {
      return 4;
    }
    return failures != 0 ? 1 : 0;
  }
  return 2;
}
