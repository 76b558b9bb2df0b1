// SHA-1 of messages of a few words, after FIPS 180-4. Good for random trees, no longer for secrets.
#ifndef NOPAL_BENCH_PROGRAMS_SHA1_HPP
#define NOPAL_BENCH_PROGRAMS_SHA1_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bench {

using sha1_digest = std::array<std::uint32_t, 5>;

/// The digest of the words' bytes, most significant first. With their length they fill one block at most.
template <std::size_t Words>
  requires(Words <= 13)
constexpr sha1_digest sha1(const std::array<std::uint32_t, Words>& message) {
  std::array<std::uint32_t, 80> schedule{};
  for (std::size_t t = 0; t < Words; ++t) schedule[t] = message[t];
  schedule[Words] = 0x80000000;  // the bit that ends the message
  schedule[15] = 32 * Words;     // its length in bits
  for (std::size_t t = 16; t < 80; ++t) {
    schedule[t] = std::rotl(schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16], 1);
  }

  constexpr sha1_digest start = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::uint32_t a = start[0];
  std::uint32_t b = start[1];
  std::uint32_t c = start[2];
  std::uint32_t d = start[3];
  std::uint32_t e = start[4];
  const auto take = [&](std::uint32_t chosen, std::uint32_t constant, std::uint32_t word) {
    const std::uint32_t next = std::rotl(a, 5) + chosen + e + constant + word;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  };
  for (std::size_t t = 0; t < 20; ++t) take((b & c) | (~b & d), 0x5a827999, schedule[t]);
  for (std::size_t t = 20; t < 40; ++t) take(b ^ c ^ d, 0x6ed9eba1, schedule[t]);
  for (std::size_t t = 40; t < 60; ++t) take((b & c) | (b & d) | (c & d), 0x8f1bbcdc, schedule[t]);
  for (std::size_t t = 60; t < 80; ++t) take(b ^ c ^ d, 0xca62c1d6, schedule[t]);
  return {start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e};
}

// Of no bytes, and of "test".
static_assert(sha1(std::array<std::uint32_t, 0>{}) ==
              sha1_digest{0xda39a3ee, 0x5e6b4b0d, 0x3255bfef, 0x95601890, 0xafd80709});
static_assert(sha1(std::array<std::uint32_t, 1>{0x74657374}) ==
              sha1_digest{0xa94a8fe5, 0xccb19ba6, 0x1c4c0873, 0xd391e987, 0x982fbbd3});

}  // namespace bench

#endif
