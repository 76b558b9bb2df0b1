// Arrays, bytes, bit-fields, structures, copies, and accesses that are not aligned.
// clang-format off
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <strings.h>
#include <vector>

#include <nopal/scope.hpp>

#include "corpus.hpp"

namespace memory_data { int x; }
using namespace memory_data;
namespace memory_data { int numbers[64]; }
namespace memory_data { char text[64]; }
CASE(same_element) {
  nopal::scope s;
  s.fork([] { numbers[3] = 1; });  // race: A
  numbers[3] = 2;  // with: A
  s.join();
}
CASE(neighbouring_elements) {
  nopal::scope s;
  s.fork([] { numbers[3] = 1; });
  numbers[4] = 2;
  s.join();
}
CASE(neighbouring_bytes) {
  nopal::scope s;
  s.fork([] { text[0] = 'a'; });
  text[1] = 'b';
  s.join();
}
CASE(same_byte) {
  nopal::scope s;
  s.fork([] { text[1] = 'a'; });  // race: A
  text[1] = 'b';  // with: A
  s.join();
}
CASE(every_byte_of_a_word_by_another) {
  nopal::scope s;
  for (int i = 0; i < 8; ++i) s.fork([i] { text[i] = 'a'; });
  s.join();
}
CASE(word_and_one_of_its_bytes) {
  static union { std::uint64_t word; char bytes[8]; } u; use_address(&u);
  nopal::scope s;
  s.fork([] { u.word = 1; });  // race: A
  u.bytes[5] = 2;  // with: A
  s.join();
}
CASE(byte_and_the_word_after_it) {
  static struct { char c; std::uint32_t w; } v; use_address(&v);
  nopal::scope s;
  s.fork([] { v.c = 1; });
  v.w = 2;
  s.join();
}
CASE(halves_of_a_word) {
  static union { std::uint64_t word; std::uint32_t halves[2]; } u; use_address(&u);
  nopal::scope s;
  s.fork([] { u.halves[0] = 1; });
  u.halves[1] = 2;
  s.join();
  use(static_cast<std::int64_t>(u.word));
}
CASE(second_half_of_a_word) {
  static union { std::uint64_t word; std::uint32_t halves[2]; } u; use_address(&u);
  nopal::scope s;
  u.halves[0] = 1;
  s.fork([] { u.halves[1] = 2; });  // race: A
  use(static_cast<std::int64_t>(u.word));  // with: A
  s.join();
}
__extension__ using word_of_16 = unsigned __int128;
CASE(second_half_of_sixteen_bytes) {
  static union { word_of_16 all; std::uint64_t words[2]; } u; use_address(&u);
  nopal::scope s;
  u.words[0] = 1;
  s.fork([] { u.words[1] = 2; });  // race: A
  u.all = 3;  // with: A
  s.join();
}
CASE(sixteen_bytes_after_their_halves) {
  static union { word_of_16 all; std::uint64_t words[2]; } u; use_address(&u);
  nopal::scope s;
  s.fork([] { u.words[1] = 2; });
  s.join();
  u.words[0] = 1;
  u.all = 3;
  s.fork([] { u.words[0] = 2; });  // race: A
  u.all = 4;  // with: A
  s.join();
}
CASE(shorts_that_overlap_a_word) {
  static union { std::uint32_t word; std::uint16_t halves[2]; } u; use_address(&u);
  nopal::scope s;
  s.fork([] { u.halves[1] = 1; });  // race: A
  use(u.word);  // with: A
  s.join();
}
CASE(strides_that_do_not_meet) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i < 64; i += 2) numbers[i] = i; });
  for (int i = 1; i < 64; i += 2) numbers[i] = i;
  s.join();
}
CASE(strides_that_meet) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i < 64; i += 2) numbers[i] = i; });  // race: A
  for (int i = 1; i < 64; i += 3) numbers[i] = i;  // with: A
  s.join();
}
CASE(halves_of_an_array) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i < 32; ++i) numbers[i] = i; });
  for (int i = 32; i < 64; ++i) numbers[i] = i;
  s.join();
}
CASE(halves_that_overlap_by_one) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i <= 32; ++i) numbers[i] = i; });  // race: A
  for (int i = 32; i < 64; ++i) numbers[i] = i;  // with: A
  s.join();
}
CASE(read_of_the_neighbour) {
  static int a[8]; use_address(&a);
  nopal::scope s;
  for (int i = 1; i < 8; ++i) {
    s.fork([i] { a[i] = a[i - 1] + 1; });  // race: A with: A
  }
  s.join();
}
struct with_bits {
  unsigned a : 4;
  unsigned b : 4;
  unsigned : 0;
  unsigned c : 8;
};
namespace memory_data { with_bits bits; }
CASE(bit_fields_of_one_unit) {
  nopal::scope s;
  s.fork([] { bits.a = 1; });  // race: A
  bits.b = 2;  // with: A
  s.join();
}
CASE(bit_fields_apart) {
  nopal::scope s;
  s.fork([] { bits.a = 1; });
  bits.c = 2;
  s.join();
}
struct pair_of_longs { std::int64_t a, b; };
namespace memory_data { pair_of_longs p, q; }
CASE(copy_of_a_structure) {
  nopal::scope s;
  s.fork([] { p.b = 1; });  // race: A
  q = p;  // with: A
  s.join();
}
CASE(copy_of_another_structure) {
  static pair_of_longs r; use_address(&r);
  nopal::scope s;
  s.fork([] { p.b = 1; });
  q = r;
  s.join();
}
CASE(members_apart) {
  nopal::scope s;
  s.fork([] { p.a = 1; });
  p.b = 2;
  s.join();
}
[[gnu::noinline]] static void fill_own_array(int with) {
  char own[40000];
  std::memset(own, with, sizeof own);
  use_address(own);
}
CASE(arrays_of_frames_that_the_library_fills) {
  nopal::scope s;
  for (int i = 0; i < 8; ++i) {
    s.fork([i] { fill_own_array(i); });
    if (i % 3 == 0) fill_own_array(i);
  }
  s.join();
}
struct large { int values[100]; };
namespace memory_data { large one, other; }
CASE(copy_of_a_large_structure) {
  nopal::scope s;
  s.fork([] { one.values[77] = 1; });  // race: A
  other = one;  // with: A
  s.join();
}
CASE(memcpy_over_a_write) {
  nopal::scope s;
  s.fork([] { one.values[5] = 1; });  // race: A
  std::memcpy(&one, &other, sizeof one);  // with: A
  s.join();
}
CASE(memcpy_of_the_other_half) {
  nopal::scope s;
  s.fork([] { one.values[5] = 1; });
  std::memcpy(one.values + 50, other.values, 50 * sizeof(int));
  s.join();
}
CASE(memcpy_reads) {
  nopal::scope s;
  s.fork([] { other.values[5] = 1; });  // race: A
  std::memcpy(&one, &other, sizeof one);  // with: A
  s.join();
}
namespace memory_data { char big[1 << 20]; }
CASE(memset_of_pages_over_a_byte) {
  nopal::scope s;
  s.fork([] { big[700001] = 1; });  // race: A
  std::memset(big, 0, sizeof big);  // with: A
  s.join();
}
CASE(memset_of_pages_both) {
  nopal::scope s;
  s.fork([] { std::memset(big, 1, sizeof big); });  // race: A
  std::memset(big, 2, sizeof big);  // with: A
  s.join();
}
CASE(memset_of_halves) {
  nopal::scope s;
  s.fork([] { std::memset(big, 1, sizeof big / 2); });
  std::memset(big + sizeof big / 2, 2, sizeof big / 2);
  s.join();
}
CASE(byte_after_memset_of_pages) {
  nopal::scope s;
  s.fork([] { std::memset(big, 1, sizeof big); });  // race: A
  big[12345] = 2;  // with: A
  s.join();
}
CASE(memmove_overlaps_itself) {
  nopal::scope s;
  s.fork([] { std::memmove(text + 4, text, 16); });  // race: A
  use(text[19]);  // with: A
  s.join();
}
CASE(memmove_ends_before) {
  nopal::scope s;
  s.fork([] { std::memmove(text + 4, text, 16); });
  use(text[20]);
  s.join();
}
namespace memory_data { char word[16] = "nopal"; }
CASE(search_of_bytes_over_a_write) {
  nopal::scope s;
  s.fork([] { use_address(std::memchr(text, 'z', 32)); });  // race: A
  text[31] = 1;  // with: A
  s.join();
}
CASE(search_of_bytes_ends_before_a_write) {
  std::memset(text, 'a', 64);
  nopal::scope s;
  s.fork([] { use_address(std::memchr(text, 'a', 32)); use_address(std::strchr(text, 'a')); });
  text[31] = 1;
  s.join();
}
CASE(search_of_text_over_a_write) {
  nopal::scope s;
  s.fork([] { use_address(std::strchr(text, 'z')); });  // race: A
  text[0] = 1;  // with: A
  s.join();
}
CASE(bytes_copied_and_more) {
  static char copied[64];
  nopal::scope s;
  s.fork([] { use_address(mempcpy(copied, text, 32)); });  // race: A
  copied[31] = 1;  // with: A
  s.join();
}
CASE(zeros_over_a_write) {
  nopal::scope s;
  s.fork([] { bzero(text, 32); });  // race: A
  text[31] = 1;  // with: A
  text[32] = 1;
  s.join();
}
CASE(text_copied_over_a_write) {
  static char copied[64];
  std::strcpy(text, "some text");
  nopal::scope s;
  s.fork([] { use_address(stpcpy(copied, text)); });  // race: A
  copied[9] = 1;  // with: A
  copied[10] = 1;
  s.join();
}
CASE(text_appended_over_a_read) {
  static char all[64];
  std::strcpy(all, "some");
  nopal::scope s;
  s.fork([] { std::strncat(all, " text", 2); });  // race: A
  use(all[6]);  // with: A
  use(all[7]);
  s.join();
}
CASE(strlen_of_what_is_written) {
  nopal::scope s;
  s.fork([] { word[2] = 'x'; });  // race: A
  use(static_cast<std::int64_t>(std::strlen(word)));  // with: A
  s.join();
}
CASE(unaligned_words_overlap) {
  static char raw[32]; use_address(&raw);
  nopal::scope s;
  s.fork([] { std::uint32_t v = 1; std::memcpy(raw + 3, &v, 4); });  // race: A
  std::uint32_t v = 2;
  std::memcpy(raw + 6, &v, 4);  // with: A
  s.join();
}
CASE(unaligned_words_beside) {
  static char raw[32]; use_address(&raw);
  nopal::scope s;
  s.fork([] { std::uint32_t v = 1; std::memcpy(raw + 3, &v, 4); });
  std::uint32_t v = 2;
  std::memcpy(raw + 7, &v, 4);
  s.join();
}
struct [[gnu::packed]] packed_word { char c; std::uint64_t w; };
namespace memory_data { packed_word packed[8]; }
CASE(packed_word_across_blocks) {
  nopal::scope s;
  s.fork([] { packed[1].w = 1; });  // race: A
  use(static_cast<std::int64_t>(packed[1].w));  // with: A
  s.join();
}
CASE(packed_words_beside) {
  nopal::scope s;
  s.fork([] { packed[1].w = 1; });
  packed[2].w = 2;
  packed[1].c = 1;
  s.join();
}
typedef float vector4 __attribute__((vector_size(16)));
namespace memory_data { vector4 vectors[4]; }
CASE(vectors_of_16_bytes) {
  nopal::scope s;
  s.fork([] { vectors[1] = vector4{1, 2, 3, 4}; });  // race: A
  vectors[2] = vectors[1];  // with: A
  s.join();
}
CASE(vectors_apart) {
  nopal::scope s;
  s.fork([] { vectors[1] = vector4{1, 2, 3, 4}; });
  vectors[2] = vectors[3];
  s.join();
}
