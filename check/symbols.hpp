// Names of places and of variables, from debug information.
#ifndef NOPAL_CHECK_SYMBOLS_HPP
#define NOPAL_CHECK_SYMBOLS_HPP

#include <string>
#include <vector>

#include "sites.hpp"
#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// The `file` is a program's or library's, with where in it.
inline constexpr int no_line = -1;

/// A call in the source, inlined or not.
struct source_frame {
  std::string function;  ///< empty: not known
  std::string file;      ///< empty: not known
  int line;
  bool is_ours;  ///< of a header of Nopal, of the C++ library or of the system
};

/// The calls around a program counter that was a return address, the innermost first.
const std::vector<source_frame>& frames_at(address returned_to);
/// As above, where a library is gone that was called `library`: what is known of its code is known `step` away now.
void move_frames(address begin, std::size_t bytes, address step, const char* library);
/// Those around a site; if `until_own`, only up to a call that has the program's own: what libraries those around it are in is
/// not read then.
std::vector<source_frame> frames_of(const site& where, bool until_own = false);

/// The innermost frame that is the program's own; the innermost if none is.
const source_frame& place_in(const std::vector<source_frame>& frames);
std::string text_of_place(const source_frame& frame);

/// The global variable that has this address; empty if none has.
struct global_variable {
  std::string name;
  address begin;
  std::size_t bytes;
};
global_variable variable_at(address where);

}  // namespace nopal_check

#endif
