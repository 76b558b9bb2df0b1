#include "cilk/translation.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tool::cilk {
namespace {

bool is_function(CXCursorKind kind) {
  switch (kind) {
  case CXCursor_FunctionDecl:
  case CXCursor_CXXMethod:
  case CXCursor_Constructor:
  case CXCursor_Destructor:
  case CXCursor_ConversionFunction:
  case CXCursor_FunctionTemplate:
  case CXCursor_LambdaExpr: return true;
  default: return false;
  }
}

/// Whether objects of the type may do something as they end.
bool has_end(CXType type) {
  type = clang_getCanonicalType(type);
  switch (type.kind) {
  case CXType_Record:
  case CXType_Unexposed:
  case CXType_Dependent:
  case CXType_Auto:
  // Of a temporary.
  case CXType_LValueReference:
  case CXType_RValueReference: return true;
  case CXType_ConstantArray:
  case CXType_DependentSizedArray: return has_end(clang_getArrayElementType(type));
  default: return false;
  }
}

}  // namespace

span translation::trimmed(span piece) const {
  const std::string& text = from_.text();
  const auto blank = [&](unsigned at) {
    return text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r';
  };
  while (piece.begin < piece.end && blank(piece.begin)) ++piece.begin;
  while (piece.begin < piece.end && blank(piece.end - 1)) --piece.end;
  // Without the comments at its ends: one to the end of the line would take what is put behind it.
  const std::size_t first = from_.token_at(piece.begin);
  const std::size_t behind = from_.token_at(piece.end);
  if (first >= behind || from_.tokens()[behind - 1].text.end > piece.end) return piece;
  return {from_.tokens()[first].text.begin, from_.tokens()[behind - 1].text.end};
}

int translation::top_of(unsigned offset) const {
  int node = from_.innermost({offset, offset + 1});
  // Where functions may stand: in no other function.
  int top = node;
  for (; node >= 0; node = from_.at(node).parent) {
    if (is_function(from_.at(node).kind) || from_.at(node).parent < 0) top = node;
  }
  return top;
}

std::string translation::line_mark(unsigned offset) const {
  const auto [file, line] = from_.place_of(offset);
  return fmt::format("\n{}", line_directive(line, file));
}

int translation::container_of(int node) const {
  for (; node >= 0; node = from_.at(node).parent) {
    const int parent = from_.at(node).parent;
    if (loop_bodies_.contains(node)) return node;
    if (from_.at(node).kind == CXCursor_CompoundStmt && parent >= 0 && is_function(from_.at(parent).kind))
      return node;
  }
  return -1;
}

int translation::region_of(unsigned offset) {
  int node = from_.innermost({offset, offset + 1});
  for (; node >= 0; node = from_.at(node).parent) {
    const int parent = from_.at(node).parent;
    if (scopes_.contains(node) || loop_bodies_.contains(node)) break;
    // A body without braces begins with the keyword, which its node does not contain.
    if (const auto loop = loops_.find(node); loop != loops_.end() && loop->second.begin <= offset) {
      node = from_.at(node).children.back();
      break;
    }
    if (from_.at(node).kind != CXCursor_CompoundStmt || parent < 0) continue;
    const auto& above = from_.at(parent);
    if (is_function(above.kind) || (above.kind == CXCursor_CXXTryStmt && above.children.front() == node))
      break;
  }
  if (node < 0) from_.refuse(offset, "Cilk's keywords outside of a function are not translated");
  return region_of_node(node);
}

int translation::region_of_node(int node) {
  for (std::size_t each = 0; each < regions_.size(); ++each) {
    if (regions_[each].node == node) return static_cast<int>(each);
  }
  region made{node, next_number_++};
  made.is_function = container_of(node) == node;
  regions_.push_back(made);
  return static_cast<int>(regions_.size()) - 1;
}

void translation::move_alloca(const region& of) {
  const span body = from_.at(of.node).text;
  bool found = false;
  for (std::size_t at = from_.token_at(body.begin); at + 1 < from_.tokens().size(); ++at) {
    const span name = from_.tokens()[at].text;
    if (name.begin >= body.end) break;
    const std::string_view spelled = from_.text(name);
    if ((spelled != "alloca" && spelled != "__builtin_alloca") || !from_.is(at + 1, "(")) continue;
    if (container_of(from_.innermost(name)) != of.node) continue;
    edits_.replace({name.begin, from_.tokens()[at + 1].text.end},
                   fmt::format("nopal_cilk_allocate(&nopal_memory_{}, ", of.number));
    found = true;
  }
  if (found) {
    edits_.insert(body.begin + 1, fmt::format(" NOPAL_CILK_MEMORY(nopal_memory_{});", of.number));
  }
}

/// It would lie on whichever stack the strand happens to use.
void translation::refuse_variable_arrays(const region& of) const {
  for (std::size_t each = 0; each < from_.nodes().size(); ++each) {
    const node& here = from_.nodes()[each];
    if (here.kind != CXCursor_VarDecl || container_of(static_cast<int>(each)) != of.node) continue;
    if (clang_getCanonicalType(clang_getCursorType(here.cursor)).kind == CXType_VariableArray) {
      from_.refuse(here.text.begin, "a variable-length array in a function that spawns is not translated");
    }
  }
}

