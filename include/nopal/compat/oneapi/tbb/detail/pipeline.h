// A pipeline that runs.
//
// Some threads carry items: each takes one, and calls the stages for it until the item is through, or comes to a
// serial stage where it is not its turn. Then it is left there, and the thread takes another one: an item whose turn
// has come, or a new one from the first stage. No thread waits: who finds nothing ends. While there is something
// that nobody has taken, a helper is among the group's tasks, for an idle worker or for the thread that called.
//
// Invariants, under the lock:
// * a serial stage is busy while an item of it is in `ready_` or carried in it, and at no other time;
// * an item is carried by one thread, or in one list: `ready_`, `free_`, or those that wait at one stage;
// * what can be taken is taken before the last carrier ends, since each looks for more under the lock as it ends.
#ifndef NOPAL_COMPAT_TBB_DETAIL_PIPELINE_H
#define NOPAL_COMPAT_TBB_DETAIL_PIPELINE_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <nopal/detail/thrown.hpp>

#include "context.h"
#include "lock.h"
#include "pipeline_filters.h"
#include "task_counts.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// A stage, and the items that wait for it: only at serial ones. All of it under the pipeline's lock.
class pipeline_stage {
public:
  explicit pipeline_stage(const filter_leaf& filter)
      : filter_(&filter), is_serial_(filter.mode() != filter_mode::parallel),
        is_in_order_(filter.mode() == filter_mode::serial_in_order) {}

  // These are not written, and need no lock.
  [[nodiscard]] const filter_leaf& filter() const noexcept { return *filter_; }
  [[nodiscard]] bool is_serial() const noexcept { return is_serial_; }
  [[nodiscard]] bool is_in_order() const noexcept { return is_in_order_; }

  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }
  void set_busy(bool busy) noexcept { is_busy_ = busy; }

  /// The item is to be carried in it from here on; false: it waits for its turn.
  bool enter(pipeline_item& item) noexcept {
    if (!is_busy_ && (!is_in_order_ || item.number == turn_)) {
      is_busy_ = true;
      return true;
    }
    if (is_in_order_) {
      place_of(item.number) = &item;
    } else {
      item.next = nullptr;
      (last_ != nullptr ? last_->next : first_) = &item;
      last_ = &item;
    }
    return false;
  }

  /// The item in it is through. The one whose turn it is then, if it waits: the stage is busy with it.
  pipeline_item* leave() noexcept {
    pipeline_item* following = nullptr;
    if (is_in_order_) {
      ++turn_;
      following = std::exchange(place_of(turn_), nullptr);
    } else if ((following = first_) != nullptr) {
      first_ = following->next;
      last_ = first_ != nullptr ? last_ : nullptr;
    }
    is_busy_ = following != nullptr;
    return following;
  }

  /// Has room for as many items to wait as there are. Their numbers are successive, since no item is lost but by one
  /// that ends all.
  void make_room(std::size_t items) {
    if (!is_in_order_ || items <= in_order_.size()) {
      return;
    }
    std::vector<pipeline_item*> larger(std::max<std::size_t>(8, 2 * in_order_.size()), nullptr);
    for (pipeline_item* const item : in_order_) {
      if (item != nullptr) {
        larger[item->number & (larger.size() - 1)] = item;
      }
    }
    in_order_.swap(larger);
  }

private:
  pipeline_item*& place_of(std::uint64_t number) noexcept {
    return in_order_[number & (in_order_.size() - 1)];
  }

  const filter_leaf* filter_;
  bool is_serial_;
  bool is_in_order_;
  bool is_busy_ = false;
  std::uint64_t turn_ = 0;                ///< the number of the next one, in order
  std::vector<pipeline_item*> in_order_;  ///< by number, modulo its size: a power of two
  pipeline_item* first_ = nullptr;        ///< those out of order
  pipeline_item* last_ = nullptr;
};

