"""Programs of programs_test.py that jump, wait, and ask the system for memory and threads."""
TWO = "template <class F> void two(F f) { nopal::scope s; s.fork(f); f(); s.join(); }\n"
# As PROGRAMS there.
SYSTEM_PROGRAMS = {
    "jumps": ("""
#include <nopal/scope.hpp>
#include <setjmp.h>
int x, y;
static sigjmp_buf to;
[[gnu::noinline]] void leaves(int n) {
  volatile char room[64];
  room[n] = 0;
  siglongjmp(to, 1);
}
[[gnu::noinline]] void large(int n) {
  volatile char room[4096];
  room[n] = 0;
  x = 2;
}
[[gnu::noinline]] void returns() { if (sigsetjmp(to, 0) == 0) leaves(1); }
[[gnu::noinline]] void work() {
  nopal::scope s;
  s.fork([] { x = 1; y = 1; });
  returns();
  large(2);
  if (sigsetjmp(to, 0) == 0) leaves(3);
  y = 3;
  s.join();
}
int main() { work(); }
""", "-O0", [], 66, ["    write by large(int), jumps.cpp:13\n      called by work(), jumps.cpp:20\n      called by main, jumps.cpp:25\n",
                      "    write by work(), jumps.cpp:22\n      called by main, jumps.cpp:25\n"]),
    "thrown_through": ("""
#include <nopal/scope.hpp>
int x;
[[gnu::noinline]] void throws(int n) { if (n != 0) throw n; }
[[gnu::noinline]] void between(int n) { throws(n); x = 4; }
[[gnu::noinline]] void work() {
  nopal::scope s;
  s.fork([] { x = 1; });
  try { between(1); } catch (int) { x = 2; }
  s.join();
}
int main() { work(); }
""", "-O1", [], 66, ["    write by work(), thrown_through.cpp:8\n      called by main, thrown_through.cpp:11\n"]),
    "mappings": ("""
#include <cstdlib>
#include <nopal/scope.hpp>
#include <sys/mman.h>
const std::size_t bytes = 1 << 20;
int* mapped(void* where, int fixed) {
  return static_cast<int*>(mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0));
}
int main(int count, char**) {
  int* const one = mapped(nullptr, 0);
  int* const other = mapped(nullptr, 0);
  nopal::scope s;
  s.fork([=] { one[5] = 1; munmap(one, bytes); });
  if (mapped(one, MAP_FIXED) != one) abort();
  one[5] = 2;
  s.fork([=] { other[5] = 1; });
  if (count == 1) mapped(other, MAP_FIXED);
  other[5] = 2;
  s.fork([=] { one[7] = 1; if (mremap(one, bytes, bytes / 2, 0) != one) abort(); });
  if (mremap(one, bytes / 2, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, other) != other) abort();
  other[7] = 2;
  s.join();
  // Much of the address space, of which nothing is used.
  if (munmap(mmap(nullptr, std::size_t{1} << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
             std::size_t{1} << 40) != 0) abort();
}
""", "-O1", [], 0, []),
    "waits": ("""
#include <cstring>
#include <mutex>
#include <nopal/io.hpp>
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
#include <thread>
int main(int, char** argv) {
  std::thread([] {}).join();
  nopal::scope s;
  if (std::strcmp(argv[1], "event") == 0) {
    nopal::event e;
    s.fork([&e] {
      e.wait(); });
  } else if (std::strcmp(argv[1], "future") == 0) {
    nopal::promise<int> p;
    s.fork([f = p.get_future()]() mutable {
      f.get(); });
  } else if (std::strcmp(argv[1], "mutex") == 0) {
    nopal::mutex m;
    std::lock_guard g(m);
    s.fork([&m] {
      m.lock(); });
  } else if (std::strcmp(argv[1], "lock") == 0) {
    std::mutex m;
    std::lock_guard g(m);
    s.fork([&m] {
      m.lock(); });
  } else if (std::strcmp(argv[1], "shared") == 0) {
    pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&m);
    s.fork([&m] {
      pthread_rwlock_wrlock(&m); });
  } else {
    pthread_spinlock_t m;
    pthread_spin_init(&m, 0);
    pthread_spin_lock(&m);
    s.fork([&m] {
      pthread_spin_lock(&m); });
  }
  s.join();
}
""", "-O1", [["event"]], 2, []),
    "once": ("""
#include <mutex>
#include <nopal/scope.hpp>
std::once_flag flag;
pthread_once_t old_flag = PTHREAD_ONCE_INIT;
int x, y, again;
""" + TWO + """
[[gnu::noinline]] void sets() { x = 1; }
[[gnu::noinline]] void sets_old() { y = 1; }
int main() {
  two([] { std::call_once(flag, sets); pthread_once(&old_flag, sets_old); return x + y; });
  try { std::call_once(flag, [] {}); std::once_flag bad; std::call_once(bad, [] { throw 1; }); } catch (int) { ++again; }
  two([] { ++again; });
}
""", "-O1", [], 66, ["nopal: check: 1 race\n"]),
    "own_copies": ("""
#include <nopal/detail/check_copies.h>
#include <nopal/scope.hpp>
#include <algorithm>
#include <cstddef>
#if !__has_builtin(__builtin_memcpy) || !__has_builtin(__builtin_memset)
#error "compilers have these"
#endif
extern "C" void* memmove(void*, const void*, std::size_t);
namespace own {
[[gnu::noinline]] void* memcpy(void* to, const void* from, std::size_t bytes) { return __builtin_memcpy(to, from, bytes); }
struct filler {
  static void memset(char* to, int value) { __builtin_memset(to, value, 8); }
};
}
char text[8];
int main() {
  own::memcpy(text, "1234567", 8);
  nopal::scope s;
  s.fork([] { own::filler::memset(text, 1); });
  std::fill(text, text + 8, 2);
  s.join();
}
""", "-O1", [], 66, ["1 race\n"]),
    "fortified": ("""
#ifdef _FORTIFY_SOURCE
#error "the flags take it away"
#endif
#include <cstring>
#include <nopal/scope.hpp>
extern "C" {  // what it has compilers call, as libraries do that were compiled with it
char* __strcpy_chk(char*, const char*, std::size_t);
char* __strcat_chk(char*, const char*, std::size_t);
char* __strncpy_chk(char*, const char*, std::size_t, std::size_t);
char* __stpcpy_chk(char*, const char*, std::size_t);
}
char a[16], b[16], c[16], d[16];
int main() {
  nopal::scope s;
  s.fork([] {
    __strcpy_chk(a, "some", 16);
    __strcat_chk(b, "some", 16);
    __strncpy_chk(c, "some", 8, 16);
    __stpcpy_chk(d, "some", 16);
  });
  if (std::strcmp(a, "some") != 0 || std::strcmp(b, "some") != 0 || std::strcmp(d, "some") != 0) return 1;
  a[5] = b[5] = c[8] = d[5] = 1;
  a[4] = 1;
  b[4] = 1;
  c[7] = 1;
  d[4] = 1;
  s.join();
}
""", "-D_FORTIFY_SOURCE=2", [], 66, ["fortified.cpp:23 ", "fortified.cpp:24 ", "fortified.cpp:25 ", "fortified.cpp:26 "]),
    "shared_pages": ("""
#include <nopal/scope.hpp>
#include <sys/mman.h>
#include <sys/shm.h>
char* const place = static_cast<char*>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
[[gnu::noinline]] void maps(std::size_t bytes) {
  void* const made = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  place[3 * bytes] = 1;
  munmap(made, bytes);
}
[[gnu::noinline]] void attaches() {
  const int memory = shmget(IPC_PRIVATE, 4096, 0600);
  void* const made = shmat(memory, place, 0);
  shmctl(memory, IPC_RMID, nullptr);
  static_cast<char*>(made)[0] = static_cast<char*>(made)[300] = 1;
  shmdt(made);
}
int main(int count, char**) {
  munmap(place, 4096);
  nopal::scope s;
  s.fork([count] { count == 1 ? maps(100) : attaches(); });
  count == 1 ? maps(100) : attaches();
  s.join();
}
""", "-O1", [[], ["shared"]], 0, []),
    "jump_out_of_a_child": ("""
#include <csetjmp>
#include <nopal/scope.hpp>
std::jmp_buf to;
int main(int count, char**) {
  if (setjmp(to) != 0) return 0;
  nopal::scope s;
  s.fork([count] {
    std::jmp_buf within;
    if (setjmp(within) == 0) std::longjmp(within, 1);
    if (count == 1) std::longjmp(to, 1);
  });
  s.join();
}
""", "-O1", [[]], -6, ["nopal: longjmp out of a child that was forked: call setjmp in the child"]),
    "waits_long": ("""
#include <nopal/io.hpp>
#include <nopal/scope.hpp>
#include <thread>
#include <unistd.h>
int ends[2];
int main() {
  if (pipe(ends) != 0) return 1;
  std::thread t([] { sleep(4); static_cast<void>(!write(ends[1], "a", 1)); });
  nopal::scope s;
  s.fork([] {
    nopal::wait_readable(ends[0]); });
  s.join();
  t.join();
}
""", "-O1", [], 0, ["nopal: check: waits_long.cpp:11: a strand has waited 3 s for the descriptor "]),
    "handlers": ("""
#include <csignal>
#include <cstdlib>
#include <nopal/scope.hpp>
#include <thread>
#include <unistd.h>
int counts[4096];
volatile std::sig_atomic_t came;
int main(int, char**) {
  std::signal(SIGUSR1, [](int) { came = 1; });
  std::raise(SIGUSR1);
  if (came == 0) return 1;
  std::thread([] { counts[0] = 1; }).join();  // from here on looks take a lock
  std::signal(SIGALRM, [](int) { _exit(3); });
  ualarm(20000, 0);
  for (;;) {
    nopal::scope s;
    s.fork([] { for (int& each : counts) ++each; });
    s.join();
  }
}
""", "-O1", [[str(i)] for i in range(8)], 3, []),
    "forks_beside_threads": ("""
#include <atomic>
#include <nopal/scope.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
int counts[4096], one;
std::atomic<bool> ends;
int main() {
  std::thread others[4];
  for (std::thread& each : others) each = std::thread([] { for (int i = 0; !ends; ++i) counts[i % 4096] = i; });
  bool all_ended = true;
  for (int i = 0; i < 40 && all_ended; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      std::thread([] { one = 1; }).join();
      nopal::scope s;
      s.fork([] { one = 2; });
      s.join();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    all_ended = status == 0;
  }
  ends = true;
  for (std::thread& each : others) each.join();
  return all_ended ? 0 : 1;
}
""", "-O1", [], 0, []),
    "owner_died": ("""
#include <cerrno>
#include <nopal/scope.hpp>
#include <pthread.h>
#include <thread>
pthread_mutex_t m;
int x;
void add() {
  if (pthread_mutex_lock(&m) == EOWNERDEAD) pthread_mutex_consistent(&m);
  ++x;
  pthread_mutex_unlock(&m);
}
int main() {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&m, &kind);
  std::thread([] { pthread_mutex_lock(&m); }).join();
  nopal::scope s;
  s.fork(add);
  add();
  s.join();
}
""", "-O1", [], 0, ["nopal: check: 0 races, 1 order"]),
    "library_calls": ("""
#include <cstdlib>
#include <cstring>
#include <future>
#include <malloc.h>
#include <memory>
#include <mutex>
#include <nopal/scope.hpp>
#include <sys/mman.h>
""" + TWO + """
void use(void* memory) {
  volatile int* const place = static_cast<volatile int*>(memory);
  place[0] = 1;
  place[1] = 2;
  free(memory);
}
[[gnu::noinline]] int made_once() {
  static const std::unique_ptr<int> made(new int(5));
  return *made;
}
void in_the_same_place() {
  use(malloc(sizeof(int) * 2));
  volatile int seen = made_once();
  static_cast<void>(seen);
}
const std::size_t many = 1 << 20;
[[gnu::noinline]] int mapped_once() {
  static int* const made =
    static_cast<int*>(mmap(nullptr, many + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  return made[4];
}
void in_the_same_page() {
  use(malloc(many));  // a mapping of its own
  volatile int seen = mapped_once();
  static_cast<void>(seen);
}
void whole_pages() {
  for (int i = 0; i < 5; ++i) {
    use(valloc(64));
    use(pvalloc(64));
  }
}
void call_by_turns() {
  std::once_flag once;
  std::call_once(once, [] {});
  std::promise<int> promised;
  std::future<int> got = promised.get_future();
  promised.set_value(1);
  static_cast<void>(got.get());
}
int main(int, char** argv) {
  if (std::strcmp(argv[1], "pages") == 0) two(whole_pages);
  if (std::strcmp(argv[1], "static") == 0) two(in_the_same_place);
  if (std::strcmp(argv[1], "mapped") == 0) two(in_the_same_page);
  if (std::strcmp(argv[1], "once") == 0) two(call_by_turns);
}
""", "-O1", [["pages"], ["static"], ["mapped"], ["once"]], 0, []),
    "counted_before_a_collection": ("""
#include <atomic>
#include <nopal/detail/check.h>
#include <nopal/scope.hpp>
int races;
std::atomic<int> counter;
int main() {
  nopal_check_watch([](const void*, std::size_t) { ++races; });
  for (int i = 0; i < 600000; ++i) {
    int* const block = new int(i);
    nopal::scope s;
    if (i == 300) s.fork([] { ++counter; });
    s.fork([block] { delete block; });
    volatile int seen = *block;
    static_cast<void>(seen);
    s.join();
  }
  return races == 600000 ? 0 : 1;
}
""", "-O1", [], 0, []),
}
