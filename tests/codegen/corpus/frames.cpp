// Frames of unusual shape: dynamic, huge, protected, with incoming arguments on the stack.

#include <cstring>
#include <string>

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::linger;
using corpus::opaque;

[[gnu::noinline]] int with_alloca(std::size_t size) {
  auto* const before = static_cast<unsigned char*>(__builtin_alloca(size));
  std::memset(before, 3, size);
  int first = 0;
  int second = 0;
  nopal::scope s;
  s.fork_into(first, leaf<int>, before[0]);
  before[1] = 9;
  corpus::scribble();
  s.fork_into(second, leaf<int>, before[1]);
  before[size - 1] = 20;
  s.join();
  return first + second + before[size - 1] + before[size / 2];
}

CORPUS_CASE(frames_alloca) {
  return with_alloca(opaque(std::size_t{100})) == 35 && with_alloca(opaque(std::size_t{7777})) == 35;
}

[[gnu::noinline]] int last_of(const unsigned char* bytes, std::size_t size) {
  linger();
  return bytes[size - 1];
}

/// The array lies where the stack pointer is: its address is wanted again after the stack pointer has become another.
[[gnu::noinline]] int with_alloca_passed_on(std::size_t size) {
  auto* const bytes = static_cast<unsigned char*>(__builtin_alloca(size));
  std::memset(bytes, 5, size);
  int results[3] = {};
  nopal::scope s;
  s.fork_into(results[0], last_of, bytes, size);
  s.fork_into(results[1], last_of, bytes, size);
  s.join();
  s.fork_into(results[2], last_of, bytes, size);
  s.join();
  return results[0] + results[1] + results[2] + last_of(bytes, size);
}

