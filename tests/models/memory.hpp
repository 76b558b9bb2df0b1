// What the engine asks of a memory model, and the locations that both know.
#ifndef NOPAL_TESTS_EXPLORE_MEMORY_HPP
#define NOPAL_TESTS_EXPLORE_MEMORY_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

/// Up to 16 bytes that change at once.
struct location {
  char* address = nullptr;
  unsigned bytes = 0;
  std::string name;
  bool live = false;  ///< used in this execution: the memory model has its value
  bool weak_stores = false, weak_loads = false, blinded = false, torn = false;
  std::uint64_t initial[2] = {0, 0};  ///< when it became live
};

/// A part of a location.
struct access {
  unsigned where;  ///< the location's number
  unsigned offset;
  unsigned bytes;
};

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  // Multiply and fold: each bit of either reaches all of the result.
  hash ^= value + 0x9e3779b97f4a7c15U;
  hash *= 0xff51afd7ed558ccdU;
  hash ^= hash >> 32;
  hash *= 0xc4ceb9fe1a85ec53U;
  return hash ^ hash >> 29;
}

/// The whole of one location's value.
struct content {
  std::uint64_t words[2] = {0, 0};
  [[nodiscard]] std::uint64_t part(const access& of) const {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(words) + of.offset, of.bytes);
    return value;
  }
  void set_part(const access& of, std::uint64_t value) {
    std::memcpy(reinterpret_cast<char*>(words) + of.offset, &value, of.bytes);
  }
};

inline std::uint64_t updated(update kind, std::uint64_t before, std::uint64_t operand) {
  switch (kind) {
  case update::add: return before + operand;
  case update::bit_or: return before | operand;
  case update::bit_and: return before & operand;
  case update::bit_xor: return before ^ operand;
  default: return operand;
  }
}

inline bool acquires(int order) {
  return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}
inline bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/// What a memory model may ask back.
class chooser {
public:
  virtual ~chooser() = default;
  virtual unsigned decide(unsigned count) = 0;
  [[noreturn]] virtual void report(const char* message) = 0;
};

class memory_model {
public:
  explicit memory_model(chooser& from) : chooser_(from) {}
  virtual ~memory_model() = default;
  memory_model(const memory_model&) = delete;
  memory_model& operator=(const memory_model&) = delete;

  virtual void restart(int threads) = 0;
  /// A location is used for the first time in this execution; it holds `initial`, which anyone may have seen.
  virtual void introduce(unsigned where, const content& initial, std::uintptr_t address) = 0;

  /// Whether no other thread can see a store happen, so that its order with others' steps does not matter.
  [[nodiscard]] virtual bool store_is_private(int order) const = 0;

  virtual std::uint64_t load(int thread, const access& of, int order) = 0;
  virtual void store(int thread, const access& to, std::uint64_t value, int order) = 0;
  /// The two halves of a read-modify-write, with nothing between them.
  virtual content read_newest(int thread, unsigned where, int order) = 0;
  virtual void write_newest(int thread, unsigned where, const content& value, int order) = 0;
  virtual void fence(int thread, int order) = 0;
  /// A full fence on `thread`, which is not running: at any moment after its last step.
  virtual void fence_elsewhere(int thread) { fence(thread, __ATOMIC_SEQ_CST); }

  /// So much time has passed that the thread sees whatever was stored.
  virtual void settle(int thread) = 0;

  [[nodiscard]] virtual bool can_drain(int thread) const = 0;
  /// The oldest waiting store of the thread reaches memory. Returns its location.
  virtual unsigned drain(int thread) = 0;

  virtual void plain_read(int thread, std::uintptr_t address, std::size_t bytes) = 0;
  virtual void plain_write(int thread, std::uintptr_t address, std::size_t bytes) = 0;
  /// The thread wrote memory in which locations will be introduced.
  virtual void plain_copy(int thread, std::uintptr_t address, std::size_t bytes) = 0;

  /// What the thread would read of the location with a plain access; of memory itself, for a negative thread.
  [[nodiscard]] virtual content seen_by(int thread, unsigned where) const = 0;
  [[nodiscard]] virtual std::uint64_t hash(std::uint64_t seed) const = 0;

protected:
  chooser& chooser_;
};

std::unique_ptr<memory_model> make_tso(chooser& from);
std::unique_ptr<memory_model> make_views(chooser& from);

}  // namespace explore

#endif
