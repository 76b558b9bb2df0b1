// Arguments of spawned calls of C++: converted for their parameters by the parent, and with the temporaries that they refer to.
#include <algorithm>

#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {
namespace {

bool is_reference(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return kind == CXType_LValueReference || kind == CXType_RValueReference;
}

bool is_object(CXType type) { return clang_getCanonicalType(type).kind == CXType_Record; }

bool is_number(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return (kind >= CXType_FirstBuiltin && kind <= CXType_LastBuiltin && kind != CXType_Dependent &&
          kind != CXType_Overload) ||
         kind == CXType_Enum;
}

/// Without `const` and the like; an unknown type as it is.
CXType plain(CXType type) {
  return type.kind == CXType_Invalid ? type : clang_getUnqualifiedType(clang_getCanonicalType(type));
}

bool same(CXType left, CXType right) { return clang_equalTypes(plain(left), plain(right)) != 0; }

CXType without_reference(CXType type) {
  return is_reference(type) ? clang_getPointeeType(clang_getCanonicalType(type)) : type;
}

bool is_in_macro(CXCursor cursor) {
  const CXSourceLocation place = clang_getRangeStart(clang_getCursorExtent(cursor));
  unsigned expanded = 0;
  unsigned spelled = 0;
  clang_getExpansionLocation(place, nullptr, nullptr, nullptr, &expanded);
  clang_getSpellingLocation(place, nullptr, nullptr, nullptr, &spelled);
  return expanded != spelled;
}

/// The type of a function, or of that which a variable points to.
CXType function_type(CXCursor callee) {
  CXType function = clang_getCanonicalType(clang_getCursorType(callee));
  if (is_reference(function)) function = clang_getPointeeType(function);
  if (function.kind == CXType_Pointer) function = clang_getPointeeType(function);
  return function;
}

}  // namespace

CXCursor translation::callee_of(int call) const {
  const CXCursor known = clang_getCursorReferenced(from_.at(call).cursor);
  if (clang_Cursor_isNull(known) == 0) return known;
  // In a template: a name that overloads are looked up by.
  for (const int each : from_.at(call).children) {
    if (from_.at(each).kind != CXCursor_OverloadedDeclRef) continue;
    if (clang_getNumOverloadedDecls(from_.at(each).cursor) == 1)
      return clang_getOverloadedDecl(from_.at(each).cursor, 0);
  }
  return known;
}

/// The innermost node of those with the same text: what the program has, without the conversions that are implied.
int translation::written(int which) const {
  for (bool more = true; more;) {
    more = false;
    const node& here = from_.at(which);
    for (const int child : here.children) {
      const node& inner = from_.at(child);
      if (clang_isExpression(inner.kind) == 0 || inner.text.begin != here.text.begin ||
          inner.text.end != here.text.end)
        continue;
      which = child;
      more = true;
      break;
    }
  }
  return which;
}

/// The outermost expression with this text; -1 where there is none.
int translation::expression_at(span text) const {
  for (std::size_t each = 0; each < from_.nodes().size(); ++each) {
    const node& here = from_.nodes()[each];
    if (here.text.begin == text.begin && here.text.end == text.end && clang_isExpression(here.kind) != 0)
      return static_cast<int>(each);
  }
  return -1;
}

/// The type by a name that is known wherever it is used; empty where it has none.
std::string translation::type_anywhere(CXType type) const {
  type = clang_getCanonicalType(type);
  const std::string name = from_.spelling(type);
  const auto has = [&](const char* text) { return name.find(text) != name.npos; };
  if (name.empty() || has("(lambda") || has("(unnamed") || has("(anonymous") || has("type-parameter") ||
      has("initializer_list<") || type.kind == CXType_Dependent || type.kind == CXType_Unexposed)
    return "";
  CXType named = type;
  while (named.kind == CXType_Pointer || is_reference(named)) named = clang_getPointeeType(named);
  const CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(clang_getTypeDeclaration(named));
  return access == CX_CXXPrivate || access == CX_CXXProtected ? "" : name;
}

