// What the fault points of the library's sources (src/testing/fault_points.hpp) are in the models: questions to the explorer.
#ifndef NOPAL_TESTS_EXPLORE_FAULT_POINTS_HPP
#define NOPAL_TESTS_EXPLORE_FAULT_POINTS_HPP

#include <nopal/version.hpp>

#include "models/explorer.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
struct task_list;
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

template <class Order>
Order order_unless_broken(const char* fault, Order order) {
  return broken(fault) ? static_cast<Order>(__ATOMIC_RELAXED) : order;
}

template <class T>
void told_of_read(const T& object) {
  plain_read(&object, sizeof object);
}
template <class T>
void told_of_write(const T& object) {
  plain_write(&object, sizeof object);
}
/// In task_world.cpp: the contents of a list of tasks are part of the state.
void told_of_read(nopal::internal::task_list& list);
void told_of_write(nopal::internal::task_list& list);

}  // namespace explore

#define NOPAL_FAULT(name) ::explore::broken(name)
#define NOPAL_FAULT_ORDER(name, order) ::explore::order_unless_broken(name, order)
#define NOPAL_FAULT_DOES(name, ...)                                                                          \
  if (::explore::broken(name)) {                                                                             \
    __VA_ARGS__;                                                                                             \
  } else                                                                                                     \
    static_cast<void>(0)
#define NOPAL_FAULT_OMITS(name, ...)                                                                         \
  if (!::explore::broken(name)) {                                                                            \
    __VA_ARGS__;                                                                                             \
  } else                                                                                                     \
    static_cast<void>(0)
#define NOPAL_BOUND(shipped, explored) (explored)
#define NOPAL_CHOICE(count, drawn) ::explore::choose_or(static_cast<unsigned>(count), drawn)
#define NOPAL_PLAIN_READ(object) ::explore::told_of_read(object)
#define NOPAL_PLAIN_WRITE(object) ::explore::told_of_write(object)
#define NOPAL_PLAIN_LOAD(object) ::explore::load(&(object), ::explore::plain_order)
#define NOPAL_PLAIN_STORE(object, value) ::explore::store(&(object), value, ::explore::plain_order)

#endif
