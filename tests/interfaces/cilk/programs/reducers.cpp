// Reducers as declarations, in C++.
#include <cilk/cilk.h>

#include <cstdio>
#include <new>
#include <string>
#include <vector>

template <class T>
void make(void* view) {
  ::new (view) T();
}
template <class T>
void sum_up(void* left, void* right) {
  *static_cast<T*>(left) += *static_cast<T*>(right);
  static_cast<T*>(right)->~T();
}
static void zero(void* view) { *static_cast<int*>(view) = 0; }
static void plus(void* left, void* right) { *static_cast<int*>(left) += *static_cast<int*>(right); }

namespace globals {
std::string cilk_reducer(make<std::string>, sum_up<std::string>) text("begin ");
int cilk_reducer(zero, plus) count = 2;
}  // namespace globals

static void walk(int from, int to) {
  if (to - from == 1) {
    globals::text += static_cast<char>('a' + from % 26);
    ++globals::count;
    return;
  }
  const int middle = from + (to - from) / 2;
  cilk_spawn walk(from, middle);
  walk(middle, to);
}

template <class T>
static T total(const std::vector<T>& of) {
  T cilk_reducer(make<T>, sum_up<T>) all = T();
  cilk_for(auto at = of.begin(); at != of.end(); ++at) all += *at;
  return all;
}

static int in_lambda(int n) {
  int cilk_reducer([](void* view) { *static_cast<int*>(view) = 0; }, plus) found = 0;
  auto look = [&](int at) { found += at % 3 == 0 ? 1 : 0; };
  for (int i = 0; i < n; ++i) cilk_spawn look(i);
  look(0);
  cilk_sync;
  return found;
}
static std::size_t unsynced(int n) {
  std::string cilk_reducer(make<std::string>, sum_up<std::string>) text;
  auto add = [&text2 = text](int) { return text2.size(); };
  cilk_for(int i = 0; i < n; ++i) {
    text += "x";
    text.push_back('y');
  }
  return text.size() + add(0);
}

template <class T>
T several(int n) {
  T cilk_reducer(make<T>, sum_up<T>) all = T(), cilk_reducer(make<T>, sum_up<T>) some = T();
  cilk_for(int i = 0; i < n; i++) {
    all += T(i);
    if (i % 3 == 0) some += T(i);
  }
  return all * T(1000) + some;
}

int main() {
  walk(0, 200);
  std::printf("%s %d\n", globals::text.c_str(), globals::count);
  std::printf("%d %s\n", total(std::vector<int>(100, 3)), total(std::vector<std::string>(5, "ab")).c_str());
  std::printf("%d %zu\n", in_lambda(100), unsynced(100));
  std::printf("%ld\n", several<long>(100));
}
