// Threads: pthreads, affinity masks of any length, the bounds of a native stack.
#include "os/os.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>

#include "os/linux/loaded_objects.hpp"

#if __has_include(<sys/rseq.h>)
// Built with a newer C library, a program may run with an older one.
#pragma weak __rseq_offset
#pragma weak __rseq_size
#endif

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

extern "C" {
// The GNU C library's. The second function forgets the handlers of fork(2) that were registered
// with this owner by the first.
__attribute__((weak)) int __register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(),
                                            void* owner);
void __cxa_finalize(void* owner);
// The stack pointer that the process began with.
extern void* __libc_stack_end;
}

static_assert(sizeof(pthread_t) == sizeof(std::uintptr_t), "thread_handle holds a pthread_t in its place");

namespace {

struct thread_start {
  void (*entry)(void*);
  void* argument;
};

extern "C" void* nopal_os_thread_main(void* memory) {
  const std::unique_ptr<thread_start> owned(static_cast<thread_start*>(memory));
  const thread_start start = *owned;
  start.entry(start.argument);
  return nullptr;
}

// Everything that somebody else sends. What a thread's own instructions raise must reach the
// program's handler, or ours for stack overflows: blocked, it would kill the process without one.
// What its own calls raise, a write that nobody reads or that makes a file too large, ends most
// programs, or calls their handler. SIGPROF asks whichever thread is running, and workers are where
// the time goes.
sigset_t signals_of_others() {
  sigset_t set;
  sigfillset(&set);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE, SIGXFSZ, SIGPROF})
    sigdelset(&set, own);
  return set;
}

constexpr int most_signals = 64;

signal_bits bits_of(const sigset_t& set) {
  signal_bits bits = 0;
  for (int signal = 1; signal <= most_signals; ++signal) {
    if (sigismember(&set, signal) == 1) bits |= signal_bits{1} << (signal - 1);
  }
  return bits;
}

/// Whole pages for `bytes` beside what the C library takes.
std::size_t whole_stack(std::size_t bytes) {
  const long least = sysconf(_SC_THREAD_STACK_MIN);
  const std::size_t wanted =
      std::max(bytes, least > 0 ? static_cast<std::size_t>(least) : 0) + bytes_taken_of_each_stack();
  return (wanted + page_size() - 1) / page_size() * page_size();
}

/// A large frame, such as a handler's, can skip a guard of one page.
std::size_t guard_bytes() { return std::max(page_size(), std::size_t{64} << 10); }

int set_stack_size(pthread_attr_t& attributes, std::size_t bytes) {
  (void)pthread_attr_setguardsize(&attributes, guard_bytes());
  return pthread_attr_setstacksize(&attributes, whole_stack(bytes));
}

/// Above a guard, which the C library does not make for these.
int set_stack(pthread_attr_t& attributes, void* mapping, std::size_t mapped_bytes) {
  if (!protect_none(mapping, guard_bytes())) return ENOMEM;
  return pthread_attr_setstack(&attributes, static_cast<char*>(mapping) + guard_bytes(),
                               mapped_bytes - guard_bytes());
}

int create_with_signals_blocked(pthread_t& thread, const pthread_attr_t& attributes, thread_start* start) {
  const sigset_t blocked = signals_of_others();
  sigset_t before;
  int failure =
      // What the creator blocks, the thread blocks too.
      pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (failure != 0) return failure;
  failure = pthread_create(&thread, &attributes, nopal_os_thread_main, start);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return failure;
}

// A CPU mask of as many bits as the kernel's own, which may exceed the C library's 1024.
class cpu_mask {
public:
  explicit cpu_mask(int cpus)
      : bits_(CPU_ALLOC(static_cast<std::size_t>(cpus))), bytes_(CPU_ALLOC_SIZE(cpus)) {
    if (bits_ == nullptr) throw std::bad_alloc();
    CPU_ZERO_S(bytes_, bits_);
  }
  cpu_mask(const cpu_mask&) = delete;
  cpu_mask& operator=(const cpu_mask&) = delete;
  ~cpu_mask() { CPU_FREE(bits_); }

  [[nodiscard]] cpu_set_t* bits() noexcept { return bits_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void add(int cpu) noexcept { CPU_SET_S(static_cast<std::size_t>(cpu), bytes_, bits_); }
  [[nodiscard]] bool has(int cpu) const noexcept {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes_, bits_) != 0;
  }

private:
  cpu_set_t* bits_;
  std::size_t bytes_;
};