/// Whether the expression makes what has no name.
bool translation::is_made(int which) const {
  which = written(which);
  while (from_.at(which).kind == CXCursor_ParenExpr && !from_.at(which).children.empty())
    which = written(from_.at(which).children.front());
  switch (from_.at(which).kind) {
  case CXCursor_CallExpr: {
    const CXCursor callee = callee_of(which);
    return clang_Cursor_isNull(callee) != 0 || !is_reference(clang_getCursorResultType(callee));
  }
  case CXCursor_CXXFunctionalCastExpr:
  case CXCursor_CStyleCastExpr:
  case CXCursor_CXXStaticCastExpr:
  case CXCursor_BinaryOperator:
  case CXCursor_IntegerLiteral:
  case CXCursor_FloatingLiteral:
  case CXCursor_CharacterLiteral:
  case CXCursor_ConditionalOperator:
  case CXCursor_CXXBoolLiteralExpr: return true;
  default: return false;
  }
}

/// Whether it is a call that gives what there is to be moved from, as std::move does.
bool translation::is_to_move(int which) const {
  const int call = written(which);
  if (from_.at(call).kind != CXCursor_CallExpr) return false;
  const CXCursor callee = callee_of(call);
  return clang_Cursor_isNull(callee) == 0 &&
         clang_getCanonicalType(clang_getCursorResultType(callee)).kind == CXType_RValueReference;
}

/// What lives until the end of the expression that has it, where an argument may refer to it.
void translation::find_temporaries(int which, std::vector<temporary>& found) const {
  const int inner = written(which);
  const node& here = from_.at(inner);
  if (here.kind == CXCursor_LambdaExpr) return;
  for (const int child : here.children) {
    if (clang_isExpression(from_.at(child).kind) != 0) find_temporaries(child, found);
  }
  if (is_in_macro(here.cursor)) return;
  const auto add = [&](int of, const std::string& type, bool refers) {
    const node& kept = from_.at(of);
    const bool known = std::any_of(found.begin(), found.end(), [&](const temporary& each) {
      return each.text.begin == kept.text.begin && each.text.end == kept.text.end;
    });
    // Of a pointer that is an object, `->` has what it points to.
    if (!known && kept.text.end > kept.text.begin && !is_in_macro(kept.cursor) &&
        !from_.text(kept.text).ends_with("->"))
      found.push_back({kept.text, type, refers});
  };
  if (here.kind != CXCursor_CallExpr) return;
  const CXCursor callee = callee_of(inner);
  const bool is_known = clang_Cursor_isNull(callee) == 0;
  const CXType result = is_known ? clang_getCursorResultType(callee) : CXType{};
  if (is_known && is_number(result)) return;
  const bool refers =
      !is_known || is_reference(result) || clang_getCanonicalType(result).kind == CXType_Pointer;
  // The object of a method.
  for (const int child : here.children) {
    if (from_.at(child).kind != CXCursor_MemberRefExpr) continue;
    for (const int object : from_.at(child).children) {
      if (clang_isExpression(from_.at(object).kind) != 0 && is_made(object)) add(object, "", refers);
    }
  }
  const int count = clang_Cursor_getNumArguments(here.cursor);
  const CXType function = is_known ? function_type(callee) : CXType{};
  const int parameters = is_known ? clang_getNumArgTypes(function) : -1;
  const int skipped =
      is_known && clang_getCursorKind(callee) == CXCursor_CXXMethod && count == parameters + 1 ? 1 : 0;
  for (int each = 0; each < count; ++each) {
    const CXCursor cursor = clang_Cursor_getArgument(here.cursor, static_cast<unsigned>(each));
    const int argument = expression_at(from_.span_of(cursor));
    if (argument < 0) continue;
    const bool is_operand = each < skipped;
    const CXType type = !is_operand && each - skipped < parameters
                            ? clang_getArgType(function, static_cast<unsigned>(each - skipped))
                            : CXType{};
    if (!is_operand && is_known && !is_reference(type)) continue;
    const CXType has = clang_getCursorType(from_.at(written(argument)).cursor);
    const CXType wants = without_reference(type);
    const bool converts =
        !is_operand && is_known && !same(has, wants) && !(is_object(has) && is_object(wants));
    const std::string name = converts ? type_anywhere(plain(wants)) : "";
    const bool is_constant = converts && clang_isConstQualifiedType(wants) == 0 &&
                             clang_getCanonicalType(type).kind == CXType_LValueReference;
    if (!is_constant && (is_made(argument) || !name.empty())) add(argument, name, refers);
  }
}

