// Memory of the checker's own: it must not come from the allocator that it watches.
#ifndef NOPAL_CHECK_TABLES_HPP
#define NOPAL_CHECK_TABLES_HPP

#include <cstddef>
#include <cstdint>

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Zeroed address space whose pages come with their first use. Ends the process with a line where
/// there is none.
void* reserve(std::size_t bytes) noexcept;
/// The same for what is used from its begin on: all but the first pages are large where there are such, since each costs
/// about as much as a small one.
void* reserve_dense(std::size_t bytes) noexcept;
/// Its pages go back, and are zero.
void empty(void* memory, std::size_t bytes) noexcept;

/// Small pieces that live as long as the process.
void* keep(std::size_t bytes) noexcept;

/// To standard error, and to the log if there is one.
[[noreturn]] void fail(const char* line) noexcept;
extern bool has_failed;  ///< it was called

/// An array whose elements are made one after the other.
template <class T>
struct table {
  T* elements;
  std::uint32_t count;

  void make(std::size_t most) noexcept { elements = static_cast<T*>(reserve_dense(most * sizeof(T))); }
  T& operator[](std::uint32_t i) noexcept { return elements[i]; }
  std::uint32_t add(const T& value) noexcept {
    elements[count] = value;
    return count++;
  }
};

/// Numbers by nonzero keys of 64 bits. Grows; nothing is taken out.
class number_map {
public:
  /// Where the number of `key` is; zero if it is new.
  std::uint32_t& at(std::uint64_t key) noexcept;
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  void release() noexcept;
  /// Those for which `is_gone(number)` holds are new again.
  template <class Question>
  void forget_where(Question is_gone) noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      if (slots_[i].number != 0 && is_gone(slots_[i].number)) slots_[i].number = 0;
    }
  }

private:
  struct slot {
    std::uint64_t key;
    std::uint32_t number;
  };
  void grow() noexcept;
  slot& find(std::uint64_t key) noexcept;

  slot* slots_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace nopal_check

#endif
