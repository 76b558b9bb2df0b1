// Reducers as declarations, `int cilk_reducer(identity, reduce) sum = 0;`: the variable is the leftmost view, and an object beside
// it finds the strand's.
#include <algorithm>

#include <fmt/format.h>

#include "cilk/translation.hpp"

namespace tool::cilk {
namespace {

bool is_annotated(const source& from, const node& of) {
  return std::any_of(of.children.begin(), of.children.end(), [&](int child) {
    return from.at(child).kind == CXCursor_AnnotateAttr &&
           from.spelling(from.at(child).cursor) == "nopal_reducer";
  });
}

}  // namespace

/// What a program does with a reducer is done with a view.
std::string translation::view_of(const reducer& of, const std::string& object) const {
  if (from_.is_cxx()) return fmt::format("::nopal::cilk::view_of<decltype({})>({})", of.name, object);
  return fmt::format("(*({}*)nopal_cilk_view(&{}))", of.type_name, object);
}

const reducer* translation::reducer_of(CXCursor variable) const {
  const auto found = std::find_if(reducers_.begin(), reducers_.end(), [&](const reducer& each) {
    return clang_equalCursors(clang_getCanonicalCursor(each.variable), clang_getCanonicalCursor(variable)) !=
           0;
  });
  return found == reducers_.end() ? nullptr : &*found;
}

/// Refuses at `at` what no variable's declaration is, or one elsewhere, as reducer that the program made by `word`.
void translation::add_reducer(const node& here, const span& identity, const span& reduce,
                              std::string_view word, unsigned at) {
  const auto refuse = [&](std::string_view what) {
    from_.refuse(at, fmt::format("{} {} is not translated; only variables are", word, what));
  };
  if (here.kind == CXCursor_ParmDecl) refuse("of a parameter");
  if (here.kind != CXCursor_VarDecl) refuse("of a member or a type");
  const CXType type = clang_getCursorType(here.cursor);
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  if (kind == CXType_ConstantArray || kind == CXType_VariableArray || kind == CXType_IncompleteArray)
    refuse("of an array");
  if (kind == CXType_LValueReference || kind == CXType_RValueReference) refuse("of a reference");
  const int parent = here.parent;
  const CXCursorKind around = parent < 0 ? CXCursor_TranslationUnit : from_.at(parent).kind;
  const bool is_local = around == CXCursor_DeclStmt;
  const int above = is_local ? from_.at(parent).parent : parent;
  if (is_local ? from_.at(above).kind != CXCursor_CompoundStmt
               : around != CXCursor_TranslationUnit && around != CXCursor_Namespace &&
                     around != CXCursor_LinkageSpec)
    refuse("here");
  if (is_local && clang_Cursor_getStorageClass(here.cursor) == CX_SC_Static)
    refuse("of a static local variable");
  const std::string name = from_.spelling(here.cursor);
  const std::string type_text = from_.is_cxx() ? "" : type_name(type, at);
  reducers_.push_back({here.cursor, type, name, fmt::format("nopal_hyper_{}", name), is_local, type_text,
                       identity, reduce, here.text.end});
}

/// The functions of a reducer in the brackets behind the word.
std::pair<span, span> translation::functions_of(const keyword& key) const {
  const std::size_t open = from_.token_at(key.text.end);
  const auto without_functions = [&] {
    from_.refuse(key.text.begin, "cilk_reducer without its two functions, (identity, reduce)");
  };
  if (!from_.is(open, "(")) without_functions();
  const std::size_t close = from_.closing(open);
  std::size_t comma = open + 1;
  while (comma < close && !from_.is(comma, ",")) {
    if (from_.is(comma, "(") || from_.is(comma, "[") || from_.is(comma, "{")) comma = from_.closing(comma);
    ++comma;
  }
  if (comma >= close) without_functions();
  return {trimmed({from_.tokens()[open].text.end, from_.tokens()[comma].text.begin}),
          trimmed({from_.tokens()[comma].text.end, from_.tokens()[close].text.begin})};
}

/// Before loops are translated, which take reducers of the functions around them along.
void translation::find_reducers() {
  std::map<unsigned, const keyword*> unused;
  std::vector<const keyword*> words;
  for (const keyword& key : from_.keywords()) {
    if (key.which != word::reducer) continue;
    static_cast<void>(functions_of(key));
    words.push_back(&key);
    unused[key.text.begin] = &key;
  }
  for (const node& here : from_.nodes()) {
    if (words.empty() || !is_annotated(from_, here)) continue;
    // Of several in one declaration, each has what is closest in front of its name.
    const bool is_local = here.parent >= 0 && from_.at(here.parent).kind == CXCursor_DeclStmt;
    const unsigned begin = is_local ? from_.at(here.parent).text.begin : here.text.begin;
    const std::size_t name = name_token(here.cursor);
    const auto closest = std::find_if(words.rbegin(), words.rend(), [&](const keyword* each) {
      return begin <= each->text.begin && from_.token_at(each->text.begin) < name;
    });
    if (closest == words.rend()) continue;
    const keyword& key = **closest;
    const std::size_t close = from_.closing(from_.token_at(key.text.end));
    if (from_.is(close + 1, "*"))
      from_.refuse(key.text.begin,
                   "cilk_reducer of what a pointer points to is not translated; only variables are");
    const auto [identity, reduce] = functions_of(key);
    add_reducer(here, identity, reduce, "cilk_reducer", key.text.begin);
    unused.erase(key.text.begin);
  }
  for (const auto& [begin, key] : unused) {
    const std::size_t at = from_.token_at(begin);
    from_.refuse(begin,
                 at > 0 && from_.is(at - 1, "}")
                     ? "cilk_reducer behind a type's definition is not translated; define the type first"
                     : "cilk_reducer here is not translated; only variables are");
  }
  for (const keyword* each : words) {
    const std::size_t close = from_.closing(from_.token_at(each->text.end));
    edits_.replace({each->text.begin, from_.tokens()[close].text.end}, std::string());
  }
  find_reducer_types();
}

/// Variables of the type `cilk::opadd_reducer<T>`, which is T with functions of its own. What names the type elsewhere is refused.
void translation::find_reducer_types() {
  constexpr std::string_view name = "opadd_reducer";
  for (const keyword& key : from_.keywords()) {
    if (key.which != word::reducer_type) continue;
    const span word = key.text;
    bool is_theirs = false;
    bool any = false;
    for (const node& here : from_.nodes()) {
      if (here.kind != CXCursor_TemplateRef || !here.text.contains(word)) continue;
      const CXCursor parent = clang_getCursorSemanticParent(clang_getCursorReferenced(here.cursor));
      is_theirs = is_theirs || from_.spelling(parent) == "cilk";
    }
    if (!is_theirs) continue;
    for (const node& here : from_.nodes()) {
      if (clang_isDeclaration(here.kind) == 0 || here.kind == CXCursor_UnexposedDecl ||
          !here.text.contains(word))
        continue;
      std::string type = from_.spelling(clang_getCursorType(here.cursor));
      type = type.substr(type.starts_with("::") ? 2 : 0);
      type = type.substr(type.starts_with("cilk::") ? 6 : 0);
      if (type.starts_with(fmt::format("{}<", name)) && type.ends_with(">")) {
        add_reducer(here, {}, {}, name, word.begin);
        any = true;
      }
    }
    if (!any)
      from_.refuse(word.begin, "opadd_reducer here is not translated; only variables of this type are");
    edits_.replace(word, std::string("opadd_reducer_view"));
  }
}

/// The object beside the variable.
std::string translation::reducer_text(const reducer& of, int region) const {
  const CX_StorageClass storage = clang_Cursor_getStorageClass(of.variable);
  const char* const before = storage == CX_SC_Extern ? "extern " : storage == CX_SC_Static ? "static " : "";
  const std::string functions =
      of.reduce.end == 0 ? fmt::format("::cilk::zero<decltype({0})>, ::cilk::plus<decltype({0})>", of.name)
                         : edits_.render(of.identity) + ", " + edits_.render(of.reduce);
  if (from_.is_cxx()) {
    const std::string made = storage == CX_SC_Extern ? "" : fmt::format("({}, {})", of.name, functions);
    return fmt::format(" {}::nopal::cilk::hyperobject {}{};", before, of.object, made);
  }
  if (storage == CX_SC_Extern) return fmt::format(" extern nopal_cilk_hyperobject {};", of.object);
  if (!of.is_local)
    return fmt::format(" {}NOPAL_CILK_HYPEROBJECT({}, {}, {})", before, of.object, of.name, functions);
  const auto& around = regions_[static_cast<std::size_t>(region)];
  const std::string scope = around.spawns ? fmt::format("&nopal_scope_{}", around.number) : "NULL";
  return fmt::format(" NOPAL_CILK_LOCAL_HYPEROBJECT({}, {}, {}, {});", of.object, of.name, scope, functions);
}

void translation::translate_reducers() {
  std::map<unsigned, std::vector<std::size_t>> ends;
  for (std::size_t each = 0; each < reducers_.size(); ++each) {
    std::size_t at = from_.token_at(reducers_[each].end);
    while (at < from_.tokens().size() && !from_.is(at, ";")) {
      if (from_.is(at, "(") || from_.is(at, "[") || from_.is(at, "{")) at = from_.closing(at);
      ++at;
    }
    if (at < from_.tokens().size()) ends[from_.tokens()[at].text.end].push_back(each);
  }
  for (const auto& [end, which] : ends) {
    std::vector<int> regions;
    for (const std::size_t each : which)
      regions.push_back(reducers_[each].is_local ? region_of(reducers_[each].end - 1) : -1);
    edits_.replace({end - 1, end}, [this, here = which, regions] {
      std::string result = ";";
      for (std::size_t each = 0; each < here.size(); ++each)
        result += reducer_text(reducers_[here[each]], regions[each]);
      return result;
    });
  }
  if (reducers_.empty()) return;
  for (const node& each : from_.nodes()) {
    if (each.kind != CXCursor_DeclRefExpr) continue;
    const reducer* const of = reducer_of(clang_getCursorReferenced(each.cursor));
    if (of == nullptr) continue;
    if (!from_.text(each.text).ends_with(of->name) ||
        from_.text(each.text).find('(') != std::string_view::npos)
      from_.refuse(each.text.begin, fmt::format("the reducer '{}' in a macro is not translated", of->name));
    const std::string path(
        from_.text(each.text).substr(0, each.text.end - each.text.begin - of->name.size()));
    reducer named = *of;
    named.name = path + of->name;
    edits_.replace(each.text, view_of(named, path + of->object));
  }
}

}  // namespace tool::cilk
