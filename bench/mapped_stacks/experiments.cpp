// What workers that are processes cannot share as threads do, and what they can, each by a small experiment that two
// processes make. docs/mapped-stacks.md has what each shows; this fails if one comes out otherwise.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

int unexpected = 0;

/// One line: what was tried, and whether it works as among threads.
void report(const char* what, bool works, bool expected) {
  std::printf("%-74s %s%s\n", what, works ? "works" : "does not", works == expected ? "" : "  UNEXPECTED");
  std::fflush(stdout);
  if (works != expected) ++unexpected;
}

/// In memory that both processes share: what one tells the other.
struct board {
  std::atomic<int> step;
  std::atomic<bool> answer;
  void* address;
  int number;
  pthread_mutex_t mutex;
};

board* shared = nullptr;

// Release and acquire: each pairs with the other, and orders the rest of the board.
void go_to(int step) { shared->step.store(step, std::memory_order_release); }
bool came_to(int step, int patience_ms = 2000) {
  for (int i = 0; i < patience_ms; ++i) {
    if (shared->step.load(std::memory_order_acquire) >= step) return true;
    usleep(1000);
  }
  return false;
}

/// Runs `other` in a worker process beside `own`, and ends it.
template <class Other, class Own>
void beside(Other other, Own own) {
  shared->step.store(0, std::memory_order_relaxed);  // before the process starts
  shared->answer.store(false, std::memory_order_relaxed);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    other();
    _exit(0);
  }
  own(child);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

sigjmp_buf on_fault;

/// Whether this process can read there.
bool reads(const void* where) {
  struct sigaction faulted{};
  faulted.sa_handler = [](int) { siglongjmp(on_fault, 1); };
  sigaction(SIGSEGV, &faulted, nullptr);
  // Volatile: it is read after a jump back.
  volatile bool readable = false;
  if (sigsetjmp(on_fault, 1) == 0) {
    (void)*static_cast<const volatile char*>(where);
    readable = true;
  }
  signal(SIGSEGV, SIG_DFL);
  return readable;
}

// --- The heap

void heap() {
  beside(
      [] {
        const auto own = reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_NEXT, "malloc"));
        shared->address = own(64);
        std::strcpy(static_cast<char*>(shared->address), "text");
        go_to(1);
        pause();
      },
      [](pid_t) {
        const bool works = came_to(1) && reads(shared->address) &&
                           std::strcmp(static_cast<const char*>(shared->address), "text") == 0;
        report("malloc of the C library: what one allocates another reads", works, false);
      });
  beside(
      [] {
        // The vector, the strings and what strdup allocates.
        auto* made = new std::vector<std::string>(100, std::string(100, 'x'));
        made->push_back(std::unique_ptr<char, decltype(&std::free)>(strdup("text"), &std::free).get());
        shared->address = made;
        go_to(1);
        pause();
      },
      [](pid_t) {
        const bool ready = came_to(1) && reads(shared->address);
        auto* made = static_cast<std::vector<std::string>*>(shared->address);
        report("malloc and new in shared memory: another reads, and gives back",
               ready && made->back() == "text", true);
        if (ready) delete made;
      });
  beside(
      [] {
        shared->address = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        go_to(1);
        pause();
      },
      [](pid_t) {
        report("mmap after the start (large blocks, files, libraries): another reads",
               came_to(1) && reads(shared->address), false);
      });
}

// --- Static data

/// Puts the program's own static data, or those of the library that has this address, into shared memory.
bool share_data_of(const void* address) {
  struct found {
    std::uintptr_t address;
    std::uintptr_t begin;
    std::uintptr_t end;
  } of{reinterpret_cast<std::uintptr_t>(address), 0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        found& wanted = *static_cast<found*>(data);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        std::uintptr_t read_only_end = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          const std::uintptr_t at = info->dlpi_addr + part.p_vaddr;
          // The part that the loader made read-only stays as it is.
          if (part.p_type == PT_GNU_RELRO) read_only_end = (at + part.p_memsz) & ~std::uintptr_t{4095};
          if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
          begin = at & ~std::uintptr_t{4095};
          end = (at + part.p_memsz + 4095) & ~std::uintptr_t{4095};
        }
        if (wanted.address < begin || wanted.address >= end) return 0;
        wanted.begin = read_only_end > begin ? read_only_end : begin;
        wanted.end = end;
        return 1;
      },
      &of);
  if (of.begin >= of.end) return false;
  const std::size_t bytes = of.end - of.begin;
  const int file = memfd_create("data", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return false;
  // By the plain calls of the system: nothing may write there in between.
  if (pwrite(file, reinterpret_cast<const void*>(of.begin), bytes, 0) != static_cast<ssize_t>(bytes))
    return false;
  void* at = reinterpret_cast<void*>(of.begin);
  return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == at;
}

std::atomic<int> counter{1};
thread_local int of_thread = 1;

// Release and acquire: with those of the other process.
bool sees_static_data() {
  bool works = false;
  beside(
      [] {
        counter.store(2, std::memory_order_release);
        go_to(1);
        pause();
      },
      [&](pid_t) { works = came_to(1) && counter.load(std::memory_order_acquire) == 2; });
  counter.store(1, std::memory_order_release);
  return works;
}

