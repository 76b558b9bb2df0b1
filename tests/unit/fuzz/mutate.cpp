#include "mutate.hpp"

#include <algorithm>
#include <utility>

namespace fuzz {

namespace {

// Numbers at the edges of the types that readers put them in, and of what ours accept.
const std::vector<std::string> edge_numbers = {"0",
                                               "1",
                                               "-1",
                                               "00",
                                               "1023",
                                               "1024",
                                               "1025",
                                               "65535",
                                               "65536",
                                               "2147483647",
                                               "2147483648",
                                               "-2147483649",
                                               "4294967295",
                                               "4294967296",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "-9223372036854775808",
                                               "18446744073709551615",
                                               "18446744073709551616",
                                               "99999999999999999999999999"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

// From the opening quote's successor up to the closing one.
std::string unquote(const std::string& line, std::size_t at) {
  std::string word;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\' || at + 1 >= line.size()) {
      word += line[at];
    } else if (line[at + 1] == 'x' && at + 3 < line.size()) {
      word += static_cast<char>(hex_value(line[at + 2]) * 16 + hex_value(line[at + 3]));
      at += 3;
    } else {
      word += line[++at];
    }
  }
  return word;
}

}  // namespace

std::vector<std::string> parse_dictionary(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    const std::size_t quote = line.find('"');
    if (!line.empty() && line.front() != '#' && quote != std::string::npos) {
      words.push_back(unquote(line, quote + 1));
    }
  }
  return words;
}

mutator::mutator(std::vector<std::string> corpus, std::vector<std::string> words, std::uint64_t seed)
    : corpus_(std::move(corpus)), words_(std::move(words)), random_(seed) {}

std::string mutator::next(std::size_t most_bytes) {
  std::string input = one_of(corpus_);
  for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(input);
  if (input.size() > most_bytes) input.resize(most_bytes);
  return input;
}

void mutator::change(std::string& input) {
  switch (below(6)) {
  case 0: return change_byte(input);
  case 1: return erase_range(input);
  case 2: return repeat_range(input);
  case 3: return splice(input);
  case 4: return insert_word(input);
  default: return replace_number(input);
  }
}

void mutator::change_byte(std::string& input) {
  if (input.empty()) return;
  char& byte = input[below(input.size())];
  byte = below(2) == 0 ? static_cast<char>(byte ^ (1 << below(8))) : static_cast<char>(below(256));
}

void mutator::erase_range(std::string& input) {
  const std::size_t start = place_in(input);
  input.erase(start, below(input.size() - start + 1));
}

void mutator::repeat_range(std::string& input) {
  const std::size_t start = place_in(input);
  const std::string part = input.substr(start, below(64));
  for (std::size_t times = 1 + below(4); times > 0; --times) input.insert(start, part);
}

void mutator::splice(std::string& input) {
  const std::string& other = one_of(corpus_);
  input.resize(place_in(input));
  input += other.substr(below(other.size() + 1));
}

void mutator::insert_word(std::string& input) {
  if (words_.empty()) return;
  input.insert(place_in(input), one_of(words_));
}

void mutator::replace_number(std::string& input) {
  std::size_t start = place_in(input);
  while (start < input.size() && !is_digit(input[start])) ++start;
  std::size_t end = start;
  while (end < input.size() && is_digit(input[end])) ++end;
  input.replace(start, end - start, one_of(edge_numbers));
}

}  // namespace fuzz
