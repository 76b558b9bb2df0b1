#include "cilk/edits.hpp"

#include <algorithm>
#include <utility>

namespace tool::cilk {

void edits::replace(span piece, std::function<std::string()> made) {
  const auto place =
      std::upper_bound(changes_.begin(), changes_.end(), piece, [](span left, const change& right) {
        if (left.begin != right.piece.begin) return left.begin < right.piece.begin;
        // Insertions come first, then the longest.
        const bool left_inserts = left.begin == left.end;
        const bool right_inserts = right.piece.begin == right.piece.end;
        if (left_inserts != right_inserts) return left_inserts;
        return left.end > right.piece.end;
      });
  changes_.insert(place, {piece, std::move(made), std::nullopt});
}

void edits::replace(span piece, std::string with) {
  replace(piece, [with = std::move(with)] { return with; });
}

std::string edits::keep_lines(span piece, std::string made) const {
  const std::string_view before = text_.substr(piece.begin, piece.end - piece.begin);
  const auto wanted = std::count(before.begin(), before.end(), '\n');
  const auto there = std::count(made.begin(), made.end(), '\n');
  if (there < wanted) made.append(static_cast<std::size_t>(wanted - there), '\n');
  return made;
}

std::string edits::render(span piece) const {
  std::string result;
  unsigned at = piece.begin;
  for (const change& each : changes_) {
    if (each.piece.begin < at || !piece.contains(each.piece)) continue;
    // What is inserted at the end belongs to what follows.
    if (each.piece.begin == piece.end) continue;
    result += text_.substr(at, each.piece.begin - at);
    if (!each.made) each.made = keep_lines(each.piece, each.make());
    result += *each.made;
    at = each.piece.end;
  }
  result += text_.substr(at, piece.end - at);
  return result;
}

std::string edits::flat(span piece) const { return on_one_line(render(piece)); }

std::string on_one_line(std::string_view text) {
  std::string result;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (quote != 0) {
      result += here;
      if (here == '\\' && next != '\0') {
        result += next;
        ++at;
      } else if (here == quote) {
        quote = 0;
      }
    } else if (here == '/' && next == '/') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (here == '/' && next == '*') {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 1;
      result += ' ';
    } else {
      // A quote behind a digit separates digits.
      const bool separates = here == '\'' && at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';
      if (here == '"' || (here == '\'' && !separates)) quote = here;
      result += here == '\n' || here == '\r' ? ' ' : here;
    }
  }
  const auto first = result.find_first_not_of(" \t");
  if (first == result.npos) return "";
  return result.substr(first, result.find_last_not_of(" \t") - first + 1);
}

}  // namespace tool::cilk
