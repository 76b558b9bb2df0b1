// Memory that the program allocates and frees.
#ifndef NOPAL_CHECK_ALLOCATION_HPP
#define NOPAL_CHECK_ALLOCATION_HPP

#include <cstddef>

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Notes a block and returns it.
void* allocated(void* memory, std::size_t bytes, void* returned_to) noexcept;
void will_be_freed(void* memory, void* returned_to) noexcept;

void* take_memory(std::size_t bytes, std::size_t alignment) noexcept;
void give_memory(void* memory) noexcept;

}  // namespace nopal_check

#endif
