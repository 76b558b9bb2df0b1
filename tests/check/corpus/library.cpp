// The C++ library.
// clang-format off
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>

#include "corpus.hpp"

namespace library_data { int x, y; }
using namespace library_data;
CASE(vector_push_back_in_both) {
  std::vector<int> v;
  v.reserve(8);
  nopal::scope s;
  s.fork([&v] { v.push_back(1); });  // race: ClangA
  v.push_back(2);  // with: ClangA
  s.join();
}
CASE(vectors_of_their_own) {
  std::vector<int> v, w;
  nopal::scope s;
  s.fork([&v] { for (int i = 0; i < 50; ++i) v.push_back(i); });
  for (int i = 0; i < 50; ++i) w.push_back(i);
  s.join();
}
CASE(vector_elements_apart) {
  std::vector<int> v(100);
  nopal::scope s;
  s.fork([&v] { v[1] = 1; });
  v[2] = 1;
  s.join();
}
CASE(vector_element_shared) {
  std::vector<int> v(100);
  nopal::scope s;
  s.fork([&v] { v[1] = 1; });  // race: A
  use(v[1]);  // with: A
  s.join();
}
CASE(vector_size_while_growing) {
  std::vector<int> v;
  v.reserve(8);
  nopal::scope s;
  s.fork([&v] { v.push_back(1); });  // race: ClangA
  use(static_cast<std::int64_t>(v.size()));  // with: ClangA
  s.join();
}
CASE(vector_of_bool_neighbours) {
  std::vector<bool> v(64);
  nopal::scope s;
  s.fork([&v] { v[1] = true; });  // race: A
  v[2] = true;  // with: A
  s.join();
}
CASE(vector_of_bool_words_apart) {
  std::vector<bool> v(256);
  nopal::scope s;
  s.fork([&v] { v[1] = true; });
  v[130] = true;
  s.join();
}
CASE(vector_of_char_neighbours) {
  std::vector<char> v(64);
  nopal::scope s;
  s.fork([&v] { v[1] = 1; });
  v[2] = 1;
  s.join();
}
CASE(string_append_in_both) {
  std::string t;
  nopal::scope s;
  s.fork([&t] { t += 'a'; });  // race: A
  t += 'b';  // with: A
  s.join();
}
CASE(strings_of_their_own) {
  std::string t, u;
  nopal::scope s;
  s.fork([&t] { for (int i = 0; i < 50; ++i) t += "abc"; });
  for (int i = 0; i < 50; ++i) u += "abc";
  s.join();
}
CASE(string_characters_apart) {
  std::string t(100, 'a');
  nopal::scope s;
  s.fork([&t] { t[1] = 'b'; });
  t[2] = 'c';
  s.join();
}
CASE(string_searched_while_written) {
  static std::string text(40, 'a');
  nopal::scope s;
  s.fork([] { use(static_cast<std::int64_t>(text.find('b'))); });  // race: A
  text[30] = 'c';  // with: A
  s.join();
}
CASE(string_searched_up_to_the_write) {
  static std::string text(40, 'a');
  text[20] = 'b';
  nopal::scope s;
  s.fork([] { use(static_cast<std::int64_t>(text.find('b'))); });
  text[30] = 'c';
  s.join();
}
CASE(string_size_while_appending) {
  std::string t;
  nopal::scope s;
  s.fork([&t] { t += "long enough to leave the string itself"; });  // race: ClangA
  use(static_cast<std::int64_t>(t.size()));  // with: ClangA
  s.join();
}
CASE(map_insert_and_find) {
  std::map<int, int> m{{1, 1}};
  nopal::scope s;
  s.fork([&m] { use(m.find(1)->second); });  // race: A
  m.find(1)->second = 2;  // with: A
  s.join();
}
CASE(map_find_in_both) {
  std::map<int, int> m{{1, 1}, {2, 2}};
  nopal::scope s;
  s.fork([&m] { use(m.find(1)->second); });
  use(m.find(2)->second);
  s.join();
}
CASE(map_values_apart) {
  std::map<int, int> m{{1, 1}, {2, 2}};
  nopal::scope s;
  s.fork([&m] { m.find(1)->second = 5; });
  m.find(2)->second = 6;
  s.join();
}
CASE(unordered_map_in_both) {
  std::unordered_map<int, int> m{{1, 1}, {2, 2}};
  nopal::scope s;
  s.fork([&m] { use(m.at(1)); });
  use(m.at(2));
  s.join();
}
CASE(list_nodes_apart) {
  std::list<int> l{1, 2};
  nopal::scope s;
  s.fork([&l] { l.front() = 3; });
  l.back() = 4;
  s.join();
}
CASE(deque_ends_apart) {
  std::deque<int> d(100);
  nopal::scope s;
  s.fork([&d] { d.front() = 3; });
  d.back() = 4;
  s.join();
}
CASE(array_elements) {
  std::array<int, 8> a{};
  nopal::scope s;
  s.fork([&a] { a[1] = 1; });  // race: ClangA
  a[1] = 2;  // with: ClangA
  s.join();
}
CASE(optional_set_and_asked) {
  std::optional<int> o;
  nopal::scope s;
  s.fork([&o] { o = 5; });  // race: ClangA
  use(o.has_value());  // with: ClangA
  s.join();
}
CASE(iterators_over_halves) {
  std::vector<int> v(100, 1);
  nopal::scope s;
  s.fork([&v] { std::fill(v.begin(), v.begin() + 50, 2); });
  std::fill(v.begin() + 50, v.end(), 3);
  s.join();
}
CASE(iterators_overlap) {
  std::vector<int> v(100, 1);
  nopal::scope s;
  s.fork([&v] { std::fill(v.begin(), v.begin() + 51, 2); });  // race: A
  std::fill(v.begin() + 50, v.end(), 3);  // with: A
  s.join();
}
CASE(sorted_while_summed) {
  std::vector<int> v{5, 4, 3, 2, 1};
  nopal::scope s;
  s.fork([&v] { use(std::accumulate(v.begin(), v.end(), 0)); });  // race: A
  v[3] = 7;  // with: A
  s.join();
}
CASE(sorts_of_their_own) {
  std::vector<int> v{5, 4, 3, 2, 1}, w{3, 2, 1};
  nopal::scope s;
  s.fork([&v] { std::sort(v.begin(), v.end()); });
  std::sort(w.begin(), w.end());
  s.join();
}
CASE(shared_pointer_counts) {
  auto p = std::make_shared<int>(1);
  nopal::scope s;
  for (int i = 0; i < 4; ++i) s.fork([p] { use(*p); });
  p.reset();
  s.join();
}
CASE(shared_pointer_target) {
  auto p = std::make_shared<int>(1);
  nopal::scope s;
  s.fork([p] { *p = 2; });  // race: A
  *p = 3;  // with: A
  s.join();
}
CASE(shared_pointer_itself) {
  auto p = std::make_shared<int>(1);
  nopal::scope s;
  s.fork([&p] { use(p != nullptr); });  // race: A
  p = nullptr;  // with: A
  s.join();
}
namespace library_data { char letters[16]; }
CASE(fill_of_few_characters) {
  nopal::scope s;
  s.fork([] { std::fill(library_data::letters, library_data::letters + 8, 'a'); });  // race: A
  library_data::letters[3] = 'b';  // with: A
  s.join();
}
CASE(copy_of_few_characters) {
  static char to[16];
  nopal::scope s;
  s.fork([] { std::copy(library_data::letters, library_data::letters + 8, to); });  // race: A
  to[7] = 'b';  // with: A
  to[8] = 'b';
  s.join();
  use(to[0] != 0);  // else Clang leaves the copy out
}
