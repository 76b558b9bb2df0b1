#include "support/watchdog.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void nopal_print_workers() noexcept;  // the library's own, for those who look for what hangs

namespace support {

namespace {

std::chrono::milliseconds patience_from_environment(std::chrono::milliseconds otherwise) {
  const char* const text = std::getenv("NOPAL_WATCHDOG_SECONDS");
  return text != nullptr ? std::chrono::seconds(std::strtol(text, nullptr, 10)) : otherwise;
}

void print_variables() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "NOPAL_", 6) == 0) std::fprintf(stderr, "%s\n", *entry);
  }
}

void on_alarm(int signal) {
  nopal_print_workers();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

watchdog::watchdog(const std::atomic<std::uint64_t>& progress, std::chrono::milliseconds patience)
    : progress_(progress), patience_(patience_from_environment(patience)), watcher_([this] { watch(); }) {}

watchdog::~watchdog() {
  done_.store(true);
  watcher_.join();
}

void watchdog::watch() const {
  // It counts its own looks, not the time: a program that is stopped for a while, and this thread with it, is none that
  // hangs.
  constexpr std::chrono::milliseconds interval(20);
  std::uint64_t last = progress_.load();
  for (std::chrono::milliseconds still(0); !done_.load(); still += interval) {
    std::this_thread::sleep_for(interval);
    const std::uint64_t now = progress_.load();
    if (now != last) still = std::chrono::milliseconds(0);
    last = now;
    if (still < patience_) continue;
    std::fflush(stdout);
    std::fprintf(stderr, "nothing has moved for %lld ms\n", static_cast<long long>(patience_.count()));
    print_variables();
    nopal_print_workers();
    std::abort();
  }
}

void print_workers_on_alarm() {
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
}

}  // namespace support
