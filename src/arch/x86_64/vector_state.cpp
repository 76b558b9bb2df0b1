// How much room the vector, mask and x87 registers take, and which of them there are. Asked once,
// at the first slow push, while they hold the caller's values: this file uses general registers
// only.

#include <cpuid.h>

#include <cstdint>

extern "C" {
/// Bytes of a save area; 0 until it is known. Several threads may write the same value at once.
__attribute__((visibility("hidden"))) std::uint32_t nopal_vector_state_bytes = 0;
/// The state components to save (a mask for XSAVE); 0 where only FXSAVE works.
__attribute__((visibility("hidden"))) std::uint32_t nopal_vector_state_mask = 0;

__attribute__((visibility("hidden"), target("general-regs-only"))) std::uint32_t nopal_measure_vector_state();
}

namespace {

constexpr std::uint32_t legacy_bytes = 512 + 64;  // what FXSAVE writes, and XSAVE's header
constexpr std::uint32_t xsave_in_use = 1U << 27;  // CPUID.1:ECX.OSXSAVE
constexpr std::uint32_t x87 = 1U << 0;
constexpr std::uint32_t sse = 1U << 1;
constexpr std::uint32_t kept =
    x87 | sse | 1U << 2 | 1U << 5 | 1U << 6 | 1U << 7;  // and AVX, masks, the two halves of AVX-512
constexpr unsigned first_extended = 2;
constexpr unsigned last_extended = 7;

}  // namespace

std::uint32_t nopal_measure_vector_state() {
  std::uint32_t bytes = legacy_bytes;
  std::uint32_t mask = 0;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  __cpuid(1, a, b, c, d);
  if ((c & xsave_in_use) != 0) {
    std::uint32_t enabled;
    std::uint32_t high;
    // Which components the system has switched on; volatile, as it reads a machine register.
    asm volatile("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
    mask = enabled & kept;
    for (unsigned component = first_extended; component <= last_extended; ++component) {
      if ((mask >> component & 1U) != 0) {
        __cpuid_count(0xd, component, a, b, c, d);
        bytes = b + a > bytes ? b + a : bytes;
      }
    }
  }
  __atomic_store_n(&nopal_vector_state_mask, mask, __ATOMIC_RELAXED);
  // Release, and the order of stores on this machine: whoever sees the size sees the mask.
  __atomic_store_n(&nopal_vector_state_bytes, bytes, __ATOMIC_RELEASE);
  return bytes;
}
