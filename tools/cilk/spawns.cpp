// Spawned calls. Callee and arguments are evaluated by the parent, in front of the fork, as Cilk does.
#include <algorithm>

#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {
namespace {

std::vector<CXType> parameters_of(CXCursor callee) {
  std::vector<CXType> result;
  clang_visitChildren(
      callee,
      [](CXCursor child, CXCursor, CXClientData data) {
        if (clang_getCursorKind(child) == CXCursor_ParmDecl) {
          static_cast<std::vector<CXType>*>(data)->push_back(clang_getCursorType(child));
        }
        return CXChildVisit_Continue;
      },
      &result);
  return result;
}

bool begins_statement(CXCursorKind parent) {
  switch (parent) {
  case CXCursor_CompoundStmt:
  case CXCursor_IfStmt:
  case CXCursor_ForStmt:
  case CXCursor_CXXForRangeStmt:
  case CXCursor_WhileStmt:
  case CXCursor_DoStmt:
  case CXCursor_CaseStmt:
  case CXCursor_DefaultStmt:
  case CXCursor_LabelStmt:
  case CXCursor_SwitchStmt: return true;
  default: return false;
  }
}

}  // namespace

int translation::statement_of(int node) const {
  for (int parent = from_.at(node).parent; parent >= 0; parent = from_.at(node).parent) {
    if (begins_statement(from_.at(parent).kind)) break;
    node = parent;
  }
  return node;
}

call_parts translation::parts_of(const keyword& here) const {
  call_parts call;
  const std::size_t first = from_.token_at(here.text.end);
  const unsigned begin = first < from_.tokens().size() ? from_.tokens()[first].text.begin : here.text.end;
  for (std::size_t each = 0; each < from_.nodes().size(); ++each) {
    const node& other = from_.nodes()[each];
    if (other.kind != CXCursor_CallExpr || other.text.begin != begin) continue;
    if (from_.text()[other.text.end - 1] != ')') continue;
    if (call.node < 0 || other.text.end > from_.at(call.node).text.end) call.node = static_cast<int>(each);
  }
  if (call.node < 0) from_.refuse(here.text.begin, "cilk_spawn of what is no call is not translated");
  const node& found = from_.at(call.node);
  std::size_t open = from_.token_at(begin);
  std::size_t candidate = open;
  for (;; ++candidate) {
    if (candidate >= from_.tokens().size() || from_.tokens()[candidate].text.begin >= found.text.end) break;
    if (!from_.is(candidate, "(") && !from_.is(candidate, "[") && !from_.is(candidate, "{")) continue;
    const bool opens = from_.is(candidate, "(");
    const std::size_t close = from_.closing(candidate);
    if (opens && from_.tokens()[close].text.end == found.text.end) open = candidate;
    candidate = close;
  }
  const span brackets{from_.tokens()[open].text.begin, found.text.end};
  call.callee = trimmed({begin, brackets.begin});
  const int count = clang_Cursor_getNumArguments(found.cursor);
  std::vector<unsigned> begins;
  for (int each = 0; each < count; ++each) {
    const CXCursor argument = clang_Cursor_getArgument(found.cursor, static_cast<unsigned>(each));
    const span text = from_.span_of(argument);
    if (text.begin < brackets.end && text.end != 0 && text.begin <= brackets.begin) ++call.skipped;
    if (text.end == 0 || text.begin <= brackets.begin || text.end > brackets.end) continue;
    begins.push_back(text.begin);
    call.argument_cursors.push_back(argument);
  }
  for (std::size_t each = 0; each < begins.size(); ++each) {
    unsigned end = brackets.end - 1;
    if (each + 1 < begins.size()) {
      std::size_t comma = from_.token_at(begins[each + 1]);
      while (!from_.is(--comma, ",")) {
      }
      end = from_.tokens()[comma].text.begin;
    }
    call.arguments.push_back(trimmed({begins[each], end}));
  }
  return call;
}

bool translation::is_constant(span piece) const {
  std::size_t at = from_.token_at(piece.begin);
  if (from_.is(at, "-")) ++at;
  const token& here = from_.tokens()[at];
  if (here.text.end != piece.end) return false;
  const std::string_view text = from_.text(here.text);
  return here.kind == CXToken_Literal || text == "NULL" || text == "nullptr" || text == "true" ||
         text == "false";
}

