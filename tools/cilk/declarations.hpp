// Declarations of C, printed from the types that clang's parser knows, for places where a program's own declaration is not seen.
#ifndef NOPAL_TOOLS_CILK_DECLARATIONS_HPP
#define NOPAL_TOOLS_CILK_DECLARATIONS_HPP

#include <clang-c/Index.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tool::cilk {

/// Whether its size, or that of what it points to, is known at run time alone.
bool is_variable(CXType type);
/// Whether a parameter of this type is a pointer: to an array's elements, or to a function.
bool decays(CXType type);

/// What an object of the type has for each size that is known at run time alone, in the order in which a declaration has them.
std::vector<std::string> sizes_of(CXType type, const std::string& object);

/// Prints declarations.
class declarations {
public:
  /// Names a structure, a union, an enumeration or a typedef, with its keyword; empty: as the parser spells it.
  using name_of = std::function<std::string(CXCursor declared)>;
  explicit declarations(name_of names) : names_(std::move(names)) {}

  /// `name` as one of that type. `sizes` are those that are known at run time alone, in their order.
  [[nodiscard]] std::string of(CXType type, const std::string& name,
                               const std::vector<std::string>& sizes = {}) const;
  /// As a parameter of that type is: a pointer where it decays.
  [[nodiscard]] std::string of_parameter(CXType type, const std::string& name,
                                         const std::vector<std::string>& sizes = {}) const;

private:
  struct sizes {
    const std::vector<std::string>* known;  ///< null: in a parameter list, which has `*`
    std::size_t next;
  };
  [[nodiscard]] std::string print(CXType type, const std::string& name, unsigned qualifiers, sizes& at) const;
  [[nodiscard]] std::string print_parameter(CXType type, const std::string& name, sizes& at) const;
  [[nodiscard]] std::string pointer_to(CXType type, const std::string& name, unsigned qualifiers,
                                       sizes& at) const;
  [[nodiscard]] std::string parameters(CXType function) const;

  name_of names_;
};

}  // namespace tool::cilk

#endif
