// A directory that stands for "/" in tests of what is read from /proc and /sys.
#ifndef NOPAL_TESTS_UNIT_FAKE_ROOT_HPP
#define NOPAL_TESTS_UNIT_FAKE_ROOT_HPP

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

class fake_root {
public:
  explicit fake_root(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "nopal-root-").string() + std::string(6, 'X');
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;
  ~fake_root() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const char* path() const { return path_.c_str(); }

  void make_directory(const std::string& name) { std::filesystem::create_directories(path_ + name); }

  /// Writes a file, making the directories on its way.
  void write(const std::string& name, const std::string& text) {
    make_directory(std::filesystem::path(name).parent_path().string());
    std::ofstream(path_ + name) << text;
  }

private:
  std::string path_;
};

#endif
