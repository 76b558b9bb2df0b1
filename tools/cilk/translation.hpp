// The translation of one file: what its parts share.
#ifndef NOPAL_TOOLS_CILK_TRANSLATION_HPP
#define NOPAL_TOOLS_CILK_TRANSLATION_HPP

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cilk/declarations.hpp"
#include "cilk/edits.hpp"
#include "cilk/source.hpp"

namespace tool::cilk {

/// A piece of a program that waits for its children at its end: the body of a function, of a loop or of a `cilk_scope`, and what
/// a `try` guards.
struct region {
  int node;
  unsigned number;
  bool is_function = false;
  bool spawns = false;
};

/// A call, in parts.
struct call_parts {
  int node = -1;
  span callee;
  std::vector<span> arguments;
  std::vector<CXCursor> argument_cursors;
  unsigned skipped = 0;  ///< arguments in front of the parenthesis: the object of an operator
};

/// A part of an argument that is kept until the child ends.
struct temporary {
  span text;
  std::string type;  ///< that it is converted to; empty: its own
  bool refers;       ///< whether what is made of it may refer to it, though its end does nothing
};

/// How a child gets an argument.
struct passed {
  std::string capture;
  std::string use;
  bool keeps;  ///< has temporaries that are kept
};

/// A loop's header, in parts.
struct loop_parts {
  int node;
  int body;
  unsigned keyword;      ///< where it begins
  span type;             ///< of the variable; empty where it is declared elsewhere
  std::string member;    ///< in C: a member of the variable's type
  std::string variable;  ///< in C: its declaration
  bool is_pointer = false;
  std::string name;  ///< of the variable
  span named;        ///< where the header has the name first
  span first;
  std::string compare;  ///< with the variable on the left
  span last;
  span step;  ///< empty: one
  bool down = false;
  bool negated = false;  ///< the step has the other sign
  unsigned end;          ///< behind the body
  std::string grain = "0";
};

/// A member of what the body of a loop in C gets.
struct field {
  std::string name;
  std::string declared;
  std::string value;  ///< where the variable is at hand
};

/// A variable that the body of a loop in C uses, of the functions around it.
struct captured {
  std::vector<field> fields;
  std::string local;  ///< a declaration in front of the body; empty: none
};

/// A variable by its place and its name: of one macro there may be several.
using variable_key = std::pair<unsigned, std::string>;

/// A variable that is a reducer.
struct reducer {
  CXCursor variable;
  CXType type;
  std::string name;
  std::string object;  ///< the name of what finds its views
  bool is_local;
  std::string type_name;  ///< in C
  span identity;          ///< as the program names them; empty: those of a type that is one
  span reduce;
  unsigned end;  ///< behind its initializer
};

class translation {
public:
  explicit translation(const source& from) : from_(from), edits_(from.text()) {}

  /// The program's text, translated. Throws `refused`.
  std::string run();

private:
  // translation.cpp
  int region_of(unsigned offset);
  int region_of_node(int node);
  int container_of(int node) const;
  void add_scopes();
  [[nodiscard]] std::string scope_text(unsigned number) const;
  void move_alloca(const region& of);
  void refuse_variable_arrays(const region& of) const;
  void join_before_jumps(const region& of);
  [[nodiscard]] bool leaves(int statement, int region) const;
  [[nodiscard]] bool returns(int statement) const;
  [[nodiscard]] bool returns_value(const region& of) const;
  [[nodiscard]] bool comes_to_end(const region& of) const;
  void add_include();
  [[nodiscard]] std::string line_mark(unsigned offset) const;
  [[nodiscard]] int top_of(unsigned offset) const;

  // reducers.cpp
  [[nodiscard]] std::pair<span, span> functions_of(const keyword& key) const;
  void find_reducers();
  void find_reducer_types();
  void add_reducer(const node& here, const span& identity, const span& reduce, std::string_view word,
                   unsigned at);
  void translate_reducers();
  [[nodiscard]] std::string view_of(const reducer& of, const std::string& object) const;
  [[nodiscard]] std::string reducer_text(const reducer& of, int region) const;
  [[nodiscard]] const reducer* reducer_of(CXCursor variable) const;

  // spawns.cpp
  void spawn(const keyword& here);
  call_parts parts_of(const keyword& here) const;
  int statement_of(int node) const;
  std::string fork_cxx(const call_parts& call, unsigned scope, span target, const std::string& store);
  [[nodiscard]] bool takes_reference(const call_parts& call, unsigned argument) const;
  [[nodiscard]] bool is_constant(span piece) const;

