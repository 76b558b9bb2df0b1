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
""", "-O1", [], 66, ["nopal: check: 2 races\n"]),
    "own_copies": ("""
#include <nopal/detail/check_copies.h>
#include <nopal/scope.hpp>
#include <algorithm>
#include <cstddef>
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
}
