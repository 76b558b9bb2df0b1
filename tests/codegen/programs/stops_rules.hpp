// What a part's requests mean for what is in it, by the numbers of events: what may be, since a request had begun by then, and what
// must be, since one had returned.
#ifndef NOPAL_TESTS_PROGRAMS_STOPS_RULES_HPP
#define NOPAL_TESTS_PROGRAMS_STOPS_RULES_HPP

#include <algorithm>
#include <vector>

#include "stops_log.hpp"

namespace stops {

/// The part is asked to stop before event `at`, or one around it up to a shield.
inline bool may_be_stopped(const part* p, int at) {
  for (; p != nullptr && p->is != kind::shield; p = p->around) {
    if (p->asks < at || (p->soon && may_be_stopped(p->of, at))) {
      return true;
    }
  }
  return false;
}

/// It was stopped when event `at` came.
inline bool is_stopped(const part* p, int at) {
  for (; p != nullptr && p->is != kind::shield; p = p->around) {
    if (p->asked < at) {
      return true;
    }
  }
  return false;
}

/// Whether a fork in the part is thrown out of: one around it unwinds, of which it is in a child, and `is_one`, stopped, of
/// that.
template <class Is>
inline bool unwinds(const part* inside, Is is_one) {
  for (const part* p = inside; p != nullptr && p->is != kind::shield; p = p->around) {
    if (p->is == kind::unwinds && is_one(p)) {
      for (const part* child = inside; child != p; child = child->around) {
        if (child->is == kind::child && child->of == p) {
          return true;
        }
      }
    }
  }
  return false;
}
inline bool may_unwind(const part* inside, int at) {
  return unwinds(inside, [at](const part* p) { return may_be_stopped(p, at); });
}
inline bool must_unwind(const part* inside, int at) {
  return unwinds(inside, [at](const part* p) { return is_stopped(p, at); });
}

inline bool has(const std::vector<long>& errors, long error) {
  return std::find(errors.begin(), errors.end(), error) != errors.end();
}

/// The steps from the root to an event.
inline std::vector<int> place_of(const activation* who, int step) {
  std::vector<int> place{step};
  for (; who->parent != nullptr; who = who->parent) {
    place.push_back(who->step);
  }
  std::reverse(place.begin(), place.end());
  return place;
}

}  // namespace stops

#endif
