// Spawned calls of C: a function of the arguments, in front of the one that spawns, which <nopal/nopal.h> makes forkable.
#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {

std::string translation::type_name(CXType type, unsigned place) const {
  if (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
      type.kind == CXType_VariableArray) {
    return type_name(clang_getArrayElementType(type), place) + "*";
  }
  const std::string name = from_.spelling(type);
  if (name.find("(unnamed") != name.npos || name.find("(anonymous") != name.npos || name.empty()) {
    from_.refuse(place, "a type without a name, in what a child takes, is not translated");
  }
  // Where the name is followed by another, as that of a pointer to a function is not.
  return fmt::format("__typeof__({})", name);
}

std::string& translation::prelude_of(unsigned offset) {
  const int top = top_of(offset);
  std::string& prelude = preludes_[top];
  const node& function = from_.at(top);
  if (prelude.empty() && function.kind == CXCursor_FunctionDecl && !function.children.empty()) {
    const unsigned block = from_.at(function.children.back()).text.begin;
    prelude = on_one_line(from_.text({function.text.begin, block})) + ";\n";
  }
  return prelude;
}

std::string translation::fork_c(const call_parts& call, unsigned scope, const std::string& target,
                                CXType target_type, const std::string& store) {
  constexpr std::size_t most_parameters = 16;
  const node& found = from_.at(call.node);
  const CXCursor called = clang_getCursorReferenced(found.cursor);
  const bool is_function = clang_getCursorKind(called) == CXCursor_FunctionDecl;
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
    add(type_name(target_type, found.text.begin) + "*", "nopal_to", fmt::format("&({})", target));
    body = fmt::format("*nopal_to {} ", store);
  }
  CXType function = clang_getCanonicalType(clang_getCursorType(called));
  if (function.kind == CXType_Pointer) function = clang_getPointeeType(function);
  if (is_function) {
    body += from_.spelling(called);
  } else {
    add(type_name(function, found.text.begin) + "*", "nopal_of", edits_.render(call.callee));
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