bool translation::takes_reference(const call_parts& call, unsigned argument) const {
  const CXCursor callee = callee_of(call.node);
  const std::vector<CXType> parameters = parameters_of(callee);
  CXType type{};
  if (argument < parameters.size()) {
    type = parameters[argument];
  } else {
    CXType function = clang_getCanonicalType(clang_getCursorType(callee));
    if (function.kind == CXType_Pointer) function = clang_getPointeeType(function);
    type = clang_getArgType(function, argument);
  }
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference ||
         kind == CXType_LValueReference || kind == CXType_RValueReference;
}

std::string translation::fork_cxx(const call_parts& call, unsigned scope, span target,
                                  const std::string& store) {
  std::string captures = "&";
  std::string made;
  bool keeps = false;
  if (target.end > target.begin) {
    captures += fmt::format(", &nopal_to = {}", edits_.render(target));
    made = fmt::format("nopal_to {} ", store);
  } else {
    made = store.empty() ? "static_cast<void>(" : store + " ";
  }
  // The object of a method, or what is called where that is no function.
  const CXCursor called = callee_of(call.node);
  const CXCursorKind kind = clang_getCursorKind(called);
  int member = -1;
  for (const int each : from_.at(call.node).children) {
    const node& child = from_.at(each);
    const bool names_member = child.kind == CXCursor_MemberRefExpr || child.kind == CXCursor_MemberRef;
    if (names_member && call.callee.contains(child.text)) member = each;
  }
  unsigned dot = 0;
  if (member >= 0) {
    CXFile file = nullptr;
    unsigned name = 0;
    clang_getExpansionLocation(clang_getCursorLocation(from_.at(member).cursor), &file, nullptr, nullptr,
                               &name);
    std::size_t at = from_.token_at(name);
    while (at > 0 && from_.tokens()[at].text.begin > call.callee.begin && !from_.is(at, ".") &&
           !from_.is(at, "->"))
      --at;
    if (from_.is(at, ".") || from_.is(at, "->")) dot = from_.tokens()[at].text.begin;
  }
  const bool is_field = kind == CXCursor_FieldDecl;
  if (dot != 0 && !is_field && from_.text(trimmed({call.callee.begin, dot})) != "this") {
    const span object = trimmed({call.callee.begin, dot});
    std::vector<temporary> kept;
    if (const int whole = expression_at(object); whole >= 0) find_temporaries(whole, kept);
    keeps = !kept.empty();
    captures += fmt::format(", nopal_of = ::nopal::cilk::hold({}{})",
                            from_.is(from_.token_at(dot), "->") ? "*" : "", with_temporaries(object, kept));
    const unsigned behind = from_.tokens()[from_.token_at(dot)].text.end;
    made += "nopal_of.get()." + edits_.render({behind, call.callee.end});
  } else if (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
             kind == CXCursor_OverloadedDeclRef || (kind == CXCursor_CXXMethod && call.skipped == 0) ||
             clang_Cursor_isNull(called) != 0) {
    made += edits_.render(call.callee);
  } else {
    captures += fmt::format(", nopal_of = ::nopal::cilk::hold_callee({})", edits_.render(call.callee));
    made += "nopal_of.get()";
  }
  made += '(';
  for (unsigned each = 0; each < call.arguments.size(); ++each) {
    const span argument = call.arguments[each];
    if (each > 0) made += ", ";
    if (is_constant(argument)) {
      made += from_.text(argument);
      continue;
    }
    const passed given = pass(call, each, fmt::format("nopal_{}", each));
    captures += ", " + given.capture;
    made += given.use;
    keeps |= given.keeps;
  }
  made += target.end > target.begin || !store.empty() ? ")" : "))";
  if (!keeps) return fmt::format("nopal_scope_{}.fork([{}]() mutable {{ {}; }})", scope, captures, made);
  return fmt::format("nopal_scope_{}.fork([&] {{ ::nopal::cilk::keeper nopal_kept; "
                     "return [&, nopal_keeps = nopal_kept.all(){}]() mutable {{ {}; }}; }}())",
                     scope, captures.substr(1), made);
}

