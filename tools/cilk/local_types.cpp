// Types that a function of C declares: what is made of its loops and children stands in front of the function, and so do, by names
// of their own, those of its types that it takes.
#include <algorithm>

#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {
namespace {

bool is_tag(CXCursorKind kind) {
  return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl;
}

bool is_type(CXCursorKind kind) { return is_tag(kind) || kind == CXCursor_TypedefDecl; }

const char* keyword_of(CXCursor declared) {
  switch (clang_getCursorKind(declared)) {
  case CXCursor_StructDecl: return "struct ";
  case CXCursor_UnionDecl: return "union ";
  case CXCursor_EnumDecl: return "enum ";
  default: return "";
  }
}

bool same(CXCursor left, CXCursor right) {
  return clang_equalCursors(clang_getCanonicalCursor(left), clang_getCanonicalCursor(right)) != 0;
}

}  // namespace

/// What declares a local type or a constant of one; a null cursor where the node names none.
CXCursor translation::local_type_of(const node& use) const {
  CXCursor declared = clang_getNullCursor();
  if (use.kind == CXCursor_TypeRef) declared = clang_getCursorReferenced(use.cursor);
  if (use.kind == CXCursor_DeclRefExpr) {
    const CXCursor constant = clang_getCursorReferenced(use.cursor);
    if (clang_getCursorKind(constant) == CXCursor_EnumConstantDecl)
      declared = clang_getCursorSemanticParent(constant);
  }
  return is_type(clang_getCursorKind(declared)) && is_local(declared) ? declared : clang_getNullCursor();
}

bool translation::is_local(CXCursor declared) const {
  CXCursor around = clang_getCursorSemanticParent(declared);
  while (clang_isDeclaration(clang_getCursorKind(around)) != 0) {
    if (clang_getCursorKind(around) == CXCursor_FunctionDecl) return true;
    around = clang_getCursorSemanticParent(around);
  }
  return false;
}

/// As <declarations.hpp> asks for it.
std::string translation::name_of_type(CXCursor declared, unsigned place) {
  if (is_local(declared)) {
    move_type(declared, place);
    return keyword_of(declared) + new_name_of(declared);
  }
  const std::string name = from_.spelling(clang_getCursorType(declared));
  if (name.empty() || name.find("(unnamed") != name.npos || name.find("(anonymous") != name.npos)
    from_.refuse(place, "a type without a name, in what a loop or a child takes, is not translated");
  return "";
}

std::string translation::new_name_of(CXCursor declared) const {
  const auto known = std::find_if(moved_names_.begin(), moved_names_.end(),
                                  [&](const auto& each) { return same(each.first, declared); });
  return known == moved_names_.end() ? "" : known->second;
}

/// Where a declaration has its name; that of its keyword where it has none.
std::size_t translation::name_token(CXCursor declared) const {
  unsigned at = 0;
  clang_getExpansionLocation(clang_getCursorLocation(declared), nullptr, nullptr, nullptr, &at);
  return from_.token_at(at);
}

/// Whether it is a structure or the like without a name.
bool translation::is_unnamed(CXCursor declared) const {
  const std::size_t at = name_token(declared);
  return is_tag(clang_getCursorKind(declared)) &&
         (from_.is(at, "struct") || from_.is(at, "union") || from_.is(at, "enum"));
}

/// Gives a name of its own to what is declared, wherever the program names it.
void translation::rename(CXCursor declared) {
  if (!new_name_of(declared).empty()) return;
  const bool unnamed = is_unnamed(declared);
  const std::string name = unnamed ? "" : from_.spelling(declared);
  const unsigned number = next_number_++;
  const std::string given =
      unnamed ? fmt::format("nopal_type_{}", number) : fmt::format("nopal_{}_{}", number, name);
  moved_names_.emplace_back(declared, given);
  if (unnamed) {
    std::size_t block = name_token(declared);
    while (block < from_.tokens().size() && !from_.is(block, "{")) ++block;
    edits_.insert(from_.tokens()[block].text.begin, " " + given + " ");
    return;
  }
  std::set<std::size_t> places;
  for (const node& each : from_.nodes()) {
    const bool declares = is_type(each.kind) || each.kind == CXCursor_EnumConstantDecl;
    const bool names = each.kind == CXCursor_TypeRef || each.kind == CXCursor_DeclRefExpr;
    if (!declares && !names) continue;
    if (!same(declares ? each.cursor : clang_getCursorReferenced(each.cursor), declared)) continue;
    const std::size_t at = name_token(each.cursor);
    if (!from_.is(at, name))
      from_.refuse(each.text.begin,
                   name.find("(unnamed") != name.npos
                       ? "a type that a function declares in a macro is not translated"
                       : fmt::format("'{}', which a function declares, in a macro is not translated", name));
    if (places.insert(at).second) edits_.replace(from_.tokens()[at].text, given);
  }
}

