// The programs on other libraries: executables that take the same orders as `nopal bench-one`.
#ifndef NOPAL_TOOLS_BENCH_PEERS_HPP
#define NOPAL_TOOLS_BENCH_PEERS_HPP

#include <string>
#include <string_view>
#include <vector>

#include "interrupt.hpp"

namespace tool {

/// One peer, as its executable describes itself.
struct peer {
  std::string path;
  std::string name;
  std::string title;
  std::string version;
  std::string idiom;
  std::string compiler;
  std::vector<std::string> programs;
  bool is_variant = false;  ///< this library in another form, and not another library

  [[nodiscard]] bool has(std::string_view program) const;
};

/// The directories in which `nopal bench` looks unless told otherwise: `peers` and `variants` beside this executable.
[[nodiscard]] std::string usual_peer_directory();
[[nodiscard]] std::string usual_variant_directory();
/// Where the build puts those that update reducers on the library's alternatives.
[[nodiscard]] std::string usual_reducer_directory();

/// Every peer in the directory, by name; none where there is no directory. One that does not describe
/// itself is left out, with a line on standard error that says why.
[[nodiscard]] std::vector<peer> find_peers(const std::string& directory, const interrupt_watch& watch);

/// How messages speak of those in a directory.
struct peer_words {
  std::string_view option = "--peers";
  std::string_view one = "peer";
};
inline constexpr peer_words variant_words = {"--variants", "variant"};

/// Those of `found` that the list names: "all", "none", or names with commas between them. Throws usage_error.
[[nodiscard]] std::vector<peer> choose_peers(const std::vector<peer>& found, std::string_view list,
                                             const std::string& directory, peer_words words = {});

}  // namespace tool

#endif
