// One run of one benchmark program, whose variant is compiled with the hooks of the race detector or without:
// prints the processor's seconds that it took and the most memory that the process had.
//
// Usage: run [PROGRAM [SIZE [GRAIN]]]; without a program it prints their names, quick sizes and usual grains.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "programs/program.hpp"

namespace {

#define NOPAL_ADDRESS_OF(name) &bench::NOPAL_PROGRAM_VARIANT::name##_program,
const bench::program* const programs[] = {NOPAL_BENCH_PROGRAMS(NOPAL_ADDRESS_OF)};
#undef NOPAL_ADDRESS_OF

/// Of this process: others do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The most memory so far. What getrusage says includes the process that forked this one.
long most_kilobytes() {
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  long found = 0;
  char line[256];
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr) {
    if (std::sscanf(line, "VmHWM: %ld", &found) == 1) break;
  }
  if (status != nullptr) std::fclose(status);
  return found;
}

std::int64_t grain_of(const bench::program& which) {
  return which.grain.usual == 0 && which.grain.calibrate != nullptr ? which.grain.calibrate()
                                                                    : which.grain.usual;
}

int run(const bench::program& which, const char* size, const char* grain) {
  bench::input with;
  with.size = size != nullptr ? std::atoll(size) : which.size.quick;
  with.grain = grain != nullptr ? std::atoll(grain) : grain_of(which);
  with.seed = 1;
  const auto instance = which.prepare(with);
  const double start = processor_seconds();
  instance->run();
  const double seconds = processor_seconds() - start;
  const long kilobytes = most_kilobytes();
  const bool is_right = instance->verify();
  std::printf("%.6f %ld %s\n", seconds, kilobytes, is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  for (const bench::program* each : programs) {
    if (argc < 2) {
      std::printf("%.*s %lld %lld\n", static_cast<int>(each->name.size()), each->name.data(),
                  static_cast<long long>(each->size.quick), static_cast<long long>(grain_of(*each)));
    } else if (each->name == argv[1]) {
      return run(*each, argc > 2 ? argv[2] : nullptr, argc > 3 ? argv[3] : nullptr);
    }
  }
  return argc < 2 ? 0 : 2;
}
