// The thread that watches: it has workers look into children that take long, and writes the file
// when a signal is to end the process.

#include <climits>
#include <cstring>

#include "os/os.hpp"
#include "os/report_file.hpp"
#include "profile/machine.hpp"
#include "profile/profile.hpp"
#include "profile/raw_file.hpp"

extern "C" {
unsigned char nopal_profiled = 0;
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

void (*ask_workers)(std::uint64_t now) noexcept = nullptr;

namespace {

constexpr std::uint64_t interval_ns = 1'000'000;

constinit std::atomic<std::uint32_t> ended_by{0};
constinit std::atomic<bool> is_finished{false};
os::thread_handle watcher;

void note_signal(int number) {
  std::uint32_t none = 0;
  ended_by.compare_exchange_strong(none, static_cast<std::uint32_t>(number));
  os::futex_wake(ended_by, INT_MAX);
}

void watch(void*) {
  os::name_current_thread("nopal-profile");
  for (;;) {
    os::futex_wait_for(ended_by, 0, interval_ns);
    if (const std::uint32_t number = ended_by.load(std::memory_order_relaxed)) {
      if (!is_finished.exchange(true)) {
        write_raw_file(false);
      }
      os::end_by_signal(static_cast<int>(number));
      return;
    }
    if (is_finished.load(std::memory_order_relaxed)) {
      return;
    }
    ask_workers(now());
  }
}

}  // namespace

bool start(const char* path, int workers) noexcept {
  static bool was_started = false;
  if (was_started) {
    return is_on();
  }
  was_started = true;
  if (const int refused = open_raw_file(path, workers)) {
    os::write_stderr("nopal: NOPAL_PROFILE=%.200s: %s; accepted: the path of a file that can be written\n",
                     path, std::strerror(refused));
    return false;
  }
  measure_machine();
  nopal_profiled = 1;
  os::when_ended_by_signal(note_signal);
  // Without it results are not kept where a signal ends the process.
  static_cast<void>(os::start_thread(watch, nullptr, 64 << 10, watcher));
  return true;
}

void finish() noexcept {
  if (is_on() && is_own_process() && !is_finished.exchange(true)) {
    // The library may be unloaded afterwards.
    os::leave_signals(note_signal);
    os::futex_wake(ended_by, INT_MAX);
    if (watcher.joinable()) {
      os::join_thread(watcher);
    }
    write_raw_file(true);
  }
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
