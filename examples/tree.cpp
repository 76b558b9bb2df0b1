// Reducers: strands of a tree walk write and count in parallel; the output and the counts are those of the serial walk.
#include <nopal/nopal.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

namespace fs = std::filesystem;

nopal::reducer<nopal::op_ostream> out(std::cout);
nopal::reducer<nopal::op_add<std::uintmax_t>> bytes;
nopal::reducer<nopal::op_max_index<fs::path, std::uintmax_t>> largest;

void walk(const fs::path& directory, int depth) {
  std::vector<fs::directory_entry> entries;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, unreadable))
    entries.push_back(entry);
  std::sort(entries.begin(), entries.end());

  nopal::scope s;
  for (const fs::directory_entry& entry : entries) {
    if (entry.is_symlink(unreadable)) continue;
    if (entry.is_directory(unreadable)) {
      *out << std::string(static_cast<std::size_t>(depth) * 2, ' ') << entry.path().filename().string()
           << "/\n";
      s.fork(walk, entry.path(), depth + 1);
    } else if (const std::uintmax_t size = entry.file_size(unreadable); !unreadable) {
      *bytes += size;
      largest->update(entry.path(), size);
    }
  }
  s.join();
}

int main(int argc, char** argv) {
  walk(argc > 1 ? argv[1] : ".", 0);
  *out << bytes.value() << " bytes";
  if (largest->is_set()) *out << ", " << largest->value() << " of them in " << largest->index().string();
  *out << '\n';
}
