// Points in the sources where tests inject a fault, cut a bound short, or learn of an access. In
// the library that is shipped each of them expands to what it would be without the macro, or to
// nothing.
//
// A test compiles the sources with NOPAL_FAULT_POINTS defined as the name of a header, which
// defines the macros below that mean something there: tests/models/fault_points.hpp for the models,
// tests/codegen/programs/never_home_again.hpp and chosen_fault.hpp for generated programs. A fault's name says what is
// wrong with it; docs/models.md and docs/programs.md list what must find each.
#ifndef NOPAL_TESTING_FAULT_POINTS_HPP
#define NOPAL_TESTING_FAULT_POINTS_HPP

#ifdef NOPAL_FAULT_POINTS
#include NOPAL_FAULT_POINTS
#endif

#ifndef NOPAL_FAULT
/// Whether the fault of this name is made.
#define NOPAL_FAULT(name) false
#endif

#ifndef NOPAL_FAULT_ORDER
/// The memory order, or relaxed with the fault.
#define NOPAL_FAULT_ORDER(name, order) order
#endif

#ifndef NOPAL_FAULT_DOES
/// A statement that only the fault has. It may leave the loop or the function around it.
#define NOPAL_FAULT_DOES(name, ...) static_cast<void>(0)
#endif

#ifndef NOPAL_FAULT_OMITS
/// A statement that the fault leaves out.
#define NOPAL_FAULT_OMITS(name, ...) __VA_ARGS__
#endif

#ifndef NOPAL_BOUND
/// A number of repetitions, which models cut short.
#define NOPAL_BOUND(shipped, explored) (shipped)
#endif

#ifndef NOPAL_CHOICE
/// A number below `count` that is drawn in some way. A model may try each.
#define NOPAL_CHOICE(count, drawn) (drawn)
#endif

// What several threads use without atomics, ordered by something else. The models check that order.
#ifndef NOPAL_PLAIN_READ
/// The next statement reads the object, or the last one did under a lock.
#define NOPAL_PLAIN_READ(object) static_cast<void>(0)
/// The next statement writes the object, or those under the lock have.
#define NOPAL_PLAIN_WRITE(object) static_cast<void>(0)
#endif

#ifndef NOPAL_PLAIN_LOAD
/// The value of an object that decides what a thread may do, so that a model has it in its state.
#define NOPAL_PLAIN_LOAD(object) (object)
/// Gives it a value.
#define NOPAL_PLAIN_STORE(object, value) static_cast<void>((object) = (value))
#endif

#endif
