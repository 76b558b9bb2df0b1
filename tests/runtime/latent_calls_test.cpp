// What latent forks pass and store: every kind of argument and result, where nobody steals and where the continuation runs
// elsewhere before the child ends.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "latent_calls.hpp"

namespace {

using forked::called;
using forked::calls;
using forked::check;
using forked::direct;
using forked::each_way;
using forked::stolen;
using forked::went_on;
using forked::without_result;
using nopal::scope;

// --- Arguments. ------------------------------------------------------------------------------------------------------

using i8 = signed char;
using u8 = unsigned char;

long none() { return called(), 7; }
long one(long a) { return called(), a; }
long two(int a, char b) { return called(), a * 10L + b; }
long three(short a, unsigned b, long long c) { return called(), a * 100L + b * 10L + c; }
long four(i8 a, u8 b, unsigned short c, bool d) {
  return called(), a * 1000L + b * 100L + c * 10L + (d ? 1 : 0);
}
long five(long a, long b, long c, long d, long e) { return called(), a + 2 * b + 3 * c + 4 * d + 5 * e; }
long six(long a, int b, short c, char d, long e, unsigned f) {
  return called(), a + 2 * b + 3 * c + 4 * d + 5 * e + 6L * f;
}
long seven(long a, long b, long c, long d, long e, long f, long g) {
  return called(), a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}
bool negates(bool a) { return called(), !a; }
char letter(char a) { return called(), static_cast<char>(a + 1); }
char32_t code_point(char32_t a, wchar_t b) { return called(), a + static_cast<char32_t>(b); }

NOPAL_PROGRAM(words) {
  check<none>(7L);
  check<one>(-5L, -5L);
  check<one>(-5L, -5);  // an int becomes a long
  check<one>(200L, u8{200});
  check<two>(-13L, -1, static_cast<char>(-3));
  check<three>(-100L + 20 + 3, static_cast<short>(-1), 2U, 3LL);
  check<four>(-128000L + 255 * 100 + 65535 * 10 + 1, static_cast<i8>(-128), u8{255},
              static_cast<unsigned short>(65535), true);
  check<four>(1L, static_cast<i8>(0), u8{0}, static_cast<unsigned short>(0), 17);  // 17 becomes true
  check<five>(1L + 4 + 9 + 16 + 25, 1L, 2L, 3L, 4L, 5L);
  check<six>(-1L + 4 + 9 + 16 + 25 + 36, -1L, 2, static_cast<short>(3), static_cast<char>(4), 5L, 6U);
  check<seven>(1L + 4 + 9 + 16 + 25 + 36 + 49, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
  check<negates>(true, false);
  check<negates>(false, true);
  check<letter>('\x80', '\x7f');
  check<code_point>(U'b', U'a', static_cast<wchar_t>(1));
  return 0;
}

double d1(double a) { return called(), a / 2; }
float f1(float a) { return called(), a / 2; }
double d4(double a, float b, double c, float d) {
  return called(), a + 10 * static_cast<double>(b) + 100 * c + 1000 * static_cast<double>(d);
}
double d5(double a, double b, double c, double d, double e) {
  return called(), a + 10 * b + 100 * c + 1000 * d + 10000 * e;
}
double mixed(int a, double b, long c, float d, short e, double f, u8 g) {
  return called(), a + 10 * b + 100 * static_cast<double>(c) + 1000 * static_cast<double>(d) + 1e4 * e +
                       1e5 * f + 1e6 * g;
}
float from_word(int a) { return called(), static_cast<float>(a); }
int from_number(double a, int b) { return called(), static_cast<int>(a) - b; }
long double wide(long double a) { return called(), a + 1; }
std::complex<double> conjugate(std::complex<double> a) { return called(), std::conj(a); }

NOPAL_PROGRAM(numbers) {
  check<d1>(0.75, 1.5);
  check<d1>(1.5, 3);      // an int becomes a double
  check<d1>(0.25, 0.5F);  // a float
  check<f1>(0.75F, 1.5F);
  check<f1>(0.75F, 1.5);
  check<d4>(4321.0, 1.0, 2.0F, 3.0, 4.0F);
  check<d5>(54321.0, 1.0, 2.0, 3.0, 4.0, 5.0);
  check<mixed>(7654321.0, 1, 2.0, 3L, 4.0F, static_cast<short>(5), 6.0, u8{7});
  check<from_word>(-3.0F, -3);
  check<from_number>(2, 5.5, 3);
  check<wide>(2.5L, 1.5L);
  check<conjugate>(std::complex(1.0, -2.0), std::complex(1.0, 2.0));
  return 0;
}

enum class small : std::uint8_t { a = 1, z = 250 };
enum class large : std::int64_t { least = INT64_MIN, most = INT64_MAX };
enum plain_enum { first_of_all, second_of_all };
small next(small a) { return called(), static_cast<small>(static_cast<u8>(a) + 1); }
large other(large a) { return called(), a == large::least ? large::most : large::least; }
plain_enum swapped(plain_enum a) { return called(), a == first_of_all ? second_of_all : first_of_all; }

int some[4] = {10, 20, 30, 40};
int* beyond(int* a, std::ptrdiff_t by) { return called(), a + by; }
const void* as_constant(int* a) { return called(), a; }
const int* third(const int* a) { return called(), a + 2; }
using unary = long (*)(long);
unary same_function(unary f) { return called(), f; }
long add_one(long a) { return a + 1; }
int through(const int& a) { return called(), a; }
int& into(int& a) {
  called();
  ++a;
  return a;
}
std::nullptr_t nothing(std::nullptr_t) { return called(), nullptr; }
bool is_null(const char* a) { return called(), a == nullptr; }

struct base {
  int value = 1;
};
struct derived : base {};
derived an_object;
derived* a_derived() { return called(), &an_object; }

NOPAL_PROGRAM(enums_pointers_and_references) {
  check<next>(small{251}, small::z);
  check<other>(large::most, large::least);
  check<swapped>(second_of_all, first_of_all);
  check<beyond>(&some[3], &some[1], std::ptrdiff_t{2});
  check<as_constant>(static_cast<const void*>(some), &some[0]);
  check<third>(static_cast<const int*>(&some[2]), some);  // an array becomes a pointer
  check<same_function>(&add_one, &add_one);
  check<same_function>(&add_one, add_one);
  check<through>(20, some[1]);
  check<through>(30, std::cref(some[2]));
  check<nothing>(nullptr, nullptr);
  check<is_null>(true, nullptr);
  check<a_derived>(static_cast<base*>(&an_object));
  each_way([] {
    int counted = 4;
    int out = 0;
    direct<into>(out, std::ref(counted));
    NOPAL_CHECK(out == 5 && counted == 5);
  });
  return 0;
}

template <std::size_t bytes, std::size_t alignment = 1>
struct alignas(alignment) block {
  std::array<u8, bytes> at{};
  friend bool operator==(const block&, const block&) = default;
};
template <class Block>
Block filled(int from) {
  Block result;
  for (u8& each : result.at) each = static_cast<u8>(from++);
  return result;
}
template <class Block>
Block turned(Block a) {
  called();
  NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(&a) % alignof(Block) == 0);
  for (u8& each : a.at) each ^= 0xff;
  return a;
}
template <class Block>
Block expected_turned() {
  Block result = filled<Block>(3);
  for (u8& each : result.at) each ^= 0xff;
  return result;
}
template <class... Blocks>
void check_blocks() {
  (check<turned<Blocks>>(expected_turned<Blocks>(), filled<Blocks>(3)), ...);
}

struct empty {
  friend bool operator==(empty, empty) { return true; }
};
empty of_empty(empty) { return called(), empty(); }
struct pair_of_numbers {
  double a;
  float b;
  friend bool operator==(const pair_of_numbers&, const pair_of_numbers&) = default;
};
pair_of_numbers both_halved(pair_of_numbers p) { return called(), pair_of_numbers{p.a / 2, p.b / 2}; }
std::string longer(std::string text, char letter_of_it) { return called(), text + letter_of_it; }
long both(block<24> a, block<16> b, int c) { return called(), a.at[23] + b.at[15] + c; }

int number_of(std::unique_ptr<int> a) { return called(), *a; }
std::unique_ptr<int> owner_of(int a) { return called(), std::make_unique<int>(a); }

NOPAL_PROGRAM(objects) {
  check_blocks<block<1>, block<2>, block<3>, block<5>, block<8>, block<9>, block<12>, block<16>, block<17>,
               block<24>, block<31>, block<40>, block<48>, block<49>, block<64>, block<1000>>();
  check_blocks<block<8, 8>, block<16, 16>, block<32, 16>, block<64, 64>, block<128, 128>>();
  check<of_empty>(empty(), empty());
  check<both_halved>(pair_of_numbers{1, 2}, pair_of_numbers{2, 4});
  check<longer>(std::string("a text that is longer than what a string keeps in itself."),
                std::string("a text that is longer than what a string keeps in itself"), '.');
  check<both>(long{26 + 18 + 5}, filled<block<24>>(3), filled<block<16>>(3), 5);
  each_way([] {
    int out = 0;
    direct<number_of>(out, std::make_unique<int>(8));
    NOPAL_CHECK(out == 8);
  });
  each_way([] {
    std::unique_ptr<int> out;
    direct<owner_of>(out, 9);
    NOPAL_CHECK(out != nullptr && *out == 9);
  });
  return 0;
}

// --- Results. --------------------------------------------------------------------------------------------------------

template <class T>
T given(T value) {
  return called(), value;
}
template <class... Ts>
void check_results(Ts... values) {
  (check<given<Ts>>(values, values), ...);
}
void no_result_at_all(int) { called(); }

/// That nothing beside the result is written.
template <class T>
void check_neighbours(T value) {
  each_way([value] {
    struct {
      T before;
      T out;
      T after;
    } row;
    std::memset(static_cast<void*>(&row), 0x55, sizeof row);
    decltype(row) untouched;
    std::memset(static_cast<void*>(&untouched), 0x55, sizeof untouched);
    direct<given<T>>(row.out, value);
    NOPAL_CHECK(row.out == value);
    NOPAL_CHECK(std::memcmp(&row.before, &untouched.before, sizeof(T)) == 0);
    NOPAL_CHECK(std::memcmp(&row.after, &untouched.after, sizeof(T)) == 0);
  });
}

NOPAL_PROGRAM(results) {
  check_results(true, false, 'x', static_cast<i8>(-1), u8{255}, static_cast<short>(-2),
                static_cast<unsigned short>(65534), -3, 4000000000U, -5L, ~6UL, -7LL, ~8ULL, 1.5F, 2.5, 3.5L,
                L'w', u'w', U'w', small::z, large::least, second_of_all, &some[2], &add_one,
                static_cast<const char*>("text"));
  check_neighbours(true);
  check_neighbours('x');
  check_neighbours(static_cast<short>(-2));
  check_neighbours(-3);
  check_neighbours(-5L);
  check_neighbours(1.5F);
  check_neighbours(2.5);
  check_neighbours(&some[1]);
  check_neighbours(small::z);
  each_way([] { without_result(no_result_at_all, 3); });
  return 0;
}

/// What assignment makes of a result.
NOPAL_PROGRAM(results_of_other_types) {
  check<given<int>>(-3L, -3);
  check<given<short>>(5L, static_cast<short>(5));
  check<given<int>>(2.0, 2);
  check<given<float>>(2.5, 2.5F);
  check<given<bool>>(1, true);
  check<given<int*>>(true, &some[0]);
  check<given<const char*>>(std::string("text"), "text");
  each_way([] {
    volatile int out = 0;
    direct<given<int>>(out, 6);
    NOPAL_CHECK(out == 6);
  });
  each_way([] {
    std::atomic<long> out{0};
    direct<given<long>>(out, 7L);
    NOPAL_CHECK(out == 7);
  });
  return 0;
}

[[gnu::noinline]] long weighed(int a, long b, long c, const void* d, const void* e, const void* f) {
  return a + 10 * b + 100 * c + (d == nullptr ? 1000 : 0) + (e == nullptr ? 10000 : 0) +
         (f == nullptr ? 100000 : 0);
}

/// The same arguments at each fork of a loop, and others.
NOPAL_PROGRAM(in_loops) {
  for (int round = 0; round < 20; ++round) {
    std::array<long, 3> same{};
    std::array<long, 3> others{};
    scope s;
    for (long& out : same) s.fork_into(out, weighed, round, 2L, 2L, nullptr, &calls, &calls);
    s.join();
    for (int i = 0; i < 3; ++i)
      s.fork_into(others.at(static_cast<std::size_t>(i)), weighed, i, round, i, &calls, nullptr, &calls);
    s.join();
    for (const long each : same) NOPAL_CHECK(each == weighed(round, 2, 2, nullptr, &calls, &calls));
    for (int i = 0; i < 3; ++i) {
      NOPAL_CHECK(others.at(static_cast<std::size_t>(i)) == weighed(i, round, i, &calls, nullptr, &calls));
    }
  }
  return 0;
}

/// A child's copies are made before anything after the fork runs, and are no others'.
NOPAL_PROGRAM(copies) {
  for (const bool steals : {false, true}) {
    stolen = steals;
    went_on = false;
    block<40> value = filled<block<40>>(3);
    block<40> out;
    long number = 5;
    long out_number = 0;
    scope s;
    s.fork_into(out, turned<block<40>>, value);
    s.fork_into(out_number, [](long a) { return a; }, number);
    value = filled<block<40>>(100);
    number = 6;
    support::set(went_on);
    s.join();
    NOPAL_CHECK(out == expected_turned<block<40>>());
    NOPAL_CHECK(out_number == 5 && number == 6 && value == filled<block<40>>(100));
  }
  return 0;
}

class latent_calls : public support::program_at_workers {};

TEST_P(latent_calls, pass_words) { EXPECT_TRUE(run("words")); }
TEST_P(latent_calls, pass_floating_point_numbers) { EXPECT_TRUE(run("numbers")); }
TEST_P(latent_calls, pass_enumerations_pointers_and_references) {
  EXPECT_TRUE(run("enums_pointers_and_references"));
}
TEST_P(latent_calls, pass_objects_of_every_size) { EXPECT_TRUE(run("objects")); }
TEST_P(latent_calls, store_results_of_every_type) { EXPECT_TRUE(run("results")); }
TEST_P(latent_calls, convert_results_as_assignments_do) { EXPECT_TRUE(run("results_of_other_types")); }
TEST_P(latent_calls, pass_the_same_again_in_loops) { EXPECT_TRUE(run("in_loops")); }
TEST_P(latent_calls, pass_the_same_in_loops_where_they_are_eager) {
  EXPECT_TRUE(support::succeeds("in_loops",
                                {{"NOPAL_WORKERS", std::to_string(GetParam())}, {"NOPAL_FORKS", "eager"}}));
}
TEST_P(latent_calls, copy_before_they_call) { EXPECT_TRUE(run("copies")); }

INSTANTIATE_TEST_SUITE_P(at_workers, latent_calls, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace
