// Waits.
#ifndef NOPAL_WAITING_HPP
#define NOPAL_WAITING_HPP
#include <utility>
#include <nopal/detail/blocking.h>
namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {
class blocked_call {
public:
  blocked_call() : begun_(nopal_begin_blocking()) {}
  blocked_call(const blocked_call&) = delete;
  blocked_call& operator=(const blocked_call&) = delete;
  ~blocked_call() { nopal_end_blocking(begun_); }
private:
  const std::uint32_t begun_;
};
}
template <class F>
decltype(auto) blocking(F&& f) {
  const detail::blocked_call call;
  return std::forward<F>(f)();
}
}
}
#endif
