// Runs the corpus: every case, until thieves have taken its continuations. Usage: corpus [[--without] NAME...]
//
// Prints a line for each case that fails and a summary. Exit code 1 if one failed, or was never stolen from.

#include <chrono>
#include <cstdio>
#include <cstring>

#include "corpus.hpp"

namespace {

constexpr std::uint64_t steals_wanted = 4;
constexpr int waiting_rounds = 3;
constexpr int mixed_rounds = 12;
constexpr auto patience = std::chrono::seconds(5);

/// False as soon as an answer is wrong.
bool run_rounds(bool (*run)(), corpus::waiting when, int rounds) {
  corpus::set_waiting(when);
  for (int round = 0; round < rounds; ++round) {
    corpus::scribble();
    if (!run()) {
      return false;
    }
  }
  return true;
}

/// What is wrong with a case; null if nothing is.
const char* complaint_about(const corpus::registered_case& entry) {
  const std::uint64_t before = corpus::steals();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  do {
    if (!run_rounds(entry.run, corpus::waiting::never, 1) ||
        !run_rounds(entry.run, corpus::waiting::always, waiting_rounds) ||
        !run_rounds(entry.run, corpus::waiting::sometimes, mixed_rounds)) {
      return "wrong answer";
    }
#ifdef NOPAL_ELIDE
    return nullptr;
#endif
    if (corpus::steals() - before >= steals_wanted) {
      return nullptr;
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return "no continuation was stolen";
}

bool is_wanted(const char* name, int count, char** names) {
  const bool all_but_these = count != 0 && std::strcmp(names[0], "--without") == 0;
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(name, names[i]) == 0) {
      return !all_but_these;
    }
  }
  return count == 0 || all_but_these;
}

[[gnu::noinline]] int twice(int value) {
  corpus::linger();
  return 2 * value;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  int cases = 0;
  int failures = 0;
  for (const auto* entry = corpus::first_case(); entry != nullptr; entry = entry->next) {
    if (!is_wanted(entry->name, argc - 1, argv + 1)) {
      continue;
    }
    ++cases;
    // The last of these is what a crash was in.
    std::fprintf(stderr, "%s\n", entry->name);
    if (const char* const complaint = complaint_about(*entry)) {
      ++failures;
      std::printf("%s: %s\n", entry->name, complaint);
    }
  }
  // main itself forks, and uses its parameters after the join.
  corpus::set_waiting(corpus::waiting::always);
  int doubled = 0;
  nopal::scope s;
  s.fork_into(doubled, twice, argc);
  const int tripled = 3 * argc;
  s.join();
  if (doubled + tripled != 5 * argc || argv[0] == nullptr) {
    ++failures;
    std::printf("main: wrong answer\n");
  }
  std::printf("%d cases, %d failed, %llu steals\n", cases, failures,
              static_cast<unsigned long long>(corpus::steals()));
  return failures == 0 && cases != 0 ? 0 : 1;
}
