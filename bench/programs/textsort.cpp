// Parallel merge sort, with parallel merges, of lines of text: merge_sort.hpp. Comparisons read memory
// all over, and how long one takes depends on how much two lines have in common.
//
// The lines are excerpts of the licences that Debian and its kin keep on every machine, or of made-up
// words where those are missing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "merge_sort.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

using line = std::string_view;
using words = std::vector<std::string>;

constexpr const char* licences = "/usr/share/common-licenses";

// Every file once, however many links it has, in the order of the names: the same words on every run.
words read_licences() {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(licences, unreadable)) {
    if (!entry.is_symlink(unreadable) && entry.is_regular_file(unreadable)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  words read;
  for (const fs::path& file : files) {
    std::ifstream text(file);
    for (std::string word; text >> word;) read.push_back(word);
  }
  return read;
}

// A few letters each; few different words, as in a language.
words make_words(random_sequence& random) {
  words vocabulary(4096);
  for (std::string& word : vocabulary) {
    const std::uint64_t syllables = 1 + random.next() % 4;
    for (std::uint64_t i = 0; i < syllables; ++i) {
      word += "bcdfghjklmnprstvw"[random.next() % 17];
      word += "aeiou"[random.next() % 5];
    }
  }
  words text(65536);
  for (std::string& word : text) word = vocabulary[random.next() % vocabulary.size()];
  return text;
}

words source_words(random_sequence& random) {
  constexpr std::size_t enough = 1000;
  words text = read_licences();
  return text.size() >= enough ? text : make_words(random);
}

/// Lines that own what they show. They lie in memory in the order in which they were made.
class text_lines {
public:
  text_lines(std::size_t count, std::uint64_t seed);

  [[nodiscard]] const std::vector<line>& all() const { return lines_; }

private:
  std::string characters_;
  std::vector<line> lines_;
};

// A line is what follows from some word on, of up to fourteen words: many lines begin alike, few are alike.
text_lines::text_lines(std::size_t count, std::uint64_t seed) {
  random_sequence random(seed);
  const words text = source_words(random);
  std::vector<std::size_t> ends(count);
  for (std::size_t& end : ends) {
    const std::size_t first = random.next() % text.size();
    const std::size_t last = std::min<std::size_t>(text.size(), first + 3 + random.next() % 12);
    for (std::size_t i = first; i < last; ++i) {
      if (i > first) characters_ += ' ';
      characters_ += text[i];
    }
    end = characters_.size();
  }
  lines_.reserve(count);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    lines_.push_back(line(characters_).substr(begin, end - begin));
    begin = end;
  }
}

class textsort_instance final : public instance {
public:
  explicit textsort_instance(const input& with)
      : text_(static_cast<std::size_t>(with.size), with.seed), lines_(text_.all()), spare_(lines_.size()),
        grain_(std::max<std::ptrdiff_t>(with.grain, 4)) {}
  void run() override {
    merge_sort<line>({lines_.data(), lines_.data() + lines_.size()}, spare_.data(), grain_);
  }
  [[nodiscard]] bool verify() const override {
    return std::is_sorted(lines_.begin(), lines_.end()) && fingerprint(lines_) == fingerprint(text_.all());
  }

private:
  // Depends on the lines and how often each occurs, not on their order.
  [[nodiscard]] static std::uint64_t fingerprint(const std::vector<line>& lines) {
    std::uint64_t sum = 0;
    for (const line of : lines) {
      std::uint64_t word = of.size() + 1;
      for (const char letter : of) word = mix(word ^ static_cast<unsigned char>(letter));
      sum += mix(word);
    }
    return sum;
  }

  text_lines text_;
  std::vector<line> lines_;
  std::vector<line> spare_;
  std::ptrdiff_t grain_;
};

}  // namespace

const program textsort_program = {
    .name = "textsort",
    .summary = "merge sort of lines of real text, merges forked too",
    .size = {.meaning = "lines",
             .usual = 2'500'000,
             .quick = 20'000,
             .paper = 10'000'000,
             .largest = 200'000'000},
    .grain = {.meaning = "lines sorted or merged serially", .usual = 512},
    .prepare = prepare<textsort_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
