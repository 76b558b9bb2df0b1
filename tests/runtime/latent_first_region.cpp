// A thread's first region, in which only a signal can get its latent forks: after the outermost fork
// nothing forks eagerly until the continuation of a latent one has run elsewhere.
#include <nopal/scope.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>

namespace {

std::atomic<bool> went_on{false};

int wait_for_continuation(int) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!went_on.load()) {
    if (std::chrono::steady_clock::now() > end) return 0;
  }
  return 1;
}

int forks_latently(int) {
  int seen = 0;
  nopal::scope s;
  s.fork_into(seen, wait_for_continuation, 0);
  went_on = true;
  s.join();
  return seen;
}

}  // namespace

int main() {
  int seen = 0;
  nopal::scope s;
  s.fork_into(seen, forks_latently, 0);
  s.join();
  if (seen == 0) std::fprintf(stderr, "nobody took the continuation of a latent fork\n");
  return seen == 0 ? 1 : 0;
}
