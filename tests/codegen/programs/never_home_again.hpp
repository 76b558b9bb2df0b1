// The fault points of a library (src/testing/fault_points.hpp) of whose faults this one is made.
#ifndef NOPAL_TESTS_PROGRAMS_NEVER_HOME_AGAIN_HPP
#define NOPAL_TESTS_PROGRAMS_NEVER_HOME_AGAIN_HPP

#include <string_view>

#define NOPAL_FAULT(name) (std::string_view(name) == "never home again")

#endif