/// Children end before the objects around them do: where a jump leaves a region, they are waited for, at a `return` once its value
/// is there.
void translation::join_before_jumps(const region& of) {
  const span body = from_.at(of.node).text;
  bool has_objects = false;
  std::vector<int> jumps;
  for (std::size_t each = 0; each < from_.nodes().size(); ++each) {
    const node& here = from_.nodes()[each];
    if (!body.contains(here.text) || container_of(static_cast<int>(each)) != container_of(of.node)) continue;
    if (leaves(static_cast<int>(each), of.node)) jumps.push_back(static_cast<int>(each));
    if (here.kind == CXCursor_VarDecl)
      has_objects |= has_end(clang_getCursorType(here.cursor)) || reducer_of(here.cursor) != nullptr;
  }
  if (!has_objects) return;
  unsigned last = 0;
  for (const int each : jumps) {
    const span all = from_.at(each).text;
    // Several jumps of one macro.
    if (all.begin < last) continue;
    last = all.end;
    const bool is_return = from_.text(all).starts_with("return");
    const span value = is_return ? trimmed({all.begin + 6, all.end}) : span{};
    // By an object that ends first, where a macro may hide a value, or where there is one to compute.
    const bool guards = from_.at(each).kind == CXCursor_ReturnStmt &&
                        (!is_return || from_.text(value).find_first_of("({") != std::string_view::npos);
    edits_.insert(
        all.begin,
        guards ? fmt::format("{{ ::nopal::cilk::join_after nopal_after_{0}{{nopal_scope_{0}}}; ", of.number)
               : fmt::format("{{ nopal_scope_{}.join(); ", of.number));
    const std::size_t end = from_.token_at(all.end);
    if (from_.is(end, ";")) edits_.insert(from_.tokens()[end].text.end, " }");
  }
}

/// Whether control leaves `region` by the statement.
bool translation::leaves(int statement, int region) const {
  const node& here = from_.at(statement);
  if (here.kind == CXCursor_ReturnStmt) return true;
  if (here.kind == CXCursor_GotoStmt) {
    return std::none_of(here.children.begin(), here.children.end(), [&](int child) {
      return from_.at(child).kind == CXCursor_LabelRef &&
             from_.at(region).text.contains(from_.span_of(clang_getCursorReferenced(from_.at(child).cursor)));
    });
  }
  if (here.kind != CXCursor_BreakStmt && here.kind != CXCursor_ContinueStmt) return false;
  for (int each = here.parent; each >= 0 && each != region; each = from_.at(each).parent) {
    switch (from_.at(each).kind) {
    case CXCursor_ForStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt: return false;
    case CXCursor_SwitchStmt:
      if (here.kind == CXCursor_BreakStmt) return false;
      break;
    default: break;
    }
  }
  return true;
}

/// Whether control never comes behind the statement: a join there would seem to be an end without a value to compilers.
bool translation::returns(int statement) const {
  const node& here = from_.at(statement);
  if (here.kind == CXCursor_ReturnStmt) return true;
  if (here.children.empty()) return false;
  const int last = here.children.back();
  if (here.kind == CXCursor_CompoundStmt || here.kind == CXCursor_CXXCatchStmt) return returns(last);
  if (here.kind == CXCursor_CXXTryStmt) {
    return std::all_of(here.children.begin(), here.children.end(), [&](int each) { return returns(each); });
  }
  // The branches come last; without an `else` what is before the only one is an expression or a declaration.
  return here.kind == CXCursor_IfStmt && here.children.size() > 2 && returns(last) &&
         returns(here.children[here.children.size() - 2]);
}

/// Whether a `return` of the function itself has a value, which is known not to be void.
bool translation::returns_value(const region& of) const {
  for (std::size_t each = 0; each < from_.nodes().size(); ++each) {
    const node& here = from_.nodes()[each];
    if (here.kind != CXCursor_ReturnStmt || here.children.empty()) continue;
    if (container_of(static_cast<int>(each)) != of.node) continue;
    const CXTypeKind value =
        clang_getCanonicalType(clang_getCursorType(from_.at(here.children.front()).cursor)).kind;
    if (value != CXType_Void && value != CXType_Invalid && value != CXType_Unexposed &&
        value != CXType_Auto && value != CXType_Dependent) {
      return true;
    }
  }
  return false;
}

/// Whether control may come to the end of a body. In C++ it comes to that of no function with a result but `main`.
bool translation::comes_to_end(const region& of) const {
  if (returns(of.node)) return false;
  const int parent = from_.at(of.node).parent;
  if (!of.is_function || parent < 0) return true;
  const node& function = from_.at(parent);
  if (function.kind != CXCursor_FunctionDecl && function.kind != CXCursor_FunctionTemplate &&
      function.kind != CXCursor_CXXMethod) {
    // A lambda, for one: the parser names no result of it.
    return !returns_value(of);
  }
  if (from_.spelling(function.cursor) == "main") return true;
  // Of templates, what may turn out to be void.
  const CXTypeKind result = clang_getCanonicalType(clang_getCursorResultType(function.cursor)).kind;
  return result == CXType_Void || result == CXType_Invalid || result == CXType_Unexposed ||
         result == CXType_Auto || result == CXType_Dependent;
}

