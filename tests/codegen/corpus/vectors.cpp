// Vector registers hold nothing across a call, so their values live in the frame, and want it aligned.

#include <immintrin.h>

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::linger;
using corpus::opaque;

[[gnu::noinline]] float first_of(__m128 given) {
  linger();
  return _mm_cvtss_f32(given);
}

CORPUS_CASE(vectors_m128) {
  __m128 values = _mm_set_ps(4, 3, 2, opaque(1.0F));
  const __m128i whole = _mm_set1_epi32(opaque(5));
  float first = 0;
  nopal::scope s;
  s.fork_into(first, first_of, values);
  values = _mm_add_ps(values, _mm_set1_ps(10));
  corpus::scribble();
  int second = 0;
  s.fork_into(second, leaf<int>, _mm_cvtsi128_si32(whole));
  values = _mm_mul_ps(values, _mm_set1_ps(2));
  s.join();
  return first == 1 && second == 5 && _mm_cvtss_f32(values) == 22 &&
         _mm_cvtss_f32(_mm_shuffle_ps(values, values, 3)) == 28;
}

CORPUS_CASE(vectors_m128_result) {
  __m128d result = _mm_setzero_pd();
  const __m128d mine = _mm_set_pd(opaque(2.5), 1.5);
  nopal::scope s;
  s.fork_into(
      result,
      [](__m128d given) {
        linger();
        return _mm_add_pd(given, given);
      },
      mine);
  const __m128d meanwhile = _mm_sub_pd(mine, _mm_set1_pd(1));
  corpus::scribble();
  s.join();
  return _mm_cvtsd_f64(_mm_add_pd(result, meanwhile)) == 3.5;
}

/// Spills of these are 32 bytes wide and over-align the frame. A function of its own, for those who lack AVX2.
[[gnu::target("avx2"), gnu::noinline]] bool with_m256() {
  __m256d first = _mm256_set_pd(4, 3, 2, opaque(1.0));
  __m256d second = _mm256_set1_pd(opaque(10.0));
  __m256i whole = _mm256_set1_epi32(opaque(7));
  int results[3] = {};
  nopal::scope s;
  s.fork_into(results[0], leaf<int>, 1);
  first = _mm256_add_pd(first, second);
  corpus::scribble();
  s.fork_into(results[1], leaf<int>, 2);
  second = _mm256_mul_pd(first, second);
  whole = _mm256_add_epi32(whole, whole);
  corpus::scribble();
  s.fork_into(results[2], leaf<int>, 3);
  first = _mm256_sub_pd(second, first);
  s.join();
  alignas(32) double lanes[4];
  alignas(32) int integers[8];
  _mm256_store_pd(lanes, first);
  _mm256_store_si256(reinterpret_cast<__m256i*>(integers), whole);
  return results[0] == 1 && results[1] == 2 && results[2] == 3 && lanes[0] == 99 && lanes[3] == 126 &&
         integers[0] == 14 && integers[7] == 14;
}

CORPUS_CASE(vectors_m256) {
  if (__builtin_cpu_supports("avx2") != 0) {
    return with_m256();
  }
  return leaf(0) == 0;
}

/// Lambdas that capture wide vectors by reference, and a loop that the compiler vectorizes around the fork.
CORPUS_CASE(vectors_from_loops) {
  alignas(64) float left[64];
  alignas(64) float right[64];
  const float factor = opaque(3.0F);
  for (int i = 0; i < 64; ++i) {
    left[i] = static_cast<float>(i);
    right[i] = 1;
  }
  nopal::scope s;
  s.fork([&left, factor] {
    linger();
    for (float& value : left) {
      value *= factor;
    }
  });
  for (float& value : right) {
    value += factor;
  }
  corpus::scribble();
  s.join();
  float sum = 0;
  for (int i = 0; i < 64; ++i) {
    sum += left[i] + right[i];
  }
  return sum == 3 * 63 * 32 + 4 * 64;
}

using wide_vector = int __attribute__((vector_size(64)));

/// The compiler's own vector type, split or not as the target wants.
CORPUS_CASE(vectors_generic) {
  wide_vector values = {opaque(1), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  wide_vector others = values * 2;
  int result = 0;
  nopal::scope s;
  s.fork_into(result, leaf<int>, int{values[15]});
  others += values;
  corpus::scribble();
  s.join();
  return result == 16 && others[0] == 3 && others[15] == 48;
}

}  // namespace
