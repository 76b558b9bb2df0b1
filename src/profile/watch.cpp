// The thread that watches: it has workers look into children that take long, and writes the file
// when a signal is to end the process.

#include <cerrno>
#include <climits>
#include <cstring>

#include "os/file_name.hpp"
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
/// After so many it asks whether the program still has threads.
constexpr unsigned looks_before_question = 64;

/// How long a handler keeps its thread from going on, at most: that may have what the writer needs.
constexpr std::uint64_t patience_ns = 2'000'000'000;

/// Who writes the file.
enum writer : std::uint32_t { nobody, the_program, the_watcher };

constinit std::atomic<std::uint32_t> ended_by{0};
constinit std::atomic<std::uint32_t> written_by{nobody};
os::thread_handle watcher;
constinit std::atomic<int> watcher_id{0};

/// True for one. Sequentially consistent, as all looks at the two words: what ends the process comes here once.
/// Pairs with the looks in `wait_for_end` and `watch`.
bool begin_to_write(writer who) noexcept {
  std::uint32_t none = nobody;
  return written_by.compare_exchange_strong(none, who);
}

/// Of the process, which the watcher is about to end.
void wait_for_end() noexcept {
  const std::uint64_t until = os::monotonic_ns() + patience_ns;
  while (written_by.load() != the_program && os::monotonic_ns() < until) {
    os::futex_wait_for(written_by, written_by.load(), interval_ns);
  }
}

/// The program is not to see that a signal came, and does not go on unless it ends of itself.
void note_signal(int number) {
  if (!is_own_process()) {
    os::end_by_signal(number);
    return;
  }
  std::uint32_t none = 0;
  // Pairs with the looks in `watch` and `finish`: the first signal is the one that ends the process.
  ended_by.compare_exchange_strong(none, static_cast<std::uint32_t>(number));
  os::futex_wake(ended_by, INT_MAX);
  wait_for_end();
}

void watch(void*) {
  os::name_current_thread("nopal-profile");
  // Relaxed: `finish` asks whether it runs here.
  watcher_id.store(os::current_thread_id(), std::memory_order_relaxed);
  for (unsigned looks = 1;; ++looks) {
    os::futex_wait_for(ended_by, 0, interval_ns);
    if (const std::uint32_t number = ended_by.load(std::memory_order_relaxed)) {
      if (begin_to_write(the_watcher)) {
        write_raw_file(false);
        os::end_by_signal(static_cast<int>(number));
      }
      return;
    }
    if (written_by.load(std::memory_order_relaxed) != nobody) {
      return;
    }
    // It is not to keep the process. While there are others, known to the runtime or not, a signal may end them.
    if (looks % looks_before_question == 0 && os::is_last_thread()) {
      return;
    }
    ask_workers(now());
  }
}

}  // namespace

bool start(const char* name, int workers) noexcept {
  static bool was_started = false;
  if (was_started) {
    return is_on();
  }
  was_started = true;
  constexpr std::size_t most_bytes = 4096;
  char path[most_bytes + os::process_number_bytes];
  const bool fits = os::append_file_name(path, 0, most_bytes, name, std::strlen(name));
  const int refused = fits ? open_raw_file(path, workers) : ENAMETOOLONG;
  if (refused == EBUSY) {
    os::write_stderr("nopal: NOPAL_PROFILE=%.200s: another copy of the library in this process writes it; "
                     "accepted: one library for program and plug-ins\n",
                     path);
    return false;
  }
  if (refused != 0) {
    os::write_stderr(
        "nopal: NOPAL_PROFILE=%.200s: %s; accepted: the path of a file that can be written; the program runs "
        "without a profile\n",
        fits ? path : name, std::strerror(refused));
    return false;
  }
  measure_machine();
  nopal_profiled = 1;
  // Without the thread results are not kept where a signal ends the process.
  if (os::start_thread(watch, nullptr, 64 << 10, watcher) == 0) {
    os::when_ended_by_signal(note_signal);
  }
  return true;
}

void finish() noexcept {
  if (!is_on() || !is_own_process()) {
    return;
  }
  if (begin_to_write(the_program)) {
    // The library may be unloaded afterwards.
    os::leave_signals(note_signal);
    os::futex_wake(ended_by, INT_MAX);
    // As the last thread of all the watcher itself may come here.
    if (watcher.joinable() && watcher_id.load(std::memory_order_relaxed) != os::current_thread_id()) {
      os::join_thread(watcher);
    }
    write_raw_file(true);
    if (const std::uint32_t number = ended_by.load()) {
      os::end_by_signal(static_cast<int>(number));
    }
  } else if (written_by.load() == the_watcher) {
    wait_for_end();
  }
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
