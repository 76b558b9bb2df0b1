// Arguments of every number, size and kind.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "corpus.hpp"

namespace {

using corpus::counted;
using corpus::leaf;
using corpus::linger;
using corpus::opaque;

/// A different weight for each position, so that exchanged arguments change the sum.
template <class... Ts>
[[gnu::noinline]] double weighted(Ts... values) {
  linger();
  double sum = 0;
  int weight = 1;
  ((sum += static_cast<double>(values) * weight++), ...);
  return sum;
}

template <class... Ts>
bool child_gets(Ts... values) {
  double result = 0;
  nopal::scope s;
  s.fork_into(result, weighted<Ts...>, values...);
  const double meanwhile = weighted(values...);
  s.join();
  return result == meanwhile;
}

CORPUS_CASE(arguments_none) { return child_gets(); }
CORPUS_CASE(arguments_ints) {
  return child_gets(1) && child_gets(1, 2) && child_gets(1, 2, 3) && child_gets(1, 2, 3, 4) &&
         child_gets(1, 2, 3, 4, 5) && child_gets(1, 2, 3, 4, 5, 6, 7, 8) &&
         child_gets(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}
CORPUS_CASE(arguments_doubles) {
  return child_gets(1.5) && child_gets(1.5, 2.5, 3.5) &&
         child_gets(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5);
}
CORPUS_CASE(arguments_mixed) {
  return child_gets(1, 2.5) && child_gets(1.5, 'b', 3L) && child_gets(true, 2.5F, 3, 4.25L) &&
         child_gets(1, 2.5, 3, 4.5, 5, 6.5, 7, 8.5, 9, 10.5, 11, 12.5) &&
         child_gets(1.5F, static_cast<short>(2), 3.5L, 'd', 5UL, 6.5, false, 8.5F, 9LL, 10.5, 11U, 12.5L);
}

template <std::size_t Size>
struct bytes {
  unsigned char byte[Size];
};

template <std::size_t Size>
bytes<Size> filled(unsigned seed) {
  bytes<Size> made;
  for (std::size_t i = 0; i < Size; ++i) {
    made.byte[i] = static_cast<unsigned char>(seed + i);
  }
  return made;
}

template <std::size_t Size>
[[gnu::noinline]] bool is_filled(bytes<Size> given, unsigned seed) {
  linger();
  bool right = true;
  for (std::size_t i = 0; i < Size; ++i) {
    right = right && given.byte[i] == static_cast<unsigned char>(seed + i);
  }
  return right;
}

template <std::size_t Size>
bool struct_goes_through() {
  bool child_right = false;
  bytes<Size> given = filled<Size>(opaque(17U));
  nopal::scope s;
  s.fork_into(child_right, is_filled<Size>, given, 17U);
  // The continuation may change its own: the child has a copy.
  given = filled<Size>(opaque(90U));
  const bool right = is_filled<Size>(given, 90U);
  s.join();
  return child_right && right && given.byte[Size - 1] == static_cast<unsigned char>(90 + Size - 1);
}

template <std::size_t... Sizes>
bool structs_go_through(std::index_sequence<Sizes...>) {
  return (struct_goes_through<Sizes + 1>() && ...);
}

CORPUS_CASE(arguments_structs_small) { return structs_go_through(std::make_index_sequence<33>()); }
CORPUS_CASE(arguments_structs_large) {
  return structs_go_through(
      std::index_sequence<39, 46, 47, 48, 63, 64, 65, 99, 126, 127, 128, 191, 199, 4999>());
}

struct [[gnu::packed]] packed {
  char a;
  double b;
  short c;
  long long d;
  int e;
};

[[gnu::noinline]] double sum_of(packed given) {
  linger();
  return given.a + given.b + given.c + static_cast<double>(given.d) + given.e;
}

CORPUS_CASE(arguments_packed) {
  double first = 0;
  packed given{1, 2.5, 3, 4, 5};
  nopal::scope s;
  s.fork_into(first, sum_of, given);
  given.b = 10.5;
  const double second = sum_of(given);
  s.join();
  return first == 15.5 && second == 23.5;
}

[[gnu::noinline]] int consume(std::unique_ptr<int> given) { return leaf(*given); }
[[gnu::noinline]] int consume_two(std::unique_ptr<int> left, std::vector<std::unique_ptr<int>>&& right) {
  linger();
  return *left + *right[0] + *right[1];
}

CORPUS_CASE(arguments_move_only) {
  int first = 0;
  int second = 0;
  auto given = std::make_unique<int>(41);
  std::vector<std::unique_ptr<int>> several;
  several.push_back(std::make_unique<int>(1));
  several.push_back(std::make_unique<int>(2));
  nopal::scope s;
  s.fork_into(first, consume, std::move(given));
  const bool taken = given == nullptr;
  given = std::make_unique<int>(7);
  s.fork_into(second, consume_two, std::make_unique<int>(10), std::move(several));
  const int meanwhile = consume(std::move(given));
  s.join();
  return first == 41 && taken && second == 13 && meanwhile == 7 && several.empty();
}

[[gnu::noinline]] std::size_t length(const std::string& text) { return leaf(text.size()); }
[[gnu::noinline]] std::size_t length_of_copy(std::string text, char more) {
  linger();
  text += more;
  return text.size();
}

CORPUS_CASE(arguments_strings) {
  std::size_t by_reference = 0;
  std::size_t by_value = 0;
  std::size_t temporary = 0;
  std::string text(100, 'a');
  nopal::scope s;
  s.fork_into(by_reference, length, text);
  text += "bb";
  s.fork_into(by_value, length_of_copy, text, 'c');
  text.clear();
  s.fork_into(temporary, length, std::string(50, 'd') + "e");
  text = std::string(60, 'f');
  s.join();
  return by_reference == 100 && by_value == 103 && temporary == 51 && text == std::string(60, 'f');
}

/// Copies that the child does not consume must be destroyed, also when the continuation is gone.
CORPUS_CASE(arguments_are_destroyed) {
  const int before = corpus::counted_alive();
  int sum = 0;
  {
    const counted kept(3);
    nopal::scope s;
    s.fork_into(sum, [](const counted& given) { return leaf(given.value); }, kept);
    s.fork([local = counted(4)](counted given) { static_cast<void>(leaf(given.value + local.value)); }, kept);
    s.fork([local = kept] { static_cast<void>(leaf(local.value)); });
    corpus::scribble();
    s.join();
    sum += kept.value;
  }
  return sum == 6 && corpus::counted_alive() == before;
}

[[gnu::noinline]] void add_to(int& where, const int& what, int* also) {
  linger();
  where += what;
  *also = what;
}

CORPUS_CASE(arguments_references) {
  int where = 1;
  int also = 0;
  const int what = opaque(5);
  nopal::scope s;
  s.fork(add_to, std::ref(where), std::cref(what), &also);
  const int meanwhile = leaf(what * 2);
  s.join();
  return where == 6 && also == 5 && meanwhile == 10;
}

[[gnu::noinline]] int sum_of_array(const int* given) { return leaf(given[0] + given[1] + given[2]); }

CORPUS_CASE(arguments_decay) {
  int sum = 0;
  std::size_t size = 0;
  int given[3] = {opaque(1), 2, 3};
  nopal::scope s;
  s.fork_into(sum, sum_of_array, given);
  s.fork_into(size, [](const char* text) { return leaf(std::string(text).size()); }, "literal");
  corpus::scribble();
  s.join();
  return sum == 6 && size == 7;
}

[[gnu::noinline]] double both(wide_integer wide, long double precise, bytes<24> some, int last) {
  linger();
  return static_cast<double>(wide >> 64) + static_cast<double>(precise) + some.byte[23] + last;
}

CORPUS_CASE(arguments_of_memory_class) {
  double result = 0;
  const wide_integer wide = static_cast<wide_integer>(opaque(3)) << 64;
  nopal::scope s;
  s.fork_into(result, both, wide, 0.5L, filled<24>(1), 100);
  const double meanwhile = both(wide, 1.5L, filled<24>(2), 200);
  s.join();
  return result == 127.5 && meanwhile == 229.5;
}

}  // namespace
