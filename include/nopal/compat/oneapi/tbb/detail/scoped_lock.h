// The lock objects of mutexes.
#ifndef NOPAL_COMPAT_TBB_DETAIL_SCOPED_LOCK_H
#define NOPAL_COMPAT_TBB_DETAIL_SCOPED_LOCK_H

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Holds a mutex, or none.
template <class Mutex>
class unique_scoped_lock {
public:
  constexpr unique_scoped_lock() noexcept = default;
  explicit unique_scoped_lock(Mutex& mutex) { acquire(mutex); }
  unique_scoped_lock(Mutex& mutex, bool /*write*/) { acquire(mutex); }
  unique_scoped_lock(const unique_scoped_lock&) = delete;
  unique_scoped_lock& operator=(const unique_scoped_lock&) = delete;
  ~unique_scoped_lock() {
    if (mutex_ != nullptr) {
      mutex_->unlock();
    }
  }

  void acquire(Mutex& mutex) {
    mutex.lock();
    mutex_ = &mutex;
  }
  bool try_acquire(Mutex& mutex) {
    const bool taken = mutex.try_lock();
    if (taken) {
      mutex_ = &mutex;
    }
    return taken;
  }
  void release() {
    mutex_->unlock();
    mutex_ = nullptr;
  }
  // As a lock of a mutex that knows readers.
  bool upgrade_to_writer() noexcept { return true; }
  bool downgrade_to_reader() noexcept { return true; }
  [[nodiscard]] bool is_writer() const noexcept { return true; }

private:
  Mutex* mutex_ = nullptr;
};

/// Holds a mutex for writing or reading, or none.
template <class Mutex>
class shared_scoped_lock {
public:
  constexpr shared_scoped_lock() noexcept = default;
  explicit shared_scoped_lock(Mutex& mutex, bool write = true) { acquire(mutex, write); }
  shared_scoped_lock(const shared_scoped_lock&) = delete;
  shared_scoped_lock& operator=(const shared_scoped_lock&) = delete;
  ~shared_scoped_lock() {
    if (mutex_ != nullptr) {
      release();
    }
  }

  void acquire(Mutex& mutex, bool write = true) {
    write ? mutex.lock() : mutex.lock_shared();
    mutex_ = &mutex;
    writes_ = write;
  }
  bool try_acquire(Mutex& mutex, bool write = true) {
    const bool taken = write ? mutex.try_lock() : mutex.try_lock_shared();
    if (taken) {
      mutex_ = &mutex;
      writes_ = write;
    }
    return taken;
  }
  void release() {
    writes_ ? mutex_->unlock() : mutex_->unlock_shared();
    mutex_ = nullptr;
  }
  /// From reading to writing. False if the mutex was free in between.
  bool upgrade_to_writer() {
    if (writes_) {
      return true;
    }
    writes_ = true;
    return mutex_->upgrade();
  }
  /// From writing to reading, with no gap.
  bool downgrade_to_reader() {
    if (writes_) {
      mutex_->downgrade();
      writes_ = false;
    }
    return true;
  }
  [[nodiscard]] bool is_writer() const noexcept { return writes_; }

private:
  Mutex* mutex_ = nullptr;
  bool writes_ = false;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
