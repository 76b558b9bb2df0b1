// Knows nothing of Nopal: loads the plug-in, has it run, unloads it, and looks that nothing of it is left.
// host <plug-in> <moment> <way>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  _exit(9);
}

// A thread that was joined may stay on the list for a moment.
bool alone() {
  for (int i = 0; i < 2000; ++i) {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    if (std::distance(begin(tasks), end(tasks)) == 1) return true;
    usleep(1000);
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  check(plugin != nullptr, "dlopen");
  const auto run = reinterpret_cast<int (*)(int, char**)>(dlsym(plugin, "run_endings"));
  check(run != nullptr && run(3, argv + 1) == 0, "the plug-in ran");
  check(dlclose(plugin) == 0, "dlclose");
  // A thread's variables with destructors keep the code that has them.
  if (std::strncmp(argv[2], "thread_local", 12) != 0) {
    check(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == nullptr, "the plug-in is gone");
    check(alone(), "the pool's threads are gone");
  }
  return 0;
}
