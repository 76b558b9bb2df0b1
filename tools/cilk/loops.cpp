// Parallel loops: what their headers say, and the loops of C++.
#include <algorithm>
#include <array>
#include <regex>

#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {
namespace {

bool is_loop(CXCursorKind kind) {
  return kind == CXCursor_ForStmt || kind == CXCursor_CXXForRangeStmt || kind == CXCursor_WhileStmt ||
         kind == CXCursor_DoStmt;
}

std::string turned(const std::string& compare) {
  if (compare.front() == '<') return ">" + compare.substr(1);
  if (compare.front() == '>') return "<" + compare.substr(1);
  return compare;
}

}  // namespace

span translation::header_of(const keyword& here) const {
  const std::size_t open = from_.token_at(here.text.end);
  if (!from_.is(open, "(")) from_.refuse(here.text.begin, "cilk_for without a header is not translated");
  return {from_.tokens()[open].text.end, from_.tokens()[from_.closing(open)].text.begin};
}

void translation::read_condition(loop_parts& parts, span text) const {
  constexpr std::array<std::string_view, 5> compares = {"<", "<=", ">", ">=", "!="};
  for (std::size_t at = from_.token_at(text.begin); at < from_.token_at(text.end); ++at) {
    if (from_.is(at, "(") || from_.is(at, "[")) at = from_.closing(at);
    const span here = from_.tokens()[at].text;
    const std::string compare(from_.text(here));
    if (std::find(compares.begin(), compares.end(), compare) == compares.end()) continue;
    const span left = trimmed({text.begin, here.begin});
    const span right = trimmed({here.end, text.end});
    const bool turns = from_.text(left) != parts.name;
    if (turns && from_.text(right) != parts.name) continue;
    parts.compare = turns ? turned(compare) : compare;
    parts.last = turns ? left : right;
    return;
  }
  from_.refuse(
      text.begin,
      "a cilk_for whose condition does not compare its variable by <, <=, >, >= or != is not translated");
}

void translation::read_step(loop_parts& parts, span text) const {
  std::vector<std::size_t> at;
  for (std::size_t each = from_.token_at(text.begin); each < from_.token_at(text.end); ++each)
    at.push_back(each);
  const auto is = [&](std::size_t which, std::string_view spelling) {
    return which < at.size() && from_.is(at[which], spelling);
  };
  const auto rest = [&](std::size_t first) {
    return trimmed({from_.tokens()[at[first]].text.begin, text.end});
  };
  if (at.size() == 2 && ((is(0, "++") && is(1, parts.name)) || (is(1, "++") && is(0, parts.name)))) return;
  if (at.size() == 2 && ((is(0, "--") && is(1, parts.name)) || (is(1, "--") && is(0, parts.name)))) {
    parts.down = true;
    return;
  }
  const auto refuse_operators = [&](std::size_t first, std::initializer_list<std::string_view> allowed) {
    for (std::size_t each = at[first]; each < from_.token_at(text.end); ++each) {
      if (from_.is(each, "(") || from_.is(each, "[") || from_.is(each, "{")) each = from_.closing(each);
      const std::string_view spelled = from_.text(from_.tokens()[each].text);
      if (allowed.size() == 0
              ? spelled != ","
              : std::string_view("+-*/%&|^<>=?:,").find(spelled.front()) == std::string_view::npos)
        continue;
      if (std::find(allowed.begin(), allowed.end(), spelled) == allowed.end())
        from_.refuse(text.begin, "a cilk_for that does not step by ++, --, += or -= is not translated");
    }
  };
  const bool assigns =
      at.size() > 4 && is(0, parts.name) && is(1, "=") && is(2, parts.name) && (is(3, "+") || is(3, "-"));
  if (assigns || (at.size() > 2 && is(0, parts.name) && (is(1, "+=") || is(1, "-=")))) {
    parts.down = assigns ? is(3, "-") : is(1, "-=");
    if (!assigns) {
      refuse_operators(2, {});
    } else if (parts.down) {
      refuse_operators(4, {"*", "/", "%"});
    } else {
      refuse_operators(4, {"*", "/", "%", "+", "-"});
    }
    parts.step = rest(assigns ? 4 : 2);
    return;
  }
  from_.refuse(text.begin, "a cilk_for that does not step by ++, --, += or -= is not translated");
}

/// What `#pragma cilk grainsize` in front of the loop says; its line becomes empty.
std::string translation::read_grain(unsigned keyword) {
  static const std::regex grain(R"(#[ \t]*pragma[ \t]+cilk[ _\t]+grainsize[ \t]*=?[ \t]*([^\n]*)\s*$)");
  const std::string before = from_.text().substr(0, keyword);
  const auto begin = before.rfind('#');
  if (begin == before.npos) return "0";
  std::smatch found;
  const std::string directive = before.substr(begin);
  if (!std::regex_match(directive, found, grain)) return "0";
  const auto end = before.find('\n', begin);
  edits_.replace({static_cast<unsigned>(begin), static_cast<unsigned>(end)}, std::string());
  return on_one_line(found[1].str());
}

