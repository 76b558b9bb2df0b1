// Ends a program in which nothing moves any more, after it has said what every worker is doing.
#ifndef NOPAL_TESTS_SUPPORT_WATCHDOG_HPP
#define NOPAL_TESTS_SUPPORT_WATCHDOG_HPP

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace support {

/// While it lives, `progress` must change at least once in `patience`; NOPAL_WATCHDOG_SECONDS overrides that. Else it
/// prints the program's NOPAL_ variables, which repeat the run, and a line for each worker, and aborts.
class watchdog {
public:
  explicit watchdog(const std::atomic<std::uint64_t>& progress,
                    std::chrono::milliseconds patience = std::chrono::seconds(30));
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog();

private:
  void watch() const;

  const std::atomic<std::uint64_t>& progress_;
  std::chrono::milliseconds patience_;
  std::atomic<bool> done_{false};
  std::thread watcher_;
};

/// A program that SIGALRM ends prints the same lines first.
void print_workers_on_alarm();

}  // namespace support

#endif
