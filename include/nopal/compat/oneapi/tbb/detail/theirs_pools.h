// What oneTBB's memory pools stand on here: the functions of its allocator's library, tbbmalloc, as that exports them. A
// program that uses a pool is linked with that library; nothing else here calls it.
#ifndef NOPAL_COMPAT_TBB_DETAIL_THEIRS_POOLS_H
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_POOLS_H

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

#include "theirs.h"

// The guard of their header, in place of which these declarations are: it has the names of functions that ours defines.
#define __TBB_scalable_allocator_H

// The namespace, the names and the layouts are the library's.
namespace rml {

class MemoryPool;

using rawAllocType = void* (*)(std::intptr_t pool_id, std::size_t& bytes);
using rawFreeType = int (*)(std::intptr_t pool_id, void* memory, std::size_t bytes);

/// How a pool gets its memory and gives it back.
struct MemPoolPolicy {
  MemPoolPolicy(rawAllocType allocate, rawFreeType free, std::size_t granule = 0, bool fixed = false,
                bool keep = false)
      : pAlloc(allocate), pFree(free), granularity(granule), version(1), fixedPool(fixed ? 1U : 0U),
        keepAllMemory(keep ? 1U : 0U), reserved(0) {}

  rawAllocType pAlloc;
  rawFreeType pFree;
  std::size_t granularity;  // of what it asks for, in bytes
  int version;              // of this struct
  unsigned fixedPool : 1;   // all of its memory is asked for at once
  unsigned keepAllMemory : 1;
  unsigned reserved : 30;
};

enum MemPoolError { POOL_OK, INVALID_POLICY, UNSUPPORTED_POLICY, NO_MEMORY, NO_EFFECT };

MemPoolError pool_create_v1(std::intptr_t pool_id, const MemPoolPolicy* policy, MemoryPool** pool);
bool pool_destroy(MemoryPool* pool);
void* pool_malloc(MemoryPool* pool, std::size_t size);
void* pool_realloc(MemoryPool* pool, void* memory, std::size_t size);
bool pool_reset(MemoryPool* pool);
bool pool_free(MemoryPool* pool, void* memory);

}  // namespace rml

namespace NOPAL_TBB_THEIRS::detail::d1 {

template <class Exception>
[[noreturn]] void throw_exception(const Exception& exception) {
  ::tbb::NOPAL_TBB_NAMESPACE::nopal_detail::throw_exception(exception);
}

}  // namespace NOPAL_TBB_THEIRS::detail::d1

#endif