/// Whether the piece is what an operator takes that makes the whole of it.
bool translation::is_operand(span piece, span whole) const {
  return std::any_of(from_.nodes().begin(), from_.nodes().end(), [&](const node& each) {
    if (each.text.begin != piece.begin || each.text.end != piece.end || each.parent < 0) return false;
    const span above = from_.at(each.parent).text;
    return above.begin == whole.begin && above.end == whole.end;
  });
}

void translation::check_header(const loop_parts& parts, span first, span condition) const {
  const auto same = [](span left, span right) { return left.begin == right.begin && left.end == right.end; };
  if (!is_operand(parts.last, condition)) {
    from_.refuse(condition.begin, "a cilk_for whose condition is more than a comparison is not translated");
  }
  for (std::size_t at = from_.token_at(first.begin); at < from_.token_at(first.end); ++at) {
    if (from_.is(at, "(") || from_.is(at, "[") || from_.is(at, "{")) at = from_.closing(at);
    if (parts.type.begin == parts.type.end && from_.is(at, ","))
      from_.refuse(first.begin, "a cilk_for of several variables is not translated");
  }
  for (const node& each : from_.nodes()) {
    if (each.kind == CXCursor_DeclStmt && each.text.begin == first.begin && each.children.size() > 1)
      from_.refuse(first.begin, "a cilk_for of several variables is not translated");
    const bool is_variable = each.kind == CXCursor_VarDecl && first.contains(each.text) &&
                             from_.spelling(each.cursor) == parts.name;
    if (!is_variable && !same(each.text, parts.last) && !same(each.text, parts.step) &&
        !same(each.text, parts.first))
      continue;
    switch (clang_getCanonicalType(clang_getCursorType(each.cursor)).kind) {
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
      from_.refuse(first.begin, "a cilk_for over floating-point numbers is not translated");
    default: break;
    }
  }
}

loop_parts translation::loop_of(const keyword& here) const {
  const auto found = std::find_if(from_.nodes().begin(), from_.nodes().end(), [&](const node& each) {
    return each.kind == CXCursor_ForStmt && each.text.begin == here.text.begin;
  });
  if (found == from_.nodes().end()) from_.refuse(here.text.begin, "this cilk_for is not translated");
  loop_parts parts{};
  parts.grain = "0";
  parts.node = static_cast<int>(found - from_.nodes().begin());
  parts.body = found->children.back();
  parts.keyword = here.text.begin;
  const span header = header_of(here);
  std::vector<unsigned> ends;
  for (std::size_t at = from_.token_at(header.begin); at < from_.token_at(header.end); ++at) {
    if (from_.is(at, "(") || from_.is(at, "{") || from_.is(at, "[")) at = from_.closing(at);
    if (from_.is(at, ";")) ends.push_back(from_.tokens()[at].text.begin);
  }
  if (ends.size() != 2)
    from_.refuse(here.text.begin, "a cilk_for without a condition and a step is not translated");
  const span first = trimmed({header.begin, ends[0]});
  std::size_t assigns = from_.token_at(first.begin);
  const std::size_t end = from_.token_at(first.end);
  while (assigns < end && !from_.is(assigns, "=")) ++assigns;
  if (assigns == end || assigns == from_.token_at(first.begin)) {
    from_.refuse(here.text.begin, "a cilk_for whose variable does not begin by '=' is not translated");
  }
  span name = from_.tokens()[assigns - 1].text;
  // In C the type may have parts behind the name, as that of a pointer to an array has.
  for (const node& each : from_.nodes()) {
    if (each.kind == CXCursor_VarDecl && each.text.begin == first.begin && !from_.is_cxx())
      name = from_.tokens()[name_token(each.cursor)].text;
  }
  parts.name = from_.text(name);
  parts.named = name;
  parts.type = trimmed({first.begin, name.begin});
  parts.first = trimmed({from_.tokens()[assigns].text.end, first.end});
  const span condition = trimmed({ends[0] + 1, ends[1]});
  read_condition(parts, condition);
  const span step = trimmed({ends[1] + 1, header.end});
  read_step(parts, step);
  check_header(parts, first, condition);
  // A negative step: the comparison says where the loop goes.
  const bool goes_down = parts.compare.front() == '>';
  if (parts.compare != "!=" && parts.down != goes_down) {
    if (parts.step.begin == parts.step.end)
      from_.refuse(step.begin, "a cilk_for that steps away from its end is not translated");
    parts.down = goes_down;
    parts.negated = true;
  }
  return parts;
}

