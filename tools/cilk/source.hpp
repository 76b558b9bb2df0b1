// A source file with Cilk's keywords, as clang's parser sees its serial elision.
//
// The keywords are defined away, so the tree is that of a plain C or C++ program with all its types. Where they stood is known
// from the preprocessor's record. A node is a piece of the text of this one file, [begin, end) in bytes; what an included file
// or a macro brought is not there.
#ifndef NOPAL_TOOLS_CILK_SOURCE_HPP
#define NOPAL_TOOLS_CILK_SOURCE_HPP

#include <clang-c/Index.h>

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tool::cilk {

/// A piece of the file's text.
struct span {
  unsigned begin = 0;
  unsigned end = 0;

  [[nodiscard]] bool contains(span other) const { return begin <= other.begin && other.end <= end; }
};

struct node {
  CXCursor cursor;
  CXCursorKind kind;
  span text;
  int parent;  ///< -1: none
  std::vector<int> children;
};

struct token {
  CXTokenKind kind;
  span text;
};

enum class word { spawn, sync, scope, loop, reducer, reducer_type };

/// A keyword of Cilk where the program has it.
struct keyword {
  word which;
  span text;
};

/// What is not translated: one line with the place, or one for each of the compiler's errors.
class refused : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A file that was parsed.
class source {
public:
  /// Throws std::runtime_error where the file cannot be read, and `refused` with the compiler's errors.
  source(std::string file, bool as_cxx, const std::vector<std::string>& flags);
  ~source();
  source(const source&) = delete;
  source& operator=(const source&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string_view text(span of) const {
    return std::string_view(text_).substr(of.begin, of.end - of.begin);
  }
  [[nodiscard]] bool is_cxx() const { return is_cxx_; }
  [[nodiscard]] const std::vector<node>& nodes() const { return nodes_; }
  [[nodiscard]] const node& at(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const std::vector<token>& tokens() const { return tokens_; }
  [[nodiscard]] const std::vector<keyword>& keywords() const { return keywords_; }

  /// The file and the line of a place, from 1.
  [[nodiscard]] std::pair<std::string, unsigned> place_of(unsigned offset) const;
  /// Files whose text took the place of the directives that included them.
  [[nodiscard]] const std::vector<std::string>& included_files() const { return included_; }
  /// Ends the translation with one line.
  [[noreturn]] void refuse(unsigned offset, std::string_view what) const;

  /// The first token that begins at `offset` or later; the number of tokens if there is none.
  [[nodiscard]] std::size_t token_at(unsigned offset) const;
  [[nodiscard]] bool is(std::size_t at, std::string_view spelling) const {
    return at < tokens_.size() && text(tokens_[at].text) == spelling;
  }
  /// The token that closes the bracket at `open`.
  [[nodiscard]] std::size_t closing(std::size_t open) const;

  /// The innermost node that contains the piece; -1 where there is none.
  [[nodiscard]] int innermost(span piece) const;
  [[nodiscard]] std::string spelling(CXCursor cursor) const;
  [[nodiscard]] std::string spelling(CXType type) const;
  /// Its text; empty where it is not of this file.
  [[nodiscard]] span span_of(CXCursor cursor) const;

private:
  void parse(const std::vector<std::string>& flags);
  void forget();
  void read_tokens();
  void read_nodes();
  void read_keywords();
  void report_errors() const;
  void note_macro(CXCursor definition);
  [[nodiscard]] bool has_keyword(const std::string& macro, std::set<std::string>& seen) const;
  void note_expansion(CXCursor expansion);
  // expansion.cpp
  bool expand();
  [[nodiscard]] std::vector<std::string> macro_arguments(std::size_t open, std::size_t close) const;
  [[nodiscard]] std::string expanded(CXCursor expansion, span& piece) const;
  [[nodiscard]] std::string included(CXFile file);
  [[nodiscard]] span directive_for(CXFile file, CXFile& direct) const;
  void add(CXCursor cursor, int parent);

  std::string name_;
  std::string text_;
  bool is_cxx_;
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
  CXFile file_ = nullptr;
  std::vector<node> nodes_;
  std::vector<token> tokens_;
  std::vector<keyword> keywords_;
  std::map<std::string, std::set<std::string>> macros_;  ///< of the program, with the words in them
  std::map<unsigned, CXCursor> expansions_;              ///< by where they begin
  std::map<unsigned, CXCursor> macros_with_keywords_;    ///< to be expanded
  std::vector<CXFile> files_with_keywords_;              ///< to be included
  std::vector<std::string> included_;
};

/// The text of a string of clang's.
std::string take(CXString text);

std::string read_file(const std::string& name);

/// With the end of its line.
std::string line_directive(unsigned line, std::string_view file);

/// Whether a file's name is that of a C++ file.
bool names_cxx(std::string_view file);

}  // namespace tool::cilk

#endif
