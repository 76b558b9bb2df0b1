// Words of a file of JSON lines, by how often they occur: a map in a reducer, with a monoid of our own. Each strand counts in a
// map of its own; where strands join, the smaller of two maps is added to the larger.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <nopal/parallel.hpp>
#include <nopal/reducer.hpp>

/// What a monoid is: a type of values, one of them neutral, and how two become one.
struct op_add_counts {
  using value_type = std::unordered_map<std::string, long>;
  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type&& right) {
    if (left.size() < right.size()) left.swap(right);  // sums do not depend on the order
    for (const auto& [word, count] : right) left[word] += count;
  }
};

nopal::reducer<op_add_counts> counts;
nopal::reducer<nopal::op_ostream> errors(std::cerr);
nopal::reducer<nopal::op_add<int>> bad_lines;

void count_words(std::string_view text) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  op_add_counts::value_type& mine =
      *counts;  // looked up once: good up to the next fork, and there is none here
  std::string word;
  for (auto at = text.begin(); (at = std::find_if(at, text.end(), is_letter)) != text.end();) {
    for (word.clear(); at != text.end() && is_letter(static_cast<unsigned char>(*at)); ++at)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
    ++mine[word];
  }
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr
        << "usage: word_count FILE.jsonl\nFILE has a JSON object with a string \"text\" on each line.\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  if (!in) {
    std::cerr << "word_count: cannot open " << argv[1] << '\n';
    return 1;
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));

  nopal::parallel_for(0, lines.size(), [&](std::size_t i) {
    const nlohmann::json object = nlohmann::json::parse(lines[i], nullptr, /*allow_exceptions=*/false);
    const auto text = object.is_object() ? object.find("text") : object.end();
    if (text == object.end() || !text->is_string()) {
      *errors << "word_count: line " << i + 1 << " is no JSON object with a string \"text\"\n";
      *bad_lines += 1;
    } else {
      count_words(text->get_ref<const std::string&>());
    }
  });

  using entry = std::pair<std::string, long>;
  std::vector<entry> words(counts.value().begin(), counts.value().end());
  std::sort(words.begin(), words.end(), [](const entry& left, const entry& right) {
    return left.second != right.second ? left.second > right.second : left.first < right.first;
  });
  for (const auto& [word, count] : words) std::cout << count << ' ' << word << '\n';
  return bad_lines.value() == 0 ? 0 : 1;
}
