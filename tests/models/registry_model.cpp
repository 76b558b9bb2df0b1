// view::registry: real code.

#include "models/registry_model.hpp"

#include "models/redirect.hpp"
// After the macros.
#include <new>

#include "view/registry.hpp"

namespace explore {

namespace {

using nopal::internal::view::registry;

/// What a reducer is to the registry's functions.
struct reducer {
  plain<int> alive;
  plain<int> reduced;
  std::atomic<int> moment;  // a reduction takes a while
  std::uint32_t id;
  int own_view;
};

constexpr int most_views = 4;
constexpr std::uint32_t most_numbers = 16;

void reduce_alive(void* object, void*, void*) {
  auto& one = *static_cast<reducer*>(object);
  require(one.alive.read() == 1, "a reduction begins after the reducer's end");
  static_cast<void>(one.moment.load(std::memory_order_relaxed));
  require(one.alive.read() == 1, "a reducer ended during a reduction of it");
}

/// A view that is destroyed is its strand's.
void destroy_once(void*, void* view) {
  auto& destructions = *static_cast<int*>(view);
  require(++destructions == 1, "a view is destroyed twice");
}

constexpr nopal_view_functions functions{nullptr, reduce_alive, destroy_once, nullptr};

class registry_model final : public model {
public:
  explicit registry_model(registry_scenario with) : with_(std::move(with)) {}
  [[nodiscard]] int threads() const override { return static_cast<int>(with_.threads.size()); }

  void set_up() override {
    registry_ = new (memory_) registry;
    // The lock comes first; where blocks of entries are never changes after the first reducer was made.
    name(memory_, sizeof(std::uint32_t), "lock");
    ignore(memory_ + blocks_offset, sizeof memory_ - blocks_offset);
    for (int& users : users_) {
      users = 0;
    }
    for (int& view : destructions_) {
      view = 0;
    }
    for (reducer& one : reducers_) {
      one.alive.initialize(0);
      one.reduced.initialize(0);
      name(&one.alive, sizeof one.alive, "alive");
      one.id = 0;
    }
    make(reducers_[0]);
    int view = 0;
    for (std::size_t i = 0; i < with_.threads.size(); ++i) {
      first_view_[i] = view;
      for (const char what : with_.threads[i]) {
        if (what == 'd' || what == 'r') {
          registry_->hold(reducers_[0].id);
          ++users_[reducers_[0].id];
          ++view;
        }
      }
    }
    require(view <= most_views, "the model has too few views");
    views_ = view;
  }

  void run(int thread) override {
    const auto number = static_cast<std::size_t>(thread);
    int view = first_view_[number];
    // By value: the first one's owner makes nothing that others look at.
    const std::uint32_t id = reducers_[0].id;
    reducer& own = reducers_[number + 1];
    for (const char what : with_.threads[number]) {
      switch (what) {
      case 'r': registry_->reduce(id, &left_, &destructions_[view]); [[fallthrough]];
      case 'd':
        // From here on the number may be anybody's.
        --users_[id];
        registry_->drop(id, &destructions_[view++]);
        break;
      case 'e': end(reducers_[0]); break;
      case 'n': make(own); break;
      default: end(own); break;
      }
    }
  }

  void check() override {
    for (int i = 0; i < threads(); ++i) {
      require(!waits(i), "somebody waits for good");
    }
    for (int i = 0; i < views_; ++i) {
      require(destructions_[i] == 1, "a view is left");
    }
    // Each number that is free comes once.
    for (std::uint32_t i = 0; i < most_numbers / 2; ++i) {
      reducer next;
      make(next);
    }
  }

private:
  static constexpr std::size_t blocks_offset = sizeof(pthread_mutex_t) + 2 * sizeof(std::uint32_t);

  void make(reducer& one) {
    one.alive.write(1);
    one.id = registry_->enter(functions, &one, &one.own_view);
    require(one.id != 0 && one.id < most_numbers, "there is no number");
    require(users_[one.id] == 0, "a number is given again that somebody knows");
    users_[one.id] = 1;
    // Which number it was is part of what this thread knows.
    one.moment.store(static_cast<int>(one.id), std::memory_order_relaxed);
  }

  void end(reducer& one) {
    --users_[one.id];
    registry_->end(one.id);
    one.alive.write(0);
  }

  registry_scenario with_;
  registry* registry_ = nullptr;
  alignas(registry) unsigned char memory_[sizeof(registry)] = {};
  reducer reducers_[most_threads + 1];
  int users_[most_numbers] = {};  // a number's reducer, and the views of it
  int destructions_[most_views] = {};
  int first_view_[most_threads] = {};
  int left_ = 0;
  int views_ = 0;
};

}  // namespace

std::unique_ptr<model> make_registry_model(const registry_scenario& with) {
  return std::make_unique<registry_model>(with);
}

}  // namespace explore
