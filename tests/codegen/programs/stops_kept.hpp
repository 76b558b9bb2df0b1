// What a scope may see of its children's ends, where a child that is unwound throws at its end what scopes inside of it had
// to drop.
#ifndef NOPAL_TESTS_PROGRAMS_STOPS_KEPT_HPP
#define NOPAL_TESTS_PROGRAMS_STOPS_KEPT_HPP

#include <map>
#include <vector>

#include "stops_rules.hpp"

namespace stops {

/// Each activation's own ones.
using children_of_activations = std::map<const activation*, std::vector<const activation*>>;

inline bool is_error(long n) { return n != 0 && n != unwound; }
/// Of positions in order; unwinding only where nothing else was thrown.
inline long first_error(const std::vector<const activation*>& all) {
  long unwinding = 0;
  for (const activation* one : all) {
    if (is_error(one->error)) {
      return one->error;
    }
    unwinding = one->error != 0 ? one->error : unwinding;
  }
  return unwinding;
}
inline bool is_pattern(how is) {
  return is == how::loop || is == how::invoke || is == how::whole_invoke || is == how::reduction;
}

class kept_errors {
public:
  explicit kept_errors(const children_of_activations& children) : children_(children) {}

  /// What a child's scope may see: 0, or what it throws. One of several.
  [[nodiscard]] std::vector<long> seen(const activation& child) const {
    if (child.begins == never) {
      return {0};
    }
    if (child.error != unwound || !is_taken(child)) {
      return {child.error};
    }
    std::vector<long> must;
    std::vector<long> may;
    look_into(child, must, may);
    if (must.empty()) {
      may.push_back(0);
    }
    may.insert(may.end(), must.begin(), must.end());
    return may;
  }

private:
  static bool is_taken(const activation& child) {
    return child.scope != nullptr && child.scope->its != nullptr && child.scope->its->is == kind::unwinds;
  }
  const std::vector<const activation*>& children_of(const activation& one) const {
    static const std::vector<const activation*> none;
    const auto found = children_.find(&one);
    return found != children_.end() ? found->second : none;
  }

  /// What is dropped in an activation that is unwound, and in what it calls and forks up to other scopes that unwind.
  void look_into(const activation& in, std::vector<long>& must, std::vector<long>& may) const {
    for (const activation* one : children_of(in)) {
      if (one->is == how::inlet) {
        if (is_error(one->error)) {  // it leaves with some child of the scope
          may.push_back(one->error);
        }
        look_into(*one, must, may);
      } else if (one->is == how::forked) {
        look_at_fork(in, *one, must, may);
      } else if (one->inside == in.inside || one->inside == nullptr || one->inside->is != kind::shield) {
        look_into(*one, must, may);
        for (const activation* position : is_pattern(one->is) ? children_of(*one) : children_of(never_)) {
          if (is_error(position->error)) {
            may.push_back(position->error);
          }
        }
      }
    }
  }
  void look_at_fork(const activation& in, const activation& child, std::vector<long>& must,
                    std::vector<long>& may) const {
    if (in.error == unwound) {
      const std::vector<long> all = seen(child);
      for (const long error : all) {
        if (is_error(error)) {
          (has(all, 0) ? may : must).push_back(error);
        }
      }
    }
    if (!is_taken(child)) {
      look_into(child, must, may);
    }
  }

  const children_of_activations& children_;
  const activation never_{};
};

}  // namespace stops

#endif