  // arguments.cpp
  [[nodiscard]] CXCursor callee_of(int call) const;
  [[nodiscard]] int written(int which) const;
  [[nodiscard]] int expression_at(span text) const;
  [[nodiscard]] std::string type_anywhere(CXType type) const;
  [[nodiscard]] bool is_made(int which) const;
  [[nodiscard]] bool is_to_move(int which) const;
  void find_temporaries(int which, std::vector<temporary>& found) const;
  [[nodiscard]] std::string with_temporaries(span text, const std::vector<temporary>& kept) const;
  [[nodiscard]] CXType parameter_of(const call_parts& call, unsigned argument) const;
  [[nodiscard]] passed pass(const call_parts& call, unsigned argument, const std::string& name) const;

  // spawns_c.cpp
  std::string fork_c(const call_parts& call, unsigned scope, const std::string& target, CXType target_type,
                     const std::string& store);
  [[nodiscard]] std::string type_name(CXType type, unsigned place);
  [[nodiscard]] declarations printer(unsigned place);
  [[nodiscard]] CXType called_type(const call_parts& call) const;
  [[nodiscard]] CXCursor called_function(const call_parts& call) const;
  void name_types(const call_parts& call, CXType target);
  void declare_function(CXCursor function, unsigned place);

  // local_types.cpp
  [[nodiscard]] CXCursor local_type_of(const node& use) const;
  [[nodiscard]] bool is_local(CXCursor declared) const;
  [[nodiscard]] std::string name_of_type(CXCursor declared, unsigned place);
  [[nodiscard]] std::string new_name_of(CXCursor declared) const;
  [[nodiscard]] std::size_t name_token(CXCursor declared) const;
  [[nodiscard]] bool is_unnamed(CXCursor declared) const;
  [[nodiscard]] span moved_with(int which) const;
  void rename(CXCursor declared);
  void move_type(CXCursor declared, unsigned place);
  void move_in_type(const node& part, unsigned place);
  [[nodiscard]] std::string moved_types(int top) const;

  // loops.cpp
  void loop(const keyword& here);
  loop_parts loop_of(const keyword& here) const;
  void read_condition(loop_parts& parts, span text) const;
  void read_step(loop_parts& parts, span text) const;
  std::string read_grain(unsigned keyword);
  void check_jumps(const loop_parts& parts);
  void check_header(const loop_parts& parts, span first, span condition) const;
  [[nodiscard]] bool is_operand(span piece, span whole) const;
  std::string body_text(const loop_parts& parts);
  span header_of(const keyword& here) const;
  [[nodiscard]] std::string step_text(const loop_parts& parts) const;
  std::string loop_cxx(const loop_parts& parts);
  void loop_over_range(const keyword& here, int node);

  // loops_c.cpp
  std::string loop_c(const loop_parts& parts);
  void capture(const loop_parts& parts, unsigned number);
  void capture_use(const loop_parts& parts, unsigned number, const node& use,
                   std::map<variable_key, captured>& found);
  void drop_register(CXCursor variable, unsigned place);
  captured captured_as(CXCursor variable, const std::string& field, unsigned number, unsigned place);
  void declare_variable(loop_parts& parts);

  [[nodiscard]] span trimmed(span piece) const;
  /// Begins with the declaration of the function that it stands in front of, which its functions may call.
  std::string& prelude_of(unsigned offset);

  const source& from_;
  edits edits_;
  unsigned next_number_ = 1;
  std::vector<region> regions_;
  std::vector<reducer> reducers_;
  std::set<int> scopes_;                 ///< compound statements behind cilk_scope
  std::map<int, span> loops_;            ///< parallel loops, with their bodies
  std::map<int, unsigned> loop_bodies_;  ///< bodies of parallel loops, with the loop's number
  std::map<unsigned, std::map<variable_key, captured>> captured_;  ///< by the loop's number
  std::set<std::size_t> dropped_;                                  ///< words of the program that go
  std::map<int, std::string> preludes_;                ///< functions in front of a declaration of the file
  std::map<int, std::map<unsigned, unsigned>> moved_;  ///< types in front of one: where they begin and end
  std::vector<CXCursor> moved_declarations_;
  std::vector<std::pair<CXCursor, std::string>> moved_names_;             ///< of them and of what is in them
  std::map<int, std::map<std::string, std::string>> declared_functions_;  ///< in front of one, by their names
};

}  // namespace tool::cilk

#endif
