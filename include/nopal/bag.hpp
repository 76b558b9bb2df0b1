// A bag: an unordered collection with constant-time insertion, logarithmic merging and parallel
// traversal.
#ifndef NOPAL_BAG_HPP
#define NOPAL_BAG_HPP

#include <nopal/detail/language.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <nopal/detail/mode.hpp>
#include <nopal/detail/thrown.hpp>
#include <nopal/scope.hpp>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// An unordered collection of values, which may be equal.
///
/// Elements lie in blocks. Full blocks form pennants, trees of a power of two of them, and the bag
/// has at most one pennant of each size, as a binary number has digits; one block more is being
/// filled. Inserting adds one to the number at each full block, merging adds two numbers. Follows
/// C. E. Leiserson and T. B. Schardl, "A work-efficient parallel breadth-first search algorithm",
/// SPAA 2010. A bag is used by one strand at a time; `op_bag` makes a reducer of it.
template <class T>
class bag {
  static_assert(std::is_object_v<T> && std::is_nothrow_destructible_v<T>,
                "nopal: bag: elements must be objects with a destructor that does not throw");

public:
  /// An element.
  using value_type = T;
  /// Elements of a block.
  static constexpr std::size_t block_elements =
      std::clamp<std::size_t>(2048 / sizeof(T), std::size_t{16}, std::size_t{256});

  /// Empty. Allocates nothing.
  bag() noexcept = default;
  bag(const bag&) = delete;
  bag& operator=(const bag&) = delete;
  /// Takes the elements of `other`, which is empty afterwards. Constant time.
  bag(bag&& other) noexcept { swap(other); }
  /// The same, after ending its own elements.
  bag& operator=(bag&& other) noexcept {
    if (this != &other) {
      clear();
      swap(other);
    }
    return *this;
  }
  ~bag() { clear(); }

  /// Exchanges the elements. Constant time.
  void swap(bag& other) noexcept {
    std::swap(filling_, other.filling_);
    std::swap(pennants_, other.pennants_);
    std::swap(size_, other.size_);
  }

  /// The number of elements. Constant time.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Whether there is none.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Adds a copy of `value`, moved or made of `arguments`. Amortized constant time; logarithmic at
  /// worst. Throws what making it throws, and std::bad_alloc; the bag is as it was then.
  void insert(const T& value) { emplace(value); }
  /// See above.
  void insert(T&& value) { emplace(std::move(value)); }
  /// See above.
  template <class... Arguments>
  void emplace(Arguments&&... arguments) {
    if (filling_ == nullptr || filling_->count == block_elements) {
      auto* const fresh = new block;
      if (filling_ != nullptr) {
        add_pennant(filling_, 0);
      }
      filling_ = fresh;
    }
    ::new (static_cast<void*>(filling_->at(filling_->count))) T(std::forward<Arguments>(arguments)...);
    ++filling_->count;
    ++size_;
  }

  /// Takes all elements of `other`, which is empty afterwards. Time logarithmic in the elements,
  /// and the moves of fewer than a block's elements; allocates nothing. Throws what such a move
  /// throws: each element is in one of the two bags then, and `other` has less than a block of
  /// them.
  void merge(bag&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    static_assert(std::is_move_constructible_v<T>, "nopal: bag: merging moves elements");
    if (&other == this) {
      return;
    }
    if (size_ < other.size_) {
      swap(other);
    }
    if (filled(filling_) < filled(other.filling_)) {
      std::swap(filling_, other.filling_);
    }
    const std::size_t all = size_ + other.size_;
    other.size_ = filled(other.filling_);
    size_ = all - other.size_;
    for (std::size_t i = 0; i < most_pennants; ++i) {
      if (block* const taken = std::exchange(other.pennants_[i], nullptr)) {
        add_pennant(taken, i);
      }
    }
    if (!other.empty()) {
      merge_filling(other);
    }
  }

  /// Ends all elements. Time linear in them.
  void clear() noexcept {
    for (block*& one : pennants_) {
      end_tree(std::exchange(one, nullptr));
    }
    end_tree(std::exchange(filling_, nullptr));
    size_ = 0;
  }

