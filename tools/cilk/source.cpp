#include "cilk/source.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace tool::cilk {
namespace {

/// Cilk's keywords by both of their names, and what stands for them while clang parses.
struct spelling_of_word {
  const char* name;
  word which;
  const char* definition;
};
constexpr std::array words = {
    spelling_of_word{"cilk_spawn", word::spawn, ""},
    spelling_of_word{"_Cilk_spawn", word::spawn, ""},
    spelling_of_word{"cilk_sync", word::sync, ""},
    spelling_of_word{"_Cilk_sync", word::sync, ""},
    spelling_of_word{"cilk_scope", word::scope, ""},
    spelling_of_word{"_Cilk_scope", word::scope, ""},
    spelling_of_word{"cilk_for", word::loop, "for"},
    spelling_of_word{"_Cilk_for", word::loop, "for"},
    spelling_of_word{"cilk_reducer(...)", word::reducer, "__attribute__((annotate(\"nopal_reducer\")))"},
    spelling_of_word{"_Hyperobject(...)", word::reducer, "__attribute__((annotate(\"nopal_reducer\")))"},
    spelling_of_word{"opadd_reducer", word::reducer_type, "opadd_reducer"},
};

unsigned offset_of(CXSourceLocation place, CXFile* file) {
  unsigned offset = 0;
  clang_getExpansionLocation(place, file, nullptr, nullptr, &offset);
  return offset;
}

}  // namespace

std::string take(CXString text) {
  const char* const known = clang_getCString(text);
  std::string result = known != nullptr ? known : "";
  clang_disposeString(text);
  return result;
}