class pipeline {
public:
  pipeline(const algorithm& self, std::size_t most_items, const filter_node& chain)
      : self_(self), items_left_(std::max<std::size_t>(most_items, 1)),
        most_carriers_(std::min(carriers(self), items_left_)) {
    std::vector<const filter_leaf*> filters;
    chain.append_to(filters);
    stages_.reserve(filters.size());
    for (const filter_leaf* const filter : filters) {
      stages_.emplace_back(*filter);
    }
  }
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  ~pipeline() = default;

  /// Returns when no item is under way, and throws the first exception.
  void run() {
    auto first = [this] { carry(); };
    tasks_.call(first);
    NOPAL_TBB_TRY { tasks_.wait(self_.now().arena); }
    NOPAL_TBB_CATCH { keep_exception(); }
    // No thread has an item any more. The values of those that were not carried to the end are the user's code.
    if (is_over_) {
      self_.call_anyway([this] { items_.clear(); });
    }
    exception_.rethrow();  // if there is one
  }

private:
  class helper final : public pending_task {
  public:
    explicit helper(pipeline& of) noexcept : of_(of) {}
    void call() noexcept override { of_.help(); }

  private:
    pipeline& of_;
  };

  static std::size_t carriers([[maybe_unused]] const algorithm& self) {
#ifdef NOPAL_ELIDE
    return 1;
#else
    return self.serial() ? 1 : static_cast<std::size_t>(self.concurrency());
#endif
  }

  /// What became of an item at a stage.
  enum class outcome : char { none_yet, through, no_item, lost };

  void help() noexcept {
    {
      const lock_guard guard(lock_);
      has_helper_ = false;
    }
    carry();
  }

  /// Carries items until there is none to take. What it starts is started outside of the calls of the user's code,
  /// and so no wait of that runs it.
  void carry() noexcept {
    pipeline_item* item = nullptr;
    lock_.lock();
    ++carriers_;
    while (item != nullptr || can_take()) {
      const bool starts_helper = item != nullptr && lacks_helper();
      has_helper_ = has_helper_ || starts_helper;
      lock_.unlock();
      if (starts_helper) {
        start_helper();
      }
      NOPAL_TBB_TRY {
        const body_call inside(&self_.now());
        item = carry_in_call(item);
      }
      NOPAL_TBB_CATCH {  // without memory for the call
        keep_exception();
        item = nullptr;
        lock_.lock();
        is_over_ = true;
        lock_.unlock();
      }
      lock_.lock();
    }
    --carriers_;
    lock_.unlock();
  }

  /// The same, beginning with `item` if there is one, until a helper lacks. Returns the item that is to go on.
  pipeline_item* carry_in_call(pipeline_item* item) noexcept {
    for (;;) {
      const outcome what = item == nullptr ? outcome::none_yet : call_stages(*item);
      lock_.lock();
      if (what == outcome::lost) {
        is_over_ = true;
      }
      bool is_new = false;
      if (what == outcome::none_yet || what == outcome::lost || !settle(*item, what)) {
        if (!can_take()) {
          lock_.unlock();
          return nullptr;
        }
        item = take();
        is_new = item == nullptr;
      }
      const bool goes_on = is_new || !lacks_helper();
      lock_.unlock();
      if (is_new && (item = make_item()) == nullptr) {
        return nullptr;
      }
      if (!goes_on) {
        return item;
      }
    }
  }

  // These with the lock.

