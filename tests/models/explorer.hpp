// A bounded explorer of small concurrent programs: runs a model under every schedule and every outcome of its memory
// operations that the chosen memory model allows, and shows the first execution that goes wrong.
//
// A model's threads are fibers of one thread of the system. Every atomic operation is a step; before a step another
// thread may run. An execution is the list of choices made; the next one repeats a part of the list and then goes
// another way. A state that was reached before, by whatever path, is not explored again. docs/models.md has the rest.
//
// Invariants that a model keeps: its threads behave alike in each execution that makes the same choices; set_up makes
// everything anew; threads share nothing but atomics, `plain` cells, and marks that each of them sets for itself.
#ifndef NOPAL_TESTS_EXPLORE_EXPLORER_HPP
#define NOPAL_TESTS_EXPLORE_EXPLORER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace explore {

inline constexpr int most_threads = 4;

enum class memory_kind {
  tso,    ///< x86: stores wait in their thread's buffer, first in first out; locked operations empty it
  views,  ///< C++: a load may read any message that its thread has not seen overwritten; races are reported
};

struct options {
  memory_kind memory = memory_kind::tso;
  int preemptions = -1;  ///< most switches away from a thread that could go on; negative: any number
  /// A wait may time out although somebody else could still run. Otherwise its time is long enough for whoever runs to
  /// get to a wait of their own or to their end, and for the sleeper to see every store.
  bool early_timeouts = false;
  /// A thread that looks again and again goes on once something was written, and not once somebody else looked. For
  /// sources in which several wait so at a time: a look that finds nothing new changes nothing for anybody.
  bool looks_are_no_moves = false;
  /// The 16-byte exchange is a full barrier, as on x86. Otherwise it is a sequentially consistent operation and no more,
  /// as a port's might be; the views tell the difference.
  bool exchange_is_barrier = true;
  const char* broken = "";       ///< the fault made on purpose where the sources have a point of this name
  const char* also_broken = "";  ///< another one, or a part of the sources that is left out without it
  std::vector<unsigned> replay = {};  ///< not empty: runs this one execution and no other
};

struct outcome {
  bool failed = false;
  std::string message;            ///< what went wrong
  std::string trace;              ///< every step of the failing execution, and the choices that replay it
  std::vector<unsigned> choices;  ///< for options::replay
  std::uint64_t executions = 0;   ///< run until their end or until a state seen before
  std::uint64_t ends = 0;         ///< of them, run until nothing could move
  std::uint64_t states = 0;       ///< different states found
  std::uint64_t steps = 0;        ///< of all executions
};

class model {
public:
  virtual ~model() = default;
  [[nodiscard]] virtual int threads() const = 0;
  /// Before each execution, outside of every thread: makes the state anew and names its locations.
  virtual void set_up() = 0;
  virtual void run(int thread) = 0;
  /// After each execution, when nothing can move: every thread has finished or waits for good.
  virtual void check() {}
  /// `thread` is about to run: the place to set what the program keeps per thread.
  virtual void switch_to(int /*thread*/) {}
  /// An interruption of `thread` arrived: its handler, run between two of its steps. `told` is what the sender said.
  virtual void interrupted(int /*thread*/, std::uint64_t /*told*/) {}
  /// Whether interruptions may arrive between any two of the thread's instructions, also where it only stores.
  [[nodiscard]] virtual bool interruptible(int /*thread*/) const { return false; }
  /// Whether what the sources draw in some way is each number in some execution.
  [[nodiscard]] virtual bool tries_each_draw() const { return false; }
  /// Of others: what is drawn in place of a number.
  [[nodiscard]] virtual std::uint64_t draw(std::uint64_t drawn) const { return drawn; }
};

outcome explore(model& program, const options& how);

// ---------------------------------------------------------------------------------------------
// For set_up.

/// Names what lies at `address` in traces. `bytes` at once are one location, at most 16.
void name(const void* address, std::size_t bytes, const char* text);
/// Atomic operations on these addresses are no steps: what lies there matters to nobody.
void ignore(const void* address, std::size_t bytes);

