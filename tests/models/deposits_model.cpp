// view::deposit_table: real code.

#include "models/deposits_model.hpp"

#include "models/redirect.hpp"
// After the macros.
#include <new>

#include "view/deposits.hpp"

namespace explore {

namespace {

using nopal::internal::view::deposit;
using nopal::internal::view::deposit_table;
using nopal::internal::view::no_segment;

constexpr int most_segments = 6;  // of a scope
constexpr int scopes = 2;

class deposits_model final : public model {
public:
  explicit deposits_model(deposits_scenario with) : with_(std::move(with)) {
    for (const std::string& ends : with_.threads) {
      for (const char what : ends) {
        ++counts_[scope_of(what)];
      }
    }
  }
  [[nodiscard]] int threads() const override { return static_cast<int>(with_.threads.size()); }

  void set_up() override {
    table_ = new (memory_) deposit_table;
    for (int scope = 0; scope < scopes; ++scope) {
      for (int i = 0; i < most_segments; ++i) {
        const auto number = static_cast<std::uint64_t>(i);
        deposits_[scope][i] = {};
        deposits_[scope][i].scope = frame(scope);
        deposits_[scope][i].activation = frames_;
        deposits_[scope][i].before = i == 0 ? no_segment : number - 1;
        deposits_[scope][i].last = number;
        texts_[scope][i].initialize(number + 1);
        name(&texts_[scope][i], sizeof texts_[scope][i], "text");
        met_[scope][i].initialize(0);
      }
    }
  }

  void run(int thread) override {
    for (const char what : with_.threads[static_cast<std::size_t>(thread)]) {
      const int scope = scope_of(what);
      deposit_views(scope, what - (scope == 0 ? '0' : 'a'));
    }
  }

  void check() override {
    for (int i = 0; i < threads(); ++i) {
      require(!waits(i), "somebody waits for good");
    }
    for (int scope = 0; scope < scopes; ++scope) {
      const deposit* const left = table_->take(frame(scope), frames_);
      if (counts_[scope] == 0) {
        require(left == nullptr, "there is a deposit of nobody");
        continue;
      }
      require(left != nullptr && left->next == nullptr, "not one deposit is left");
      require(left->before == no_segment && left->last == static_cast<std::uint64_t>(counts_[scope] - 1),
              "a deposit does not say what it has");
      std::uint64_t all = 0;
      for (int i = 0; i < counts_[scope]; ++i) {
        all = all * 10 + static_cast<std::uint64_t>(i) + 1;
      }
      require(texts_[scope][left - deposits_[scope]].read() == all, "the order is wrong");
    }
  }

private:
  static int scope_of(char what) { return what < 'a' ? 0 : 1; }
  /// Both of one function, hence in one shard.
  nopal_frame* frame(int scope) { return reinterpret_cast<nopal_frame*>(frames_ + scope); }

  void deposit_views(int scope, int number) {
    deposit* mine = &deposits_[scope][number];
    nopal_frame* ready = nullptr;
    while (deposit* const other = table_->add(mine, ready)) {
      require(other->scope == frame(scope), "a deposit is of another scope");
      // Whom it met is part of what this thread knows.
      met_[scope][number].write(static_cast<int>(other - deposits_[scope]) + 1);
      const bool mine_is_right = other->last == mine->before;
      require(mine_is_right || mine->last == other->before, "two deposits met that are no neighbours");
      deposit* const left = mine_is_right ? other : mine;
      const deposit* const right = mine_is_right ? mine : other;
      plain<std::uint64_t>& text = texts_[scope][left - deposits_[scope]];
      const std::uint64_t more = texts_[scope][right - deposits_[scope]].read();
      std::uint64_t place = 1;
      while (place <= more) {
        place *= 10;
      }
      text.write(text.read() * place + more);
      left->last = right->last;
      mine = left;
    }
    require(ready == nullptr, "somebody is ready who did not wait");
  }

  deposits_scenario with_;
  deposit_table* table_ = nullptr;
  alignas(deposit_table) unsigned char memory_[sizeof(deposit_table)] = {};
  deposit deposits_[scopes][most_segments] = {};
  plain<std::uint64_t> texts_[scopes]
                             [most_segments];  // the numbers of a deposit's segments from 1 on, as digits
  plain<int> met_[scopes][most_segments];
  int counts_[scopes] = {};
  alignas(64) char frames_[scopes] = {};
};

}  // namespace

std::unique_ptr<model> make_deposits_model(const deposits_scenario& with) {
  return std::make_unique<deposits_model>(with);
}

}  // namespace explore