/// What is moved with the declaration `which`: a statement that declares types alone, else the type.
span translation::moved_with(int which) const {
  for (int each = from_.at(which).parent; each >= 0; each = from_.at(each).parent) {
    const node& here = from_.at(each);
    if (is_type(here.kind)) which = each;
    if (here.kind == CXCursor_CompoundStmt) break;
    if (here.kind != CXCursor_DeclStmt) continue;
    if (std::all_of(here.children.begin(), here.children.end(),
                    [&](int child) { return is_type(from_.at(child).kind); }))
      return here.text;
    break;
  }
  span text = from_.at(which).text;
  const std::size_t first = from_.token_at(text.begin);
  if (!from_.is(first, "struct") && !from_.is(first, "union") && !from_.is(first, "enum"))
    from_.refuse(text.begin, "a type that a function declares in a macro is not translated");
  for (std::size_t at = from_.token_at(text.end); from_.is(at, "__attribute__"); ++at) {
    at = from_.closing(at + 1);
    text.end = from_.tokens()[at].text.end;
  }
  return text;
}

/// Moves a type that a function declares, with what is declared in it, in front of the function.
void translation::move_type(CXCursor declared, unsigned place) {
  if (std::any_of(moved_declarations_.begin(), moved_declarations_.end(),
                  [&](CXCursor each) { return same(each, declared); }))
    return;
  moved_declarations_.push_back(declared);
  rename(declared);
  for (std::size_t each = 0; each < from_.nodes().size(); ++each) {
    const node& here = from_.nodes()[each];
    if (!is_type(here.kind) || !same(here.cursor, declared) || here.text.end == here.text.begin) continue;
    const span text = moved_with(static_cast<int>(each));
    auto& moved = moved_[top_of(text.begin)];
    if (!moved.emplace(text.begin, text.end).second) continue;
    for (const node& inner : from_.nodes()) {
      if (text.contains(inner.text) && inner.text.end > inner.text.begin) move_in_type(inner, place);
    }
    const bool is_statement = from_.text(text).ends_with(';');
    edits_.replace(text, is_statement ? std::string() : keyword_of(here.cursor) + new_name_of(here.cursor));
  }
}

/// A part of a type that is moved.
void translation::move_in_type(const node& part, unsigned place) {
  if (part.kind == CXCursor_TypedefDecl && is_variable(clang_getCursorType(part.cursor)))
    from_.refuse(
        place, fmt::format("the type '{}', of a size that is known at run time alone, is not translated here",
                           from_.spelling(part.cursor)));
  if (part.kind == CXCursor_DeclRefExpr) {
    const CXCursor variable = clang_getCursorReferenced(part.cursor);
    const CXCursorKind kind = clang_getCursorKind(variable);
    if ((kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) && is_local(variable))
      from_.refuse(place,
                   fmt::format("a type that names '{}', in what a loop or a child takes, is not translated",
                               from_.spelling(variable)));
  }
  // Members without a name stay so: what is in them is named as if it were beside them.
  if (part.kind == CXCursor_EnumConstantDecl) rename(part.cursor);
  if (is_type(part.kind) && !is_unnamed(part.cursor)) move_type(part.cursor, place);
  const CXCursor used = local_type_of(part);
  if (clang_Cursor_isNull(used) == 0) move_type(used, place);
}

/// The types that were moved in front of a declaration of the file.
std::string translation::moved_types(int top) const {
  const auto moved = moved_.find(top);
  if (moved == moved_.end()) return "";
  std::string result;
  for (const auto& [begin, end] : moved->second) {
    // A change does not ask for its own piece.
    const span first = from_.tokens()[from_.token_at(begin)].text;
    std::string text = std::string(from_.text(first)) + edits_.render({first.end, end});
    result += line_mark(begin).substr(1) + text + (text.ends_with(';') ? "\n" : ";\n");
  }
  return result;
}

}  // namespace tool::cilk
