// Objects that are counted, for tests that look whether each was destroyed.
#ifndef NOPAL_TESTS_SUPPORT_COUNTED_HPP
#define NOPAL_TESTS_SUPPORT_COUNTED_HPP

#include <atomic>

namespace counted {

/// Objects that exist, thrown ones and their copies included.
inline std::atomic<int> living{0};

class thrown {
public:
  explicit thrown(int number) : number_(number) { ++living; }
  thrown(const thrown& other) : number_(other.number_) { ++living; }
  thrown& operator=(const thrown&) = default;
  ~thrown() { --living; }
  [[nodiscard]] int number() const { return number_; }

private:
  int number_;
};

}  // namespace counted

#endif
