// Counts allocations of C++ by all threads.
#ifndef NOPAL_TESTS_EXECUTION_ALLOCATIONS_HPP
#define NOPAL_TESTS_EXECUTION_ALLOCATIONS_HPP

#include <atomic>

inline std::atomic<int> allocations{0};
/// Whether they are counted now.
inline std::atomic<bool> counts_allocations{false};

#endif