void translation::spawn(const keyword& here) {
  const call_parts call = parts_of(here);
  region& of = regions_[static_cast<std::size_t>(region_of(here.text.begin))];
  of.spawns = true;
  const unsigned scope = of.number;
  const node& found = from_.at(call.node);
  const std::size_t behind = from_.token_at(found.text.end);
  if (!from_.is(behind, ";") && !from_.is(behind, ",")) {
    from_.refuse(
        here.text.begin,
        "cilk_spawn within an expression is not translated; only calls, assignments and initializers are");
  }
  const int statement = statement_of(call.node);
  const unsigned begin = std::min(from_.at(statement).text.begin, here.text.begin);
  const span before = trimmed({begin, here.text.begin});
  if (before.begin == before.end) {
    if (!from_.is_cxx()) name_types(call, {});
    edits_.replace({here.text.begin, found.text.end}, [this, call, scope] {
      return from_.is_cxx() ? fork_cxx(call, scope, {}, "") : fork_c(call, scope, "", {}, "");
    });
    return;
  }
  const std::size_t assigns = from_.token_at(before.end) - 1;
  const std::string store(from_.text(from_.tokens()[assigns].text));
  if (store.back() != '=' || store == "==" || store == "<=" || store == ">=" || store == "!=") {
    from_.refuse(
        here.text.begin,
        "cilk_spawn within an expression is not translated; only calls, assignments and initializers are");
  }
  const span target = trimmed({before.begin, from_.tokens()[assigns].text.begin});
  if (from_.at(statement).kind == CXCursor_DeclStmt) {
    const auto& children = from_.at(statement).children;
    if (children.size() != 1)
      from_.refuse(here.text.begin, "cilk_spawn among several declarations in one is not translated");
    const node& variable = from_.at(children.front());
    const CXType type = clang_getCursorType(variable.cursor);
    if (clang_isConstQualifiedType(type) != 0 || type.kind == CXType_LValueReference ||
        type.kind == CXType_RValueReference) {
      from_.refuse(here.text.begin,
                   "cilk_spawn as the initializer of a constant or a reference is not translated");
    }
    if (clang_Cursor_getStorageClass(variable.cursor) == CX_SC_Static) {
      from_.refuse(here.text.begin, "cilk_spawn as the initializer of a static variable is not translated");
    }
    const std::string name = from_.spelling(variable.cursor);
    const std::size_t first = from_.token_at(target.begin);
    if (from_.is(first, "auto")) {
      edits_.replace(from_.tokens()[first].text, [this, call] {
        return fmt::format("::std::decay_t<decltype({})>", edits_.flat(from_.at(call.node).text));
      });
    }
    if (!from_.is_cxx()) {
      name_types(call, type);
      drop_register(variable.cursor, here.text.begin);
    }
    edits_.replace({from_.tokens()[assigns].text.begin, found.text.end}, [this, call, scope, name, type] {
      return "; " +
             (from_.is_cxx() ? fork_cxx(call, scope, {}, name + " =") : fork_c(call, scope, name, type, "="));
    });
    return;
  }
  // The left side of the one assignment that the statement is.
  if (!is_operand(target, {begin, found.text.end})) {
    from_.refuse(
        here.text.begin,
        "cilk_spawn within an expression is not translated; only calls, assignments and initializers are");
  }
  CXType type{};
  for (const node& each : from_.nodes()) {
    if (each.text.begin != target.begin || each.text.end != target.end || clang_isExpression(each.kind) == 0)
      continue;
    type = clang_getCursorType(each.cursor);
    if (!from_.is_cxx() && each.kind == CXCursor_DeclRefExpr)
      drop_register(clang_getCursorReferenced(each.cursor), here.text.begin);
    if (clang_Cursor_isBitField(clang_getCursorReferenced(each.cursor)) != 0) {
      from_.refuse(here.text.begin, "cilk_spawn into a bit-field is not translated");
    }
    break;
  }
  if (type.kind == CXType_Invalid && !from_.is_cxx())
    from_.refuse(here.text.begin, "cilk_spawn into this is not translated");
  if (!from_.is_cxx()) name_types(call, type);
  edits_.replace({begin, found.text.end}, [this, call, scope, target, type, store] {
    return from_.is_cxx() ? fork_cxx(call, scope, target, store)
                          : fork_c(call, scope, edits_.render(target), type, store);
  });
}

}  // namespace tool::cilk
