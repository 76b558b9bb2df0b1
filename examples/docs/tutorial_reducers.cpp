// Tutorial, reducers: prints the lines that are found, in the order of the serial program, and how many there are.
#include <nopal/nopal.hpp>

#include <iostream>

#include "text_files.hpp"

nopal::reducer<nopal::op_ostream> out(std::cout);
nopal::reducer<nopal::op_add<long>> found;

void print_lines(const fs::path& file, std::string_view wanted) {
  const std::string text = contents(file);
  std::ostream& mine = *out;  // one lookup for the whole file: nothing is forked below
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at)) {
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::size_t end = std::min(text.find('\n', at), text.size());
    mine << file.string() << ": " << std::string_view(text).substr(begin, end - begin) << '\n';
    ++*found;
    at = end;
  }
}

void search(const fs::path& path, std::string_view wanted) {
  if (!fs::is_directory(path)) return print_lines(path, wanted);
  nopal::scope s;
  for (const fs::path& entry : entries_of(path)) s.fork(search, entry, wanted);
  s.join();
}

int main(int argc, char** argv) {
  const fs::path where = argc > 1 ? argv[1] : ".";
  const std::string wanted = argc > 2 ? argv[2] : "return";
  search(where, wanted);
  *out << found.value() << " lines\n";
}
