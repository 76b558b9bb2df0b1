// Accesses of each size, as compilers emit them.
#ifndef NOPAL_TESTS_CHECK_GENERATED_USES_HPP
#define NOPAL_TESTS_CHECK_GENERATED_USES_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

template <class T>
struct [[gnu::packed]] unaligned {
  T value;
};

template <class T>
[[gnu::noinline]] void use(unsigned char* at, bool is_write) {
  auto* const volatile to = reinterpret_cast<unaligned<T>*>(at);
  if (is_write) {
    to->value = 1;
  } else {
    volatile T read = to->value;
    static_cast<void>(read);
  }
}

template <class T>
[[gnu::noinline]] void use_atomically(unsigned char* at, bool is_write) {
  std::atomic_ref<T> to(*reinterpret_cast<T*>(at));
  if (is_write) {
    to.fetch_add(1);
  } else {
    static_cast<void>(to.load());
  }
}

__extension__ using word_of_16 = unsigned __int128;

inline void use_sized(unsigned char* at, std::size_t size, bool is_write) {
  switch (size) {
  case 1: return use<std::uint8_t>(at, is_write);
  case 2: return use<std::uint16_t>(at, is_write);
  case 4: return use<std::uint32_t>(at, is_write);
  case 8: return use<std::uint64_t>(at, is_write);
  default: return use<word_of_16>(at, is_write);
  }
}

inline void use_sized_atomically(unsigned char* at, std::size_t size, bool is_write) {
  switch (size) {
  case 1: return use_atomically<std::uint8_t>(at, is_write);
  case 2: return use_atomically<std::uint16_t>(at, is_write);
  case 4: return use_atomically<std::uint32_t>(at, is_write);
  default: return use_atomically<std::uint64_t>(at, is_write);
  }
}

#endif
