// A queued signal with a mark of ours, so that others may use the same number.
#include "os/interruptions.hpp"

#include "arch/arch.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

struct sigaction previous;
std::atomic<int> used{0};  // the signal; 0: none
void (*answers)(const interrupted&);
const char mark = 0;

bool is_ours(const siginfo_t& info) {
  return info.si_code == SI_QUEUE && info.si_value.sival_ptr == const_cast<char*>(&mark);
}

/// Whether the system dropped what it was sent with, as it does where a user has too many queued
/// signals. It may be ours then, or not.
bool may_be_ours(const siginfo_t& info) { return info.si_code == SI_USER && info.si_pid == 0; }

bool is_handler(void (*one)(int)) { return one != SIG_DFL && one != SIG_IGN; }

bool has_handler(const struct sigaction& one) {
  return is_handler(one.sa_handler);  // the same word as sa_sigaction
}

bool is_ignored_by_default(int signal) { return signal == SIGURG || signal == SIGWINCH; }

/// The program's only call of a handler with SA_RESETHAND was made. Relaxed: it stands for itself, and of several
/// handlers that exchange it one finds false.
std::atomic<bool> is_spent{false};

/// As without this library; the signal is blocked here.
void end_by(int signal) {
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  sigaction(signal, &by_default, nullptr);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

/// The program's handler finds what waits as if it had been called alone.
void hand_on(int signal, siginfo_t* info, void* context) {
  const bool resets = (static_cast<unsigned>(previous.sa_flags) & SA_RESETHAND) != 0 && has_handler(previous);
  const bool is_default =
      (resets && is_spent.exchange(true, std::memory_order_relaxed)) || previous.sa_handler == SIG_DFL;
  if (is_default && !is_ignored_by_default(signal) && !may_be_ours(*info)) end_by(signal);
  if (is_default || !has_handler(previous)) return;
  const bool with_value = (previous.sa_flags & SA_SIGINFO) != 0;
  sigset_t waits = static_cast<const ucontext_t*>(context)->uc_sigmask;
  sigorset(&waits, &waits, &previous.sa_mask);
  if ((previous.sa_flags & SA_NODEFER) == 0) sigaddset(&waits, signal);
  sigset_t ours;
  pthread_sigmask(SIG_SETMASK, &waits, &ours);
  if (with_value) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &ours, nullptr);
}

/// An answer took 2,100 bytes at most of what was measured.
constexpr std::ptrdiff_t answer_bytes = 4096;

/// A program's signal stack may be as small as the system allows.
bool has_room(const stack_t& signal_stack) {
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const char* const low = static_cast<const char*>(signal_stack.ss_sp);
  const bool on_it = (signal_stack.ss_flags & SS_DISABLE) == 0 && here > low &&
                     static_cast<std::size_t>(here - low) <= signal_stack.ss_size;
  return !on_it || here - low >= answer_bytes;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int errno_before = errno;
  if (!is_ours(*info)) {
    hand_on(signal, info, context);
    if (!may_be_ours(*info)) {
      errno = errno_before;
      return;
    }
  }
  const auto& machine = *static_cast<const ucontext_t*>(context);
  interrupted here;
  here.at = arch::registers_of(machine);
  here.has_room = has_room(machine.uc_stack);
  here.float_control = arch::float_control_of(machine);
  answers(here);
  errno = errno_before;
}

}  // namespace

int default_interruption() noexcept { return SIGURG; }

bool parse_interruption(const char* text, int& signal) noexcept {
  constexpr struct {
    const char* name;
    int number;
  } accepted[] = {{"off", 0},    {"URG", SIGURG}, {"USR1", SIGUSR1},  {"USR2", SIGUSR2},
                  {"IO", SIGIO}, {"PWR", SIGPWR}, {"WINCH", SIGWINCH}};
  const char* const name = std::strncmp(text, "SIG", 3) == 0 ? text + 3 : text;
  for (const auto& each : accepted) {
    if (std::strcmp(name, each.name) == 0) {
      signal = each.number;
      return true;
    }
  }
  int number = 0;
  for (const char* digit = text; *digit != '\0'; ++digit) {
    if (*digit < '0' || *digit > '9' || number > 64) return false;
    number = number * 10 + (*digit - '0');
  }
  bool known = number >= 35 && number <= 64;
  for (const auto& each : accepted) known = known || (each.number != 0 && number == each.number);
  if (known) signal = number;
  return known;
}

bool answer_interruptions(int signal, void (*answer)(const interrupted&)) noexcept {
  answers = answer;
  struct sigaction before = {};
  if (sigaction(signal, nullptr, &before) != 0) return false;
  struct sigaction ours = {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  // Other handlers wait for the few microseconds of an answer: it is given on the thread's signal stack,
  // where a handler that was installed for an ordinary stack would have too little room.
  sigfillset(&ours.sa_mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
    sigdelset(&ours.sa_mask, fault);
  // It may have stayed beyond a pause.
  const bool is_there = (before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction == on_signal;
  if (has_handler(is_there ? previous : before)) {
    // The program's handler has the stack, and system calls are interrupted, as the program has chosen.
    const int chosen = (is_there ? previous : before).sa_flags;
    ours.sa_flags = SA_SIGINFO | (chosen & (SA_ONSTACK | SA_RESTART));
  }
  if (sigaction(signal, &ours, nullptr) != 0) return false;
  if (!is_there) {
    previous = before;
    is_spent.store(false, std::memory_order_relaxed);
  }
  // Release pairs with the acquire in `interrupt`: the handler is there.
  used.store(signal, std::memory_order_release);
  return true;
}

void answer_no_more() noexcept {
  const int signal = used.exchange(0, std::memory_order_acq_rel);
  struct sigaction current;
  if (signal != 0 && sigaction(signal, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) != 0 &&
      current.sa_sigaction == on_signal) {
    if (is_spent.load(std::memory_order_relaxed)) previous.sa_handler = SIG_DFL;
    sigaction(signal, &previous, nullptr);
  }
}

void pause_answers() noexcept {
  const int signal = used.load(std::memory_order_relaxed);
  const bool is_default = previous.sa_handler == SIG_DFL || is_spent.load(std::memory_order_relaxed);
  if (!is_default || is_ignored_by_default(signal)) answer_no_more();
}

void allow_interruptions(int signal) noexcept {
  sigset_t one;
  sigemptyset(&one);
  if (sigaddset(&one, signal) == 0) pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

bool interrupt(int thread_id) noexcept {
  const int signal = used.load(std::memory_order_acquire);
  if (signal == 0 || thread_id == 0) return false;
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = const_cast<char*>(&mark);
  const int errno_before = errno;
  const bool sent = syscall(SYS_rt_tgsigqueueinfo, getpid(), thread_id, signal, &info) == 0;
  errno = errno_before;
  return sent;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