// Faults on purpose.
void weaken_stores(const void* address, bool on = true);  ///< release counts as relaxed
void weaken_loads(const void* address, bool on = true);   ///< acquire counts as relaxed
void blind(const void* address, bool on = true);          ///< loads find what was there at first
void tear(const void* address, bool on = true);           ///< additions are a load and a store

/// What every 16-byte exchange passes through, if set: may change what is about to be written.
extern void (*alter_exchange)(const std::uint64_t (&expected)[2], std::uint64_t& low, std::uint64_t& high);

/// Whether the exploration is to find this fault.
[[nodiscard]] bool broken(const char* fault);

// ---------------------------------------------------------------------------------------------
// For threads.

[[nodiscard]] int this_thread();
[[noreturn]] void fail(const char* message);
/// Ends the calling thread.
[[noreturn]] void finish();
inline void require(bool holds, const char* message) {
  if (!holds) {
    fail(message);
  }
}
/// A number below `count`, each in some execution.
unsigned choose(unsigned count);
/// The same of a model that tries each draw; `drawn` of others.
std::uint64_t choose_or(unsigned count, std::uint64_t drawn);
/// A full fence on each thread in turn, at some moment of this call.
bool process_barrier();
/// For a thread that looks again and again: it goes on once something else has moved, if anything can.
void yield();
/// Sleeps while the word is `expected`. False if the time of a timed wait passed.
bool futex_wait(const void* address, std::uint32_t expected, bool timed);
int futex_wake(const void* address, int count);

/// Sends an interruption, as a system call: it arrives before some later step of the thread, or never if that ends. One that
/// finds another on its way is dropped. Who sends and whose handler runs pass a fence each, as in the system.
void interrupt(int thread, std::uint64_t told);
/// A place where the calling thread may be interrupted although it uses no memory there.
void instruction();

/// A lock: 4 bytes, 0 while nobody holds it. Whoever finds it taken waits; release and acquire. A gate, if it begins taken.
void lock(void* address);
void unlock(void* address);

/// The memory is given back, or is somebody's again: what uses it between fails.
void give_up(const void* address, std::size_t bytes, bool gone = true);
/// Gives up what allocate returned.
void free_memory(void* address);
[[nodiscard]] bool allocated(const void* address);  ///< whether allocate returned it

/// For check: whether a thread waits for good.
[[nodiscard]] bool waits(int thread);

/// Memory that is taken back at the start of the next execution, at the same addresses in each.
void* allocate(std::size_t alignment, std::size_t bytes);
/// As memcpy, by the calling thread, to memory that other threads will use atomics on.
void* copy(void* to, const void* from, std::size_t bytes);

// Operations on memory; `order` is one of the __ATOMIC_ constants. Outside of threads they are plain.
inline constexpr int plain_order = -1;  ///< not atomic, hence no step of its own
std::uint64_t load_bits(const void* address, std::size_t bytes, int order);
void store_bits(void* address, std::size_t bytes, std::uint64_t value, int order);
enum class update { exchange, add, bit_or, bit_and, bit_xor, compare_exchange };
/// Returns what was there; of a compare_exchange that found something else than `expected`, nothing is written.
std::uint64_t update_bits(void* address, std::size_t bytes, update kind, std::uint64_t operand,
                          std::uint64_t expected, int order);
bool compare_exchange_16(void* address, std::uint64_t (&expected)[2], std::uint64_t low, std::uint64_t high);
void fence(int order);
void plain_read(const void* address, std::size_t bytes);
void plain_write(const void* address, std::size_t bytes);

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
std::remove_cv_t<T> load(T* where, int order) {
  return from_bits<std::remove_cv_t<T>>(load_bits(where, sizeof(T), order));
}
template <class T>
void store(T* where, std::type_identity_t<T> value, int order) {
  store_bits(where, sizeof(T), to_bits(value), order);
}
template <class T>
T exchange(T* where, std::type_identity_t<T> value, int order) {
  return from_bits<T>(update_bits(where, sizeof(T), update::exchange, to_bits(value), 0, order));
}
template <class T>
T fetch_add(T* where, std::type_identity_t<T> amount, int order) {
  return from_bits<T>(update_bits(where, sizeof(T), update::add, to_bits(amount), 0, order));
}
template <class T>
T fetch_sub(T* where, std::type_identity_t<T> amount, int order) {
  return fetch_add(where, static_cast<T>(T{} - amount), order);
}
template <class T>
bool compare_exchange(T* where, T* expected, std::type_identity_t<T> desired, int order) {
  const std::uint64_t wanted = to_bits(*expected);
  const std::uint64_t seen =
      update_bits(where, sizeof(T), update::compare_exchange, to_bits(desired), wanted, order);
  *expected = from_bits<T>(seen);
  return seen == wanted;
}