enum class locking { excludes, has_two_owners, not_seen };

/// What a process gets that wants a stream while another has it.
locking lock_stream_twice() {
  locking outcome = locking::not_seen;
  beside(
      [] {
        flockfile(stdout);
        go_to(1);
        pause();
      },
      [&](pid_t) {
        if (came_to(1)) outcome = ftrylockfile(stdout) == 0 ? locking::has_two_owners : locking::excludes;
      });
  return outcome;
}

void static_data() {
  report("static data as fork(2) leaves them: what one writes another reads", sees_static_data(), false);
  const bool could = share_data_of(&counter);
  report("the program's static data in a shared file before the fork", could && sees_static_data(), true);
  beside(
      [] {
        of_thread = 2;
        shared->address = &of_thread;
        go_to(1);
        pause();
      },
      [](pid_t) {
        report("a pointer to a thread-local variable: another reads the same one",
               came_to(1) && *static_cast<volatile int*>(shared->address) == 2, false);
      });
}

/// In a process of its own, since what it does to the C library stays.
void library_data() {
  const pid_t child = fork();
  if (child == 0)
    _exit(share_data_of(stdout) ? static_cast<int>(lock_stream_twice())
                                : static_cast<int>(locking::not_seen));
  int status = 0;
  waitpid(child, &status, 0);
  const auto outcome = WIFEXITED(status) ? static_cast<locking>(WEXITSTATUS(status)) : locking::not_seen;
  if (outcome == locking::not_seen) {
    std::printf("the C library's static data in a shared file: could not be tried\n");
    ++unexpected;
    return;
  }
  report("the C library's static data in a shared file: stdio's locks exclude", outcome == locking::excludes,
         false);
}

// --- The rest of what threads share

void locks(int kind, const char* what, bool expected) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, kind);
  pthread_mutex_init(&shared->mutex, &attributes);
  pthread_mutex_lock(&shared->mutex);
  beside(
      [] {
        go_to(1);
        pthread_mutex_lock(&shared->mutex);
        go_to(2);
        pause();
      },
      [&](pid_t) {
        bool works = came_to(1);
        usleep(50'000);  // until it sleeps in the kernel
        pthread_mutex_unlock(&shared->mutex);
        works = works && came_to(2, 500);
        report(what, works, expected);
      });
}

/// A worker that shares the table of descriptors, which fork(2) does not have.
pid_t start_sharing(int what) {
  return static_cast<pid_t>(syscall(SYS_clone, what | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

bool sees_descriptor(int sharing) {
  shared->step.store(0, std::memory_order_relaxed);  // before the process starts
  const pid_t child = start_sharing(sharing);
  if (child == 0) {
    shared->number = open("/dev/null", O_RDONLY | O_CLOEXEC);
    go_to(1);
    for (;;) pause();
  }
  const bool works = came_to(1) && fcntl(shared->number, F_GETFD) >= 0;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return works;
}

void the_rest() {
  locks(PTHREAD_PROCESS_PRIVATE, "a std::mutex in shared memory wakes who waits in another process", false);
  locks(PTHREAD_PROCESS_SHARED, "a mutex that was made PTHREAD_PROCESS_SHARED", true);
  report("a descriptor that is opened after fork(2)", sees_descriptor(0), false);
  report("a descriptor that is opened after clone(CLONE_FILES | CLONE_FS)",
         sees_descriptor(CLONE_FILES | CLONE_FS), true);
  const pid_t child = start_sharing(CLONE_SIGHAND);
  if (child == 0) _exit(0);
  report("clone(CLONE_SIGHAND) without CLONE_VM, for signal handlers", child > 0, false);
  beside(
      [] {
        signal(SIGUSR1, SIG_IGN);
        go_to(1);
        pause();
      },
      [](pid_t) {
        struct sigaction now{};
        const bool ready = came_to(1);
        sigaction(SIGUSR1, nullptr, &now);
        report("a signal handler that one sets later holds for another", ready && now.sa_handler == SIG_IGN,
               false);
      });
  beside(
      [] {
        shared->number = getpid();
        go_to(1);
        pause();
      },
      [](pid_t) {
        report("getpid() is the same on every worker", came_to(1) && shared->number == getpid(), false);
      });
  beside([] { std::_Exit(0); },
         [](pid_t other) {
           siginfo_t ended{};
           // Here is who sees it, so the program goes on.
           waitid(P_PID, static_cast<id_t>(other), &ended, WEXITED | WNOWAIT);
           report("exit() on one worker ends the program", ended.si_code != CLD_EXITED, false);
         });
  beside(
      [] {
        const pid_t started = fork();
        if (started == 0) _exit(0);
        shared->number = started;
        go_to(1);
        pause();
      },
      [](pid_t) {
        int status = 0;
        const bool works = came_to(1) && waitpid(shared->number, &status, 0) == shared->number;
        report("one worker waits for a process that another started", works, false);
      });
}

}  // namespace

int main() {
  void* at = mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    std::fprintf(stderr, "nopal: mapped stacks: no shared memory: %s\n", std::strerror(errno));
    return 3;
  }
  shared = new (at) board{};
  heap();
  static_data();
  library_data();
  the_rest();
  return unexpected == 0 ? 0 : 1;
}
