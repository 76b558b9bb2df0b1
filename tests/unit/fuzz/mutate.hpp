// Random changes to inputs of a corpus, the same ones for the same seed everywhere.
#ifndef NOPAL_TESTS_FUZZ_MUTATE_HPP
#define NOPAL_TESTS_FUZZ_MUTATE_HPP

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fuzz {

/// The words of a dictionary in libFuzzer's form: lines such as name="a\x0ab", and comments after #.
std::vector<std::string> parse_dictionary(const std::string& text);

class mutator {
public:
  /// The corpus must not be empty.
  mutator(std::vector<std::string> corpus, std::vector<std::string> words, std::uint64_t seed);

  /// An input of at most that many bytes: one of the corpus with a few changes.
  std::string next(std::size_t most_bytes);

private:
  // Not std::uniform_int_distribution, whose numbers differ between libraries.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  std::size_t place_in(const std::string& input) { return below(input.size() + 1); }
  const std::string& one_of(const std::vector<std::string>& list) { return list[below(list.size())]; }

  void change(std::string& input);
  void change_byte(std::string& input);
  void erase_range(std::string& input);
  void repeat_range(std::string& input);
  void splice(std::string& input);
  void insert_word(std::string& input);
  void replace_number(std::string& input);

  std::vector<std::string> corpus_;
  std::vector<std::string> words_;
  std::mt19937_64 random_;
};

}  // namespace fuzz

#endif
