// Loads the plug-in named on the command line and closes it again. It goes where no thread runs its code any more; where
// it has enqueued something, threads do as long as the process lasts, and it stays.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  _exit(1);
}

/// Calls `use(plugin)`. Whether the plug-in is there after that.
template <class Use>
bool stays_after(const char* path, Use use) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  check(plugin != nullptr, "dlopen");
  use(plugin);
  check(dlclose(plugin) == 0, "dlclose");
  void* const there = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (there != nullptr) dlclose(there);
  return there != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  alarm(60);
  const bool stays = stays_after(argv[1], [](void* plugin) {
    check(reinterpret_cast<int (*)(int)>(dlsym(plugin, "plugin_execute"))(1) > 1, "the plug-in's answer");
  });
  check(!stays, "the plug-in is gone");
  const pid_t child = fork();  // which calls nothing of the plug-in's
  if (child == 0) _exit(0);
  int status = -1;
  check(waitpid(child, &status, 0) == child && status == 0, "fork");
  for (int i = 0; i != 50; ++i) {
    const bool is_there = stays_after(
        argv[1], [](void* plugin) { reinterpret_cast<void (*)(int)>(dlsym(plugin, "plugin_enqueue"))(50); });
    check(is_there, "the plug-in is there");
    usleep(1000);
  }
  _exit(0);
}
