// Functions of the C library that fail on request, in place of its own: the system calls that the runtime makes through
// them, and the allocations.
//
// The environment says which fail: FAULT_CALL names one, FAULT_ERRNO is the reason, and the i-th call since `arm`
// fails, from one on, if FAULT_FIRST <= i <= FAULT_LAST and (i - FAULT_FIRST) is a multiple of FAULT_STEP. With
// FAULT_ELSEWHERE only calls on threads other than the one that arms count. Calls of the C library among its own parts
// are its own business and do not come by.
#ifndef NOPAL_TESTS_FAULTS_INTERPOSED_CALLS_HPP
#define NOPAL_TESTS_FAULTS_INTERPOSED_CALLS_HPP

namespace faults {

/// Reads the environment; calls count from here on.
void arm();

/// How many calls of the chosen function there were since.
long calls();

}  // namespace faults

#endif
