#include "gather.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "command_line.hpp"

namespace demo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t block_bytes = 64 * 1024;

// Bytes of the UTF-8 sequence that begins with `lead`; 0 when none does.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

// The last sequence may be cut short, as only the beginning of a file is looked at.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(static_cast<unsigned char>(text[i]));
    if (length == 0) return false;
    const std::string_view rest = text.substr(i + 1, length - 1);
    if (!std::all_of(rest.begin(), rest.end(), [](char c) { return (c & 0xc0) == 0x80; })) return false;
    i += length;
  }
  return true;
}

bool is_latin1_printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte < 0x7f) || byte >= 0xa0 || (byte >= '\t' && byte <= '\r');
}

class file_descriptor {
public:
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

private:
  int number_;
};

// Opens a regular file; without waiting, should something else have taken its place meanwhile.
int open_regular(const fs::path& path) {
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat status{};
  if (number >= 0 && (fstat(number, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(number);
    return -1;
  }
  return number;
}

/// Walks a tree and keeps what fits within the limits.
class gatherer {
public:
  explicit gatherer(const gather_limits& limits) : limits_(limits) {}

  void add_directory(const fs::path& directory) {
    const auto entries = sorted_entries(directory);
    if (!entries) {
      ++found_.unreadable;
      return;
    }
    for (const fs::directory_entry& entry : *entries) {
      if (is_full()) return;
      std::error_code failure;
      const fs::file_type type = entry.symlink_status(failure).type();
      if (type == fs::file_type::directory) add_directory(entry.path());
      if (type == fs::file_type::regular) add_file(entry.path());
    }
  }

  void add_file(const fs::path& path) {
    const file_descriptor file(open_regular(path));
    std::string text;
    const auto more = file.number() < 0 ? std::nullopt : read_block(file.number(), text);
    if (!more) {
      ++found_.unreadable;
    } else if (!looks_like_text(text)) {
      ++found_.not_text;
    } else {
      keep(file.number(), std::move(text), *more);
    }
  }

  [[nodiscard]] gathered_texts take() { return std::move(found_); }

private:
  static std::optional<std::vector<fs::directory_entry>> sorted_entries(const fs::path& directory) {
    std::vector<fs::directory_entry> entries;
    std::error_code failure;
    for (fs::directory_iterator next(directory, failure), end; !failure && next != end;
         next.increment(failure)) {
      entries.push_back(*next);
    }
    if (failure) return std::nullopt;
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  // Appends a block. True when there may be more, nothing when the file cannot be read.
  static std::optional<bool> read_block(int file, std::string& text) {
    std::array<char, block_bytes> block;
    ssize_t length = 0;
    do {
      length = read(file, block.data(), block.size());
    } while (length < 0 && errno == EINTR);
    if (length < 0) return std::nullopt;
    text.append(block.data(), static_cast<std::size_t>(length));
    return length > 0;
  }

  // Files may grow while being read, and some have no size to go by: only the limit ends it.
  void keep(int file, std::string text, bool more) {
    const std::uint64_t left = limits_.bytes - found_.bytes;
    while (more && text.size() <= left) more = read_block(file, text).value_or(false);
    if (text.size() > left) {
      text.resize(left);
      found_.limit_reached = true;
    }
    found_.bytes += text.size();
    found_.texts.push_back(std::move(text));
  }

  bool is_full() {
    const bool full = found_.bytes >= limits_.bytes || found_.texts.size() >= limits_.files;
    found_.limit_reached = found_.limit_reached || full;
    return full;
  }

  gather_limits limits_;
  gathered_texts found_;
};

}  // namespace

bool looks_like_text(std::string_view beginning) {
  if (beginning.find('\0') != std::string_view::npos) return false;
  if (is_utf8(beginning)) return true;
  const auto printable = std::count_if(beginning.begin(), beginning.end(), is_latin1_printable);
  return 20 * static_cast<std::size_t>(printable) >= 19 * beginning.size();
}

gathered_texts gather(const fs::path& path, const gather_limits& limits) {
  std::error_code failure;
  const fs::path target = fs::canonical(path, failure);
  if (failure) throw tool::usage_error(fmt::format("cannot use '{}': {}", path.string(), failure.message()));
  gatherer tree(limits);
  if (fs::is_directory(target, failure)) {
    tree.add_directory(target);
  } else if (fs::is_regular_file(target, failure)) {
    tree.add_file(target);
  } else {
    throw tool::usage_error(fmt::format("'{}' is neither a directory nor a regular file", path.string()));
  }
  return tree.take();
}

std::vector<std::string_view> split_lines(const std::vector<std::string>& texts) {
  std::vector<std::string_view> lines;
  for (const std::string_view text : texts) {
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      lines.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }
  return lines;
}

}  // namespace demo
