// Programs that call fork(2) and look at how the new process ends.
#ifndef NOPAL_TESTS_SUPPORT_SPLITTING_HPP
#define NOPAL_TESTS_SUPPORT_SPLITTING_HPP

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>

#include "support/program.hpp"

namespace support {

/// fork(2); a process that hangs is ended, for its parent to see.
inline pid_t split() {
  const pid_t child = fork();
  NOPAL_CHECK(child >= 0);
  if (child == 0) alarm(30);
  return child;
}

inline int status_of(pid_t child) {
  int status = -1;
  NOPAL_CHECK(waitpid(child, &status, 0) == child);
  return status;
}

inline void exited_with_0(pid_t child) {
  const int status = status_of(child);
  NOPAL_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

inline void was_refused(pid_t child) {
  const int status = status_of(child);
  NOPAL_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/// Calls `f` on a thread that has `stack_bytes` of stack, and waits for it.
template <class F>
void on_thread_with_stack(std::size_t stack_bytes, F f) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  const auto call = [](void* callee) -> void* {
    (*static_cast<F*>(callee))();
    return nullptr;
  };
  pthread_t thread;
  NOPAL_CHECK(pthread_create(&thread, &attributes, call, &f) == 0);
  NOPAL_CHECK(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

/// Passes if the program ends well, and its new process said in one line that it came to `what`.
inline testing::AssertionResult says_it_came_to(const char* what, const char* program, int workers) {
  const outcome seen = run_program(program, on_workers(workers));
  const std::string begins = std::string("nopal: a child of fork(2) came to ") + what + ", ";
  if (seen.exit_code == 0 && seen.err.rfind(begins, 0) == 0 && seen.err.find('\n') == seen.err.size() - 1) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << seen.description();
}

}  // namespace support

#endif