/// A variable that is not atomic: the views model reports two accesses that race.
template <class T>
class plain {
public:
  void initialize(T value) { value_ = value; }
  [[nodiscard]] T read() const {
    plain_read(&value_, sizeof(T));
    return load(&value_, plain_order);
  }
  void write(T value) {
    plain_write(&value_, sizeof(T));
    store(&value_, value, plain_order);
  }

private:
  T value_{};
};

/// Stands in for std::atomic in real sources, and serves models.
template <class T>
class atomic {
public:
  constexpr atomic() noexcept : value_() {}
  constexpr atomic(T value) noexcept : value_(value) {}  // implicit, as in std::atomic
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  template <class Order>
  [[nodiscard]] T load(Order order) const noexcept {
    return explore::load(&value_, static_cast<int>(order));
  }
  template <class Order>
  void store(T value, Order order) noexcept {
    explore::store(&value_, value, static_cast<int>(order));
  }
  template <class Order>
  T exchange(T value, Order order) noexcept {
    return explore::exchange(&value_, value, static_cast<int>(order));
  }
  template <class Order>
  T fetch_add(T amount, Order order) noexcept {
    return explore::fetch_add(&value_, amount, static_cast<int>(order));
  }
  template <class Order>
  T fetch_sub(T amount, Order order) noexcept {
    return explore::fetch_add(&value_, static_cast<T>(-amount), static_cast<int>(order));
  }
  template <class Order>
  bool compare_exchange_strong(T& expected, T desired, Order order) noexcept {
    return explore::compare_exchange(&value_, &expected, desired, static_cast<int>(order));
  }
  template <class Order>
  bool compare_exchange_strong(T& expected, T desired, Order order, Order /*failed*/) noexcept {
    return compare_exchange_strong(expected, desired, order);
  }
  template <class... Orders>
  bool compare_exchange_weak(T& expected, T desired, Orders... orders) noexcept {
    return compare_exchange_strong(expected, desired, orders...);
  }
  template <class Order>
  T fetch_or(T bits, Order order) noexcept {
    return change(update::bit_or, bits, order);
  }
  template <class Order>
  T fetch_and(T bits, Order order) noexcept {
    return change(update::bit_and, bits, order);
  }
  template <class Order>
  T fetch_xor(T bits, Order order) noexcept {
    return change(update::bit_xor, bits, order);
  }
  [[nodiscard]] const void* address() const noexcept { return &value_; }

private:
  template <class Order>
  T change(update kind, T operand, Order order) noexcept {
    return from_bits<T>(update_bits(&value_, sizeof(T), kind, to_bits(operand), 0, static_cast<int>(order)));
  }

  T value_;
};

/// Stands in for std::atomic_flag.
class atomic_flag {
public:
  constexpr atomic_flag(int set = 0) noexcept
      : value_(static_cast<std::uint32_t>(set)) {}  // implicit, as there
  template <class Order>
  bool test_and_set(Order order) noexcept {
    return explore::exchange(&value_, 1U, static_cast<int>(order)) != 0;
  }
  template <class Order>
  void clear(Order order) noexcept {
    explore::store(&value_, 0U, static_cast<int>(order));
  }
  [[nodiscard]] const void* address() const noexcept { return &value_; }

private:
  std::uint32_t value_;
};

}  // namespace explore

#endif
