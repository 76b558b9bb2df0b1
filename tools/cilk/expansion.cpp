// Keywords that are not in the program's file as they are: macros that have them are expanded in its text, and included files of
// the program that have them take the place of their directives.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <regex>

#include <fmt/format.h>

#include "cilk/edits.hpp"
#include "cilk/source.hpp"

namespace tool::cilk {
namespace {

namespace fs = std::filesystem;

/// A definition's tokens, the name first.
struct definition {
  std::vector<std::string> tokens;
  bool takes_arguments;
};

definition definition_of(CXTranslationUnit unit, CXCursor macro) {
  definition result{{}, clang_Cursor_isMacroFunctionLike(macro) != 0};
  CXToken* found = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, clang_getCursorExtent(macro), &found, &count);
  for (unsigned each = 0; each < count; ++each) {
    if (clang_getTokenKind(found[each]) != CXToken_Comment)
      result.tokens.push_back(take(clang_getTokenSpelling(unit, found[each])));
  }
  clang_disposeTokens(unit, found, count);
  return result;
}

}  // namespace

std::string line_directive(unsigned line, std::string_view file) {
  std::string name;
  for (const char each : file) {
    if (each == '"' || each == '\\') name += '\\';
    name += each;
  }
  return fmt::format("#line {} \"{}\"\n", line, name);
}

/// The arguments of a macro between its brackets.
std::vector<std::string> source::macro_arguments(std::size_t open, std::size_t close) const {
  std::vector<std::string> result;
  int depth = 0;
  unsigned begin = tokens_[open].text.end;
  for (std::size_t at = open + 1; at <= close; ++at) {
    if (is(at, "(")) ++depth;
    if (is(at, ")") && at != close) --depth;
    if (at != close && (depth != 0 || !is(at, ","))) continue;
    result.push_back(on_one_line(text({begin, tokens_[at].text.begin})));
    begin = tokens_[at].text.end;
  }
  return result;
}

/// What stands in the macro's place; its piece of the text is in `piece`.
std::string source::expanded(CXCursor expansion, span& piece) const {
  const unsigned begin = piece.begin;
  const std::string name = spelling(expansion);
  const CXCursor macro = clang_getCursorReferenced(expansion);
  const auto fail = [&](std::string_view why) {
    refuse(begin, fmt::format("Cilk's keywords inside of the macro {}, {}, are not translated", name, why));
  };
  if (clang_Cursor_isNull(macro) != 0) fail("whose definition is not seen");
  const definition of = definition_of(unit_, macro);
  std::size_t at = 1;
  std::vector<std::string> parameters;
  std::vector<std::string> given;
  if (of.takes_arguments) {
    for (++at; at < of.tokens.size() && of.tokens[at] != ")"; ++at) {
      if (of.tokens[at] != ",") parameters.push_back(of.tokens[at] == "..." ? "__VA_ARGS__" : of.tokens[at]);
    }
    ++at;
    const std::size_t open = token_at(piece.end);
    if (!is(open, "(")) fail("used without arguments");
    const std::size_t close = closing(open);
    given = macro_arguments(open, close);
    piece.end = tokens_[close].text.end;
    while (given.size() > parameters.size() && !parameters.empty() && parameters.back() == "__VA_ARGS__") {
      given[given.size() - 2] += ", " + given.back();
      given.pop_back();
    }
    given.resize(std::max(given.size(), parameters.size()));
  }
  std::string result;
  for (; at < of.tokens.size(); ++at) {
    const std::string& token = of.tokens[at];
    if (token.starts_with('#')) fail("which has # in it");
    const auto parameter = std::find(parameters.begin(), parameters.end(), token);
    result += result.empty() ? "" : " ";
    result += parameter == parameters.end() ? token
                                            : given[static_cast<std::size_t>(parameter - parameters.begin())];
  }
  const std::string_view before = text(piece);
  result.append(static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')), '\n');
  return result;
}

/// An included file's text in the place of its directive.
std::string source::included(CXFile file) {
  const std::string name = take(clang_getFileName(file));
  const fs::path folder = fs::absolute(name).parent_path();
  std::string text = read_file(name);
  std::string result;
  // What it includes itself is looked for beside it.
  static const std::regex quoted(R"(^([ \t]*#[ \t]*include[ \t]*)\"([^"\n]+)\")");
  static const std::regex once(R"(^[ \t]*#[ \t]*pragma[ \t]+once)");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    std::smatch found;
    if (std::regex_search(line, found, quoted) && fs::exists(folder / found[2].str())) {
      result +=
          fmt::format("{}\"{}\"{}", found[1].str(), (folder / found[2].str()).string(), found.suffix().str());
    } else if (!std::regex_search(line, once)) {
      result += line;
    }
    result += '\n';
    at = end + 1;
  }
  if (std::find(included_.begin(), included_.end(), name) == included_.end()) included_.push_back(name);
  const bool is_once = std::regex_search(text, std::regex(R"((^|\n)[ \t]*#[ \t]*pragma[ \t]+once)"));
  if (!is_once) return fmt::format("\n{}{}", line_directive(1, name), result);
  const std::string guard =
      fmt::format("NOPAL_CILK_ONCE_{:x}", std::hash<std::string>()(fs::weakly_canonical(name).string()));
  return fmt::format("\n#ifndef {0}\n#define {0}\n{1}{2}\n#endif\n", guard, line_directive(1, name), result);
}

