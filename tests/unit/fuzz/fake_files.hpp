// A fake root whose files come from one input: its parts, which lines of "---" separate, in the order of a list of
// names. A part that is empty means that the file is missing.
#ifndef NOPAL_TESTS_FUZZ_FAKE_FILES_HPP
#define NOPAL_TESTS_FUZZ_FAKE_FILES_HPP

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz.hpp"
#include "unit/fake_root.hpp"

namespace fuzz {

/// Where files cost least, since a target writes thousands in a second: in memory, if the system has that.
inline std::filesystem::path fastest_directory() {
  const char* const in_memory = "/dev/shm";
  return access(in_memory, W_OK | X_OK) == 0 ? in_memory : std::filesystem::temp_directory_path();
}

class fake_files {
public:
  explicit fake_files(std::vector<std::string> names) : names_(std::move(names)), texts_(names_.size()) {
    for (const std::string& name : names_) {
      root_.make_directory(std::filesystem::path(name).parent_path().string());
    }
  }

  [[nodiscard]] const char* path() const { return root_.path(); }

  void set(std::string_view input) {
    const auto parts = split(input, "---\n");
    // Writing takes most of the time, so what an input shares with the one before it stays.
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string_view text = i < parts.size() ? parts[i] : std::string_view{};
      if (text == texts_[i]) continue;
      texts_[i] = text;
      if (text.empty()) {
        std::filesystem::remove(root_.path() + names_[i]);
      } else {
        root_.write(names_[i], texts_[i]);
      }
    }
  }

private:
  fake_root root_{fastest_directory()};
  std::vector<std::string> names_;
  std::vector<std::string> texts_;  // what the files hold now
};

}  // namespace fuzz

#endif