constexpr int most_cpus = 1 << 16;  // beyond any kernel's configuration

// glibc's descriptions of its own structures, for debuggers: bits, count and offset of the word in
// pthread_t's structure that says whether a thread is ending. Looked up, since to link against it
// would bind to one version of the library.
struct described_field {
  std::uint32_t bits;
  std::uint32_t count;
  std::uint32_t offset;
};
const described_field* cancel_word;
constexpr std::uint32_t ending_bit = 1U << 4;

// Before there are threads, and with no lock held: the search takes the loader's.
__attribute__((constructor)) void find_cancel_word() {
  const auto* const found =
      static_cast<const described_field*>(dlsym(RTLD_DEFAULT, "_thread_db_pthread_cancelhandling"));
  cancel_word = found != nullptr && found->bits == 32 ? found : nullptr;
}

// The third field of the first thread's line, behind its name in parentheses: Z once it has ended
// and others have not.
bool first_thread_is_gone() {
  char text[512];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  // The system makes the text at once: nobody is waited for, whatever lock is held.
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
  const ssize_t got = read(file, text, sizeof text);
  (void)close(file);
  const std::string_view line(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t name_end = line.rfind(") ");
  return name_end != std::string_view::npos && line.substr(name_end + 2, 1) == "Z";
}

}  // namespace

int start_thread(void (*entry)(void*), void* argument, std::size_t stack_bytes, thread_handle& thread,
                 stack_from from) noexcept {
  const int errno_before = errno;
  std::unique_ptr<thread_start> start(new (std::nothrow) thread_start{entry, argument});
  if (start == nullptr) return ENOMEM;
  pthread_attr_t attributes;
  int failure = pthread_attr_init(&attributes);
  if (failure != 0) return failure;
  void* mapping = nullptr;
  std::size_t mapped_bytes = 0;
  if (from == stack_from::fresh_mapping) {
    mapped_bytes = guard_bytes() + whole_stack(stack_bytes);
    mapping = map_stack_memory(mapped_bytes);
    failure = mapping == nullptr ? ENOMEM : set_stack(attributes, mapping, mapped_bytes);
  } else if (stack_bytes != 0) {
    failure = set_stack_size(attributes, stack_bytes);
  }
  pthread_t native{};
  if (failure == 0) failure = create_with_signals_blocked(native, attributes, start.get());
  pthread_attr_destroy(&attributes);
  if (failure != 0) {
    if (mapping != nullptr) unmap(mapping, mapped_bytes);
    errno = errno_before;
    return failure;
  }
  static_cast<void>(start.release());  // the thread's own now
  thread.native_ = std::bit_cast<std::uintptr_t>(native);
  thread.joinable_ = true;
  thread.mapping_ = mapping;
  thread.mapped_bytes_ = mapped_bytes;
  return 0;
}

signal_bits blocked_signals() noexcept {
  sigset_t now;
  return pthread_sigmask(SIG_SETMASK, nullptr, &now) == 0 ? bits_of(now) : ~signal_bits{0};
}

void block_as_starter(signal_bits starters) noexcept {
  const signal_bits others = bits_of(signals_of_others());
  if ((blocked_signals() & ~(starters | others)) != 0) return;
  sigset_t too_many;
  sigemptyset(&too_many);
  for (int signal = 1; signal <= most_signals; ++signal) {
    if ((others & ~starters) >> (signal - 1) & 1) sigaddset(&too_many, signal);
  }
  (void)pthread_sigmask(SIG_UNBLOCK, &too_many, nullptr);
}

int join_thread(thread_handle& thread) noexcept {
  if (!thread.joinable_) return EINVAL;
  const int failure = pthread_join(std::bit_cast<pthread_t>(thread.native_), nullptr);
  if (failure != 0) return failure;
  if (thread.mapping_ != nullptr) unmap(thread.mapping_, thread.mapped_bytes_);
  thread = thread_handle{};
  return 0;
}

void name_current_thread(const char* name) noexcept {
  char cut[16];  // a longer name would be refused
  std::snprintf(cut, sizeof cut, "%s", name);
  (void)pthread_setname_np(pthread_self(), cut);
}

