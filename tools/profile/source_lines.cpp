// Sites by function, file and line: what addr2line or llvm-symbolizer says of their objects.

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "child_process.hpp"
#include "interrupt.hpp"
#include "profile_data.hpp"

namespace tool::profile {

namespace {

struct source_place {
  std::string function;
  std::string file;
  int line = 0;
};

bool is_known(const std::string& text) { return !text.empty() && text[0] != '?'; }

/// Also the functions that NOPAL_FORKABLE makes in a user's file: the fork is where they are called.
bool is_ours(const source_place& place) {
  return place.file.find("include/nopal/") != std::string::npos ||
         place.function.rfind("nopal_fork_", 0) == 0;
}

void erase_all(std::string& text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
}

/// The name that ends at `end`, arguments in parentheses left out.
std::string name_before(const std::string& text, std::size_t end) {
  if (end > 0 && text[end - 1] == ')') {
    int depth = 0;
    do {
      --end;
      depth += text[end] == ')' ? 1 : text[end] == '(' ? -1 : 0;
    } while (end > 0 && depth > 0);
  }
  std::size_t begin = end;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 ||
                       text[begin - 1] == '_' || text[begin - 1] == ':')) {
    --begin;
  }
  return text.substr(begin, end - begin);
}

/// "main" of "nopal::...::split_loop<..., main::{lambda(int)#1}...>": whose code the library runs there.
std::string user_of(const std::string& function) {
  for (const char* lambda : {"::{lambda", "::<lambda"}) {
    for (std::size_t at = function.find(lambda); at != std::string::npos;
         at = function.find(lambda, at + 1)) {
      const std::string name = name_before(function, at);
      if (!name.empty() && name.find("nopal::") != 0 && name[0] != ':' && name != "operator") return name;
    }
  }
  return "";
}

/// How much of what is behind "operator" is its name: "()", "<<" and such.
std::size_t operator_bytes(const std::string& name, const char* rest) {
  constexpr const char* word = "operator";
  const std::size_t begin = name.size() - std::min(name.size(), std::strlen(word));
  const bool is_part_of_a_name =
      begin > 0 && (std::isalnum(static_cast<unsigned char>(name[begin - 1])) != 0 || name[begin - 1] == '_');
  if (name.compare(begin, std::string::npos, word) != 0 || is_part_of_a_name) return 0;
  return std::strncmp(rest, "()", 2) == 0 ? 2 : std::strspn(rest, "<>=-+*/%&|^~!,[]");
}

/// Without arguments, of the function or of a template.
std::string shortened(std::string function, bool is_of_library) {
  constexpr std::size_t most = 48;
  erase_all(function, "(anonymous namespace)::");
  if (is_of_library) {
    const std::string user = user_of(function);
    if (!user.empty()) return fmt::format("loop in {}", user);
  }
  if (function.find("}::operator()") != std::string::npos || function.find("::$_") != std::string::npos) {
    const std::string user =
        name_before(function, std::min(function.find("::{lambda"), function.find("::$_")));
    if (!user.empty()) return fmt::format("lambda in {}", user);
  }
  std::string name;
  int depth = 0;
  for (std::size_t at = 0; at < function.size(); ++at) {
    const std::size_t symbol = depth == 0 ? operator_bytes(name, function.c_str() + at) : 0;
    if (symbol > 0) {
      name.append(function, at, symbol);
      at += symbol - 1;
      continue;
    }
    const char c = function[at];
    depth += c == '<' ? 1 : 0;
    if (depth == 0 && c == '(') break;
    if (depth == 0) name += c;
    depth -= c == '>' ? 1 : 0;
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  name.erase(0, name.rfind(' ') == std::string::npos ? 0 : name.rfind(' ') + 1);
  return name.size() <= most ? name : fmt::format("...{}", name.substr(name.size() - most + 3));
}

/// Of the functions inlined at a site, the innermost one that is not the library's.
source_place choose(const std::vector<source_place>& inlined) {
  for (const source_place& each : inlined) {
    if (is_known(each.file) && !is_ours(each)) return each;
  }
  return inlined.empty() ? source_place{} : inlined.back();
}

/// The answers of addr2line -a -f -i -C: an address, then two lines for each function there.
std::map<unsigned long long, std::vector<source_place>> parse_answers(const std::string& text) {
  std::map<unsigned long long, std::vector<source_place>> found;
  std::vector<source_place>* current = nullptr;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.rfind("0x", 0) == 0) {
      current = &found[std::stoull(line, nullptr, 16)];
      continue;
    }
    source_place place;
    place.function = line;
    if (!std::getline(lines, line)) break;
    const std::size_t colon = line.rfind(':');
    place.file = line.substr(0, colon);
    place.line = colon == std::string::npos ? 0 : std::atoi(line.c_str() + colon + 1);
    if (current != nullptr) current->push_back(place);
  }
  return found;
}

/// Empty if there is no such program, or it does not know the object.
std::string ask(const std::string& program, const std::string& object,
                const std::vector<const site*>& sites) {
  std::vector<std::string> words = {"-a", "-f", "-i", "-C", "-e", object};
  // The call, and not what comes behind it.
  for (const site* each : sites) words.push_back(fmt::format("{:#x}", each->offset - 1));
  try {
    const interrupt_watch watch;
    return output_of(program, words, watch, {std::chrono::seconds(30), [] {}});
  } catch (const interrupted&) {
    throw;
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

void find_source_lines(data& all) {
  std::map<std::string, std::vector<const site*>> by_object;
  for (site& each : all.sites) {
    each.function =
        !each.symbol.empty() ? each.symbol
        : each.object.empty()
            ? "unknown"
            : fmt::format("{}+{:#x}", each.object.substr(each.object.rfind('/') + 1), each.offset);
    if (each.number > 1 && !each.object.empty()) by_object[each.object].push_back(&each);
  }
  std::map<std::pair<std::string, unsigned long long>, std::vector<source_place>> found;
  for (const auto& [object, sites] : by_object) {
    std::string answers;
    // The program knows itself by the name that it was called by.
    const std::string path =
        object == sites[0]->object && object.find('/') == std::string::npos ? all.program : object;
    for (const char* program :
         {"/usr/bin/addr2line", "/usr/bin/llvm-addr2line", "/usr/bin/llvm-symbolizer"}) {
      answers = ask(program, path, sites);
      if (!answers.empty()) break;
    }
    for (auto& [offset, places] : parse_answers(answers)) found[{object, offset}] = places;
  }
  for (site& each : all.sites) {
    const auto at = found.find({each.object, each.offset - 1});
    const source_place place = at == found.end() ? source_place{} : choose(at->second);
    if (is_known(place.function)) each.function = shortened(place.function, is_ours(place));
    if (is_known(place.file) && place.line > 0) {
      each.file = place.file;
      each.line = place.line;
    }
  }
}

}  // namespace tool::profile
