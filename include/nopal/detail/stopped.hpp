// What a scope that unwinds throws when it is stopped.
#ifndef NOPAL_DETAIL_STOPPED_HPP
#define NOPAL_DETAIL_STOPPED_HPP

#include <exception>

#include <nopal/detail/export.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// Thrown by forks, by `poll`, and by joins that waited, in a child of a scope that was made with `on_stop::unwind`, if that
/// or one around it is stopped. The scope takes it at the child's end; code between catches it only to throw it on.
class NOPAL_EXPORT stopped : public std::exception {
public:
  /// One line
  [[nodiscard]] const char* what() const noexcept override {
    return "nopal: a stopped scope unwinds: let it pass, or fork in nopal::shield where nothing may be "
           "thrown";
  }
};

/// What becomes of forks in a stopped scope.
enum class on_stop {
  skip,   ///< they do not begin their children
  unwind  ///< inside of the scope's children they throw `stopped`; elsewhere as `skip`
};

/// In which order the inlets of a scope run.
enum class inlet_order {
  completion,  ///< that in which the children end
  serial       ///< that in which they were forked
};

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
