// Random programs of forks, joins, locks and accesses: the checker finds a race of a byte exactly where an
// oracle that compares all pairs of accesses does.
//
// Usage: generated [SEED [COUNT]]; without them it takes a new seed, and prints it.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include <nopal/detail/check.h>
#include <nopal/scope.hpp>

namespace {

constexpr std::size_t bytes = 48;
alignas(256) unsigned char memory[512];
std::array<bool, sizeof memory> reported;
std::uint64_t locks[3];

struct access {
  int node;
  bool is_write;
  unsigned held;
};

/// What a program did: the nodes of its graph, and who used each byte.
struct history {
  std::vector<std::vector<int>> before;  ///< by node: those that it directly follows
  std::array<std::vector<access>, sizeof memory> uses;
  int add(std::vector<int> after) {
    before.push_back(std::move(after));
    return static_cast<int>(before.size()) - 1;
  }
};
history* now;

template <class T>
struct [[gnu::packed]] unaligned {
  T value;
};

template <class T>
[[gnu::noinline]] void use(unsigned char* at, bool is_write) {
  auto* const volatile to = reinterpret_cast<unaligned<T>*>(at);
  if (is_write) {
    to->value = 1;
  } else {
    volatile T read = to->value;
    static_cast<void>(read);
  }
}

void use_sized(unsigned char* at, std::size_t size, bool is_write) {
  switch (size) {
  case 1: return use<std::uint8_t>(at, is_write);
  case 2: return use<std::uint16_t>(at, is_write);
  case 4: return use<std::uint32_t>(at, is_write);
  default: return use<std::uint64_t>(at, is_write);
  }
}

/// The generator's own work is no part of the program that it makes.
struct [[nodiscard]] apart {
  apart() { nopal_check_ignore(); }
  ~apart() { nopal_check_heed(); }
};

struct shape {
  std::mt19937_64 random;
  bool has_locks;
  bool has_two_scopes;
  int left;  ///< steps
  std::uint64_t up_to(std::uint64_t most) { return random() % (most + 1); }
};

void step_access(shape& of, int node) {
  std::size_t at;
  std::size_t size;
  bool is_write;
  unsigned held;
  {
    const apart here;
    size = std::size_t{1} << of.up_to(3);
    at = 232 + of.up_to(bytes - size);
    is_write = of.up_to(3) == 0;
    held = of.has_locks ? static_cast<unsigned>(of.up_to(7)) : 0;
    for (std::size_t i = at; i < at + size; ++i) now->uses[i].push_back({node, is_write, held});
  }
  for (unsigned i = 0; i < 3; ++i) {
    if ((held >> i & 1) != 0) nopal_check_lock(&locks[i]);
  }
  use_sized(memory + at, size, is_write);
  for (unsigned i = 0; i < 3; ++i) {
    if ((held >> i & 1) != 0) nopal_check_unlock(&locks[i]);
  }
}

/// Runs a procedure that begins in `node`; returns the node that it ends in.
int run(shape& of, int node, int depth) {
  nopal::scope scopes[2];
  std::vector<int> ended[2];
  const auto next = [&of](int most) {
    const apart here;
    return static_cast<int>(of.up_to(static_cast<std::uint64_t>(most)));
  };
  const auto join = [&](int which) {
    if (ended[which].empty()) return;
    scopes[which].join();
    const apart here;
    ended[which].push_back(node);
    node = now->add(ended[which]);
    ended[which].clear();
  };
  for (int steps = next(8); steps >= 0 && of.left > 0; --steps) {
    --of.left;
    const int what = next(9);
    // The second scope is used between two uses of the first, so they are nested.
    const int which = of.has_two_scopes ? next(1) : 0;
    if (what < 5) {
      step_access(of, node);
    } else if (what < 8 && depth < 6) {
      if (which == 0) join(1);
      int first = 0;
      {
        const apart here;
        first = now->add({node});
      }
      int last = 0;
      scopes[which].fork([&of, first, depth, &last] {
        const int end = run(of, first, depth + 1);
        const apart here;
        last = end;
      });
      const apart here;
      ended[which].push_back(last);
      node = now->add({node});
    } else if (what == 8) {
      if (which == 0) join(1);
      join(which);
    } else if (depth < 6) {
      node = run(of, node, depth + 1);
    }
  }
  join(1);
  join(0);
  return node;
}

/// Whether each node comes before another: by all of its predecessors, in the order of their numbers.
std::vector<std::vector<bool>> all_before(const history& of) {
  std::vector<std::vector<bool>> result(of.before.size(), std::vector<bool>(of.before.size()));
  for (std::size_t i = 0; i < of.before.size(); ++i) {
    for (const int p : of.before[i]) {
      result[i][static_cast<std::size_t>(p)] = true;
      for (std::size_t j = 0; j < i; ++j) {
        if (result[static_cast<std::size_t>(p)][j]) result[i][j] = true;
      }
    }
  }
  return result;
}

bool has_race(const std::vector<access>& uses, const std::vector<std::vector<bool>>& before) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const access& a = uses[j];
      const access& b = uses[i];
      if ((a.is_write || b.is_write) && (a.held & b.held) == 0 && a.node != b.node &&
          !before[static_cast<std::size_t>(b.node)][static_cast<std::size_t>(a.node)]) {
        return true;
      }
    }
  }
  return false;
}

int run_one(std::uint64_t seed) {
  const apart here;
  history all;
  now = &all;
  reported.fill(false);
  nopal_check_forget(memory, sizeof memory);
  shape of{std::mt19937_64(seed), seed % 2 == 0, seed % 3 == 0, 150};
  const int first = all.add({});
  nopal_check_heed();
  run(of, first, 0);
  nopal_check_ignore();
  const auto before = all_before(all);
  int wrong = 0;
  for (std::size_t i = 0; i < sizeof memory; ++i) {
    const bool expected = has_race(all.uses[i], before);
    if (expected == reported[i]) continue;
    ++wrong;
    std::printf("seed %llu: byte %zu: %s\n", static_cast<unsigned long long>(seed), i,
                expected ? "its race is missed" : "it has no race");
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  nopal_check_watch([](const void* at, std::size_t size) {
    const auto begin = static_cast<std::size_t>(static_cast<const unsigned char*>(at) - memory);
    for (std::size_t i = begin; i < begin + size && begin < sizeof memory; ++i) reported[i] = true;
  });
  const std::uint64_t seed =
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) : static_cast<std::uint64_t>(std::time(nullptr)) * 1000;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  int wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) wrong += run_one(seed + i);
  std::printf("seeds from %llu, %llu programs: %d wrong\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(count), wrong);
  return wrong == 0 && count != 0 ? 0 : 1;
}
