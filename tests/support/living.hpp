// Objects that are counted while they live, copies included.
#ifndef NOPAL_TESTS_SUPPORT_LIVING_HPP
#define NOPAL_TESTS_SUPPORT_LIVING_HPP

#include <atomic>

namespace support {

/// Counted in what it was made with.
class living {
public:
  explicit living(std::atomic<int>& count) : count_(&count) { ++*count_; }
  living(const living& other) : count_(other.count_) { ++*count_; }
  living& operator=(const living&) = delete;
  ~living() { --*count_; }

private:
  std::atomic<int>* count_;
};

}  // namespace support

#endif
