// The code of docs/waiting.md.
#include <nopal/nopal.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>

namespace {

int work(int n) { return n * n; }

// snippet: blocking
long bytes_of(const char* name) {
  std::FILE* const file = std::fopen(name, "rb");
  if (file == nullptr) return 0;
  static constexpr std::size_t most = 1 << 16;
  const auto buffer = std::make_unique<char[]>(most);
  long sum = 0;
  while (const std::size_t got = nopal::blocking([&] { return std::fread(buffer.get(), 1, most, file); })) {
    sum += static_cast<long>(got);
  }
  std::fclose(file);
  return sum;
}
// end snippet

// snippet: future
int consumed() {
  nopal::promise<int> half_done;
  nopal::future<int> half = half_done.get_future();
  int sum = 0;
  nopal::scope s;
  s.fork([&] { sum += half.get(); });  // waits for what comes later in serial order
  half_done.set_value(work(3));
  s.join();
  return sum;
}
// end snippet

}  // namespace

int main(int count, char** names) {
  long bytes = 0;
  nopal::scope s;
  for (int i = 0; i < count; ++i) s.fork([&bytes, name = names[i]] { bytes_of(name); });
  s.fork_into(bytes, bytes_of, names[0]);
  s.join();
  const bool right = bytes > 0 && consumed() == 9;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
