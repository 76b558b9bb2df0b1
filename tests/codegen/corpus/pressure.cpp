// More live values across forks than there are registers, of every class.

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::opaque;

CORPUS_CASE(pressure_ints) {
  long a = opaque(1L), b = opaque(2L), c = opaque(3L), d = opaque(4L), e = opaque(5L), f = opaque(6L);
  long g = opaque(7L), h = opaque(8L), i = opaque(9L), j = opaque(10L), k = opaque(11L), l = opaque(12L);
  long results[3] = {};
  nopal::scope s;
  s.fork_into(results[0], leaf<long>, a);
  a += b, c += d, e += f, g += h, i += j, k += l;
  s.fork_into(results[1], leaf<long>, a + l);
  b *= c, d *= e, f *= g, h *= i, j *= k, l *= a;
  corpus::scribble();
  s.fork_into(results[2], leaf<long>, b + k);
  a -= 1, b -= 2, c -= 3, d -= 4, e -= 5, f -= 6, g -= 7, h -= 8, i -= 9, j -= 10, k -= 11, l -= 12;
  s.join();
  return a == 2 && b == 12 && c == 4 && d == 40 && e == 6 && f == 84 && g == 8 && h == 144 && i == 10 &&
         j == 220 && k == 12 && l == 24 && results[0] == 1 && results[1] == 15 && results[2] == 37;
}

CORPUS_CASE(pressure_doubles) {
  double a = opaque(1.5), b = opaque(2.5), c = opaque(3.5), d = opaque(4.5), e = opaque(5.5), f = opaque(6.5);
  double g = opaque(7.5), h = opaque(8.5), i = opaque(9.5), j = opaque(10.5), k = opaque(11.5),
         l = opaque(12.5);
  double m = opaque(13.5), n = opaque(14.5), o = opaque(15.5), p = opaque(16.5), q = opaque(17.5),
         r = opaque(18.5);
  double first = 0;
  double second = 0;
  nopal::scope s;
  s.fork_into(first, leaf<double>, a);
  a += r, b += q, c += p, d += o, e += n, f += m, g += l, h += k, i += j;
  corpus::scribble();
  s.fork_into(second, leaf<double>, i);
  j += a, k += b, l += c, m += d, n += e, o += f, p += g, q += h, r += i;
  s.join();
  return first == 1.5 && second == 20 && a + b + c + d + e + f + g + h + i == 180 && j == 30.5 && k == 31.5 &&
         l == 32.5 && m == 33.5 && n == 34.5 && o == 35.5 && p == 36.5 && q == 37.5 && r == 38.5;
}

CORPUS_CASE(pressure_mixed) {
  int ints[8];
  double doubles[8];
  long double precise = opaque(0.25L);
  float single = opaque(0.5F);
  for (int i = 0; i < 8; ++i) {
    ints[i] = opaque(i);
    doubles[i] = opaque(i * 0.5);
  }
  long sum = 0;
  double total = 0;
  int result = 0;
  for (int round = 0; round < 4; ++round) {
    nopal::scope s;
    s.fork_into(result, leaf<int>, ints[round]);
    // Unrolled by hand, so that all sixteen are live around the next fork.
    sum += ints[0] * 1 + ints[1] * 2 + ints[2] * 3 + ints[3] * 4 + ints[4] * 5 + ints[5] * 6 + ints[6] * 7 +
           ints[7];
    total += doubles[0] + doubles[1] * 2 + doubles[2] * 3 + doubles[3] * 4 + doubles[4] * 5 + doubles[5] * 6;
    precise += static_cast<long double>(doubles[6]);
    single += static_cast<float>(doubles[7]);
    corpus::scribble();
    s.join();
    sum += result;
  }
  // Per round: 0+2+6+12+20+30+42+7 and 0+1+3+6+10+15.
  return sum == 4 * 119 + 6 && total == 4 * 35 && precise == 12.25L && single == 14.5F;
}

/// Loop counters, bounds and pointers in callee-saved registers, changed between forks.
[[gnu::noinline]] long walk(const long* from, const long* to, long step, long factor, long offset) {
  long sum = 0;
  long results[4] = {};
  nopal::scope s;
  for (const long* at = from; at < to; at += step) {
    s.fork_into(results[(at - from) & 3], leaf<long>, *at * factor);
    sum += *at + offset;
    factor += 1;
    if (((at - from) & 3) == 3) {
      s.join();
      sum += results[0] + results[1] + results[2] + results[3];
    }
  }
  s.join();
  return sum + factor;
}

CORPUS_CASE(pressure_loop) {
  long given[12];
  long expected = 0;
  for (long i = 0; i < 12; ++i) {
    given[i] = opaque(i);
    expected += i + 7 + i * (2 + i);
  }
  return walk(given, given + 12, opaque(1L), 2, 7) == expected + 14;
}

/// x87 values are live in memory only, for a call empties the register stack.
CORPUS_CASE(pressure_x87) {
  long double a = opaque(1.25L);
  long double b = opaque(2.25L);
  long double c = opaque(3.25L);
  long double result = 0;
  nopal::scope s;
  s.fork_into(result, leaf<long double>, a);
  a = a * b + c;
  corpus::scribble();
  b = leaf(b + a);
  s.join();
  return result == 1.25L && a == 1.25L * 2.25L + 3.25L && b == 2.25L + a && c == 3.25L;
}

}  // namespace