/// The directive of the file itself by which `file` came to be included; its file in `direct`.
span source::directive_for(CXFile file, CXFile& direct) const {
  struct search {
    const source* self;
    CXFile wanted;
    CXFile direct = nullptr;
    unsigned place = 0;
  } looking{this, file};
  clang_getInclusions(
      unit_,
      [](CXFile included, CXSourceLocation* stack, unsigned depth, CXClientData data) {
        auto& in = *static_cast<search*>(data);
        if (in.direct != nullptr || depth == 0 || clang_File_isEqual(included, in.wanted) == 0) return;
        clang_getExpansionLocation(stack[depth - 1], nullptr, nullptr, nullptr, &in.place);
        if (depth == 1) {
          in.direct = included;
        } else {
          clang_getExpansionLocation(stack[depth - 2], &in.direct, nullptr, nullptr, nullptr);
        }
      },
      &looking);
  direct = looking.direct;
  if (direct == nullptr) return {};
  const std::size_t begin = text_.rfind('\n', looking.place) + 1;
  const std::size_t end = std::min(text_.find('\n', looking.place), text_.size());
  return {static_cast<unsigned>(begin), static_cast<unsigned>(end)};
}

/// Whether there was anything to expand: then the text is another one.
bool source::expand() {
  std::map<unsigned, std::pair<span, std::string>> changes;
  for (CXFile file : files_with_keywords_) {
    CXFile direct = nullptr;
    const span directive = directive_for(file, direct);
    if (direct == nullptr)
      throw refused(fmt::format("{}: Cilk's keywords in this included file are not translated",
                                take(clang_getFileName(file))));
    if (changes.contains(directive.begin)) continue;
    const auto [name, line] = place_of(directive.begin);
    changes[directive.begin] = {directive, included(direct) + line_directive(line + 1, name)};
    // The directive's own end of line follows.
    changes[directive.begin].second.pop_back();
  }
  for (const auto& [begin, expansion] : macros_with_keywords_) {
    span piece{begin, begin + static_cast<unsigned>(spelling(expansion).size())};
    std::string text = expanded(expansion, piece);
    const bool inside =
        !changes.empty() && std::any_of(changes.begin(), changes.end(), [&](const auto& each) {
          return each.second.first.begin < piece.end && piece.begin < each.second.first.end;
        });
    if (!inside) changes[begin] = {piece, std::move(text)};
  }
  for (auto each = changes.rbegin(); each != changes.rend(); ++each) {
    const span piece = each->second.first;
    text_.replace(piece.begin, piece.end - piece.begin, each->second.second);
  }
  return !changes.empty();
}

std::pair<std::string, unsigned> source::place_of(unsigned offset) const {
  std::string name = name_;
  unsigned line = 1;
  for (std::size_t at = 0;;) {
    const std::size_t end = text_.find('\n', at);
    if (end == text_.npos || end >= offset) return {name, line};
    ++line;
    unsigned given = 0;
    if (text_.compare(at, 6, "#line ") == 0 && std::sscanf(text_.c_str() + at, "#line %u", &given) == 1) {
      const std::size_t quote = text_.find('"', at);
      line = given;
      if (quote < end) {
        name.clear();
        for (std::size_t each = quote + 1; each < end && text_[each] != '"'; ++each) {
          if (text_[each] == '\\') ++each;
          name += text_[each];
        }
      }
    }
    at = end + 1;
  }
}

}  // namespace tool::cilk
