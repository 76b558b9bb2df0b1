// What the steps of the tutorial share: reading files and directories, and looking for a text.
#ifndef NOPAL_EXAMPLES_TEXT_FILES_HPP
#define NOPAL_EXAMPLES_TEXT_FILES_HPP

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fs = std::filesystem;

/// The number of lines of `text` that contain `wanted`.
inline long matching_lines(std::string_view text, std::string_view wanted) {
  long found = 0;
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at)) {
    ++found;
    at = std::min(text.find('\n', at), text.size());  // on to the next line
  }
  return found;
}

/// A file's text. Throws std::system_error if it cannot be read.
inline std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::system_error(errno, std::generic_category(), file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a directory holds, in the order of names, so that each run does the same.
inline std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (!entry.is_symlink()) entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

#endif