  [[nodiscard]] bool can_take() const noexcept {
    return !is_over_ && (ready_ != nullptr || (!is_ended_ && items_left_ != 0 && !stages_.front().is_busy()));
  }
  [[nodiscard]] bool lacks_helper() const noexcept {
    return !has_helper_ && carriers_ < most_carriers_ && can_take();
  }
  /// An item for its stage; null: a new one is to be made, for the first stage.
  pipeline_item* take() noexcept {
    if (pipeline_item* const item = ready_) {
      ready_ = item->next;
      return item;
    }
    --items_left_;
    stages_.front().set_busy(stages_.front().is_serial());
    pipeline_item* const item = free_;
    if (item != nullptr) {
      free_ = item->next;
    }
    return item;
  }
  void give_back(pipeline_item& item) noexcept {
    item.stage = 0;
    item.has_number = false;
    item.next = std::exchange(free_, &item);
    ++items_left_;
  }
  /// The stage of the item is over. True: it is to be carried in the one that it has now.
  bool settle(pipeline_item& item, outcome what) noexcept {
    pipeline_stage& stage = stages_[item.stage];
    if (item.stage == 0) {
      stage.set_busy(false);
      if (what == outcome::no_item) {
        is_ended_ = true;
        give_back(item);
        return false;
      }
      if (stage.is_in_order()) {
        give_number(item);
      }
    } else if (stage.is_serial()) {
      if (pipeline_item* const following = stage.leave()) {
        following->next = std::exchange(ready_, following);
      }
    }
    if (++item.stage == stages_.size()) {
      give_back(item);
      return false;
    }
    pipeline_stage& next = stages_[item.stage];
    if (next.is_in_order() && !item.has_number) {
      give_number(item);
    }
    return !next.is_serial() || next.enter(item);
  }
  void give_number(pipeline_item& item) noexcept {
    item.number = numbers_++;
    item.has_number = true;
  }
  // And these without.

  /// Null: there is no memory, and the pipeline is cancelled.
  pipeline_item* make_item() noexcept {
    NOPAL_TBB_TRY {
      auto made = std::make_unique<pipeline_item>();
      const lock_guard guard(lock_);
      items_.push_back(std::move(made));
      for (pipeline_stage& stage : stages_) {
        stage.make_room(items_.size());
      }
      return items_.back().get();
    }
    NOPAL_TBB_CATCH { keep_exception(); }
    const lock_guard guard(lock_);
    is_over_ = true;
    return nullptr;
  }

  /// Calls the item's stage, and parallel ones behind a parallel one.
  outcome call_stages(pipeline_item& item) noexcept {
    for (;;) {
      const pipeline_stage& stage = stages_[item.stage];
      outcome what = outcome::lost;
      if (self_.is_cancelled()) {
        return what;
      }
      NOPAL_TBB_TRY { what = stage.filter().run(item) ? outcome::through : outcome::no_item; }
      NOPAL_TBB_CATCH { keep_exception(); }
      if (what != outcome::through || stage.is_serial() || item.stage == 0 ||
          item.stage + 1 == stages_.size() || stages_[item.stage + 1].is_serial()) {
        return what;
      }
      ++item.stage;
    }
  }

  /// Where there is no memory for it, those who are there carry all.
  void start_helper() noexcept {
    NOPAL_TBB_TRY {
      auto made = std::make_unique<helper>(*this);
      tasks_.push(made.get(), self_.now().arena);
      static_cast<void>(made.release());
      return;
    }
    NOPAL_TBB_CATCH {}
    const lock_guard guard(lock_);
    has_helper_ = false;
  }

  /// The first counts.
  void keep_exception() noexcept {
    end_if_asked();
    nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception thrown;
    thrown.keep();
    if (!has_failed_.exchange(true, std::memory_order_acq_rel)) {
      swap(exception_, thrown);
    }
    self_.context().cancel_group_execution();
  }

  const algorithm& self_;
  std::vector<pipeline_stage> stages_;  // not written but for what a stage says

  tiny_lock lock_;          // for all that follows, up to the tasks
  std::size_t items_left_;  ///< as many more may be under way
  const std::size_t most_carriers_;
  std::size_t carriers_ = 0;
  std::uint64_t numbers_ = 0;       ///< that items were given
  pipeline_item* ready_ = nullptr;  ///< whose turn has come, of serial stages that are theirs
  pipeline_item* free_ = nullptr;
  std::vector<std::unique_ptr<pipeline_item>> items_;  ///< all
  bool has_helper_ = false;                            ///< there is one that has not begun
  bool is_ended_ = false;                              ///< the first stage has no more
  bool is_over_ = false;                               ///< cancelled: nothing more begins

  task_counts tasks_;
  std::atomic<bool> has_failed_{false};
  nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception exception_;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
