// Reducers of strings for the tests of what lies below the scheduler: every view is counted, and a reduction may throw.
#ifndef NOPAL_TESTS_UNIT_VIEW_WORLD_HPP
#define NOPAL_TESTS_UNIT_VIEW_WORLD_HPP

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "view/registry.hpp"
#include "view/view_set.hpp"

namespace view_world {

/// A view: text that is concatenated, so that the order of reductions shows.
struct text {
  explicit text(std::string with = {}) : said(std::move(with)) { ++alive; }
  text(const text&) = delete;
  text& operator=(const text&) = delete;
  ~text() { --alive; }

  std::string said;
  static inline std::atomic<long> alive{0};
};

struct refused {};

inline std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(random() % bound);
}

/// A reducer, with its own value.
struct string_reducer {
  std::uint32_t id = 0;
  text own;
  int reductions = 0;
  int destructions = 0;
  bool throws = false;
};

inline string_reducer& of(void* object) { return *static_cast<string_reducer*>(object); }

inline constexpr nopal_view_functions functions{[](void*) -> void* { return new text; },
                                                [](void* object, void* left, void* right) {
                                                  ++of(object).reductions;
                                                  if (of(object).throws) throw refused();
                                                  static_cast<text*>(left)->said +=
                                                      static_cast<text*>(right)->said;
                                                },
                                                [](void* object, void* view) {
                                                  ++of(object).destructions;
                                                  delete static_cast<text*>(view);
                                                },
                                                nullptr};

/// Numbers and their entries stay for the process.
inline nopal::internal::view::registry& reducers() {
  static constinit nopal::internal::view::registry the_only_one;
  return the_only_one;
}

inline std::unique_ptr<string_reducer> made_reducer() {
  auto made = std::make_unique<string_reducer>();
  made->id = reducers().enter(functions, made.get(), &made->own);
  EXPECT_NE(made->id, 0u);
  return made;
}

struct end_set {
  void operator()(nopal::internal::view::view_set* set) const {
    nopal::internal::view::view_set::destroy(set);
  }
};
using owned_set = std::unique_ptr<nopal::internal::view::view_set, end_set>;

inline owned_set made_set() { return owned_set(nopal::internal::view::view_set::make()); }

/// A view enters a set.
inline void add(nopal::internal::view::view_set& set, std::uint32_t id, void* view) {
  ASSERT_TRUE(set.insert(id, view));
  reducers().hold(id);
}
inline void add(nopal::internal::view::view_set& set, const string_reducer& reducer, const char* said) {
  add(set, reducer.id, new text(said));
}

inline std::string said(const nopal::internal::view::view_set& set, const string_reducer& reducer) {
  const auto* const view = static_cast<const text*>(set.find(reducer.id));
  return view != nullptr ? view->said : "(none)";
}

}  // namespace view_world

#endif
