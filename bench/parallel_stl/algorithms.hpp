// What the program and the modules share: an algorithm of libstdc++ on given numbers, serially or by `par`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallel_stl {

using numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t bound = 1'000'000;

struct inputs {
  numbers mixed;  // below `bound`
  numbers sorted;
  numbers out;
  numbers changed;  // a copy of `mixed` before each pass
};

struct algorithm {
  const char* name;
  std::uint64_t (*run)(inputs& in, bool parallel);  // returns what is to be the same either way
};

struct module {
  const algorithm* first;
  std::size_t count;
  void (*limit_threads)(std::size_t threads);
};

/// The name and type of the one function that a module has.
constexpr const char* entry_name = "parallel_stl_module";
using entry = const module*();

}  // namespace parallel_stl
