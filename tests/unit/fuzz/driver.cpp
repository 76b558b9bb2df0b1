// Runs a fuzz target without libFuzzer: every file of its corpus, then seeded mutations of them for some seconds.
//
//   <target> [-dict=FILE] FILE_OR_DIRECTORY...
//
// NOPAL_FUZZ_SECONDS (2) is how long; 0 stops after the corpus. NOPAL_FUZZ_SEED (1) chooses the mutations: the same
// seed gives the same inputs in the same order. The inputs run in a child process, and the one during which the
// child ended is written to a file.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "fuzz.hpp"
#include "mutate.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_input_bytes =
    4096;  // of mutations; a corpus file may be as large as `shared` holds
constexpr unsigned seconds_before_hang_alarm = 60;  // for one input, on a machine that does other work too

/// Memory that the parent still sees when the child has ended.
struct shared {
  std::uint64_t executions;
  std::size_t size;
  char bytes[1 << 20];
};

shared* share() {
  void* const memory =
      mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  return static_cast<shared*>(memory);
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> read_corpus(const std::vector<fs::path>& places) {
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    if (!fs::is_directory(place)) {
      files.push_back(place);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(place)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const fs::path& file : files) inputs.push_back(contents(file));
  return inputs;
}

std::uint64_t number_variable(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0') {
    throw std::runtime_error(std::string(name) + "=" + text + ": accepted: a whole number");
  }
  return number;
}

void execute(shared& with, const std::string& input) {
  with.size = std::min(input.size(), sizeof with.bytes);
  std::memcpy(with.bytes, input.data(), with.size);
  ++with.executions;
  // A copy of exactly this size, so that AddressSanitizer sees a read past its end.
  const std::vector<std::uint8_t> exact(with.bytes, with.bytes + with.size);
  alarm(seconds_before_hang_alarm);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void execute_all(shared& with, const std::vector<std::string>& corpus, const std::vector<std::string>& words,
                 std::uint64_t seed, std::uint64_t seconds) {
  execute(with, "");
  for (const std::string& input : corpus) execute(with, input);
  if (corpus.empty()) return;
  fuzz::mutator mutate(corpus, words, seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < end) execute(with, mutate.next(most_input_bytes));
}

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return "exited with " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "did not return";
  return std::string("was ended by ") + strsignal(WTERMSIG(status));
}

int run(const std::string& name, const std::vector<fs::path>& places, const fs::path& dictionary) {
  const std::uint64_t seed = number_variable("NOPAL_FUZZ_SEED", 1);
  const std::uint64_t seconds = number_variable("NOPAL_FUZZ_SECONDS", 2);
  const std::vector<std::string> corpus = read_corpus(places);
  const std::vector<std::string> words =
      dictionary.empty() ? std::vector<std::string>{} : fuzz::parse_dictionary(contents(dictionary));
  std::printf("%s: seed %llu, %zu corpus inputs, %zu words\n", name.c_str(),
              static_cast<unsigned long long>(seed), corpus.size(), words.size());
  std::fflush(nullptr);
  shared* const with = share();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    execute_all(*with, corpus, words, seed, seconds);
    std::exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::printf("%s: %llu executions\n", name.c_str(), static_cast<unsigned long long>(with->executions));
  if (status == 0) return 0;
  const std::string file = name + "-failing-input";
  std::ofstream(file, std::ios::binary).write(with->bytes, static_cast<std::streamsize>(with->size));
  std::printf("%s: %s with the input now in %s; it was execution %llu of seed %llu\n", name.c_str(),
              how_it_ended(status).c_str(), fs::absolute(file).c_str(),
              static_cast<unsigned long long>(with->executions), static_cast<unsigned long long>(seed));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string dictionary_option = "-dict=";
  std::vector<fs::path> places;
  fs::path dictionary;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(dictionary_option)) {
      dictionary = argument.substr(dictionary_option.size());
    } else {
      places.emplace_back(argument);
    }
  }
  try {
    return run(fs::path(argv[0]).filename().string(), places, dictionary);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 2;
  }
}