std::string read_file(const std::string& name) {
  std::ifstream from(name, std::ios::binary);
  if (!from) throw std::runtime_error(fmt::format("'{}' cannot be read", name));
  std::string text{std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
  // A mark of UTF-8 is for the first place of a file alone.
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

bool names_cxx(std::string_view file) { return !file.ends_with(".c"); }

source::source(std::string file, bool as_cxx, const std::vector<std::string>& flags)
    : name_(std::move(file)), text_(read_file(name_)), is_cxx_(as_cxx) {
  std::vector<std::string> given = flags;
  given.emplace_back("-DNOPAL_CILK_PARSED");
  for (const spelling_of_word& each : words)
    given.push_back(fmt::format("-D{}={}", each.name, each.definition));
  given.emplace_back("-Wno-everything");
  index_ = clang_createIndex(0, 0);
  try {
    parse(given);
    constexpr int most_rounds = 100;  // of macros within macros
    for (int round = 0; round < most_rounds && expand(); ++round) {
      forget();
      parse(given);
    }
    if (!keywords_.empty()) {
      report_errors();
      read_nodes();
    }
  } catch (...) {
    if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
    clang_disposeIndex(index_);
    throw;
  }
}

void source::parse(const std::vector<std::string>& flags) {
  std::vector<const char*> pointers;
  pointers.reserve(flags.size());
  for (const std::string& each : flags) pointers.push_back(each.c_str());
  CXUnsavedFile text{name_.c_str(), text_.data(), text_.size()};
  const CXErrorCode failed =
      clang_parseTranslationUnit2(index_, name_.c_str(), pointers.data(), static_cast<int>(pointers.size()),
                                  &text, 1, CXTranslationUnit_DetailedPreprocessingRecord, &unit_);
  if (failed != CXError_Success) {
    unit_ = nullptr;
    throw std::runtime_error(fmt::format("clang's parser fails on '{}'", name_));
  }
  file_ = clang_getFile(unit_, name_.c_str());
  read_tokens();
  read_keywords();
}

void source::forget() {
  clang_disposeTranslationUnit(unit_);
  unit_ = nullptr;
  tokens_.clear();
  keywords_.clear();
  macros_.clear();
  expansions_.clear();
  macros_with_keywords_.clear();
  files_with_keywords_.clear();
}

source::~source() {
  clang_disposeTranslationUnit(unit_);
  clang_disposeIndex(index_);
}

void source::report_errors() const {
  std::string errors;
  const unsigned count = clang_getNumDiagnostics(unit_);
  for (unsigned each = 0; each < count; ++each) {
    CXDiagnostic said = clang_getDiagnostic(unit_, each);
    if (clang_getDiagnosticSeverity(said) >= CXDiagnostic_Error) {
      errors += errors.empty() ? "" : "\n";
      errors += take(clang_formatDiagnostic(said, CXDiagnostic_DisplaySourceLocation));
    }
    clang_disposeDiagnostic(said);
  }
  if (!errors.empty()) throw refused(errors);
}

void source::read_tokens() {
  const CXSourceRange all =
      clang_getRange(clang_getLocationForOffset(unit_, file_, 0),
                     clang_getLocationForOffset(unit_, file_, static_cast<unsigned>(text_.size())));
  CXToken* found = nullptr;
  unsigned count = 0;
  clang_tokenize(unit_, all, &found, &count);
  tokens_.reserve(count);
  for (unsigned each = 0; each < count; ++each) {
    const CXTokenKind kind = clang_getTokenKind(found[each]);
    if (kind == CXToken_Comment) continue;
    const CXSourceRange extent = clang_getTokenExtent(unit_, found[each]);
    tokens_.push_back(
        {kind,
         {offset_of(clang_getRangeStart(extent), nullptr), offset_of(clang_getRangeEnd(extent), nullptr)}});
  }
  clang_disposeTokens(unit_, found, count);
}

/// A macro of the program, with the words in it.
void source::note_macro(CXCursor definition) {
  if (clang_Location_isInSystemHeader(clang_getCursorLocation(definition)) != 0) return;
  CXFile file = nullptr;
  offset_of(clang_getCursorLocation(definition), &file);
  if (file == nullptr) return;
  std::set<std::string>& in_it = macros_[spelling(definition)];
  CXToken* found = nullptr;
  unsigned count = 0;
  clang_tokenize(unit_, clang_getCursorExtent(definition), &found, &count);
  for (unsigned each = 1; each < count; ++each) {
    if (clang_getTokenKind(found[each]) != CXToken_Comment)
      in_it.insert(take(clang_getTokenSpelling(unit_, found[each])));
  }
  clang_disposeTokens(unit_, found, count);
}

/// Whether keywords are in the macro, or in one that is in it.
bool source::has_keyword(const std::string& macro, std::set<std::string>& seen) const {
  const auto known = macros_.find(macro);
  if (known == macros_.end() || !seen.insert(macro).second) return false;
  return std::any_of(known->second.begin(), known->second.end(), [&](const std::string& text) {
    const bool is_keyword = std::any_of(words.begin(), words.end(), [&](const spelling_of_word& each) {
      const std::string_view name = each.name;
      return name.substr(0, name.find('(')) == text;
    });
    return is_keyword || has_keyword(text, seen);
  });
}

/// A macro with keywords, or which is given them.
void source::note_expansion(CXCursor expansion) {
  CXFile used = nullptr;
  const unsigned at = offset_of(clang_getCursorLocation(expansion), &used);
  if (used == nullptr || clang_Location_isInSystemHeader(clang_getCursorLocation(expansion)) != 0) return;
  if (clang_File_isEqual(used, file_) == 0) {
    const auto known = std::find_if(files_with_keywords_.begin(), files_with_keywords_.end(),
                                    [&](CXFile each) { return clang_File_isEqual(each, used) != 0; });
    if (known == files_with_keywords_.end()) files_with_keywords_.push_back(used);
    return;
  }
  const auto outermost = expansions_.find(at);
  if (outermost == expansions_.end())
    refuse(at, fmt::format("Cilk's keywords inside of a macro, here {}, are not translated",
                           spelling(expansion)));
  macros_with_keywords_[at] = outermost->second;
}

void source::read_keywords() {
  const auto visit = [](CXCursor cursor, CXCursor, CXClientData data) {
    auto& self = *static_cast<source*>(data);
    if (clang_getCursorKind(cursor) == CXCursor_MacroDefinition) {
      self.note_macro(cursor);
      return CXChildVisit_Continue;
    }
    if (clang_getCursorKind(cursor) != CXCursor_MacroExpansion) return CXChildVisit_Continue;
    const std::string name = self.spelling(cursor);
    std::set<std::string> seen;
    const bool has_keyword = self.has_keyword(name, seen);
    CXFile used = nullptr;
    const unsigned at = offset_of(clang_getCursorLocation(cursor), &used);
    if (used != nullptr && clang_File_isEqual(used, self.file_) != 0 &&
        self.text_.compare(at, name.size(), name) == 0)
      self.expansions_.emplace(at, cursor);
    const auto known = std::find_if(words.begin(), words.end(), [&](const spelling_of_word& each) {
      const std::string_view plain = each.name;
      return plain.substr(0, plain.find('(')) == name;
    });
    if (known == words.end()) {
      if (has_keyword) self.note_expansion(cursor);
      return CXChildVisit_Continue;
    }
    // A program may have a meaning of its own for the word.
    CXFile defined = nullptr;
    offset_of(clang_getCursorLocation(clang_getCursorReferenced(cursor)), &defined);
    const bool is_own = defined != nullptr && clang_File_isEqual(defined, used) != 0;
    if (used == nullptr || (is_own && !has_keyword)) return CXChildVisit_Continue;
    if (clang_File_isEqual(used, self.file_) == 0 || self.text_.compare(at, name.size(), name) != 0) {
      self.note_expansion(cursor);
      return CXChildVisit_Continue;
    }
    self.keywords_.push_back({known->which, {at, at + static_cast<unsigned>(name.size())}});
    return CXChildVisit_Continue;
  };
  clang_visitChildren(clang_getTranslationUnitCursor(unit_), visit, this);
  std::sort(keywords_.begin(), keywords_.end(),
            [](const keyword& left, const keyword& right) { return left.text.begin < right.text.begin; });
  // Keywords among a macro's arguments.
  for (const auto& [begin, expansion] : expansions_) {
    const unsigned end = offset_of(clang_getRangeEnd(clang_getCursorExtent(expansion)), nullptr);
    const bool given = std::any_of(keywords_.begin(), keywords_.end(), [&, at = begin](const keyword& each) {
      return at < each.text.begin && each.text.end <= end;
    });
    const bool is_keyword = std::any_of(keywords_.begin(), keywords_.end(),
                                        [at = begin](const keyword& each) { return each.text.begin == at; });
    if (given && !is_keyword) macros_with_keywords_[begin] = expansion;
  }
}

span source::span_of(CXCursor cursor) const {
  const CXSourceRange extent = clang_getCursorExtent(cursor);
  CXFile file = nullptr;
  const unsigned begin = offset_of(clang_getRangeStart(extent), &file);
  if (file == nullptr || clang_File_isEqual(file, file_) == 0) return {};
  return {begin, std::max(begin, offset_of(clang_getRangeEnd(extent), nullptr))};
}

void source::add(CXCursor cursor, int parent) {
  const int self = static_cast<int>(nodes_.size());
  nodes_.push_back({cursor, clang_getCursorKind(cursor), span_of(cursor), parent, {}});
  if (parent >= 0) nodes_[static_cast<std::size_t>(parent)].children.push_back(self);
  std::pair<source*, int> to{this, self};
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        auto& [owner, above] = *static_cast<std::pair<source*, int>*>(data);
        owner->add(child, above);
        return CXChildVisit_Continue;
      },
      &to);
}

