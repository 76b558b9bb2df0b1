// A value for each thread that asks.
#ifndef NOPAL_COMPAT_TBB_ENUMERABLE_THREAD_SPECIFIC_H
#define NOPAL_COMPAT_TBB_ENUMERABLE_THREAD_SPECIFIC_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

// Programs rely on what oneTBB's header includes.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "blocked_range.h"
#include "cache_aligned_allocator.h"
#include "detail/current.h"
#include "detail/flattened2d.h"
#include "detail/index_iterator.h"
#include "detail/lock.h"
#include "task.h"
#include "tbb_allocator.h"
#include "version.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// How oneTBB finds a thread's value; here always by hashing.
enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };

template <class T, class Allocator, ets_key_usage_type usage>
class enumerable_thread_specific;

namespace nopal_detail {

template <class>
inline constexpr bool is_thread_specific = false;
template <class T, class Allocator, ets_key_usage_type usage>
inline constexpr bool is_thread_specific<enumerable_thread_specific<T, Allocator, usage>> = true;

/// Whether the only argument of a constructor of values T is for the values: no exemplar, no
/// function, no other such object.
template <class Only, class T>
inline constexpr bool is_value_argument =
    !std::is_same_v<Only, T> && !std::is_invocable_r_v<T, Only&> && !is_thread_specific<Only> &&
    std::is_constructible_v<T, const Only&>;

}  // namespace nopal_detail

/// A value for each thread that called `local`.
///
/// A reference stays that of the thread for the whole call of a body or task: these do not change
/// threads. What a body waits for may use the value meanwhile, on the same thread. In strands that
/// Nopal's own interface forks, ask for `local()` anew after each fork and join. For results that
/// tasks add up, `nopal::reducer` has no restriction.
///
/// `local` is safe from any thread and takes expected constant time, and constructs at a thread's
/// first call. All else asks that nobody calls it at the same time. A thread that begins after
/// another ended may find that one's value.
template <class T, class Allocator = cache_aligned_allocator<T>, ets_key_usage_type usage = ets_no_key>
class enumerable_thread_specific {
public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;
  using iterator = nopal_detail::index_iterator<enumerable_thread_specific, T>;
  using const_iterator = nopal_detail::index_iterator<const enumerable_thread_specific, const T>;

  /// The values as a range that can be cut.
  template <class Iterator>
  class generic_range_type : public blocked_range<Iterator> {
  public:
    using value_type = T;
    using reference = T&;
    using const_reference = const T&;
    using iterator = Iterator;
    using difference_type = std::ptrdiff_t;
    generic_range_type(Iterator first, Iterator last, std::size_t grainsize = 1)
        : blocked_range<Iterator>(first, last, grainsize) {}
    generic_range_type(generic_range_type& from, split tag) : blocked_range<Iterator>(from, tag) {}
    /// A range of constants of one that is not.
    template <class Other>
      requires std::is_convertible_v<Other, Iterator>
    // NOLINTNEXTLINE(google-explicit-constructor): as iterators do
    generic_range_type(const generic_range_type<Other>& other)
        : blocked_range<Iterator>(other.begin(), other.end(), other.grainsize()) {}
  };
  using range_type = generic_range_type<iterator>;
  using const_range_type = generic_range_type<const_iterator>;

