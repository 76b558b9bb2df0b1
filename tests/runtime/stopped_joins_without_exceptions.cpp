// A function without exceptions whose child ends beside its continuation, once the scope around it was stopped.
#include <nopal/scope.hpp>

#include <thread>

int joins_without_exceptions(void (*stop)(void*), void* scope);
int joins_without_exceptions(void (*stop)(void*), void* scope) {
  bool on = false;
  int forked = 0;
  nopal::scope s;
  s.fork([&] {
    while (!__atomic_load_n(&on, __ATOMIC_ACQUIRE)) std::this_thread::yield();
    stop(scope);
  });
  __atomic_store_n(&on, true, __ATOMIC_RELEASE);
  s.join();
  s.fork([&forked] { forked = 100; });
  s.join();
  return 1 + forked;
}
