// Disturbance of schedules, for tests; see nopal/detail/noise.h. NOPAL_NOISE_SEED (1) chooses what
// is done, NOPAL_NOISE_PERCENT (3) how often. A worker's sequence of disturbances depends on the
// seed and its index alone.

#include <nopal/detail/noise.h>

#ifdef NOPAL_SCHEDULE_NOISE

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

struct noise_source {
  std::uint64_t state = 0;
  int index = -2;  ///< of the worker that the state was seeded for
};

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The calling thread's. Not inlined: the compiler may keep the address while the strand changes
/// threads.
[[gnu::noinline]] noise_source& this_threads_noise() {
  thread_local constinit noise_source source;
  return source;
}

std::uint64_t next(noise_source& source, std::uint64_t seed, int index) {
  if (source.index != index) {
    source.index = index;
    source.state = seed + static_cast<std::uint64_t>(index + 2) * 0x9e3779b97f4a7c15U;
  }
  // splitmix64
  std::uint64_t z = source.state += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

void go_elsewhere(std::uint64_t random) {
  const runtime& all = the_runtime();
  if (all.running.load(std::memory_order_acquire) && all.topology != nullptr &&  // unreached: noise
      !all.topology->places.empty()) {                                           // unreached: noise
    const auto& places = all.topology->places;
    os::pin_current_thread(places[random % places.size()].cpu);
  }
}

void disturb(std::uint64_t random) {
  const std::uint64_t kind = random % 100;
  random /= 100;
  if (kind < 80) {
    for (std::uint64_t spins = random % (std::uint64_t{1} << (random >> 32) % 11); spins > 0; --spins) {
      os::cpu_relax();
    }
  } else if (kind < 95) {
    os::yield();
  } else if (kind < 99) {
    const timespec time = {0, static_cast<long>(random % 200'000)};
    nanosleep(&time, nullptr);
  } else {
    go_elsewhere(random);
  }
}

}  // namespace

/// For nopal_disturb, which keeps the registers.
extern "C" [[gnu::visibility("hidden")]] void nopal_disturb_now() {
  static const std::uint64_t seed = number_from("NOPAL_NOISE_SEED", 1);
  static const std::uint64_t percent = number_from("NOPAL_NOISE_PERCENT", 3);
  const int saved_errno = errno;
  const worker* const self = this_worker();
  const std::uint64_t random = next(this_threads_noise(), seed, self != nullptr ? self->index : -1);
  if (random % 100 < percent) {
    disturb(random / 100);
  }
  errno = saved_errno;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
