// Lines and symbols of addresses: by libbacktrace where the library was built with it, and by the
// command addr2line.
#ifndef NOPAL_CHECK_ADDRESSES_HPP
#define NOPAL_CHECK_ADDRESSES_HPP

#include <cstddef>
#include <string>

#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Calls `visit(data, address, file, line, function)` for the instruction's calls, the innermost
/// first; with null pointers for what is not known.
void visit_lines(address instruction, int (*visit)(void*, address, const char*, int, const char*),
                 void* data);

/// The same text for the same place of the same file, wherever it is loaded; empty where that is not known.
std::string place_in_library(address where);

/// Calls `visit(data, address, name, begin, bytes)` for the symbol that has this address.
void visit_symbol(address where, void (*visit)(void*, address, const char*, address, std::size_t),
                  void* data);

}  // namespace nopal_check

#endif
