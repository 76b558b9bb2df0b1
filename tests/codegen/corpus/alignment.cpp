// Over-aligned arguments, results and locals: where both compilers would reach for the stack pointer.

#include <memory>

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::linger;
using corpus::opaque;

template <std::size_t Alignment>
struct alignas(Alignment) aligned {
  int value = 0;
  int more = 0;
};

[[gnu::noinline]] bool is_aligned(const volatile void* where, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(where) % to == 0;
}

template <std::size_t Alignment>
[[gnu::noinline]] aligned<Alignment> next_of(aligned<Alignment> given) {
  linger();
  if (!is_aligned(&given, Alignment)) {
    return {-1, -1};
  }
  return {given.value + 1, given.more + 2};
}

template <std::size_t Alignment>
[[gnu::noinline]] bool aligned_goes_through() {
  aligned<Alignment> first;
  aligned<Alignment> given{opaque(10), 20};
  nopal::scope s;
  s.fork_into(first, next_of<Alignment>, given);
  given.value = opaque(50);
  aligned<Alignment> second = next_of<Alignment>(given);
  s.join();
  return first.value == 11 && first.more == 22 && second.value == 51 && second.more == 22 &&
         is_aligned(&first, Alignment) && is_aligned(&second, Alignment);
}

CORPUS_CASE(aligned_32) { return aligned_goes_through<32>(); }
CORPUS_CASE(aligned_64) { return aligned_goes_through<64>(); }
CORPUS_CASE(aligned_128) { return aligned_goes_through<128>(); }
CORPUS_CASE(aligned_256) { return aligned_goes_through<256>(); }

/// Arrays of many elements, all live across both forks.
template <std::size_t Alignment>
[[gnu::noinline]] long aligned_locals(long seed) {
  alignas(Alignment) long table[32];
  alignas(Alignment) volatile int small = static_cast<int>(seed);
  long first = 0;
  long second = 0;
  for (long& entry : table) {
    entry = seed++;
  }
  nopal::scope s;
  s.fork_into(first, leaf<long>, table[3]);
  table[4] += small;
  corpus::scribble();
  s.fork_into(second, leaf<long>, table[4]);
  for (long& entry : table) {
    entry *= 2;
  }
  small = small + 1;
  s.join();
  long sum = first + second + small;
  for (const long entry : table) {
    sum += entry;
  }
  return is_aligned(table, Alignment) && is_aligned(&small, Alignment) ? sum : -1;
}

/// The sum that aligned_locals computes.
constexpr long expected_sum(long seed) {
  const long table = 32 * seed + 31 * 32 / 2 + seed;
  return (seed + 3) + (seed + 4 + seed) + (seed + 1) + 2 * table;
}

CORPUS_CASE(aligned_locals_32) { return aligned_locals<32>(opaque(5L)) == expected_sum(5); }
CORPUS_CASE(aligned_locals_64) { return aligned_locals<64>(opaque(6L)) == expected_sum(6); }
CORPUS_CASE(aligned_locals_128) { return aligned_locals<128>(opaque(7L)) == expected_sum(7); }
CORPUS_CASE(aligned_locals_4096) { return aligned_locals<4096>(opaque(8L)) == expected_sum(8); }

/// Incoming stack arguments are reached through another register when the frame is realigned.
[[gnu::noinline]] long aligned_with_stack_arguments(long a, long b, long c, long d, long e, long f, long g,
                                                    long h, aligned<64> i) {
  alignas(64) long local[8] = {a, b, c, d, e, f, g, h};
  long result = 0;
  nopal::scope s;
  s.fork_into(result, leaf<long>, local[7] + g);
  local[0] += h;
  corpus::scribble();
  s.join();
  return result + local[0] + g * 1000 + h * 10000 + i.value;
}

CORPUS_CASE(aligned_incoming_arguments) {
  return aligned_with_stack_arguments(1, 2, 3, 4, 5, 6, 7, 8, {9, 0}) == (8 + 7) + (1 + 8) + 7000 + 80000 + 9;
}

/// A frame that is both over-aligned and of variable size.
[[gnu::noinline]] int aligned_and_dynamic(int count) {
  alignas(128) int fixed[4] = {1, 2, 3, 4};
  int* const dynamic = static_cast<int*>(__builtin_alloca(static_cast<std::size_t>(count) * sizeof(int)));
  int result = 0;
  for (int i = 0; i < count; ++i) {
    dynamic[i] = i;
  }
  nopal::scope s;
  s.fork_into(result, leaf<int>, dynamic[count - 1]);
  fixed[3] += dynamic[count - 2];
  corpus::scribble();
  s.join();
  return result + fixed[3] + dynamic[0] + (is_aligned(fixed, 128) ? 0 : 1000);
}

CORPUS_CASE(aligned_with_alloca) { return aligned_and_dynamic(opaque(100)) == 99 + 4 + 98; }

/// In a loop, with a scope per iteration and locals that outlive it.
CORPUS_CASE(aligned_in_loop) {
  alignas(64) int sums[16] = {};
  int total = 0;
  for (int i = 0; i < 8; ++i) {
    alignas(32) int results[2] = {};
    nopal::scope s;
    s.fork_into(results[0], leaf<int>, i);
    results[1] = leaf(i + 1);
    sums[i] += i;
    s.join();
    total += results[0] + results[1];
  }
  for (const int sum : sums) {
    total += sum;
  }
  return total == 28 + 36 + 28;
}

/// An over-aligned object with a destructor, and an exception through its frame.
struct alignas(64) guard {
  explicit guard(int* counts) : counter(counts) { ++*counter; }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;
  ~guard() { --*counter; }
  int* counter;
};

[[gnu::noinline]] void throw_after_fork(int* counter) {
  int result = 0;
  const guard held(counter);
  nopal::scope s;
  s.fork_into(result, leaf<int>, 3);
  corpus::scribble();
  throw held.counter;
}

CORPUS_CASE(aligned_and_unwound) {
  alignas(64) int counter = opaque(0);
  alignas(64) bool caught = false;
  try {
    throw_after_fork(&counter);
  } catch (const int* address) {
    caught = address == &counter;
  }
  return caught && counter == 0;
}

CORPUS_CASE(aligned_heap_result) {
  std::unique_ptr<aligned<64>> made;
  alignas(64) int meanwhile = 0;
  nopal::scope s;
  s.fork_into(
      made, [](aligned<64> given) { return std::make_unique<aligned<64>>(next_of(given)); },
      aligned<64>{4, 5});
  meanwhile = leaf(8);
  s.join();
  return made->value == 5 && made->more == 7 && meanwhile == 8 && is_aligned(made.get(), 64);
}

CORPUS_CASE(aligned_capture) {
  aligned<32> captured{opaque(2), 3};
  aligned<128> other{opaque(4), 5};
  int result = 0;
  nopal::scope s;
  s.fork_into(result, [captured, other] {
    linger();
    return is_aligned(&captured, 32) && is_aligned(&other, 128) ? captured.more + other.more : -1;
  });
  captured.more = other.more = 100;
  corpus::scribble();
  s.join();
  return result == 8 && captured.more == 100;
}

}  // namespace
