// Programs whose work and span are known, by clocks that leaves put forward.
#ifndef NOPAL_TESTS_RUNTIME_PROFILED_HPP
#define NOPAL_TESTS_RUNTIME_PROFILED_HPP

#include <gtest/gtest.h>
#include <nopal/scope.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include <unistd.h>

#include "profile/profile.hpp"

namespace profile = nopal::internal::profile;

inline thread_local std::uint64_t clock_of_thread = 1;

[[gnu::noinline]] inline void spend(std::uint64_t ns) {
  clock_of_thread += ns;
  asm volatile("" ::: "memory");
}

inline std::uint64_t read_clock() { return clock_of_thread; }

/// The numbers of the line that begins with `head`.
inline std::map<std::string, std::uint64_t> numbers_of(const std::string& text, const std::string& head) {
  std::map<std::string, std::uint64_t> found;
  std::size_t at = text.find(head);
  const std::size_t end = at == std::string::npos ? at : text.find('\n', at);
  while (at < end) {
    const std::size_t name = text.find('"', at);
    const std::size_t close = name == std::string::npos ? name : text.find('"', name + 1);
    if (close >= end) break;
    if (text[close + 1] == ':' && text[close + 2] >= '0' && text[close + 2] <= '9') {
      found[text.substr(name + 1, close - name - 1)] = std::strtoull(text.c_str() + close + 2, nullptr, 10);
    }
    at = close + 1;
    if (text[at] == ':' && text[at + 1] == '"') at = text.find('"', at + 2) + 1;
  }
  return found;
}

class profiled : public testing::TestWithParam<int> {
protected:
  profiled() : file_(testing::TempDir() + "nopal-profile-" + std::to_string(getpid())) {
    setenv("NOPAL_PROFILE", file_.c_str(), 1);
    setenv("NOPAL_WORKERS", std::to_string(GetParam()).c_str(), 1);
    profile::nopal_profile_clock = read_clock;
  }
  ~profiled() override { std::remove(file_.c_str()); }

  std::string text() {
    profile::finish();
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::map<std::string, std::uint64_t> whole() { return numbers_of(text(), "{\"nopal_profile\""); }

  void expect(std::uint64_t work, std::uint64_t span) {
    auto numbers = whole();
    EXPECT_EQ(numbers["work_ns"], work);
    EXPECT_EQ(numbers["span_ns"], span);
  }

  std::string file_;
};

inline void tree(int depth, std::uint64_t leaf) {
  if (depth == 0) return spend(leaf);
  nopal::scope s;
  s.fork(tree, depth - 1, leaf);
  tree(depth - 1, leaf);
  s.join();
}

#endif
