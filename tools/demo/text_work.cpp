#include "text_work.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <nopal/scope.hpp>

namespace demo::NOPAL_PROGRAM_VARIANT {
namespace {

// Merge sort. The halves are sorted into the other array, so that merging them brings them home.

constexpr std::ptrdiff_t lines_sorted_serially = 2048;
constexpr std::ptrdiff_t lines_merged_serially = 4096;

/// Merges two sorted ranges: the longer is cut in half, the shorter where that cut falls.
void merge(std::span<line> left, std::span<line> right, line* out) {
  if (std::ssize(left) + std::ssize(right) <= lines_merged_serially) {
    std::merge(left.begin(), left.end(), right.begin(), right.end(), out);
    return;
  }
  std::size_t left_cut = left.size() / 2;
  std::size_t right_cut = right.size() / 2;
  if (left.size() >= right.size()) {
    right_cut = static_cast<std::size_t>(std::lower_bound(right.begin(), right.end(), left[left_cut]) -
                                         right.begin());
  } else {
    left_cut =
        static_cast<std::size_t>(std::upper_bound(left.begin(), left.end(), right[right_cut]) - left.begin());
  }
  nopal::scope s;
  s.fork(merge, left.first(left_cut), right.first(right_cut), out);
  merge(left.subspan(left_cut), right.subspan(right_cut), out + left_cut + right_cut);
  s.join();
}

/// Sorts `lines`, in place or into `other`.
void sort(std::span<line> lines, std::span<line> other, bool into_other) {
  if (std::ssize(lines) <= lines_sorted_serially) {
    std::sort(lines.begin(), lines.end());
    if (into_other) std::copy(lines.begin(), lines.end(), other.begin());
    return;
  }
  const std::size_t half = lines.size() / 2;
  nopal::scope s;
  s.fork(sort, lines.first(half), other.first(half), !into_other);
  sort(lines.subspan(half), other.subspan(half), !into_other);
  s.join();
  const std::span<line> from = into_other ? lines : other;
  const std::span<line> to = into_other ? other : lines;
  merge(from.first(half), from.subspan(half), to.data());
}

// Counting words. Each chunk of the text gathers its distinct words in shards by hash value; then each
// shard is united over all chunks. Chunks are independent of one another, and so are shards.

constexpr std::size_t chunk_count = 64;
constexpr std::size_t shard_count = 64;

/// Words by open addressing; each remembers its hash value.
class word_set {
public:
  struct entry {
    std::size_t hash = 0;
    std::string_view word;
  };

  void insert(entry added) {
    if (4 * size_ >= 3 * slots_.size()) grow();
    for (std::size_t i = added.hash;; ++i) {
      entry& slot = slots_[i & (slots_.size() - 1)];
      if (slot.word.empty()) {
        slot = added;
        ++size_;
        return;
      }
      if (slot.hash == added.hash && slot.word == added.word) return;
    }
  }
  void insert_all(const word_set& other) {
    for (const entry& each : other.slots_) {
      if (!each.word.empty()) insert(each);
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t checksum() const {
    return std::accumulate(
        slots_.begin(), slots_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const entry& each) { return sum + each.hash * (each.hash | 1); });
  }

private:
  void grow() {
    std::vector<entry> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    size_ = 0;
    for (const entry& each : old) {
      if (!each.word.empty()) insert(each);
    }
  }

  std::vector<entry> slots_;  ///< a power of two of them; an empty word marks a free one
  std::size_t size_ = 0;
};

struct chunk_words {
  std::uint64_t words = 0;
  std::array<word_set, shard_count> shards;
};

/// ASCII letters, and all bytes of other letters in UTF-8 and Latin-1.
bool is_in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || static_cast<unsigned char>((byte | 0x20) - 'a') < 26;
}

void gather_words(line text, chunk_words& into) {
  for (auto start = std::find_if(text.begin(), text.end(), is_in_word); start != text.end();) {
    const auto stop = std::find_if_not(start, text.end(), is_in_word);
    const std::string_view word(start, stop);
    const std::size_t hash = std::hash<std::string_view>{}(word);
    into.shards[hash >> 32 & (shard_count - 1)].insert({hash, word});
    ++into.words;
    start = std::find_if(stop, text.end(), is_in_word);
  }
}

void gather_chunks(std::span<const line> lines, std::span<chunk_words> chunks) {
  if (chunks.size() == 1) {
    for (const line& each : lines) gather_words(each, chunks.front());
    return;
  }
  nopal::scope s;
  s.fork(gather_chunks, lines.first(lines.size() / 2), chunks.first(chunks.size() / 2));
  gather_chunks(lines.subspan(lines.size() / 2), chunks.subspan(chunks.size() / 2));
  s.join();
}

word_tally unite_shard(std::span<const chunk_words> chunks, std::size_t shard) {
  word_set all;
  for (const chunk_words& chunk : chunks) all.insert_all(chunk.shards[shard]);
  return {.words = 0, .distinct_words = all.size(), .checksum = all.checksum()};
}

word_tally unite_shards(std::span<const chunk_words> chunks, std::size_t first, std::size_t last) {
  if (last - first == 1) return unite_shard(chunks, first);
  const std::size_t middle = first + (last - first) / 2;
  word_tally left;
  nopal::scope s;
  s.fork_into(left, unite_shards, chunks, first, middle);
  const word_tally right = unite_shards(chunks, middle, last);
  s.join();
  return {.words = 0,
          .distinct_words = left.distinct_words + right.distinct_words,
          .checksum = left.checksum + right.checksum};
}

}  // namespace

void sort_lines(std::span<line> lines, std::span<line> scratch) { sort(lines, scratch, false); }

word_tally count_words(std::span<const line> lines) {
  std::vector<chunk_words> chunks(chunk_count);
  gather_chunks(lines, chunks);
  word_tally tally = unite_shards(chunks, 0, shard_count);
  for (const chunk_words& chunk : chunks) tally.words += chunk.words;
  return tally;
}

}  // namespace demo::NOPAL_PROGRAM_VARIANT
