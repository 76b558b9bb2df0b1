// Parallel loops of C: a function of the body, in front of the one that has it, and a struct of what it uses.
#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {

/// The address of a variable that is kept in a register is not taken: the program gives no more than a hint.
void translation::drop_register(CXCursor variable, unsigned place) {
  if (clang_Cursor_getStorageClass(variable) != CX_SC_Register) return;
  const span declared = from_.span_of(variable);
  for (std::size_t at = from_.token_at(declared.begin); at < name_token(variable); ++at) {
    if (!from_.is(at, "register")) continue;
    if (dropped_.insert(at).second) edits_.replace(from_.tokens()[at].text, std::string());
    return;
  }
  from_.refuse(place, fmt::format("'{}', which a macro declares with register, is not translated here",
                                  from_.spelling(variable)));
}

/// How a loop's body gets at a variable: by a pointer in its frame, whose type is known in front of the function, or by one that it
/// declares itself, with the sizes that the frame has.
captured translation::captured_as(CXCursor variable, const std::string& field, unsigned number,
                                  unsigned place) {
  const CXType type = clang_getCursorType(variable);
  const bool is_parameter = clang_getCursorKind(variable) == CXCursor_ParmDecl && decays(type);
  const std::string name = from_.spelling(variable);
  const declarations print = printer(place);
  const auto declared = [&](const std::string& of, const std::vector<std::string>& sizes) {
    // The parentheses keep the pointer in front of what the type has behind the name.
    const std::string pointer = !is_parameter && decays(type) ? "(*" + of + ")" : "*" + of;
    return is_parameter ? print.of_parameter(type, pointer, sizes) : print.of(type, pointer, sizes);
  };
  if (!is_variable(type)) {
    // What qualifies such a parameter in its brackets is not in its type.
    const std::string value = is_parameter ? fmt::format("({})&{}", declared("", {}), name) : "&" + name;
    return {{{field, declared(field, {}), value}}, ""};
  }
  captured result{{{field, "void* " + field, fmt::format("(void*)&{}", name)}}, ""};
  std::vector<std::string> known;
  // A parameter is a pointer to its elements, which have the sizes behind the first.
  std::vector<std::string> sizes = sizes_of(type, name);
  if (is_parameter && clang_getCanonicalType(type).kind == CXType_VariableArray) sizes.erase(sizes.begin());
  for (const std::string& each : sizes) {
    const std::string size = fmt::format("{}_{}", field, known.size());
    result.fields.push_back({size, "size_t " + size, each});
    known.push_back(fmt::format("nopal_frame_{}->{}", number, size));
  }
  const std::string own = "nopal_of_" + field;
  result.local =
      fmt::format(" {} = nopal_frame_{}->{}; (void){};", declared("const " + own, known), number, field, own);
  return result;
}

void translation::capture_use(const loop_parts& parts, unsigned number, const node& use,
                              std::map<variable_key, captured>& found) {
  const CXCursor variable = clang_getCursorReferenced(use.cursor);
  const CXCursorKind kind = clang_getCursorKind(variable);
  if (kind == CXCursor_FunctionDecl) declare_function(variable, use.text.begin);
  if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) return;
  if (clang_getCursorKind(clang_getCursorSemanticParent(variable)) != CXCursor_FunctionDecl) return;
  const span declared = from_.span_of(variable);
  const std::string name = from_.spelling(variable);
  if (loops_.at(parts.node).contains(declared)) return;
  const bool is_own = name == parts.name &&
                      (parts.type.begin == parts.type.end || from_.at(parts.node).text.contains(declared));
  if (is_own) return;
  const unsigned place = from_.tokens()[name_token(variable)].text.begin;
  const std::string field = fmt::format("{}_{}", name, place);
  const reducer* const reduced = reducer_of(variable);
  const variable_key key{place, name};
  if (!found.contains(key)) {
    if (reduced != nullptr) {
      found[key] = {{{field, "nopal_cilk_hyperobject* " + field, "&" + reduced->object}}, ""};
    } else {
      drop_register(variable, use.text.begin);
      found[key] = captured_as(variable, field, number, use.text.begin);
    }
  }
  // A loop within this one has changed its own uses.
  for (const auto& [body, other] : loop_bodies_) {
    if (other != number && from_.at(parts.body).text.contains(from_.at(body).text) && body != parts.body &&
        from_.at(body).text.contains(use.text)) {
      return;
    }
  }
  if (from_.text(use.text) != name)
    from_.refuse(use.text.begin, fmt::format("'{}' in a macro in a cilk_for is not translated", name));
  if (reduced != nullptr) {
    edits_.replace(use.text, view_of(*reduced, fmt::format("*nopal_frame_{}->{}", number, field)));
  } else if (found[key].local.empty()) {
    edits_.replace(use.text, fmt::format("(*nopal_frame_{}->{})", number, field));
  } else {
    edits_.replace(use.text, fmt::format("(*nopal_of_{})", field));
  }
}

void translation::capture(const loop_parts& parts, unsigned number) {
  const span body = from_.at(parts.body).text;
  auto& found = captured_[number];
  for (const node& each : from_.nodes()) {
    if (!body.contains(each.text)) continue;
    if (each.kind == CXCursor_DeclRefExpr) capture_use(parts, number, each, found);
    const CXCursor type = local_type_of(each);
    if (clang_Cursor_isNull(type) == 0 && !loops_.at(parts.node).contains(from_.span_of(type)))
      move_type(type, each.text.begin);
  }
}

/// The loop's variable, in C.
void translation::declare_variable(loop_parts& parts) {
  const bool declares = parts.type.end > parts.type.begin;
  const span header{parts.keyword, parts.first.end};
  for (const node& each : from_.nodes()) {
    const bool names = declares ? each.kind == CXCursor_VarDecl : each.kind == CXCursor_DeclRefExpr;
    if (!names || !header.contains(each.text) || from_.spelling(each.cursor) != parts.name) continue;
    const CXType type = clang_getCursorType(each.cursor);
    const CXType known = clang_getCanonicalType(type);
    if (is_variable(type))
      from_.refuse(parts.keyword,
                   "a cilk_for over arrays of a size that is known at run time alone is not translated");
    parts.is_pointer = known.kind == CXType_Pointer;
    const declarations print = printer(parts.keyword);
    parts.member = print.of_parameter(type, "nopal_first");
    parts.variable = print.of_parameter(type, parts.name);
    return;
  }
  from_.refuse(parts.keyword, "this cilk_for is not translated");
}

std::string translation::loop_c(const loop_parts& parts) {
  const unsigned number = loop_bodies_.at(parts.body);
  // The loop around this one, whose body, which may be this loop itself, has what it uses in a frame.
  unsigned outer = 0;
  for (int each = parts.node; each >= 0 && outer == 0; each = from_.at(each).parent) {
    if (const auto known = loop_bodies_.find(each); known != loop_bodies_.end()) outer = known->second;
  }
  std::string fields;
  std::string values;
  std::string locals;
  for (const auto& [key, each] : captured_[number]) {
    const bool is_outer = outer != 0 && captured_[outer].contains(key);
    for (const field& member : each.fields) {
      fields += fmt::format(" {};", member.declared);
      values += ", " + (is_outer ? fmt::format("nopal_frame_{}->{}", outer, member.name) : member.value);
    }
    locals += each.local;
  }
  const std::string body = body_text(parts);
  prelude_of(parts.keyword) += fmt::format(
      "struct nopal_cilk_frame_{0} {{ {1}; long nopal_step;{2} }};{6}"
      "static void nopal_cilk_body_{0}(void* nopal_given, size_t nopal_from, size_t nopal_to) {{ "
      "struct nopal_cilk_frame_{0}* const nopal_frame_{0} = (struct nopal_cilk_frame_{0}*)nopal_given;{8} "
      "for (size_t nopal_at = nopal_from; nopal_at != nopal_to; ++nopal_at) {{ "
      "{7} = nopal_frame_{0}->nopal_first + (long)nopal_at * nopal_frame_{0}->nopal_step; "
      "(void){3};{4}{5} }} }}\n",
      number, parts.member, fields, parts.name, line_mark(loops_.at(parts.node).begin), body,
      line_mark(parts.keyword), parts.variable, locals);
  const std::string step = step_text(parts);
  const std::string last = edits_.render(parts.last);
  const std::string frame = fmt::format("nopal_frame_{}", number);
  const std::string ends[2] = {frame + ".nopal_first", "nopal_last"};
  const std::string cast = parts.is_pointer ? "" : "(size_t)";
  std::string distance =
      fmt::format("{0}{1} - {0}{2}", cast, ends[parts.down ? 0 : 1], ends[parts.down ? 1 : 0]);
  std::string length = fmt::format("(size_t)({})", step);
  if (parts.compare == "!=") {
    // Which way the loop goes is up to the step's sign, and it may go over the end of what its variable holds.
    length = fmt::format("(size_t)({0}.nopal_step < 0 ? -{0}.nopal_step : {0}.nopal_step)", frame);
    distance =
        fmt::format("{0}.nopal_step < 0 ? {1}{2} - {1}{3} : {1}{3} - {1}{2}", frame, cast, ends[0], ends[1]);
    if (!parts.is_pointer)
      distance = fmt::format("({}) & ((size_t)-1 >> 8 * (sizeof(size_t) - sizeof({})))", distance, ends[0]);
  }
  // A variable of the function's has behind the loop what the last step leaves.
  const std::string after =
      parts.type.end > parts.type.begin
          ? ""
          : fmt::format(" {0} = {1}.nopal_first + (long)nopal_count * {1}.nopal_step; (void){0};",
                        edits_.render(parts.named), frame);
  return fmt::format(
      "{{ struct nopal_cilk_frame_{0} {1} = {{{2}, {3}({4}){5}}}; const __typeof__(({6}) + 0) nopal_last = "
      "{6}; const size_t nopal_count = {1}.nopal_first {7} nopal_last ? "
      "nopal_cilk_steps((size_t)({8}), {11}, {9}) : 0; "
      "nopal_cilk_loop(nopal_count, (size_t)({10}), nopal_cilk_body_{0}, &{1});{12} }}",
      number, frame, edits_.render(parts.first), parts.down ? "-(long)" : "(long)", step, values, last,
      parts.compare, distance, parts.compare.size() == 2 && parts.compare != "!=" ? 1 : 0, parts.grain,
      length, after);
}

}  // namespace tool::cilk
