// Memory of the profiler's records: kept for records of the same kind, whatever becomes of them.
#ifndef NOPAL_PROFILE_POOL_HPP
#define NOPAL_PROFILE_POOL_HPP

#include <new>

#include <nopal/version.hpp>

#include "os/os.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// Of the calling thread. A record may be given back by another one. What a thread keeps is lost
/// when it ends.
template <class Record>
class pool {
public:
  /// Not cleared. Ends the process if there is no memory.
  static Record* take() noexcept {
    if (free_ == nullptr) {
      fill();
    }
    node* const taken = free_;
    free_ = taken->next;
    return &taken->record;
  }
  static void give(Record* record) noexcept {
    node* const given = reinterpret_cast<node*>(record);
    given->next = free_;
    free_ = given;
  }

private:
  struct node {
    Record record;
    node* next;
  };
  static void fill() noexcept {
    constexpr int count = 32;
    node* const made = new (std::nothrow) node[count]{};
    if (made == nullptr) {
      os::end_process("nopal: NOPAL_PROFILE: no memory for what it records");
    }
    for (int i = 0; i < count; ++i) {
      made[i].next = free_;
      free_ = &made[i];
    }
  }
  static inline thread_local constinit node* free_ [[gnu::tls_model("initial-exec")]] = nullptr;
};

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