std::vector<int> current_affinity() {
  for (int width = CPU_SETSIZE; width <= most_cpus; width *= 2) {
    cpu_mask mask(width);
    if (sched_getaffinity(0, mask.bytes(), mask.bits()) != 0) {
      if (errno == EINVAL) continue;  // the kernel's mask is wider
      break;
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < width; ++cpu) {
      if (mask.has(cpu)) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

bool set_current_affinity(const std::vector<int>& cpus) {
  const auto in_range = [](int cpu) { return cpu >= 0 && cpu < most_cpus; };
  if (cpus.empty() || !std::all_of(cpus.begin(), cpus.end(), in_range)) {
    errno = EINVAL;
    return false;
  }
  cpu_mask mask(std::max(CPU_SETSIZE, *std::max_element(cpus.begin(), cpus.end()) + 1));
  for (const int cpu : cpus) mask.add(cpu);
  return sched_setaffinity(0, mask.bytes(), mask.bits()) == 0;
}

bool pin_current_thread(int cpu) { return set_current_affinity({cpu}); }

int current_cpu() noexcept { return sched_getcpu(); }

// The C library registers a record of each thread with the kernel (rseq), from glibc 2.35 on.
const std::uint32_t* this_threads_cpu() noexcept {
#if __has_include(<sys/rseq.h>)
  if (&__rseq_offset == nullptr || &__rseq_size == nullptr || __rseq_size == 0) return nullptr;
  const char* const thread = static_cast<const char*>(__builtin_thread_pointer());
  return &reinterpret_cast<const struct rseq*>(thread + __rseq_offset)->cpu_id;
#else
  return nullptr;
#endif
}

int current_thread_id() noexcept { return gettid(); }

bool thread_is_ending() noexcept {
  if (cancel_word == nullptr) return false;
  const auto* const thread = std::bit_cast<const char*>(pthread_self());
  // Others may set bits of the word at any time; relaxed: this one is the thread's own.
  return (__atomic_load_n(reinterpret_cast<const std::uint32_t*>(thread + cancel_word->offset),
                          __ATOMIC_RELAXED) &
          ending_bit) != 0;
}

bool first_thread_ends() noexcept { return gettid() == getpid() || first_thread_is_gone(); }

bool is_last_thread() noexcept {
  struct stat about;
  // A link for each thread, beside the two of any folder. The first is there until all have ended.
  return first_thread_is_gone() && stat("/proc/self/task", &about) == 0 && about.st_nlink <= 4;
}

bool near_first_stacks_end() noexcept {
  constexpr std::uintptr_t near = std::uintptr_t{16} << 10;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  return here < end && end - here < near;
}

not_cancelled::not_cancelled() noexcept {
  if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_) != 0) before_ = PTHREAD_CANCEL_ENABLE;
}
not_cancelled::~not_cancelled() { (void)pthread_setcancelstate(before_, nullptr); }

namespace {
char owner_at_fork;  // its address is nobody else's
}

void call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  if (__register_atfork != nullptr) {
    __register_atfork(before, in_parent, in_child, &owner_at_fork);
  } else {
    pthread_atfork(before, in_parent, in_child);
  }
}

void call_no_more_at_fork() noexcept { __cxa_finalize(&owner_at_fork); }

void yield() noexcept { (void)sched_yield(); }

void for_each_thread_local_block(void (*use)(void* block, std::size_t bytes)) noexcept {
  const auto tell = [](dl_phdr_info* module, std::size_t, void* context) {
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      if (module->dlpi_phdr[i].p_type == PT_TLS && module->dlpi_tls_data != nullptr) {
        (*static_cast<decltype(use)*>(context))(module->dlpi_tls_data, module->dlpi_phdr[i].p_memsz);
      }
    }
    return 0;
  };
  dl_iterate_phdr(tell, &use);
}

bool native_stack_bounds(void*& low, void*& high) noexcept {
  pthread_attr_t attributes;
  const int failure = pthread_getattr_np(pthread_self(), &attributes);
  if (failure != 0) {
    errno = failure;
    return false;
  }
  void* base = nullptr;
  std::size_t bytes = 0;
  (void)pthread_attr_getstack(&attributes, &base, &bytes);
  pthread_attr_destroy(&attributes);
  low = base;
  high = static_cast<char*>(base) + bytes;
  return true;
}

bool lies_on_signal_stack(const void* address) noexcept {
  stack_t present;
  return sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0 &&
         address >= present.ss_sp && address < static_cast<char*>(present.ss_sp) + present.ss_size;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
