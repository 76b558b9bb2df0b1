// The programs' scope in the `record` variant: the serial elision, which tells this thread's recorder what it does.
#ifndef NOPAL_BENCH_RECORD_SCOPE_HPP
#define NOPAL_BENCH_RECORD_SCOPE_HPP

#include <functional>
#include <type_traits>
#include <utility>

#include "record/recorder.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {

class scope {
public:
  scope() noexcept = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() noexcept(false) {
    if (level_ != 0 && !::recording::this_thread_recorder->refused()) join();
  }

  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    note_fork();
    static_cast<void>(
        std::invoke(std::decay_t<F>(std::forward<F>(f)), std::decay_t<Args>(std::forward<Args>(args))...));
    note_end();
  }

  template <class Out, class F, class... Args>
  void fork_into(Out& out, F&& f, Args&&... args) {
    note_fork();
    out = std::invoke(std::decay_t<F>(std::forward<F>(f)), std::decay_t<Args>(std::forward<Args>(args))...);
    note_end();
  }

  void join() {
    if (level_ == 0) return;
    ::recording::recorder& recorder = *::recording::this_thread_recorder;
    recorder.check_level(level_);
    recorder.close_scope();
    level_ = 0;
    recorder.note(::recording::step::join);
  }

private:
  void note_fork() {
    ::recording::recorder& recorder = *::recording::this_thread_recorder;
    const bool opens = level_ == 0;
    if (opens) level_ = recorder.open_scope();
    recorder.check_level(level_);
    recorder.note(opens ? ::recording::step::first_fork : ::recording::step::fork);
  }
  static void note_end() { ::recording::this_thread_recorder->note(::recording::step::end); }

  int level_ = 0;  // zero: nothing forked since the last join
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT

#endif