/// An argument's text, in which what it refers to is kept.
std::string translation::with_temporaries(span text, const std::vector<temporary>& kept) const {
  const temporary* next = nullptr;
  for (const temporary& each : kept) {
    const bool inside =
        text.contains(each.text) && (each.text.begin != text.begin || each.text.end != text.end);
    if (!inside) continue;
    if (next == nullptr || each.text.begin < next->text.begin ||
        (each.text.begin == next->text.begin && each.text.end > next->text.end))
      next = &each;
  }
  if (next == nullptr) return edits_.render(text);
  const std::string type = next->type.empty() ? "decltype(auto)" : next->type;
  const std::string inner = with_temporaries(next->text, kept);
  const bool refers = next->refers;
  const span rest{next->text.end, text.end};
  return fmt::format("{}nopal_kept.keep<{}>([&]() -> {} {{ return ({}); }}){}",
                     edits_.render({text.begin, next->text.begin}), refers, type, inner,
                     rest.begin < rest.end ? with_temporaries(rest, kept) : "");
}

/// The type of the parameter; invalid where it is not known.
CXType translation::parameter_of(const call_parts& call, unsigned argument) const {
  const CXCursor callee = callee_of(call.node);
  return clang_Cursor_isNull(callee) != 0 ? CXType{} : clang_getArgType(function_type(callee), argument);
}

passed translation::pass(const call_parts& call, unsigned argument, const std::string& name) const {
  const span text = call.arguments[argument];
  const CXType type = parameter_of(call, argument);
  const bool in_braces = from_.text()[text.begin] == '{';
  std::vector<temporary> kept;
  const int whole = expression_at(text);
  if (from_.text(text).ends_with("...")) {
    return {fmt::format("...{} = {}", name, edits_.render({text.begin, text.end - 3})),
            fmt::format("static_cast<decltype({0})&&>({0})...", name), false};
  }
  if (whole >= 0 && !is_number(type)) find_temporaries(whole, kept);
  std::string value = with_temporaries(text, kept);
  // An unknown type is that of the argument.
  const CXType has = whole >= 0 ? clang_getCursorType(from_.at(written(whole)).cursor) : CXType{};
  const CXType wants = plain(without_reference(type));
  const std::string known = type.kind == CXType_Invalid ? "" : type_anywhere(wants);
  const bool is_function = has.kind == CXType_FunctionProto || has.kind == CXType_Overload;
  const bool converts =
      in_braces || (whole >= 0 && !same(has, wants) &&
                    (is_object(has) || is_object(wants) || is_reference(type) || is_function));
  // What is converted may be referred to by what it is converted to, as a string by a string_view.
  const bool keeps_whole = converts && !in_braces && whole >= 0 && is_object(has) && !is_number(wants) &&
                           is_made(whole) && (!is_reference(type) || is_object(wants));
  if (keeps_whole)
    value = fmt::format("nopal_kept.keep<true>([&]() -> decltype(auto) {{ return ({}); }})", value);
  const bool keeps = !kept.empty() || keeps_whole;
  const bool is_bit_field =
      whole >= 0 && clang_Cursor_isBitField(clang_getCursorReferenced(from_.at(written(whole)).cursor)) != 0;
  if (in_braces && (known.empty() || wants.kind == CXType_ConstantArray))
    from_.refuse(text.begin, "a spawned call's argument in braces is not translated");
  if (takes_reference(call, argument)) {
    const std::string use = name + ".get()";
    if ((in_braces || is_bit_field) && !known.empty())
      return {fmt::format("{} = ::nopal::cilk::hold([&]() -> {} {{ return {}; }}())", name, known, value),
              use, keeps};
    if (!converts && whole >= 0 && is_to_move(whole))
      return {fmt::format("{} = ::nopal::cilk::hold_to_move({})", name, value), use, keeps};
    if (!converts || known.empty() || clang_getCanonicalType(wants).kind == CXType_FunctionProto)
      return {fmt::format("{} = ::nopal::cilk::hold({})", name, value), use, keeps};
    return {fmt::format("{} = ::nopal::cilk::hold_as<{}>({})", name,
                        from_.spelling(clang_getCanonicalType(type)), value),
            use, keeps};
  }
  const std::string use = fmt::format("static_cast<decltype({0})&&>({0})", name);
  if (converts && !known.empty())
    return {fmt::format("{} = [&]() -> {} {{ return {}; }}()", name, known, value), use, keeps};
  return {fmt::format("{} = {}", name, value), use, keeps};
}

}  // namespace tool::cilk
