#include "cilk/declarations.hpp"

#include <fmt/format.h>

#include "cilk/source.hpp"

namespace tool::cilk {
namespace {

constexpr unsigned is_const = 1;
constexpr unsigned is_volatile = 2;
constexpr unsigned is_restrict = 4;

unsigned qualifiers_of(CXType type) {
  return (clang_isConstQualifiedType(type) != 0 ? is_const : 0) |
         (clang_isVolatileQualifiedType(type) != 0 ? is_volatile : 0) |
         (clang_isRestrictQualifiedType(type) != 0 ? is_restrict : 0);
}

std::string text_of(unsigned qualifiers) {
  std::string text;
  if ((qualifiers & is_const) != 0) text += "const ";
  if ((qualifiers & is_volatile) != 0) text += "volatile ";
  if ((qualifiers & is_restrict) != 0) text += "restrict ";
  return text;
}

bool is_array(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return kind == CXType_ConstantArray || kind == CXType_IncompleteArray || kind == CXType_VariableArray;
}

bool is_function(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return kind == CXType_FunctionProto || kind == CXType_FunctionNoProto;
}

std::string joined(const std::string& type, const std::string& name) {
  return name.empty() ? type : type + " " + name;
}

}  // namespace

bool is_variable(CXType type) {
  type = clang_getCanonicalType(type);
  if (type.kind == CXType_VariableArray) return true;
  if (type.kind == CXType_Pointer) return is_variable(clang_getPointeeType(type));
  return is_array(type) && is_variable(clang_getArrayElementType(type));
}

bool decays(CXType type) { return is_array(type) || is_function(type); }

std::vector<std::string> sizes_of(CXType type, const std::string& object) {
  std::vector<std::string> sizes;
  std::string at = object;
  for (type = clang_getCanonicalType(type); is_variable(type);) {
    if (type.kind == CXType_Pointer) {
      at = fmt::format("(*{})", at);
      type = clang_getPointeeType(type);
      continue;
    }
    const CXType element = clang_getArrayElementType(type);
    const std::string first = at + "[0]";
    if (type.kind == CXType_VariableArray) {
      const std::string size = fmt::format("sizeof({}) / sizeof({})", at, first);
      sizes.push_back(is_variable(element) ? fmt::format("(sizeof({}) == 0 ? 0 : {})", first, size) : size);
    }
    at = first;
    type = element;
  }
  return sizes;
}

std::string declarations::of(CXType type, const std::string& name,
                             const std::vector<std::string>& known) const {
  sizes at{&known, 0};
  return print(type, name, 0, at);
}

std::string declarations::of_parameter(CXType type, const std::string& name,
                                       const std::vector<std::string>& known) const {
  sizes at{&known, 0};
  return print_parameter(type, name, at);
}

std::string declarations::print_parameter(CXType type, const std::string& name, sizes& at) const {
  if (is_function(type)) return pointer_to(type, name, 0, at);
  if (!is_array(type)) return print(type, name, 0, at);
  const CXType array = clang_getCanonicalType(type);
  return pointer_to(clang_getArrayElementType(array), name, qualifiers_of(array), at);
}

std::string declarations::pointer_to(CXType type, const std::string& name, unsigned qualifiers,
                                     sizes& at) const {
  return print(type, decays(type) ? "(*" + name + ")" : "*" + name, qualifiers, at);
}

std::string declarations::parameters(CXType function) const {
  const int count = clang_getNumArgTypes(function);
  std::string list;
  sizes unknown{nullptr, 0};
  for (int each = 0; each < count; ++each) {
    list += each > 0 ? ", " : "";
    list += print_parameter(clang_getArgType(function, static_cast<unsigned>(each)), "", unknown);
  }
  if (clang_isFunctionTypeVariadic(function) != 0) list += count > 0 ? ", ..." : "...";
  return list.empty() ? "void" : list;
}

std::string declarations::print(CXType type, const std::string& name, unsigned qualifiers, sizes& at) const {
  const unsigned all = qualifiers | qualifiers_of(type);
  switch (type.kind) {
  case CXType_Pointer: return pointer_to(clang_getPointeeType(type), text_of(all) + name, 0, at);
  case CXType_ConstantArray:
    return print(clang_getArrayElementType(type), fmt::format("{}[{}]", name, clang_getArraySize(type)), all,
                 at);
  case CXType_IncompleteArray: return print(clang_getArrayElementType(type), name + "[]", all, at);
  case CXType_VariableArray: {
    const std::string size = at.known == nullptr ? "*" : at.known->at(at.next++);
    return print(clang_getArrayElementType(type), fmt::format("{}[{}]", name, size), all, at);
  }
  case CXType_FunctionProto:
    return print(clang_getResultType(type), fmt::format("{}({})", name, parameters(type)), 0, at);
  case CXType_FunctionNoProto: return print(clang_getResultType(type), name + "()", 0, at);
  case CXType_Elaborated: return print(clang_Type_getNamedType(type), name, all, at);
  case CXType_Typedef: {
    const CXCursor declared = clang_getTypeDeclaration(type);
    if (is_variable(type)) return print(clang_getTypedefDeclUnderlyingType(declared), name, all, at);
    const std::string named = names_(declared);
    if (!named.empty()) return joined(text_of(all) + named, name);
    break;
  }
  case CXType_Record:
  case CXType_Enum: {
    const std::string named = names_(clang_getTypeDeclaration(type));
    if (!named.empty()) return joined(text_of(all) + named, name);
    break;
  }
  default: {
    // What the parser has no kind for: brackets, attributes, typeof.
    const CXType known = clang_getCanonicalType(type);
    if (known.kind != type.kind) return print(known, name, all, at);
    break;
  }
  }
  return joined(text_of(all) + take(clang_getTypeSpelling(clang_getUnqualifiedType(type))), name);
}

}  // namespace tool::cilk
