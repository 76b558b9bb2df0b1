// Where a compiler has passes of its own about what a latent fork's assembly says: what they read and write is right on
// the latent way and on the eager one, which the outermost fork takes.
#include <gtest/gtest.h>

#include <immintrin.h>

#include <string>
#include <vector>

#include "support/latent.hpp"

namespace {

using nopal::scope;
using support::flag;

/// Two words that the compiler may put together in one register.
[[gnu::noinline]] long pair_of_words(long i, long j) {
  long result = 0;
  scope s;
  s.fork([&result, i, j] { result = i * 10 + j; });
  s.join();
  return result;
}
[[gnu::noinline]] double pair_of_numbers(double i, double j) {
  double result = 0;
  scope s;
  s.fork([&result, i, j] { result = i * 10 + j; });
  s.join();
  return result;
}

struct adder {
  int value = 4;
  int add(int by) noexcept { return value += by; }
};
[[gnu::noinline]] int through_member(int by) {
  adder one;
  int result = 0;
  scope s;
  s.fork_into(result, &adder::add, &one, by);
  s.join();
  return result;
}

NOPAL_PROGRAM(arguments_in_vectors) {
  for (int round = 0; round < 3; ++round) {
    NOPAL_CHECK(pair_of_words(1, 2) == 12);
    NOPAL_CHECK(pair_of_numbers(1, 2) == 12);
    NOPAL_CHECK(through_member(3) == 7);
    scope s;  // and where these forks are not the outermost
    s.fork([] {
      NOPAL_CHECK(pair_of_words(3, 4) == 34);
      NOPAL_CHECK(pair_of_numbers(3, 4) == 34);
      NOPAL_CHECK(through_member(5) == 9);
    });
    s.join();
  }
  std::vector<int> numbers(20000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 20011);
  nopal::parallel_sort(numbers.begin(), numbers.end());
  for (std::size_t i = 1; i < numbers.size(); ++i) NOPAL_CHECK(numbers[i - 1] < numbers[i]);
  return 0;
}

struct some {
  int at[4] = {-1, -1, -1, -1};
};
thread_local int of_thread = -1;
thread_local some several_of_thread;
// GCC does not take them by name.
#ifdef __clang__
#define OF_THREAD of_thread
#define SEVERAL_OF_THREAD several_of_thread
#else
[[gnu::noipa]] int& found() { return of_thread; }
[[gnu::noipa]] some& found_several() { return several_of_thread; }
#define OF_THREAD found()
#define SEVERAL_OF_THREAD found_several()
#endif

[[gnu::noinline]] int next(int n) { return n + 1; }
[[gnu::noinline]] int next_quietly(int n) noexcept { return n + 1; }

/// Each is joined at once: what follows a fork may be on another thread.
[[gnu::noinline]] void into_thread_locals(int at) {
  scope s;
  s.fork_into(OF_THREAD, next, 16);
  s.join();
  s.fork_into(SEVERAL_OF_THREAD.at[at], next, 17);
  s.join();
  s.fork_into(SEVERAL_OF_THREAD.at[at + 1], next_quietly, 18);
  s.join();
}

flag* thieves_may_steal = nullptr;

/// It ends on the thread that took its continuation, where one did.
[[gnu::noinline]] int ends_elsewhere(int n) {
  flag went_on{false};
  flag over{false};
  scope s;
  s.fork([&went_on, &over] {
    support::set(*thieves_may_steal);
    support::wait_for_continuation(went_on);
    over = true;
  });
  support::set(went_on);
  support::wait_until(over);
  support::sleep_ms(1);
  s.join();
  return n + 1;
}
[[gnu::noinline]] int ends_elsewhere_quietly(int n) noexcept { return ends_elsewhere(n); }

template <auto child>
[[gnu::noinline]] void into_thread_local_from_elsewhere() {
  scope s;
  s.fork_into(OF_THREAD, child, 40);
  s.join();
}
template <auto child>
void into_own_thread_local_from_elsewhere() {
  of_thread = -1;
  support::before_thieves_are_hungry([](flag& release) {
    thieves_may_steal = &release;
    into_thread_local_from_elsewhere<child>();
  });
  NOPAL_CHECK(of_thread == 41);
}

NOPAL_PROGRAM(results_in_thread_locals) {
  into_thread_locals(1);
  NOPAL_CHECK(of_thread == 17 && several_of_thread.at[1] == 18 && several_of_thread.at[2] == 19);
  for (int round = 0; round < 20; ++round) {
    into_own_thread_local_from_elsewhere<ends_elsewhere>();
    into_own_thread_local_from_elsewhere<ends_elsewhere_quietly>();
  }
  return 0;
}

void fill(int* numbers, int n) {
  for (int i = 0; i < n; ++i) numbers[i] = i;
}
int last(const int* numbers, int n) noexcept { return numbers[n - 1]; }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
enum wide : __int128 { none };
#pragma GCC diagnostic pop
wide times(wide a, int by) noexcept { return static_cast<wide>(a * by); }

NOPAL_PROGRAM(arrays_and_wide_enums) {
  int numbers[4] = {};
  for (int round = 0; round < 2; ++round) {
    int found = -1;
    wide product = none;
    scope s;
    s.fork(fill, numbers, 4);
    s.join();
    s.fork_into(found, last, numbers, 4);
    s.fork_into(product, times, static_cast<wide>(__extension__ static_cast<__int128>(3) << 80), 5);
    s.join();
    NOPAL_CHECK(found == 3 && static_cast<long>(product >> 80) == 15);
  }
  return 0;
}

/// Writes registers that the functions of this file do not have, as calls may.
[[gnu::noinline, gnu::target("avx512f")]] void overwrite_vectors(int* called) noexcept {
  asm volatile(
      "vpxorq %%zmm16, %%zmm16, %%zmm16\n\tvpxorq %%zmm17, %%zmm17, %%zmm17\n\tkxorw %%k1, %%k1, %%k1"
      :
      :
      : "xmm0");
  ++*called;
}
[[gnu::noinline, gnu::target("avx512f")]] bool keeps_vectors() {
  __m512d sum = _mm512_set1_pd(1);
  int called[4] = {};
  for (int i = 0; i < 4; ++i) {
    scope s;
    asm volatile("" : "+v"(sum));
    s.fork(overwrite_vectors, &called[0]);
    asm volatile("" : "+v"(sum));
    s.fork(overwrite_vectors, &called[1]);
    asm volatile("" : "+v"(sum));
    s.join();
    sum = _mm512_add_pd(sum, sum);
  }
  double parts[8];
  _mm512_storeu_pd(parts, sum);
  for (const double part : parts) NOPAL_CHECK(part == 16);
  return called[0] == 4 && called[1] == 4;
}

NOPAL_PROGRAM(vectors_of_a_function) {
  if (!__builtin_cpu_supports("avx512f")) return 0;
  scope s;
  s.fork([] { NOPAL_CHECK(keeps_vectors()); });
  s.join();
  return 0;
}

class latent_forks_by_compilers : public support::program_at_workers {};

TEST_P(latent_forks_by_compilers, pass_what_the_compiler_has_in_vectors) {
  EXPECT_TRUE(run("arguments_in_vectors"));
}
TEST_P(latent_forks_by_compilers, store_in_the_variable_of_the_thread_that_forks) {
  EXPECT_TRUE(run("results_in_thread_locals"));
}
TEST_P(latent_forks_by_compilers, pass_arrays_and_the_widest_enumerations) {
  EXPECT_TRUE(run("arrays_and_wide_enums"));
}
TEST_P(latent_forks_by_compilers, leave_a_function_its_vector_registers) {
  EXPECT_TRUE(run("vectors_of_a_function"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, latent_forks_by_compilers, testing::Values(1, 3),
                         testing::PrintToStringParamName());

}  // namespace
