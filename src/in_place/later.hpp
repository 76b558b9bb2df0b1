// Entry points that oneTBB has since the headers that this library is built with, up to those of 2023.2: declared here in its
// words, so that programs built with the newer headers find them.
#ifndef NOPAL_IN_PLACE_LATER_HPP
#define NOPAL_IN_PLACE_LATER_HPP

#include <cstddef>
#include <cstdint>

namespace tbb::detail {

namespace d1 {
class task;
class task_arena_base;
class wait_tree_vertex_interface;
}  // namespace d1

namespace r1 {

#pragma GCC visibility push(default)

/// The task that the caller's code is part of, or null.
d1::task* current_task_ptr();
/// What the calling thread counts tasks of a group with: for oneTBB one of the thread's own, which spares an atomic that
/// others use.
d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface* count);

/// The caller's index in that arena; no_slot if it is elsewhere.
std::uint16_t execution_slot(const d1::task_arena_base& base);
void enter_parallel_phase(d1::task_arena_base* base, std::uintptr_t flags);
void exit_parallel_phase(d1::task_arena_base* base, std::uintptr_t flags);

/// Memory in pages, of which parts lie in nodes in turn; null if there is none.
void* allocate_interleaved(std::size_t bytes, const int* nodes, std::size_t nodes_count,
                           std::size_t bytes_per_chunk);
void deallocate_interleaved(void* memory, std::size_t bytes);

using assertion_handler_type = void (*)(const char* location, int line, const char* expression,
                                        const char* comment);
/// Null: the library's own. Returns the one before.
assertion_handler_type set_assertion_handler(assertion_handler_type handler) noexcept;
assertion_handler_type get_assertion_handler() noexcept;

#pragma GCC visibility pop

}  // namespace r1

}  // namespace tbb::detail

#endif
