// What the corpus of forking functions has in common: a register of cases, and children that make thieves come.
//
// A case is a function that forks and says whether its answer was right. main.cpp runs each until its continuations
// have been stolen often enough; built with NOPAL_ELIDE, each runs serially and must give the same answer.
#ifndef NOPAL_TESTS_CODEGEN_CORPUS_HPP
#define NOPAL_TESTS_CODEGEN_CORPUS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include <nopal/scope.hpp>

// The keyword keeps -Wpedantic quiet and takes no alias declaration.
__extension__ typedef __int128 wide_integer;

namespace corpus {

/// A case enters itself into the list by its construction, before main.
struct registered_case {
  registered_case(const char* its_name, bool (*its_run)()) noexcept;
  const char* name;
  bool (*run)();
  registered_case* next;
};
registered_case* first_case() noexcept;

#define CORPUS_CASE(name)                                                                                    \
  static bool name();                                                                                        \
  static const corpus::registered_case name##_case{#name, name};                                             \
  static bool name()

/// When children wait for their continuation to be stolen. Mixed lets stolen and unstolen forks follow each other.
enum class waiting : int { never, sometimes, always };
void set_waiting(waiting when) noexcept;

/// Inside a child: waits, if it is to, until every continuation that this worker offers has been stolen, or for a
/// bounded time. Overwrites the stack below the caller in any case, so that whoever reads there reads rubbish.
void linger() noexcept;

/// Overwrites some stack below the caller: what a function finds there is not what an earlier call left.
void scribble() noexcept;

/// The value, which the compiler then knows nothing about.
template <class T>
[[gnu::always_inline]] inline T opaque(T value) {
  asm volatile("" : "+m"(value));
  return value;
}

/// A child's whole work: its argument, later.
template <class T>
[[gnu::noinline]] T leaf(T value) {
  linger();
  return value;
}

/// Counts what is alive, to find copies that are lost or destroyed twice. Not inlined even by link-time optimization:
/// the locked counting would be taken for part of the fork.
struct counted {
  [[gnu::noinline]] explicit counted(int with) noexcept;
  [[gnu::noinline]] counted(const counted& other) noexcept;
  [[gnu::noinline]] counted(counted&& other) noexcept;
  counted& operator=(const counted&) noexcept = default;
  counted& operator=(counted&&) noexcept = default;
  [[gnu::noinline]] ~counted();
  int value;
};
[[nodiscard]] int counted_alive() noexcept;

/// Stolen continuations so far, those of processes that a case started included.
[[nodiscard]] std::uint64_t steals() noexcept;
void add_steals(std::uint64_t more) noexcept;

/// How many times a case that repeats itself does so: more in the long configuration.
[[nodiscard]] int repetitions() noexcept;

}  // namespace corpus

#endif
