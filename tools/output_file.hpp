// What a command writes beside what it prints.
#ifndef NOPAL_TOOLS_OUTPUT_FILE_HPP
#define NOPAL_TOOLS_OUTPUT_FILE_HPP

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "command_line.hpp"

namespace tool {

/// A file to write: opened before the runs, so that a bad name costs no measurement. Without a name, none. What was
/// there stays, or nothing is, if nothing is written in the end.
class output_file {
public:
  output_file(const char* option, const std::string& name) : name_(name) {
    if (name.empty()) return;
    // `--html -- ./program` has no name: the words are taken for one.
    if (name == "--") throw usage_error(fmt::format("{} takes the name of a file, not '--'", option));
    is_new_ = access(name.c_str(), F_OK) != 0;
    file_.open(name, std::ios::app);
    if (!file_) {
      throw usage_error(fmt::format("{}: cannot write '{}': {}", option, name, std::strerror(errno)));
    }
  }
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file() {
    if (is_new_) unlink(name_.c_str());
  }
  /// A text that ends without a newline.
  void write(const std::string& text) { write_all(text + '\n'); }
  void write_all(const std::string& bytes) {
    if (name_.empty()) return;
    is_new_ = false;
    errno = 0;
    file_.close();
    file_.open(name_, std::ios::trunc);
    file_ << bytes;
    file_.close();
    if (!file_) throw std::runtime_error(fmt::format("cannot write '{}': {}", name_, std::strerror(errno)));
  }
  [[nodiscard]] bool is_wanted() const { return !name_.empty(); }

private:
  std::string name_;
  std::ofstream file_;
  bool is_new_ = false;  ///< made here, and not written yet
};

}  // namespace tool

#endif
