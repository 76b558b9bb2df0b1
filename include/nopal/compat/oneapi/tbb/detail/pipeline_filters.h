// What a pipeline is made of: its items, and the stages that they go through.
#ifndef NOPAL_COMPAT_TBB_DETAIL_PIPELINE_FILTERS_H
#define NOPAL_COMPAT_TBB_DETAIL_PIPELINE_FILTERS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "config.h"
#include "flow_control.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// How the items of a stage come to it: many at a time; or one at a time, and then in the same order at all stages
/// that keep it, or in whatever order they come.
enum class filter_mode : unsigned { parallel, serial_in_order, serial_out_of_order };

namespace nopal_detail {

/// An item on its way through a pipeline, and the value that the last stage gave it. One thread has it at a time.
class pipeline_item {
public:
  pipeline_item() noexcept = default;
  pipeline_item(const pipeline_item&) = delete;
  pipeline_item& operator=(const pipeline_item&) = delete;
  ~pipeline_item() { drop(); }

  /// Of the type that it was given.
  template <class T>
  [[nodiscard]] T& value() noexcept {
    return *static_cast<T*>(value_);
  }

  /// Gives it what `make()` returns. The value before is there until then, and also where `make` throws.
  template <class T, class Make>
  void give(const Make& make) {
    if constexpr (fits<T>) {
      std::byte* const place = places_[value_ == static_cast<void*>(places_[0]) ? 1 : 0];
      replace(::new (static_cast<void*>(place)) T(make()), [](void* value) { static_cast<T*>(value)->~T(); });
    } else {
      replace(new T(make()), [](void* value) { delete static_cast<T*>(value); });
    }
  }

  /// Destroys the value, if it has one.
  void drop() noexcept {
    if (value_ != nullptr) {
      destroy_(std::exchange(value_, nullptr));
    }
  }

  // The pipeline's, under its lock or by whoever has the item.
  pipeline_item* next = nullptr;  ///< in the list that it is in
  std::size_t stage = 0;          ///< the one that it is in or waits for
  std::uint64_t number = 0;       ///< its place in the order
  bool has_number = false;

private:
  static constexpr std::size_t place_bytes = 64;
  template <class T>
  static constexpr bool fits = sizeof(T) <= place_bytes && alignof(T) <= alignof(std::max_align_t);

  void replace(void* value, void (*destroy)(void*)) noexcept {
    drop();
    value_ = value;
    destroy_ = destroy;
  }

  void* value_ = nullptr;
  void (*destroy_)(void*) = nullptr;
  alignas(std::max_align_t) std::byte places_[2][place_bytes];
};

class filter_leaf;

/// One or more stages. Shared by the filters that have them, and not written.
class filter_node {
public:
  filter_node() = default;
  filter_node(const filter_node&) = delete;
  filter_node& operator=(const filter_node&) = delete;
  virtual ~filter_node() = default;

  virtual void append_to(std::vector<const filter_leaf*>& stages) const = 0;
};

class filter_leaf : public filter_node {
public:
  explicit filter_leaf(filter_mode mode) noexcept : mode_(mode) {}

  [[nodiscard]] filter_mode mode() const noexcept { return mode_; }

  /// Calls the user's code for an item; throws what that throws. False: it is the first stage, and there is no item.
  virtual bool run(pipeline_item& item) const = 0;

  void append_to(std::vector<const filter_leaf*>& stages) const final { stages.push_back(this); }

private:
  const filter_mode mode_;
};

/// Two filters, one after the other.
class filter_pair final : public filter_node {
public:
  filter_pair(std::shared_ptr<const filter_node> first, std::shared_ptr<const filter_node> second) noexcept
      : first_(std::move(first)), second_(std::move(second)) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as filters were joined
  void append_to(std::vector<const filter_leaf*>& stages) const override {
    first_->append_to(stages);
    second_->append_to(stages);
  }

private:
  const std::shared_ptr<const filter_node> first_;
  const std::shared_ptr<const filter_node> second_;
};

template <class Input, class Output, class Body>
class filter_of final : public filter_leaf {
public:
  filter_of(filter_mode mode, const Body& body) : filter_leaf(mode), body_(body) {}

  bool run(pipeline_item& item) const override {
    if constexpr (std::is_void_v<Input>) {
      flow_control control = flow_access::make();
      if constexpr (std::is_void_v<Output>) {
        std::invoke(body_, control);
      } else {
        item.template give<Output>([&]() -> Output { return std::invoke(body_, control); });
      }
      if (flow_access::is_stopped(control)) {
        item.drop();
        return false;
      }
    } else {
      Input& input = item.template value<Input>();
      if constexpr (std::is_void_v<Output>) {
        std::invoke(body_, std::move(input));
        item.drop();
      } else {
        item.template give<Output>([&]() -> Output { return std::invoke(body_, std::move(input)); });
      }
    }
    return true;
  }

private:
  const Body body_;
};

/// What a callable with one signature takes and returns.
template <class Argument, class Result>
struct stage_types {
  using input = std::conditional_t<std::is_same_v<std::remove_cvref_t<Argument>, flow_control>, void,
                                   std::remove_const_t<std::remove_reference_t<Argument>>>;
  using output = std::remove_const_t<std::remove_reference_t<Result>>;
};

template <class Call>
struct types_of_call;
template <class Body, class Argument, class Result>
struct types_of_call<Result (Body::*)(Argument) const> : stage_types<Argument, Result> {};
template <class Body, class Argument, class Result>
struct types_of_call<Result (Body::*)(Argument) const noexcept> : stage_types<Argument, Result> {};
template <class Body, class Argument, class Result>
struct types_of_call<Result (Body::*)(Argument)> : stage_types<Argument, Result> {};
template <class Body, class Argument, class Result>
struct types_of_call<Result (Body::*)(Argument) noexcept> : stage_types<Argument, Result> {};

template <class Body>
struct types_of_body : types_of_call<decltype(&Body::operator())> {};
template <class Argument, class Result>
struct types_of_body<Result (*)(Argument)> : stage_types<Argument, Result> {};
template <class Argument, class Result>
struct types_of_body<Result (*)(Argument) noexcept> : stage_types<Argument, Result> {};

template <class Body>
using stage_input = typename types_of_body<Body>::input;
template <class Body>
using stage_output = typename types_of_body<Body>::output;

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