void translation::check_jumps(const loop_parts& parts) {
  const span body = from_.at(parts.body).text;
  for (std::size_t each = 0; each < from_.nodes().size(); ++each) {
    const node& here = from_.nodes()[each];
    if (!body.contains(here.text)) continue;
    if (here.kind == CXCursor_ReturnStmt && container_of(static_cast<int>(each)) == parts.body) {
      from_.refuse(here.text.begin, "a return out of a cilk_for is not translated");
    }
    if (here.kind == CXCursor_GotoStmt) {
      const auto label = std::find_if(here.children.begin(), here.children.end(),
                                      [&](int child) { return from_.at(child).kind == CXCursor_LabelRef; });
      const bool stays = label != here.children.end() &&
                         body.contains(from_.span_of(clang_getCursorReferenced(from_.at(*label).cursor)));
      if (!stays) from_.refuse(here.text.begin, "a goto out of a cilk_for is not translated");
    }
    if (here.kind != CXCursor_BreakStmt && here.kind != CXCursor_ContinueStmt) continue;
    int target = here.parent;
    const bool breaks = here.kind == CXCursor_BreakStmt;
    while (target >= 0 && !is_loop(from_.at(target).kind) &&
           !(breaks && from_.at(target).kind == CXCursor_SwitchStmt)) {
      target = from_.at(target).parent;
    }
    if (target != parts.node) continue;
    if (breaks) from_.refuse(here.text.begin, "a break out of a cilk_for is not translated");
    if (from_.is_cxx()) edits_.replace(here.text, std::string("return"));
  }
}

void translation::loop(const keyword& here) {
  const bool over_range = std::any_of(from_.nodes().begin(), from_.nodes().end(), [&](const node& each) {
    return each.kind == CXCursor_CXXForRangeStmt && each.text.begin == here.text.begin;
  });
  loop_parts parts{};
  if (over_range) {
    const auto found = std::find_if(from_.nodes().begin(), from_.nodes().end(), [&](const node& each) {
      return each.kind == CXCursor_CXXForRangeStmt && each.text.begin == here.text.begin;
    });
    parts.node = static_cast<int>(found - from_.nodes().begin());
    parts.body = found->children.back();
    parts.keyword = here.text.begin;
  } else {
    parts = loop_of(here);
  }
  parts.grain = read_grain(here.text.begin);
  const span header = header_of(here);
  unsigned begin = header.end + 1;
  begin = from_.tokens()[from_.token_at(begin)].text.begin;
  parts.end = from_.at(parts.body).text.end;
  if (from_.at(parts.body).kind != CXCursor_CompoundStmt) {
    const std::size_t behind = from_.token_at(parts.end);
    if (from_.is(behind, ";")) parts.end = from_.tokens()[behind].text.end;
  }
  loops_[parts.node] = {begin, parts.end};
  const unsigned number = next_number_++;
  loop_bodies_[parts.body] = number;
  check_jumps(parts);
  if (!from_.is_cxx()) {
    declare_variable(parts);
    capture(parts, number);
  }
  edits_.replace({here.text.begin, parts.end}, [this, parts, header, over_range] {
    if (!from_.is_cxx()) return loop_c(parts);
    if (!over_range) return loop_cxx(parts);
    std::size_t colon = from_.token_at(header.begin);
    while (!from_.is(colon, ":")) ++colon;
    const span mark = from_.tokens()[colon].text;
    return fmt::format("::nopal::cilk::loop_over({}, [&]({}) {});", edits_.render({mark.end, header.end}),
                       edits_.render(trimmed({header.begin, mark.begin})), body_text(parts));
  });
}

std::string translation::body_text(const loop_parts& parts) {
  const node& body = from_.at(parts.body);
  const span text = loops_.at(parts.node);
  if (body.kind == CXCursor_CompoundStmt) return edits_.render(text);
  std::string scope;
  for (const region& each : regions_) {
    if (each.node == parts.body && each.spawns) scope = scope_text(each.number);
  }
  return fmt::format("{{{} {} }}", scope, edits_.render(text));
}

std::string translation::step_text(const loop_parts& parts) const {
  if (parts.step.begin == parts.step.end) return "1";
  return parts.negated ? fmt::format("-({})", edits_.render(parts.step)) : edits_.render(parts.step);
}

std::string translation::loop_cxx(const loop_parts& parts) {
  if (parts.type.begin == parts.type.end) {
    from_.refuse(parts.keyword, "a cilk_for that does not declare its variable is not translated in C++");
  }
  const char* const compare = parts.compare == "<" || parts.compare == ">" ? "before"
                              : parts.compare == "!="                      ? "until"
                                                                           : "through";
  const std::string type = edits_.render(parts.type);
  const std::string step = step_text(parts);
  return fmt::format("::nopal::cilk::loop_{}<{}>([&] {{ {} {} = {}; return {}; }}(), {}, {}, {}, "
                     "[&]([[maybe_unused]] {} {}) {});",
                     compare, parts.down ? "true" : "false", type, parts.name, edits_.render(parts.first),
                     parts.name, edits_.render(parts.last), step, parts.grain, type, parts.name,
                     body_text(parts));
}

}  // namespace tool::cilk
