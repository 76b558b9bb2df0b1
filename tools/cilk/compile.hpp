// A compiler's command line, of which the source files are translated first.
#ifndef NOPAL_TOOLS_CILK_COMPILE_HPP
#define NOPAL_TOOLS_CILK_COMPILE_HPP

#include <string>
#include <vector>

namespace tool::cilk {

/// Where Nopal's headers and library are, and what a program is compiled and linked with.
struct installation {
  std::vector<std::string> compile;
  std::vector<std::string> link;
};
installation find_installation();

/// Whether the word is the name of a C or C++ source file.
bool is_source(const std::string& word);

/// The file, translated; in `included` the files whose text is in it. Throws `refused`.
std::string translate(const std::string& file, bool as_cxx, const std::vector<std::string>& words,
                      std::vector<std::string>* included = nullptr);

/// Runs the compiler on the translated files, and returns its exit code.
int compile(const std::string& compiler, const std::vector<std::string>& words);

}  // namespace tool::cilk

#endif