  /// Calls `visit` with each element, one after the other, in no order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    visit_blocks([&visit](const T* first, const T* last) {
      for (; first != last; ++first) {
        visit(*first);
      }
    });
  }

  /// Calls `visit(first, last)` for each block of elements, in parallel: work in proportion to the
  /// blocks, span to the logarithm of their number and the longest call. Rethrows the exception of
  /// the first block in the bag's order that threw. `Scope` forks and joins. It tells apart what is
  /// compiled with and without NOPAL_ELIDE in one program.
  template <class Scope = scope, class Visit>
  void parallel_visit_blocks(const Visit& visit) const {
    Scope children;
    for (std::size_t i = most_pennants; i-- > 0;) {
      if (const block* const root = pennants_[i]) {
        children.fork([root, &visit] { visit_tree_in_parallel<Scope>(root, visit); });
      }
    }
    NOPAL_DETAIL_TRY {
      if (filling_ != nullptr) {
        visit(filling_->at(0), filling_->at(filling_->count));
      }
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(children)
    children.join();
  }

  /// The same without forks, in the bag's order.
  template <class Visit>
  void visit_blocks(const Visit& visit) const {
    for (std::size_t i = most_pennants; i-- > 0;) {
      visit_tree(pennants_[i], visit);
    }
    visit_tree(filling_, visit);
  }

private:
  // A pennant of 2^k blocks: a root with a complete binary tree of 2^k - 1 below, on its left.
  struct block {
    block* left = nullptr;
    block* right = nullptr;
    std::size_t count = 0;
    alignas(T) unsigned char memory[block_elements * sizeof(T)];

    T* at(std::size_t i) noexcept { return reinterpret_cast<T*>(memory) + i; }
    const T* at(std::size_t i) const noexcept { return reinterpret_cast<const T*>(memory) + i; }

    block() noexcept = default;
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    ~block() { std::destroy(at(0), at(count)); }
  };

  static constexpr std::size_t most_pennants = 48;

  /// A pennant of 2^k blocks, and as many more carries as there are of the same size.
  void add_pennant(block* one, std::size_t k) noexcept {
    while (pennants_[k] != nullptr) {
      block* const other = std::exchange(pennants_[k], nullptr);
      one->right = other->left;
      other->left = one;
      one = other;
      ++k;
    }
    pennants_[k] = one;
  }

  static std::size_t filled(const block* one) noexcept { return one != nullptr ? one->count : 0; }

  /// All that `other` has is in the block that it fills, and that has no more than the one here.
  void merge_filling(bag& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    block& here = *filling_;
    block& there = *other.filling_;
    const std::size_t moved = std::min(block_elements - here.count, there.count);
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      T* const from = there.at(there.count - moved);
      std::uninitialized_move(from, from + moved, here.at(here.count));
      std::destroy(from, from + moved);
      count_moved(other, moved);
    } else {
      // One by one, so that both bags are whole if the next move throws.
      for (std::size_t i = 0; i < moved; ++i) {
        T* const from = there.at(there.count - 1);
        ::new (static_cast<void*>(here.at(here.count))) T(std::move(*from));
        std::destroy_at(from);
        count_moved(other, 1);
      }
    }
    if (there.count == 0) {
      delete std::exchange(other.filling_, nullptr);
    } else {
      add_pennant(filling_, 0);
      filling_ = std::exchange(other.filling_, nullptr);
      size_ += std::exchange(other.size_, 0);
    }
  }

  void count_moved(bag& from, std::size_t moved) noexcept {
    filling_->count += moved;
    size_ += moved;
    from.filling_->count -= moved;
    from.size_ -= moved;
  }

  // Trees are as deep as the logarithm of their size.
  static void end_tree(block* root) noexcept {
    if (root != nullptr) {
      end_tree(root->left);
      end_tree(root->right);
      delete root;
    }
  }

  template <class Visit>
  static void visit_tree(const block* root, const Visit& visit) {
    if (root != nullptr) {
      visit(root->at(0), root->at(root->count));
      visit_tree(root->left, visit);
      visit_tree(root->right, visit);
    }
  }

  // In the order of visit_tree: the root comes before what is below it. A tree is one block, or has
  // a left side.
  template <class Scope, class Visit>
  static void visit_tree_in_parallel(const block* root, const Visit& visit) {
    if (root->left == nullptr) {
      visit(root->at(0), root->at(root->count));
      return;
    }
    Scope children;
    children.fork([root, &visit] { visit(root->at(0), root->at(root->count)); });
    const block* last = root->left;
    if (root->right != nullptr) {
      children.fork([last, &visit] { visit_tree_in_parallel<Scope>(last, visit); });
      last = root->right;
    }
    NOPAL_DETAIL_TRY { visit_tree_in_parallel<Scope>(last, visit); }
    NOPAL_DETAIL_JOIN_IF_THROWN(children)
    children.join();
  }

  block* filling_ = nullptr;
  block* pennants_[most_pennants] = {};
  std::size_t size_ = 0;
};

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
