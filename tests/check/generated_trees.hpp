// Random programs as trees of forks: what each strand does, in the order of the serial program.
#ifndef NOPAL_TESTS_CHECK_GENERATED_TREES_HPP
#define NOPAL_TESTS_CHECK_GENERATED_TREES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

constexpr int scopes = 3;

struct code;

enum class kind : std::uint8_t { access, fork, join };

struct step {
  kind what;
  int scope;
  int byte;
  bool is_write;
  int place;           ///< in the order of the serial program
  std::uint32_t more;  ///< random bits for what else there is to choose
  std::unique_ptr<code> child;
};

struct code {
  std::vector<step> steps;
};

struct shape {
  std::mt19937_64 random;
  bool crosses;  ///< scopes are joined in any order
  bool is_deep;
  int left;  ///< steps
  int next_place;
  unsigned writes;  ///< one access in so many
  int bytes;
  std::size_t up_to(std::size_t most) { return random() % (most + 1); }
  bool one_in(std::uint64_t many) { return random() % many == 0; }
};

inline std::unique_ptr<code> make_code(shape& of, int depth) {
  auto made = std::make_unique<code>();
  int open = 0;  // where scopes are nested: the innermost one
  const std::size_t most = depth == 0 ? 30 : 8;
  for (std::size_t count = 1 + of.up_to(most); count != 0 && of.left > 0; --count) {
    --of.left;
    const std::size_t what = of.up_to(9);
    if (of.is_deep ? what < 3 : what < 5) {
      const auto byte = static_cast<int>(of.up_to(static_cast<std::size_t>(of.bytes - 1)));
      const bool is_write = of.one_in(of.writes);
      made->steps.push_back({kind::access, 0, byte, is_write, of.next_place++,
                             static_cast<std::uint32_t>(of.random()), nullptr});
    } else if (what < 8) {
      if (!of.crosses && open + 1 < scopes && of.one_in(3)) ++open;
      const int scope = of.crosses ? static_cast<int>(of.up_to(scopes - 1)) : open;
      made->steps.push_back({kind::fork, scope, 0, false, 0, 0, make_code(of, depth + 1)});
    } else {
      const int scope = of.crosses ? static_cast<int>(of.up_to(scopes - 1)) : open;
      made->steps.push_back({kind::join, scope, 0, false, 0, 0, nullptr});
      if (open != 0) --open;
    }
  }
  for (int scope = scopes - 1; scope >= 0; --scope) {
    made->steps.push_back({kind::join, scope, 0, false, 0, 0, nullptr});
  }
  return made;
}

#endif
