// Spawned calls of C: a function of the arguments, in front of the one that spawns, which <nopal/nopal.h> makes forkable.
#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {

declarations translation::printer(unsigned place) {
  return declarations([this, place](CXCursor declared) { return name_of_type(declared, place); });
}

/// A parameter's type, where its name is followed by another. Where its size is known in the function alone, a pointer to anything.
std::string translation::type_name(CXType type, unsigned place) {
  if (!is_variable(type)) return fmt::format("__typeof__({})", printer(place).of_parameter(type, ""));
  const CXType known = clang_getCanonicalType(type);
  const CXType target =
      known.kind == CXType_Pointer ? clang_getPointeeType(known) : clang_getArrayElementType(known);
  const bool is_const = clang_isConstQualifiedType(target) != 0;
  const bool is_volatile = clang_isVolatileQualifiedType(target) != 0;
  return fmt::format("__typeof__({}{}void*)", is_const ? "const " : "", is_volatile ? "volatile " : "");
}

/// The function type of what is called.
CXType translation::called_type(const call_parts& call) const {
  const node& found = from_.at(call.node);
  CXType type = clang_getCanonicalType(clang_getCursorType(from_.at(found.children.front()).cursor));
  return type.kind == CXType_Pointer ? clang_getPointeeType(type) : type;
}

/// The function that the call names; a null cursor where it computes what it calls.
CXCursor translation::called_function(const call_parts& call) const {
  const int whole = expression_at(call.callee);
  if (whole < 0) return clang_getNullCursor();
  const node& callee = from_.at(written(whole));
  const CXCursor named = clang_getCursorReferenced(callee.cursor);
  return callee.kind == CXCursor_DeclRefExpr && clang_getCursorKind(named) == CXCursor_FunctionDecl
             ? named
             : clang_getNullCursor();
}

/// Before anything is rendered: types that have to be moved are named.
void translation::name_types(const call_parts& call, CXType target) {
  const unsigned place = from_.at(call.node).text.begin;
  const CXCursor called = called_function(call);
  if (clang_Cursor_isNull(called) == 0)
    declare_function(called, place);
  else
    static_cast<void>(type_name(called_type(call), place));
  if (target.kind != CXType_Invalid) static_cast<void>(type_name(target, place));
  for (const CXCursor& each : call.argument_cursors)
    static_cast<void>(type_name(clang_getCursorType(each), place));
}

/// In front of what takes a function that is declared within one.
void translation::declare_function(CXCursor function, unsigned place) {
  if (clang_getCursorKind(clang_getCursorLexicalParent(function)) != CXCursor_FunctionDecl) return;
  const std::string name = from_.spelling(function);
  declared_functions_[top_of(place)][name] = printer(place).of(clang_getCursorType(function), name) + ";\n";
}

std::string& translation::prelude_of(unsigned offset) {
  const int top = top_of(offset);
  std::string& prelude = preludes_[top];
  const node& function = from_.at(top);
  if (prelude.empty() && function.kind == CXCursor_FunctionDecl && !function.children.empty()) {
    const unsigned block = from_.at(function.children.back()).text.begin;
    prelude = on_one_line(from_.text({function.text.begin, block}));
    // The parameters of an old definition are declared behind its brackets.
    if (prelude.ends_with(';'))
      prelude = on_one_line(
                    from_.text({function.text.begin, from_.tokens()[name_token(function.cursor)].text.end})) +
                "()";
    prelude += ";\n";
  }
  return prelude;
}

std::string translation::fork_c(const call_parts& call, unsigned scope, const std::string& target,
                                CXType target_type, const std::string& store) {
  constexpr std::size_t most_parameters = 16;
  const node& found = from_.at(call.node);
  const CXCursor called = called_function(call);
  const std::string child = fmt::format("nopal_cilk_{}", next_number_++);
  std::string parameters;
  std::string list;
  std::string given;
  std::string taken;
  const auto add = [&](const std::string& type, const std::string& name, const std::string& argument) {
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", type, name);
    list += fmt::format(", ({}, {})", type, name);
    given += ", " + argument;
  };
  std::string body;
  if (!store.empty()) {
    const std::string type = type_name(target_type, found.text.begin) + "*";
    add(type, "nopal_to", fmt::format("{}&({})", is_variable(target_type) ? "(" + type + ")" : "", target));
    body = fmt::format("*nopal_to {} ", store);
  }
  const CXType function = called_type(call);
  if (clang_Cursor_isNull(called) == 0) {
    body += from_.spelling(called);
  } else {
    add(type_name(function, found.text.begin), "nopal_of", edits_.render(call.callee));
    body += "nopal_of";
  }
  const int known = clang_getNumArgTypes(function);
  for (unsigned each = 0; each < call.arguments.size(); ++each) {
    const bool declared = static_cast<int>(each) < known;
    const CXType type =
        declared ? clang_getArgType(function, each) : clang_getCursorType(call.argument_cursors[each]);
    const std::string name = fmt::format("nopal_{}", each);
    add(type_name(type, call.arguments[each].begin), name, edits_.render(call.arguments[each]));
    taken += (each > 0 ? ", " : "") + name;
  }
  if (call.arguments.size() + 2 > most_parameters) {
    from_.refuse(found.text.begin, "a spawned call of more than 14 arguments is not translated");
  }
  // Old programs have an empty macro of that name.
  prelude_of(found.text.begin) += fmt::format(
      "#pragma push_macro(\"register\")\n#undef register{5}"
      "static inline __attribute__((always_inline)) void {0}({1}) {{ {2}({3}); }} "
      "NOPAL_FORKABLE_VOID({0}{4})\n#pragma pop_macro(\"register\")\n",
      child, parameters.empty() ? "void" : parameters, body, taken, list, line_mark(found.text.begin));
  return fmt::format("nopal_fork_{}(&nopal_scope_{}{})", child, scope, given);
}

}  // namespace tool::cilk
