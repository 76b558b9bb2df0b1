// A part of the computation that may be stopped, for as long as an object lasts.
#ifndef NOPAL_DETAIL_STOP_PART_HPP
#define NOPAL_DETAIL_STOP_PART_HPP

#include <nopal/detail/mode.hpp>
#ifdef NOPAL_ELIDE
#include <nopal/detail/stop_part_serial.hpp>
#else
#include <nopal/detail/stop_part_parallel.hpp>
#endif

#endif
