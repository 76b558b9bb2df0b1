// The names of a program's functions, from its file.
#ifndef NOPAL_TOOLS_TRACE_SYMBOLS_HPP
#define NOPAL_TOOLS_TRACE_SYMBOLS_HPP

#include <cstdint>
#include <map>
#include <string>

namespace tool::tracing {

/// Knows none if the file is gone, is not the one that ran, or was stripped.
class symbols {
public:
  /// `program_headers` is where those were in the memory of the process.
  symbols(const std::string& program, std::uint64_t program_headers);

  /// The function that has the address, without its arguments; empty if it is not known.
  [[nodiscard]] std::string name_of(std::uint64_t address) const;

private:
  struct function {
    std::uint64_t end;
    std::string name;
  };
  std::uint64_t moved_by_ = 0;  ///< from addresses in the file to those in memory
  std::map<std::uint64_t, function> functions_;
};

}  // namespace tool::tracing

#endif
