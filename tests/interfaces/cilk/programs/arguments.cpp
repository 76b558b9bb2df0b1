// Arguments are converted for their parameters by the parent, and what they refer to lives until the child ends.
#include <cilk/cilk.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

// So slow that a parent that goes on would change what is converted.
struct slow {
  int value;
  // NOLINTNEXTLINE(google-explicit-constructor)
  slow(const int* from) {
    usleep(2000);
    value = *from;
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator long() const {
    usleep(2000);
    return value;
  }
};
struct base {
  int number = 1;
};
struct derived : base {
  derived() { number = 2; }
};
struct counted {
  static inline std::atomic<int> copies{0};
  int value = 0;
  explicit counted(int of) : value(of) {}
  counted(const counted& other) : value(other.value) { ++copies; }
  counted(counted&& other) noexcept : value(other.value) {}
  ~counted() { value = -1; }
  const counted& self() const { return *this; }
  const int* place() const { return &value; }
};

static int by_value(slow given) { return given.value; }
static int by_constant(const slow& given) { return given.value; }
static int by_rvalue(slow&& given) { return given.value; }
static long by_number(long given) { return given; }
static int length(const char* text) {
  usleep(1000);
  int result = 0;
  while (text[result] == 'x') ++result;
  return result;
}
static int length_of(const std::string& text) { return length(text.c_str()); }
static int length_of_copy(std::string text) { return length(text.c_str()); }
static int length_of_view(std::string_view text) { return length(text.data()); }
static int later(const int& number) {
  usleep(1000);
  return number;
}
static int at(const int* number) {
  usleep(1000);
  return *number;
}
static int number_of(const counted& of) {
  usleep(1000);
  return of.value;
}
static int copy_of(counted of) { return of.value; }
static int of_base(const base& given, const base* same) { return given.number + (&given == same ? 10 : 0); }
static int of_sliced(base given) { return given.number; }
static int sum(const std::vector<int>& values) {
  usleep(1000);
  int result = 0;
  for (const int each : values) result += each;
  return result;
}
static const std::string& itself(const std::string& text) { return text; }
static int call(const std::function<int(int)>& function, int with) { return function(with); }
static int call_plain(int (*function)(int), int with) { return function(with); }
static int twice(int number) { return 2 * number; }
[[maybe_unused]] static int twice(slow number) { return 2 * number.value; }
static int formatted(char* to, const char* format, ...) { return std::snprintf(to, 9, "%s", format); }

struct holder {
  int base = 1;
  int add(slow given) const { return base + given.value; }
  template <class T>
  int size(const T& text) const {
    return base + length(text.c_str());
  }
  holder moved(int by) const { return {base + by}; }
};

static std::string text_of(std::size_t length, bool last = true) {
  return std::string(length, last ? 'x' : 'y');
}

// What the parent does at once after the fork.
static int changed = 7;
static void change() { changed = 8; }

static int conversions() {
  changed = 7;
  int x = cilk_spawn by_value(&changed);
  change();
  cilk_sync;
  changed = 7;
  int y = cilk_spawn by_constant(&changed);
  change();
  cilk_sync;
  changed = 7;
  int z = cilk_spawn by_rvalue(&changed);
  change();
  cilk_sync;
  changed = 7;
  holder here;
  int v = cilk_spawn here.add(&changed);
  change();
  cilk_sync;
  changed = 7;
  auto lambda = [](slow given, int more) { return given.value + more; };
  int w = cilk_spawn lambda(&changed, 1);
  change();
  cilk_sync;
  int one = 4;
  slow number(&one);
  long u = cilk_spawn by_number(number);
  number.value = 5;
  cilk_sync;
  char text[] = "xxx";
  int t = cilk_spawn length_of_copy(text);
  text[0] = 0;
  cilk_sync;
  std::printf("%d %d %d %d %d %ld %d\n", x, y, z, v, w, u, t);
  return x;
}

static void temporaries() {
  const std::string name = text_of(90);
  int a = cilk_spawn length(name.substr(40).c_str());
  int b = cilk_spawn length_of_view(name.substr(1));
  int c = cilk_spawn length((name + "xx").c_str());
  int d = cilk_spawn length(itself("xxxx").c_str());
  int e = cilk_spawn later(std::max(static_cast<int>(name.size()) - 60, 70));
  int f = cilk_spawn at(counted(3).place());
  int g = cilk_spawn number_of(counted(4).self());
  int h = cilk_spawn at(&std::max(5, 2));
  int i = cilk_spawn length(std::make_unique<std::string>("xxx")->c_str());
  cilk_sync;
  int j = cilk_spawn length_of(itself(text_of(20) + text_of(33)));
  int k = cilk_spawn holder().moved(2).size(text_of(44));
  int l = cilk_spawn sum({1, 2, 3});
  int m = cilk_spawn length_of({'x', 'x'});
  int n = cilk_spawn length(text_of(12, std::string("t") == "t").c_str());
  cilk_sync;
  std::printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}

template <class T>
static int in_template(const T& name, int n) {
  if (n == 0) return 0;
  int x = cilk_spawn length(name.substr(n).c_str());
  int y = cilk_spawn in_template<T>(name + text_of(n), n - 1);
  int z = cilk_spawn by_value(&changed);
  cilk_sync;
  return x + y + z;
}

/// The child moves, or does not: not the fork.
static int taken(std::string&& text) {
  const std::string own = std::move(text);
  return static_cast<int>(own.size());
}
static int looked_at(const std::string&& text) { return static_cast<int>(text.size()); }
static int both_of(const char* text, std::string&& same) {
  return static_cast<int>(std::string(text).size() + same.size());
}

static void moves() {
  std::string first = text_of(40);
  std::string second = text_of(50);
  std::string third = text_of(60);
  int a = cilk_spawn taken(std::move(first));
  int b = cilk_spawn looked_at(std::move(second));
  int c = cilk_spawn both_of(third.c_str(), std::move(third));
  int d = cilk_spawn taken(std::move(text_of(34)));
  int e = cilk_spawn taken(text_of(12));
  cilk_sync;
  std::printf("%d %d %d %d %d %d %d\n", a, b, c, d, e, static_cast<int>(second.size()),
              static_cast<int>(third.size()));
}

int main() {
  conversions();
  moves();
  temporaries();
  std::printf("%d\n", in_template(text_of(50), 4));
  derived both;
  int a = cilk_spawn of_base(both, &both);
  int b = cilk_spawn of_sliced(both);
  int c = cilk_spawn call([&](int more) { return more + both.number; }, 3);
  int d = cilk_spawn call_plain([](int more) { return more; }, 4);
  int e = cilk_spawn call_plain(twice, 5);
  counted one(6);
  int f = cilk_spawn copy_of(one);
  int g = cilk_spawn number_of(one);
  char to[9];
  int h = cilk_spawn formatted(to, text_of(5).c_str(), 1, 2.5);
  cilk_sync;
  std::printf("%d %d %d %d %d %d %d %d %d\n", a, b, c, d, e, f, g, h, counted::copies.load());
}