CORPUS_CASE(frames_alloca_passed_on) {
  return with_alloca_passed_on(opaque(std::size_t{66})) == 20 &&
         with_alloca_passed_on(opaque(std::size_t{6000})) == 20;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wvla-extension"
#if __has_warning("-Wvla-cxx-extension")
#pragma GCC diagnostic ignored "-Wvla-cxx-extension"
#endif
#endif
[[gnu::noinline]] long with_array_of_variable_length(int count) {
  long array[count];
  for (int i = 0; i < count; ++i) {
    array[i] = i;
  }
  long first = 0;
  {
    nopal::scope s;
    s.fork_into(first, leaf<long>, array[count - 1]);
    array[0] += array[1];
    corpus::scribble();
    s.join();
  }
  return first + array[0] + array[count - 2];
}

/// A block with its own array and scope in every iteration: the stack pointer is saved and restored around it.
[[gnu::noinline]] long with_array_in_loop(int rounds) {
  long sum = 0;
  for (int round = 2; round < rounds; ++round) {
    int array[round * 10];
    array[0] = round;
    array[round * 10 - 1] = 1;
    int result = 0;
    nopal::scope s;
    s.fork_into(result, leaf<int>, array[0]);
    array[1] = round;
    corpus::scribble();
    s.join();
    sum += result + array[1] + array[round * 10 - 1];
  }
  return sum;
}

/// Whether the stack pointer is where the array is: it was moved there when the array was made.
[[gnu::noinline]] bool is_near(const void* array) {
  const char local = 0;
  const auto distance =
      reinterpret_cast<std::intptr_t>(array) - reinterpret_cast<std::intptr_t>(opaque(&local));
  return distance > 0 && distance < 4096;
}

/// No compiler inlines a function of this kind of its own accord: its array would lie between the outer scope's fork
/// and join in one frame, which scopes do not allow.
inline long inner_array(int count) {
  long array[count];
  array[count - 1] = count;
  long result = 0;
  nopal::scope inner;
  inner.fork_into(result, leaf<long>, array[count - 1]);
  array[0] = 5;
  corpus::scribble();
  inner.join();
  return is_near(array) ? result + array[0] + array[count - 1] : -1;
}

[[gnu::noinline]] long array_between(int count) {
  long outer = 0;
  long sum = 0;
  nopal::scope s;
  s.fork_into(outer, leaf<long>, 1000);
  sum = inner_array(count);
  s.join();
  return outer + sum;
}
#pragma GCC diagnostic pop

CORPUS_CASE(frames_variable_length) { return with_array_of_variable_length(opaque(50)) == 49 + 1 + 48; }
CORPUS_CASE(frames_variable_length_in_loop) { return with_array_in_loop(opaque(8)) == 2 * 27 + 6; }
CORPUS_CASE(frames_variable_length_in_callee) { return array_between(opaque(30)) == 1000 + 30 + 5 + 30; }

/// A quarter of the default stack's size in one frame bounds what is reserved for outgoing arguments.
template <std::size_t Size>
[[gnu::noinline]] int with_large_local(int seed) {
  volatile int large[Size / sizeof(int)];
  large[0] = seed;
  large[Size / sizeof(int) / 2] = seed + 1;
  large[Size / sizeof(int) - 1] = seed + 2;
  int first = 0;
  nopal::scope s;
  s.fork_into(first, leaf<int>, large[0]);
  large[1] = large[0] + 10;
  corpus::scribble();
  s.join();
  return first + large[1] + large[Size / sizeof(int) / 2] + large[Size / sizeof(int) - 1];
}

CORPUS_CASE(frames_100_kib) { return with_large_local<100 * 1024>(opaque(1)) == 1 + 11 + 2 + 3; }
CORPUS_CASE(frames_400_kib) { return with_large_local<400 * 1024>(opaque(1)) == 1 + 11 + 2 + 3; }

/// What -fstack-protector looks for; the canary is checked by whichever thread returns.
[[gnu::noinline]] std::size_t with_buffer(const char* text) {
  char buf[64];
  std::strncpy(buf, text, sizeof buf - 1);
  buf[sizeof buf - 1] = '\0';
  std::size_t length = 0;
  nopal::scope s;
  s.fork_into(length, [](const char* given) { return leaf(std::strlen(given)); }, buf + 1);
  corpus::scribble();
  const std::size_t mine = std::strlen(buf);
  s.join();
  return length + mine;
}

CORPUS_CASE(frames_stack_protector) { return with_buffer("twelve bytes") == 23; }

[[gnu::noinline]] long ten_parameters(long a, long b, long c, long d, long e, long f, long g, double h,
                                      long i, long j) {
  long result = 0;
  nopal::scope s;
  s.fork_into(result, leaf<long>, g);
  const long meanwhile = leaf(a + b + c + d + e + f);
  i += 1;
  s.join();
  return result + meanwhile + g * 2 + static_cast<long>(h) + i * 100 + j * 10000;
}

CORPUS_CASE(frames_incoming_arguments) {
  return ten_parameters(1, 2, 3, 4, 5, 6, 7, 8.5, 9, 10) == 7 + 21 + 14 + 8 + 1000 + 100000;
}

struct big {
  int value[30];
};

[[gnu::noinline]] int structs_by_value(big first, big second, int n) {
  int result = 0;
  nopal::scope s;
  s.fork_into(result, leaf<int>, first.value[29]);
  second.value[3] += n;
  corpus::scribble();
  s.join();
  return result + second.value[3] + first.value[0];
}

CORPUS_CASE(frames_incoming_structs) {
  big first{};
  big second{};
  first.value[29] = opaque(5);
  first.value[0] = 1;
  second.value[3] = 100;
  return structs_by_value(first, second, 7) == 5 + 107 + 1;
}

/// With over-long arguments and results in between, and a fork after a join in the same frame.
[[gnu::noinline]] wide_integer wide_parameters(wide_integer a, wide_integer b, long c, wide_integer d,
                                               long double e) {
  wide_integer result = 0;
  nopal::scope s;
  s.fork_into(result, leaf<wide_integer>, a);
  const wide_integer product = b * d;
  corpus::scribble();
  s.join();
  return result + product + c + static_cast<long>(e);
}

CORPUS_CASE(frames_int128) {
  const wide_integer big_one = static_cast<wide_integer>(1) << 100;
  return wide_parameters(big_one, 1L << 40, 3, 1L << 50, 4.5L) ==
         big_one + (static_cast<wide_integer>(1) << 90) + 7;
}

[[gnu::noinline]] int next_stage(int value, int other) { return value * 10 + other; }

/// The last call could be a jump if the frame did not hold a scope.
[[gnu::noinline]] int tail_shaped(int n) {
  int result = 0;
  {
    nopal::scope s;
    s.fork_into(result, leaf<int>, n);
    corpus::scribble();
  }
  return next_stage(result, n);
}

/// Nothing to fork in most calls: the frame may be set up late.
[[gnu::noinline]] int wrapped_late(int n, int a, int b, int c, int d, int e, int f, int g) {
  if (n == 0) {
    return a + b + c + d + e + f + g;
  }
  int result = 0;
  nopal::scope s;
  s.fork_into(result, wrapped_late, n - 1, a + 1, b, c, d, e, f, g + 1);
  const int meanwhile = leaf(f);
  s.join();
  return result + meanwhile + g;
}

CORPUS_CASE(frames_tail_shaped) { return tail_shaped(opaque(4)) == 44; }
CORPUS_CASE(frames_wrapped_late) {
  return wrapped_late(opaque(3), 1, 1, 1, 1, 1, 1, 1) == 13 + 3 + (3 + 2 + 1);
}

/// A parameter's address escapes, a local of each size lives on, constants and volatiles among them.
[[gnu::noinline]] long of_all_kinds(int parameter, const std::string& text) {
  const int constant = parameter * 2;
  volatile int shaky = parameter + 1;
  const volatile long steady = parameter + 2;
  char small = static_cast<char>(parameter);
  short medium = static_cast<short>(parameter * 3);
  int result = 0;
  nopal::scope s;
  s.fork([&result, where = &parameter, &constant] { result = leaf(*where + constant); });
  shaky = shaky + 1;
  small = static_cast<char>(small + 1);
  medium = static_cast<short>(medium - 1);
  const std::string copy = text + text;
  corpus::scribble();
  s.join();
  return result + constant + shaky + steady + small + medium + static_cast<long>(copy.size());
}

CORPUS_CASE(frames_mixed_locals) {
  return of_all_kinds(opaque(5), std::string(33, 'q')) == 15 + 10 + 7 + 7 + 6 + 14 + 66;
}

}  // namespace
