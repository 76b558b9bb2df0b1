// Results of every kind, stored by children into the parent's frame.

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::opaque;

/// Two children and a continuation, each making a T from an int.
template <class T>
bool three_of(T (*make)(int)) {
  T first{};
  T second{};
  nopal::scope s;
  s.fork_into(first, make, 1);
  T third = make(3);
  s.fork_into(second, make, 2);
  T fourth = make(4);
  s.join();
  return first == make(1) && second == make(2) && third == make(3) && fourth == make(4);
}

template <class T>
[[gnu::noinline]] T number(int from) {
  return leaf(static_cast<T>(from * 7));
}

enum class color : unsigned char { red = 1, green, blue, black };
enum plain_enum { first_value = 1, last_value = 1000 };

bool is_odd(int n) { return leaf(n % 2 != 0); }
color color_of(int n) { return leaf(static_cast<color>(n)); }
plain_enum plain_of(int n) { return leaf(static_cast<plain_enum>(n)); }
char letter(int n) { return leaf(static_cast<char>('a' + n)); }
std::string long_text(int n) { return leaf(std::string(static_cast<std::size_t>(n) * 40, 'x')); }
std::string short_text(int n) { return leaf(std::to_string(n)); }
std::vector<int> some(int n) { return leaf(std::vector<int>(static_cast<std::size_t>(n) * 10, n)); }
std::complex<double> on_circle(int n) { return leaf(std::complex<double>(n, -n)); }
const char* pointer_to(int n) {
  static const char text[] = "0123456789";
  return leaf(text + n);
}

using mixed = std::pair<double, long>;
mixed mixed_of(int n) { return leaf(mixed(n * 0.5, n)); }
using block = std::array<int, 50>;
block block_of(int n) {
  block made{};
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = n * static_cast<int>(i);
  }
  return leaf(made);
}

CORPUS_CASE(results_int) { return three_of<int>(number<int>); }
CORPUS_CASE(results_short) {
  return three_of<short>([](int n) { return leaf(static_cast<short>(n * 3)); });
}
CORPUS_CASE(results_unsigned_long) { return three_of<unsigned long>(number<unsigned long>); }
CORPUS_CASE(results_float) { return three_of<float>(number<float>); }
CORPUS_CASE(results_double) { return three_of<double>(number<double>); }
CORPUS_CASE(results_long_double) { return three_of<long double>(number<long double>); }
CORPUS_CASE(results_int128) { return three_of<wide_integer>(number<wide_integer>); }
CORPUS_CASE(results_bool) { return three_of<bool>(is_odd); }
CORPUS_CASE(results_char) { return three_of<char>(letter); }
CORPUS_CASE(results_enum_class) { return three_of<color>(color_of); }
CORPUS_CASE(results_enum) { return three_of<plain_enum>(plain_of); }
CORPUS_CASE(results_pointer) { return three_of<const char*>(pointer_to); }
CORPUS_CASE(results_complex) { return three_of<std::complex<double>>(on_circle); }
CORPUS_CASE(results_long_string) { return three_of<std::string>(long_text); }
CORPUS_CASE(results_short_string) { return three_of<std::string>(short_text); }
CORPUS_CASE(results_vector) { return three_of<std::vector<int>>(some); }
CORPUS_CASE(results_pair) { return three_of<mixed>(mixed_of); }
CORPUS_CASE(results_block) { return three_of<block>(block_of); }

CORPUS_CASE(results_unique_pointer) {
  std::unique_ptr<int> made;
  nopal::scope s;
  s.fork_into(made, [](int n) { return std::make_unique<int>(leaf(n)); }, 5);
  const int meanwhile = leaf(6);
  s.join();
  return *made == 5 && meanwhile == 6;
}

CORPUS_CASE(results_converted) {
  double wide = 0;
  long longer = 0;
  std::string text;
  nopal::scope s;
  s.fork_into(wide, number<int>, 1);
  s.fork_into(longer, number<short>, 2);
  s.fork_into(text, [] { return leaf("text"); });
  const int meanwhile = number<int>(3);
  s.join();
  return wide == 7.0 && longer == 14 && text == "text" && meanwhile == 21;
}

CORPUS_CASE(results_into_elements) {
  std::vector<long> squares(20);
  long* const raw = squares.data();
  {
    nopal::scope s;
    for (int i = 0; i < 10; ++i) {
      s.fork_into(squares[static_cast<std::size_t>(i)], [](int n) { return leaf(n * n); }, i);
      raw[10 + i] = 2L * i;
    }
  }
  bool right = true;
  for (int i = 0; i < 10; ++i) {
    right = right && raw[i] == i * i && raw[10 + i] == 2 * i;
  }
  return right;
}

CORPUS_CASE(results_discarded) {
  int seen = 0;
  nopal::scope s;
  s.fork([](int n) { return std::string(static_cast<std::size_t>(leaf(n)), 'y'); }, 100);
  s.fork([&seen] { seen = leaf(9); });
  const int meanwhile = leaf(opaque(4));
  s.join();
  return seen == 9 && meanwhile == 4;
}

/// The forking function itself returns a structure through a hidden pointer.
[[gnu::noinline]] block forked_block(int n) {
  block made{};
  nopal::scope s;
  s.fork_into(made[0], leaf<int>, n);
  made[1] = leaf(n + 1);
  s.fork_into(made[2], leaf<int>, n + 2);
  made[3] = leaf(n + 3);
  s.join();
  return made;
}

[[gnu::noinline]] std::string forked_text(int n) {
  std::string left;
  std::string right;
  nopal::scope s;
  s.fork_into(left, long_text, n);
  right = short_text(n);
  s.join();
  return left + right;
}

CORPUS_CASE(results_returned_by_forking_function) {
  const block made = forked_block(10);
  const std::string text = forked_text(3);
  return made[0] == 10 && made[1] == 11 && made[2] == 12 && made[3] == 13 &&
         text == std::string(120, 'x') + "3";
}

}  // namespace