void source::read_nodes() {
  clang_visitChildren(
      clang_getTranslationUnitCursor(unit_),
      [](CXCursor cursor, CXCursor, CXClientData data) {
        auto& self = *static_cast<source*>(data);
        if (clang_isPreprocessing(clang_getCursorKind(cursor)) == 0 && self.span_of(cursor).end != 0) {
          self.add(cursor, -1);
        }
        return CXChildVisit_Continue;
      },
      this);
}

void source::refuse(unsigned offset, std::string_view what) const {
  const auto [file, line] = place_of(offset);
  throw refused(fmt::format("{}:{}: {}", file, line, what));
}

std::size_t source::token_at(unsigned offset) const {
  return static_cast<std::size_t>(
      std::partition_point(tokens_.begin(), tokens_.end(),
                           [offset](const token& each) { return each.text.begin < offset; }) -
      tokens_.begin());
}

std::size_t source::closing(std::size_t open) const {
  int depth = 0;
  for (std::size_t at = open; at < tokens_.size(); ++at) {
    if (is(at, "(") || is(at, "[") || is(at, "{")) ++depth;
    if (is(at, ")") || is(at, "]") || is(at, "}")) --depth;
    if (depth == 0) return at;
  }
  refuse(tokens_[open].text.begin, "a bracket does not close");
}

int source::innermost(span piece) const {
  int best = -1;
  for (std::size_t each = 0; each < nodes_.size(); ++each) {
    const node& here = nodes_[each];
    if (!here.text.contains(piece)) continue;
    if (best < 0 || at(best).text.contains(here.text)) best = static_cast<int>(each);
  }
  return best;
}

std::string source::spelling(CXCursor cursor) const { return take(clang_getCursorSpelling(cursor)); }
std::string source::spelling(CXType type) const { return take(clang_getTypeSpelling(type)); }

}  // namespace tool::cilk
