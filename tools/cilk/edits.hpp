// Changes of a text that keep its lines.
//
// A change replaces a piece by what a function makes, which may ask for parts of that piece as they come out with the changes
// in them. So changes nest: of two of which one contains the other, the outer one is asked.
#ifndef NOPAL_TOOLS_CILK_EDITS_HPP
#define NOPAL_TOOLS_CILK_EDITS_HPP

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cilk/source.hpp"

namespace tool::cilk {

class edits {
public:
  explicit edits(std::string_view text) : text_(text) {}

  void replace(span piece, std::function<std::string()> made);
  void replace(span piece, std::string with);
  /// At one place: in front of what follows there, behind what was inserted before.
  void insert(unsigned offset, std::string with) { replace({offset, offset}, std::move(with)); }

  /// The piece with all changes that lie in it. A change does not ask for its own piece.
  [[nodiscard]] std::string render(span piece) const;
  /// The same on one line, without comments.
  [[nodiscard]] std::string flat(span piece) const;

private:
  struct change {
    span piece;
    std::function<std::string()> make;
    mutable std::optional<std::string> made;  ///< once, though it be asked for often
  };
  /// As many lines as the piece had.
  [[nodiscard]] std::string keep_lines(span piece, std::string made) const;

  std::string_view text_;
  std::vector<change> changes_;
};

/// The text on one line, without comments.
std::string on_one_line(std::string_view text);

}  // namespace tool::cilk

#endif
