// `nopal::fork` and `nopal::fork_into`, which do not exist: they say where forks are.
//
// `nopal::fork` is found through the directive. A call without `nopal::` does not find it by the
// types of its arguments, so a program's own `fork(scope&, ...)` is left alone.
#ifndef NOPAL_DETAIL_FREE_FORKS_HPP
#define NOPAL_DETAIL_FREE_FORKS_HPP

#include <nopal/detail/refused.hpp>

namespace nopal {
namespace members_of_scope {

template <class F, class... Args>
void fork(F&& /*f*/, Args&&... /*args*/) {
  static_assert(refusals::accepted<F>,
                "nopal: fork is a member of scopes: nopal::scope s; s.fork(f, arguments...); s.join();");
}
template <class Out, class F, class... Args>
void fork_into(Out&& /*out*/, F&& /*f*/, Args&&... /*args*/) {
  static_assert(
      refusals::accepted<F>,
      "nopal: fork_into is a member of scopes: nopal::scope s; s.fork_into(out, f, arguments...); s.join();");
}

}  // namespace members_of_scope
using namespace members_of_scope;  // NOLINT(google-build-using-namespace): not found by arguments
}  // namespace nopal

#endif
