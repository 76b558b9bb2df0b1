// Checksums of all files below some directories: a walk that forks for each directory and each file. Lines come out in the order
// of the serial walk, as `sha256sum` prints them, since they go through reducers; so do the lines about what could not
// be read, which do not end the walk.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <nopal/reducer.hpp>
#include <nopal/scope.hpp>

#include "sha256.hpp"

namespace fs = std::filesystem;

nopal::reducer<nopal::op_ostream> out(std::cout);
nopal::reducer<nopal::op_ostream> errors(std::cerr);
nopal::reducer<nopal::op_add<int>> unreadable;

// Scratch memory: a strand that was stolen gets a buffer of its own, the others go on with the one there is.
nopal::holder scratch([] { return std::vector<unsigned char>(std::size_t{1} << 16); });

void report(const fs::path& path, const std::error_code& error) {
  *errors << "checksums: " << path.string() << ": " << error.message() << '\n';
  *unreadable += 1;
}

std::error_code last_error() { return {errno, std::generic_category()}; }

void hash_file(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return report(path, last_error());
  std::vector<unsigned char>& buffer = *scratch;  // good up to the next fork, and there is none here
  sha256 hash;
  while (std::feof(file.get()) == 0 && std::ferror(file.get()) == 0) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    hash.update({buffer.data(), count});
  }
  if (std::ferror(file.get()) != 0) return report(path, last_error());
  *out << hash.digest() << "  " << path.string() << '\n';
}

void walk(const fs::path& directory) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    entries.push_back(*at);
  if (error) report(directory, error);
  std::sort(entries.begin(), entries.end());

  nopal::scope s;
  for (const fs::directory_entry& entry : entries) {
    const fs::file_type type = entry.symlink_status(error).type();  // links may lead in circles
    if (error) report(entry.path(), error);
    if (type == fs::file_type::directory) s.fork(walk, entry.path());
    if (type == fs::file_type::regular) s.fork(hash_file, entry.path());
  }
  s.join();
}

int main(int argc, char** argv) {
  if (argc < 2 || argv[1] == std::string_view("--help")) {
    std::cerr << "usage: checksums DIRECTORY...\n";
    return argc < 2 ? 2 : 0;
  }
  for (int i = 1; i < argc; ++i) walk(argv[i]);
  return unreadable.value() == 0 ? 0 : 1;
}
