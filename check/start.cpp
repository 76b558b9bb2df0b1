#include "start.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lists.hpp"
#include "locks.hpp"
#include "races.hpp"
#include "records.hpp"
#include "report.hpp"
#include "shadow.hpp"
#include "sites.hpp"
#include "strands.hpp"

extern "C" {
// Of the sanitizer's own runtime alone.
[[gnu::weak]] void __tsan_flush_memory();
// The C library says so to the C++ library, which then counts references without atomic operations.
[[gnu::weak]] extern char __libc_single_threaded;

void __tsan_atomic_signal_fence(int order);

// What the program itself does not name its libraries do, and linkers do not look for those: threads.cpp, libraries.cpp,
// mappings.cpp, atomics.cpp and strings.cpp.
[[gnu::used]] const struct {
  int (*threads)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*libraries)(void*);
  int (*mappings)(void*, std::size_t);
  void (*atomics)(int);
  char* (*strings)(char*, const char*, std::size_t);
} nopal_check_parts = {&pthread_create, &dlclose, &munmap, &__tsan_atomic_signal_fence, &strncat};

// `nopal check` looks for this note in the program.
[[gnu::section(".note.nopal.check"), gnu::used, gnu::aligned(4)]] const struct {
  unsigned name_bytes, content_bytes, type;
  char name[8];
  unsigned content;
} nopal_check_note = {6, 4, 0x4e43, "nopal", 1};
}

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

bool is_started;
bool is_finished;
pid_t process;
int log_file = STDERR_FILENO;

struct settings {
  options chosen;
  std::vector<std::string> patterns;
};
settings* all_settings;

/// The program's own files have the numbers that they have without a log, and to close all of them is not to close it.
int moved_away(int file) noexcept {
  constexpr int least = 512;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, least);
  if (moved < 0) return file;
  close(file);
  return moved;
}

/// The file begins anew, but not while another checked program has it open: that has started this one, or runs beside it.
/// As long as one has it, it has locked it.
void begin_log() noexcept {
  if (flock(log_file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    static_cast<void>(!ftruncate(log_file, 0));
  flock(log_file, LOCK_SH | LOCK_NB);
}

void open_log(const std::string& file) {
  log_file = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log_file < 0) {
    std::fprintf(stderr, "nopal: NOPAL_CHECK: log='%s' cannot be written: %s\n", file.c_str(),
                 std::strerror(errno));
    _exit(2);
  }
  log_file = moved_away(log_file);
  begin_log();
}

}  // namespace

const std::vector<std::string>& suppression_patterns() { return all_settings->patterns; }
int report_file() noexcept { return log_file; }
bool is_logged() noexcept { return log_file != STDERR_FILENO; }
const char* log_name() noexcept { return all_settings->chosen.log.c_str(); }

namespace {

// Around fork(2): no other thread is in the midst of the checker's work then, so the child finds it whole. A handler may
// have interrupted this thread's own.
void before_fork() noexcept {
  if (has_threads && self.works == 0) take_checker();
}
void after_fork() noexcept {
  if (has_threads && self.works == 0) leave_checker();
}
void after_fork_in_child() noexcept {
  keep_this_thread_alone();
  after_fork();
}

/// Last of all: what the program does at its end is looked at, too.
[[gnu::destructor(101)]] void end_process() {
  if (is_finished || !is_started) return;
  const int status = finish(-1);
  if (status == -1) return;
  std::fflush(nullptr);
  syscall(SYS_exit_group, status);
}

}  // namespace

void start() noexcept {
  if (is_started) return;
  is_started = true;
  process = getpid();
  if (&__tsan_flush_memory != nullptr) {
    fail("nopal: check: the program is linked with the sanitizer's own runtime too: link without "
         "-fsanitize=thread, with the flags of pkg-config --libs nopal-check\n");
  }
  all_settings = new settings;
  all_settings->chosen = read_options(std::getenv("NOPAL_CHECK"));
  if (!all_settings->chosen.suppressions.empty()) {
    all_settings->patterns = read_suppressions(all_settings->chosen.suppressions);
  }
  if (!all_settings->chosen.log.empty()) open_log(all_settings->chosen.log);
  // A file of the program's may get the number.
  if (log_file == STDERR_FILENO && fcntl(STDERR_FILENO, F_GETFD) < 0) log_file = -1;
  at_quick_exit(end_process);
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
  if (&__libc_single_threaded != nullptr) __libc_single_threaded = 0;  // strands count as threads
  make_strands();
  make_sites();
  make_records();
  make_shadow();
  make_lists();
  make_locks();
  begin_thread();
}

namespace {

bool forks_unchecked;  // some code does

/// A line where the program was not looked at as its user may think.
bool says_what_was_not_checked() noexcept {
  if (__atomic_load_n(&forks_unchecked, __ATOMIC_RELAXED)) {
    write_report(
        "nopal: check: some code that forks was compiled without the flags of nopal-check: races in it are "
        "not seen; compile all files of the program with them\n");
    return true;
  }
  bool has_hooks = false;
  for (const thread* each = all_threads; each != nullptr; each = each->next_thread) {
    has_hooks = has_hooks || each->first_calls[1].caller != 0;  // of the first call that said so
  }
  if (!program_forks || has_hooks) return false;
  write_report(
      "nopal: check: the compiler has put no hooks into this program, so nothing was checked: -flto and "
      "-save-temps lose the flags' -fsanitize=thread; compile without them\n");
  return true;
}

}  // namespace

int finish(int status) noexcept {
  // Children of fork(2) and vfork end as they would: the parent reports.
  if (!is_started || is_finished || getpid() != process) return status;
  if (self.works != 0) {
    // In a handler, amid the checker's own work, which the summary would wait for.
    is_finished = true;
    return races_reported() != 0 ? all_settings->chosen.exit_code : status;
  }
  const at_work now;
  is_finished = true;
  end_last_use();
  const bool is_incomplete = says_what_was_not_checked();
  const std::size_t races = end_of_races();
  if (races == 0 && is_incomplete) return 2;
  return races != 0 ? all_settings->chosen.exit_code : status;
}

namespace {

[[gnu::constructor(101)]] void begin_process() { start(); }

}  // namespace

}  // namespace nopal_check

extern "C" {

#ifndef NOPAL_CHECK_PARALLEL  // where checked code forks as other code does
// Relaxed: read when the process ends.
void nopal_check_unchecked_fork() { __atomic_store_n(&nopal_check::forks_unchecked, true, __ATOMIC_RELAXED); }
#endif

// Programs that end without their destructors.
void _exit(int status) {
  syscall(SYS_exit_group, nopal_check::finish(status));
  __builtin_unreachable();
}

void _Exit(int status) { _exit(status); }
}