std::string translation::scope_text(unsigned number) const {
  return from_.is_cxx() ? fmt::format(" ::nopal::scope nopal_scope_{};", number)
                        : fmt::format(" NOPAL_CILK_SCOPE(nopal_scope_{});", number);
}

void translation::add_scopes() {
  for (const region& each : regions_) {
    const span body = from_.at(each.node).text;
    if (each.is_function) {
      const bool any = std::any_of(regions_.begin(), regions_.end(), [&](const region& other) {
        return other.spawns && container_of(other.node) == each.node;
      });
      if (any) {
        move_alloca(each);
        refuse_variable_arrays(each);
      }
    }
    if (!each.spawns) continue;
    // A loop's body without braces gets them, and a scope, from the loop.
    if (from_.at(each.node).kind != CXCursor_CompoundStmt) continue;
    edits_.insert(body.begin + 1, scope_text(each.number));
    if (from_.is_cxx()) {
      if (comes_to_end(each))
        edits_.insert(body.end - 1, fmt::format("nopal_scope_{}.join(); ", each.number));
      join_before_jumps(each);
    }
  }
}

void translation::add_include() {
  const unsigned first = from_.keywords().front().text.begin;
  int node = from_.innermost({first, first + 1});
  while (node >= 0 && from_.at(node).parent >= 0) node = from_.at(node).parent;
  const unsigned place = node >= 0 ? from_.at(node).text.begin : first;
  edits_.insert(place, fmt::format("\n#include <nopal/detail/cilk.{}>{}", from_.is_cxx() ? "hpp" : "h",
                                   line_mark(place)));
}

std::string translation::run() {
  const std::string mark = line_directive(1, from_.name());
  const span all{0, static_cast<unsigned>(from_.text().size())};
  if (from_.keywords().empty()) return mark + from_.text();
  for (const keyword& each : from_.keywords()) {
    if (each.which == word::scope) {
      const std::size_t open = from_.token_at(each.text.end);
      if (!from_.is(open, "{")) from_.refuse(each.text.begin, "cilk_scope without a block is not translated");
      const unsigned at = from_.tokens()[open].text.begin;
      const auto found = std::find_if(from_.nodes().begin(), from_.nodes().end(), [at](const node& other) {
        return other.kind == CXCursor_CompoundStmt && other.text.begin == at;
      });
      if (found == from_.nodes().end()) from_.refuse(each.text.begin, "cilk_scope here is not translated");
      scopes_.insert(static_cast<int>(found - from_.nodes().begin()));
      edits_.replace(each.text, std::string());
    }
  }
  add_include();
  find_reducers();
  // The innermost loops first.
  for (auto each = from_.keywords().rbegin(); each != from_.keywords().rend(); ++each) {
    if (each->which == word::loop) loop(*each);
  }
  for (const keyword& each : from_.keywords()) {
    if (each.which == word::spawn) spawn(each);
  }
  translate_reducers();
  for (const keyword& each : from_.keywords()) {
    if (each.which != word::sync) continue;
    std::string joins;
    int of = regions_[static_cast<std::size_t>(region_of(each.text.begin))].node;
    // Out of a `try`, too, up to the function, the loop's body or the cilk_scope.
    for (bool more = true; more;) {
      const region& here = regions_[static_cast<std::size_t>(region_of_node(of))];
      if (here.spawns) {
        joins += joins.empty() ? "" : ", ";
        joins += fmt::format(
            fmt::runtime(from_.is_cxx() ? "nopal_scope_{}.join()" : "nopal_join(&nopal_scope_{})"),
            here.number);
      }
      const int parent = from_.at(of).parent;
      more = parent >= 0 && from_.at(parent).kind == CXCursor_CXXTryStmt && !scopes_.contains(of) &&
             container_of(parent) >= 0;
      if (more) of = regions_[static_cast<std::size_t>(region_of(from_.at(parent).text.begin))].node;
    }
    edits_.replace(each.text, joins);
  }
  add_scopes();
  // What goes in front of functions is known once they are rendered.
  static_cast<void>(edits_.render(all));
  std::map<int, std::string> made;
  for (const auto& [top, types] : moved_) made[top] += moved_types(top);
  for (const auto& [top, functions] : declared_functions_) {
    for (const auto& [name, declared] : functions) made[top] += declared;
  }
  for (const auto& [top, text] : preludes_) made[top] += text;
  preludes_.clear();
  for (const auto& [top, text] : made) {
    const unsigned place = from_.at(top).text.begin;
    edits_.insert(place, "\n" + text + line_mark(place));
  }
  return mark + edits_.render(all);
}

}  // namespace tool::cilk
