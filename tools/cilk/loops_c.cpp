// Parallel loops of C: a function of the body, in front of the one that has it, and a struct of what it uses.
#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {

void translation::capture_use(const loop_parts& parts, unsigned number, const node& use,
                              std::map<unsigned, captured>& found) {
  const CXCursor variable = clang_getCursorReferenced(use.cursor);
  const CXCursorKind kind = clang_getCursorKind(variable);
  if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) return;
  if (clang_getCursorKind(clang_getCursorSemanticParent(variable)) != CXCursor_FunctionDecl) return;
  const span declared = from_.span_of(variable);
  const std::string name = from_.spelling(variable);
  if (loops_.at(parts.node).contains(declared)) return;
  const bool is_own = name == parts.name &&
                      (parts.type.begin == parts.type.end || from_.at(parts.node).text.contains(declared));
  if (is_own) return;
  const reducer* const reduced = reducer_of(variable);
  captured here{name, fmt::format("{}_{}", name, declared.begin), "", ""};
  const CXType type = clang_getCursorType(variable);
  const bool by_value = type.kind == CXType_VariableArray;
  const bool is_parameter = kind == CXCursor_ParmDecl;
  const bool decays =
      is_parameter && (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray);
  if (by_value || decays) {
    here.type = type_name(type, use.text.begin) + (decays ? "*" : "");
  } else {
    here.type = fmt::format("__typeof__({})*", from_.spelling(type));
  }
  here.value = by_value ? name : "&" + name;
  if (reduced != nullptr) {
    here.type = "nopal_cilk_hyperobject*";
    here.value = "&" + reduced->object;
  }
  found[declared.begin] = here;
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
    edits_.replace(use.text, view_of(*reduced, fmt::format("*nopal_frame_{}->{}", number, here.field)));
    return;
  }
  edits_.replace(use.text, fmt::format("({}nopal_frame_{}->{})", by_value ? "" : "*", number, here.field));
}

void translation::capture(const loop_parts& parts, unsigned number) {
  const span body = from_.at(parts.body).text;
  auto& found = captured_[number];
  for (const node& each : from_.nodes()) {
    if (each.kind == CXCursor_DeclRefExpr && body.contains(each.text))
      capture_use(parts, number, each, found);
  }
}

std::string translation::loop_c(const loop_parts& parts) {
  const unsigned number = loop_bodies_.at(parts.body);
  const bool declares = parts.type.end > parts.type.begin;
  std::string type = declares ? std::string(from_.text(parts.type)) : "";
  bool is_pointer = false;
  for (const node& each : from_.nodes()) {
    const bool names = declares ? each.kind == CXCursor_VarDecl : each.kind == CXCursor_DeclRefExpr;
    const span header{parts.keyword, parts.first.end};
    if (!names || !header.contains(each.text) || from_.spelling(each.cursor) != parts.name) continue;
    const CXType known = clang_getCursorType(each.cursor);
    is_pointer = clang_getCanonicalType(known).kind == CXType_Pointer;
    if (!declares) type = type_name(known, parts.keyword);
  }
  // The loop around this one, whose body has what it uses in a frame.
  unsigned outer = 0;
  for (int each = from_.at(parts.node).parent; each >= 0 && outer == 0; each = from_.at(each).parent) {
    if (const auto known = loop_bodies_.find(each); known != loop_bodies_.end()) outer = known->second;
  }
  std::string fields;
  std::string values;
  for (const auto& [declared, each] : captured_[number]) {
    fields += fmt::format(" {} {};", each.type, each.field);
    const bool is_outer = outer != 0 && captured_[outer].contains(declared);
    values += ", " + (is_outer ? fmt::format("nopal_frame_{}->{}", outer, each.field) : each.value);
  }
  const std::string body = body_text(parts);
  prelude_of(parts.keyword) += fmt::format(
      "struct nopal_cilk_frame_{0} {{ {1} nopal_first; long nopal_step;{2} }};{6}"
      "static void nopal_cilk_body_{0}(void* nopal_given, size_t nopal_from, size_t nopal_to) {{ "
      "struct nopal_cilk_frame_{0}* const nopal_frame_{0} = (struct nopal_cilk_frame_{0}*)nopal_given; "
      "for (size_t nopal_at = nopal_from; nopal_at != nopal_to; ++nopal_at) {{ "
      "{1} {3} = nopal_frame_{0}->nopal_first + (long)nopal_at * nopal_frame_{0}->nopal_step; "
      "(void){3};{4}{5} }} }}\n",
      number, type, fields, parts.name, line_mark(loops_.at(parts.node).begin), body,
      line_mark(parts.keyword));
  const std::string step = step_text(parts);
  const std::string last = edits_.render(parts.last);
  const std::string frame = fmt::format("nopal_frame_{}", number);
  const std::string ends[2] = {frame + ".nopal_first", "nopal_last"};
  const std::string cast = is_pointer ? "" : "(size_t)";
  std::string distance =
      fmt::format("{0}{1} - {0}{2}", cast, ends[parts.down ? 0 : 1], ends[parts.down ? 1 : 0]);
  std::string length = fmt::format("(size_t)({})", step);
  if (parts.compare == "!=") {
    // Which way the loop goes is up to the step's sign, and it may go over the end of what its variable holds.
    length = fmt::format("(size_t)({0}.nopal_step < 0 ? -{0}.nopal_step : {0}.nopal_step)", frame);
    distance =
        fmt::format("{0}.nopal_step < 0 ? {1}{2} - {1}{3} : {1}{3} - {1}{2}", frame, cast, ends[0], ends[1]);
    if (!is_pointer)
      distance = fmt::format("({}) & ((size_t)-1 >> 8 * (sizeof(size_t) - sizeof({})))", distance, ends[0]);
  }
  return fmt::format(
      "{{ struct nopal_cilk_frame_{0} {1} = {{{2}, {3}({4}){5}}}; const __typeof__({6}) nopal_last = {6}; "
      "nopal_cilk_loop({1}.nopal_first {7} nopal_last ? nopal_cilk_steps((size_t)({8}), {11}, {9}) "
      ": 0, "
      "(size_t)({10}), nopal_cilk_body_{0}, &{1}); }}",
      number, frame, edits_.render(parts.first), parts.down ? "-(long)" : "(long)", step, values, last,
      parts.compare, distance, parts.compare.size() == 2 && parts.compare != "!=" ? 1 : 0, parts.grain,
      length);
}

}  // namespace tool::cilk
