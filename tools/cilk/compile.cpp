#include "cilk/compile.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "cilk/translation.hpp"
#include "temporary.hpp"

namespace tool::cilk {
namespace {

namespace fs = std::filesystem;

/// Removed with all that is in it.
class folder {
public:
  folder() {
    std::string name = temporary_template("nopal-cilk");
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error(fmt::format("cannot make a directory '{}': {}", name, std::strerror(errno)));
    }
    path_ = name;
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() {
    std::error_code refused;
    fs::remove_all(path_, refused);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

/// Options of Cilk's compilers that others do not know.
bool is_for_cilk(std::string_view word) {
  return word == "-fopencilk" || word == "-fcilkplus" || word == "-lcilkrts" || word == "-lopencilk" ||
         word.starts_with("-fcilktool=") || word.starts_with("--opencilk-resource-dir=");
}

/// Cilksan's flag, alone or in a list.
bool asks_for_cilksan(std::string_view word) {
  constexpr std::string_view flag = "-fsanitize=";
  return word.starts_with(flag) && fmt::format(",{},", word.substr(flag.size())).find(",cilk,") != word.npos;
}

/// Whether the word's value is the next word.
bool takes_next(std::string_view word) {
  constexpr std::array<std::string_view, 12> known = {"-o",  "-D",  "-U",  "-I",       "-L",       "-x",
                                                      "-MF", "-MT", "-MQ", "-include", "-isystem", "-iquote"};
  return std::find(known.begin(), known.end(), word) != known.end();
}

/// What the parser is told of the words: what decides how the text is read.
std::vector<std::string> flags_of(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 8> wanted = {"-D",       "-U",      "-I", "-include",
                                                      "-isystem", "-iquote", "-m", "-pthread"};
  std::vector<std::string> result;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool two = takes_next(words[at]) && at + 1 < words.size();
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(),
                                       [&](std::string_view each) { return words[at].starts_with(each); });
    if (is_wanted) {
      result.push_back(words[at]);
      if (two) result.push_back(words[at + 1]);
    }
    if (two) ++at;
  }
  return result;
}

bool is_cxx_compiler(const std::string& compiler) { return compiler.find("++") != compiler.npos; }

/// The standard that the words ask for, or the oldest that the headers take.
std::string standard_of(const std::vector<std::string>& words, bool as_cxx) {
  std::string asked = as_cxx ? "gnu++20" : "gnu11";
  for (const std::string& each : words) {
    if (each.starts_with("-std=")) asked = each.substr(5);
  }
  constexpr std::array<std::string_view, 10> old_cxx = {"++98", "++03", "++0x", "++11", "++1y",
                                                        "++14", "++1z", "++17", "c89",  "c99"};
  constexpr std::array<std::string_view, 6> old_c = {"c89", "c90", "c99", "u89", "u90", "u99"};
  const auto old = [&](std::string_view end) { return asked.ends_with(end); };
  if (as_cxx) return std::any_of(old_cxx.begin(), old_cxx.end(), old) ? "gnu++20" : asked;
  return std::any_of(old_c.begin(), old_c.end(), old) || asked.find("++") != asked.npos ? "gnu11" : asked;
}

int run(std::vector<std::string> command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ);
  if (refused != 0) {
    std::error_code unknown;
    throw std::runtime_error(
        fmt::format("cannot run '{}': {}; accepted: a compiler and its words, or a file to print, whose name "
                    "ends by .c, .cpp or the like",
                    command.front(),
                    fs::is_directory(command.front(), unknown) ? "it is a folder" : std::strerror(refused)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// As files of dependencies have names.
std::string in_make(std::string_view name) {
  std::string result;
  for (const char each : name) {
    if (each == ' ' || each == '#') result += '\\';
    if (each == '$') result += '$';
    result += each;
  }
  return result;
}

bool names_dependencies(std::string_view word) { return word == "-M" || word == "-MM"; }
bool names_header(std::string_view word) {
  return word == "c-header" || word == "c++-header" ||
         (!word.starts_with('-') &&
          (word.ends_with(".h") || word.ends_with(".hpp") || word.ends_with(".hh")));
}

/// Of the shared libraries that the words name, one that has Nopal in it; empty: none.
std::string library_with_nopal(const std::vector<std::string>& words) {
  std::vector<fs::path> folders;
  std::vector<fs::path> files;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const bool two = (word == "-L" || word == "-l") && at + 1 < words.size();
    if (word.starts_with("-L")) folders.emplace_back(two ? words[at + 1] : word.substr(2));
    if (word.starts_with("-l")) files.emplace_back("lib" + (two ? words[at + 1] : word.substr(2)) + ".so");
    if (!word.starts_with('-') && word.find(".so") != word.npos) files.emplace_back(word);
    if (two) ++at;
  }
  folders.emplace_back(".");
  for (const fs::path& file : files) {
    for (const fs::path& folder : folders) {
      std::error_code refused;
      const fs::path place = folder / file;
      if (!fs::is_regular_file(place, refused)) continue;
      if (read_file(place.string()).find("nopal_current") != std::string::npos) return place.string();
    }
  }
  return "";
}

/// A file that was translated.
struct translated_file {
  std::string place;
  std::string name;  ///< as the program's
  std::vector<std::string> included;
};

/// In the file of dependencies that the words ask for: the program's own name in place of the translated file's, which goes.
void name_in_dependencies(const std::vector<std::string>& words, const translated_file& of) {
  const std::string translated = in_make(of.place);
  std::string word = in_make(of.name);
  for (const std::string& each : of.included) word += " " + in_make(each);
  fs::path output = fs::path(of.name).filename();
  std::string file;
  bool any = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    any |= words[at] == "-MD" || words[at] == "-MMD" || words[at] == "-M" || words[at] == "-MM";
    if (words[at].starts_with("-MF")) file = words[at].substr(3);
    if (words[at] == "-MF" && at + 1 < words.size()) file = words[at + 1];
    if (words[at] == "-o" && at + 1 < words.size()) output = words[at + 1];
  }
  if (!any) return;
  if (file.empty()) file = output.replace_extension(".d").string();
  std::ifstream from(file, std::ios::binary);
  if (!from) return;
  std::string text((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
  from.close();
  const auto place = text.find(translated);
  if (place == text.npos) return;
  std::ofstream(file, std::ios::binary) << text.replace(place, translated.size(), word);
}

}  // namespace

bool is_source(const std::string& word) {
  constexpr std::array<std::string_view, 7> ends = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cilk"};
  return word.front() != '-' &&
         std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return word.ends_with(end); });
}

installation find_installation() {
  std::error_code refused;
  const fs::path bin = fs::read_symlink("/proc/self/exe", refused).parent_path();
  fs::path include = bin.parent_path() / "include";
  fs::path library = bin.parent_path() / NOPAL_CILK_LIBDIR;
  if (!fs::exists(include / "nopal" / "nopal.h")) {
    include = NOPAL_CILK_BUILD_INCLUDE;
    library = NOPAL_CILK_BUILD_LIBRARY;
  }
  installation result;
  result.compile = {"-I" + include.string(), "-I" + (include / "nopal" / "compat").string()};
#ifdef NOPAL_CILK_STATIC
  result.compile.emplace_back("-DNOPAL_STATIC");
#else
  result.link.push_back("-Wl,-rpath," + library.string());
#endif
  result.link.insert(result.link.end(), {"-L" + library.string(), "-lnopal", "-pthread", "-ldl", "-lstdc++"});
  return result;
}

std::string translate(const std::string& file, bool as_cxx, const std::vector<std::string>& words,
                      std::vector<std::string>* included) {
  std::vector<std::string> flags = flags_of(words);
  const installation ours = find_installation();
  flags.insert(flags.end(), ours.compile.begin(), ours.compile.end());
  flags.insert(flags.end(), {"-x", as_cxx ? "c++" : "c", "-std=" + standard_of(words, as_cxx)});
  const source from(file, as_cxx, flags);
  if (included != nullptr) *included = from.included_files();
  return translation(from).run();
}

int compile(const std::string& compiler, const std::vector<std::string>& words) {
  if (std::any_of(words.begin(), words.end(), asks_for_cilksan)) {
    throw usage_error(
        "-fsanitize=cilk is known to OpenCilk's compilers alone; for races compile with the flags of "
        "'pkg-config --cflags --libs nopal-check' in its place, and run 'nopal check'");
  }
  const installation ours = find_installation();
  const folder made;
  std::vector<std::string> command = {compiler};
  bool links = true;
  bool names_input = false;  // else there is nothing to link, as after -v
  bool as_cxx = is_cxx_compiler(compiler);
  std::vector<std::string> quotes;
  std::vector<translated_file> sources;
  // On standard output: by a file, for the names in it.
  const auto has = [&](auto is) { return std::any_of(words.begin(), words.end(), is); };
  std::vector<std::string> asked = words;
  const bool prints_dependencies = has(names_dependencies) && !has([](std::string_view each) {
                                     return each.starts_with("-MF") || each.starts_with("-o");
                                   });
  const fs::path printed = made.path() / "dependencies";
  if (prints_dependencies) asked.insert(asked.end(), {"-MF", printed.string()});
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "-c" || word == "-S" || word == "-E" || word == "-M" || word == "-MM" ||
        word == "-fsyntax-only" || names_header(word))
      links = false;
    if (is_for_cilk(word) || word.starts_with("-std=") || word == "-ansi") continue;
    if (takes_next(word) && at + 1 < words.size()) {
      command.push_back(word);
      command.push_back(words[++at]);
      continue;
    }
    names_input |= !word.starts_with('-') || word == "-" || word.starts_with("-l");
    if (word.empty() || !is_source(word)) {
      command.push_back(word);
      continue;
    }
    const bool cxx = as_cxx || names_cxx(word);
    as_cxx = cxx;
    // By its own name, in a folder of its own: the object is named after it.
    const fs::path place = made.path() / fmt::format("{}", at);
    fs::create_directory(place);
    const fs::path file = place / fs::path(word).filename().replace_extension(cxx ? ".cpp" : ".c");
    translated_file here{file.string(), word, {}};
    std::ofstream(file, std::ios::binary) << translate(word, cxx, words, &here.included);
    command.push_back(file.string());
    sources.push_back(std::move(here));
    const fs::path of = fs::absolute(word).parent_path();
    quotes.insert(quotes.end(), {"-iquote", of.string()});
  }
  command.insert(command.end(), quotes.begin(), quotes.end());
  command.push_back("-std=" + standard_of(words, as_cxx));
  command.insert(command.end(), ours.compile.begin(), ours.compile.end());
  command.emplace_back("-DNOPAL_CILK_COMPILED");
  if (links && names_input) command.insert(command.end(), ours.link.begin(), ours.link.end());
  if (prints_dependencies) command.insert(command.end(), {"-MF", printed.string()});
  const int result = run(command);
#ifdef NOPAL_CILK_STATIC
  // Code that looks for Nopal in its own program does not find it in a library.
  const std::string library = result != 0 && links ? library_with_nopal(words) : "";
  if (!library.empty() && !has([](std::string_view each) { return each == "-fPIC" || each == "-fpic"; })) {
    fmt::print(
        stderr,
        "nopal cilk: '{}' has Nopal in it: compile what is linked with it by -fPIC, or build Nopal with "
        "BUILD_SHARED_LIBS=ON (docs/cilk.md)\n",
        library);
  }
#endif
  for (const translated_file& each : sources) name_in_dependencies(asked, each);
  if (prints_dependencies) {
    std::ifstream from(printed, std::ios::binary);
    fmt::print("{}", std::string(std::istreambuf_iterator<char>(from), {}));
  }
  return result;
}

}  // namespace tool::cilk