  /// Values are made by `T()`.
  enumerable_thread_specific() : make_([](void* where) { ::new (where) T(); }) {}
  /// Values are made by `make()`.
  template <class Make>
    requires(std::is_invocable_r_v<T, Make&> && !std::is_same_v<std::decay_t<Make>, T>)
  explicit enumerable_thread_specific(Make make)
      : make_([maker = std::move(make)](void* where) mutable { ::new (where) T(maker()); }) {}
  /// Values are copies of `exemplar`.
  explicit enumerable_thread_specific(const T& exemplar)
      : make_([exemplar](void* where) { ::new (where) T(exemplar); }) {}
  explicit enumerable_thread_specific(T&& exemplar)
      : make_([copied = std::move(exemplar)](void* where) { ::new (where) T(copied); }) {}
  /// Values are made of copies of the arguments.
  template <class First, class... Others>
    requires(sizeof...(Others) != 0 || nopal_detail::is_value_argument<std::decay_t<First>, T>)
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload): as oneTBB's; constrained
  enumerable_thread_specific(First&& first, Others&&... others)
      : make_([kept_first = std::decay_t<First>(std::forward<First>(first)),
               ... kept_others = std::decay_t<Others>(std::forward<Others>(others))](void* where) {
          ::new (where) T(kept_first, kept_others...);
        }) {}

  enumerable_thread_specific(const enumerable_thread_specific& other) : make_(other.make_) {
    copy_from(other);
  }
  enumerable_thread_specific(enumerable_thread_specific&& other) noexcept : make_(other.make_) {
    swap_values(other);
  }
  template <class OtherAllocator, ets_key_usage_type other_usage>
  explicit enumerable_thread_specific(const enumerable_thread_specific<T, OtherAllocator, other_usage>& other)
      : make_(other.make_) {
    copy_from(other);
  }
  enumerable_thread_specific& operator=(const enumerable_thread_specific& other) {
    if (this != &other) {
      clear();
      make_ = other.make_;
      copy_from(other);
    }
    return *this;
  }
  enumerable_thread_specific& operator=(enumerable_thread_specific&& other) noexcept {
    if (this != &other) {
      clear();
      make_ = other.make_;
      swap_values(other);
    }
    return *this;
  }
  template <class OtherAllocator, ets_key_usage_type other_usage>
  explicit enumerable_thread_specific(enumerable_thread_specific<T, OtherAllocator, other_usage>&& other)
      : make_(other.make_) {
    take_from(other);
  }
  template <class OtherAllocator, ets_key_usage_type other_usage>
  enumerable_thread_specific&
  operator=(const enumerable_thread_specific<T, OtherAllocator, other_usage>& other) {
    clear();
    make_ = other.make_;
    copy_from(other);
    return *this;
  }
  template <class OtherAllocator, ets_key_usage_type other_usage>
  enumerable_thread_specific& operator=(enumerable_thread_specific<T, OtherAllocator, other_usage>&& other) {
    clear();
    make_ = other.make_;
    take_from(other);
    return *this;
  }
  ~enumerable_thread_specific() { clear(); }

  /// The calling thread's value. Throws what making it throws, and std::bad_alloc.
  reference local() {
    bool exists;
    return local(exists);
  }
  /// The same; `exists` is set to whether it was made before.
  reference local(bool& exists) {
    const void* const key = nopal_detail::this_thread_key();
    if (node* const mine = find(key); mine != nullptr) {
      exists = true;
      return mine->value();
    }
    exists = false;
    return insert(make_);
  }

  [[nodiscard]] size_type size() const { return nodes_.size(); }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  iterator begin() { return {*this, 0}; }
  iterator end() { return {*this, size()}; }
  const_iterator begin() const { return {*this, 0}; }
  const_iterator end() const { return {*this, size()}; }
  range_type range(std::size_t grainsize = 1) { return {begin(), end(), grainsize}; }
  const_range_type range(std::size_t grainsize = 1) const { return {begin(), end(), grainsize}; }
  /// For iterators: the values in the order in which they were made.
  reference operator[](size_type at) { return nodes_[at]->value(); }
  const_reference operator[](size_type at) const { return nodes_[at]->value(); }

  /// Ends all values. Threads that ask again get new ones.
  void clear() {
    for (node* const each : nodes_) {
      each->value().~T();
      delete each;
    }
    nodes_.clear();
    for (std::atomic<node*>& bucket : buckets_) {
      bucket.store(nullptr, std::memory_order_relaxed);
    }
  }

  /// All values combined by `f(left, right)`, a new one where there is none.
  template <class F>
  T combine(F f) {
    if (empty()) {
      node fresh;
      make_(fresh.memory);
      T result(std::move(fresh.value()));
      fresh.value().~T();
      return result;
    }
    T result(nodes_.front()->value());
    for (size_type at = 1; at != size(); ++at) {
      result = f(result, nodes_[at]->value());
    }
    return result;
  }
  /// Calls `f(value)` for each.
  template <class F>
  void combine_each(F f) {
    for (node* const each : nodes_) {
      f(each->value());
    }
  }

private:
  template <class, class, ets_key_usage_type>
  friend class enumerable_thread_specific;

  static constexpr std::size_t line = 64;
  static constexpr std::size_t bucket_count = 64;

  /// A value, on cache lines of its own. One alignas: of two of which one depends on a parameter, GCC takes that alone.
  struct alignas(line < alignof(T) ? alignof(T) : line) node {
    T& value() noexcept { return *std::launder(reinterpret_cast<T*>(memory)); }
    alignas(T) unsigned char memory[sizeof(T)];
    const void* key = nullptr;
    node* next = nullptr;  // in the bucket
  };

  static std::size_t bucket_of(const void* key) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(key);
    return (address >> 12U ^ address >> 20U) % bucket_count;
  }

  node* find(const void* key) noexcept {
    // Pairs with the release in insert(): the nodes are whole.
    node* at = buckets_[bucket_of(key)].load(std::memory_order_acquire);
    while (at != nullptr && at->key != key) {
      at = at->next;
    }
    return at;
  }

  template <class Make>
  reference insert(Make& make) {
    auto fresh = std::make_unique<node>();
    // What the user does here may take time, or ask for another value of this thread's.
    make(fresh->memory);
    fresh->key =
        // In a strand, it may have forked, and be on another thread.
        nopal_detail::this_thread_key();
    const nopal_detail::lock_guard guard(lock_);
    nodes_.push_back(fresh.get());
    std::atomic<node*>& bucket = buckets_[bucket_of(fresh->key)];
    fresh->next = bucket.load(std::memory_order_relaxed);
    bucket.store(fresh.get(), std::memory_order_release);
    return fresh.release()->value();
  }

  // These, and clear(), are for one thread: nobody else may use either object.
  template <class Source>
  void append(const void* key, Source&& value) {
    auto fresh = std::make_unique<node>();
    ::new (static_cast<void*>(fresh->memory)) T(std::forward<Source>(value));
    fresh->key = key;
    std::atomic<node*>& bucket = buckets_[bucket_of(key)];
    nodes_.push_back(fresh.get());
    fresh->next = bucket.load(std::memory_order_relaxed);
    bucket.store(fresh.release(), std::memory_order_relaxed);
  }
  template <class Other>
  void copy_from(const Other& other) {
    for (auto* const each : other.nodes_) {
      append(each->key, std::as_const(each->value()));
    }
  }
  template <class Other>
  void take_from(Other& other) {
    for (auto* const each : other.nodes_) {
      append(each->key, std::move(each->value()));
    }
    other.clear();
  }

  void swap_values(enumerable_thread_specific& other) noexcept {
    nodes_.swap(other.nodes_);
    for (std::size_t at = 0; at != bucket_count; ++at) {
      node* const mine = buckets_[at].load(std::memory_order_relaxed);
      buckets_[at].store(other.buckets_[at].load(std::memory_order_relaxed), std::memory_order_relaxed);
      other.buckets_[at].store(mine, std::memory_order_relaxed);
    }
  }

  std::function<void(void*)> make_;
  std::array<std::atomic<node*>, bucket_count> buckets_{};
  nopal_detail::tiny_lock lock_;
  std::vector<node*> nodes_;  // written under the lock
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
