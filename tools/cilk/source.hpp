// A source file with Cilk's keywords, as clang's parser sees its serial elision.
//
// The keywords are defined away, so the tree is that of a plain C or C++ program with all its types. Where they stood is known
// from the preprocessor's record. A node is a piece of the text of this one file, [begin, end) in bytes; what an included file
// or a macro brought is not there.
#ifndef NOPAL_TOOLS_CILK_SOURCE_HPP
#define NOPAL_TOOLS_CILK_SOURCE_HPP

#include <clang-c/Index.h>

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
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

enum class word { spawn, sync, scope, loop, reducer };

/// A keyword of Cilk where the program has it.
struct keyword {
  word which;
  span text;
};

/// What is not translated: one line with the place.
class refused : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A file that was parsed.
class source {
public:
  /// Throws std::runtime_error where the file cannot be read, and `refused` with the compiler's first error.
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

  /// The line of a place, from 1.
  [[nodiscard]] unsigned line_of(unsigned offset) const;
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
  void read_tokens();
  void read_nodes();
  void read_keywords();
  void report_errors() const;
  [[nodiscard]] bool has_keyword(CXCursor definition) const;
  [[noreturn]] void refuse_in_macro(CXCursor expansion) const;
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
  std::set<std::string> macros_;  ///< of the program, that have keywords
};

/// The text of a string of clang's.
std::string take(CXString text);

/// Whether a file's name is that of a C++ file.
bool names_cxx(std::string_view file);

}  // namespace tool::cilk

#endif
