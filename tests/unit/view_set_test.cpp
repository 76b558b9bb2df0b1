// The views of one strand: the array with its log, and the hash map of reducers that have no slot.
#include "view/view_set.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <unordered_map>
#include <vector>

#include "os/os.hpp"
#include "view/view_map.hpp"
#include "view_world.hpp"

namespace {

using nopal::internal::view::slot_count;
using nopal::internal::view::view_map;
using nopal::internal::view::view_set;
using view_world::below;
using view_world::made_set;

/// Some address that tells numbers and versions of a view apart.
void* view_number(std::uint64_t number) { return reinterpret_cast<void*>(number * 16 + 16); }

struct owned_map {
  view_map map{};
  ~owned_map() { map.release(); }
};

using contents = std::map<std::uint32_t, void*>;

/// What is taken out, where no view may come twice.
template <class Views>
contents taken_from(Views& views) {
  contents taken;
  views.take_all([&taken](std::uint32_t id, void* view) {
    EXPECT_TRUE(taken.emplace(id, view).second) << "view " << id << " came twice";
  });
  return taken;
}

TEST(view_set, finds_what_was_inserted_and_nothing_else) {
  const auto set = made_set();
  const std::uint32_t ids[] = {1, 2, 500, slot_count - 1, slot_count, slot_count + 1, 1U << 25};
  for (const std::uint32_t id : ids) {
    EXPECT_EQ(set->find(id), nullptr);
    ASSERT_TRUE(set->insert(id, view_number(id)));
  }
  for (const std::uint32_t id : ids) EXPECT_EQ(set->find(id), view_number(id));
  EXPECT_EQ(set->find(3), nullptr);
  EXPECT_EQ(set->find(slot_count + 2), nullptr);
  EXPECT_GE(set->size(), std::size(ids));
}

// After the first of these blocks the allocator takes large ones from its heap, where a set would be filled with zeroes.
TEST(view_set, takes_few_pages_also_once_large_blocks_were_freed) {
  constexpr std::size_t megabyte = 1 << 20;
  for (const std::size_t bytes : {8 * megabyte, 4 * megabyte}) {
    void* const block = std::malloc(bytes);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, bytes);
    __asm__ volatile("" : : "r"(block) : "memory");
    std::free(block);
  }
  const auto set = made_set();
  ASSERT_TRUE(set->insert(7, view_number(7)));
  const std::size_t page = nopal::internal::os::page_size();
  const auto first = reinterpret_cast<std::uintptr_t>(set.get()) / page * page;
  EXPECT_LE(
      nopal::internal::os::resident_pages(reinterpret_cast<void*>(first), sizeof(view_set) / page * page),
      4u);
}

// A page that was read first is replaced when it is written, which interrupts every processor that runs the process.
TEST(view_set, has_the_pages_of_a_first_view_when_it_is_made) {
  const auto set = made_set();
  rusage before{};
  rusage after{};
  ASSERT_EQ(getrusage(RUSAGE_THREAD, &before), 0);
  const bool has_none = set->find(7) == nullptr;
  const bool inserted = set->insert(7, view_number(7));
  ASSERT_EQ(getrusage(RUSAGE_THREAD, &after), 0);
  EXPECT_TRUE(has_none);
  EXPECT_TRUE(inserted);
#ifndef NOPAL_VIEWS_HASHED
  EXPECT_EQ(after.ru_minflt, before.ru_minflt);
#endif
}

#ifndef NOPAL_VIEWS_HASHED
TEST(view_set, has_views_with_a_slot_where_the_inlined_lookup_reads) {
  const auto set = made_set();
  ASSERT_TRUE(set->insert(7, view_number(7)));
  ASSERT_TRUE(set->insert(slot_count, view_number(8)));
  EXPECT_EQ(set->slots()[7], view_number(7));
  EXPECT_EQ(set->slots()[0], nullptr);  // what those without a slot read
  EXPECT_EQ(view_set::of(set->slots()), set.get());
}
#endif

TEST(view_set, replaces_and_removes_with_and_without_slots) {
  const auto set = made_set();
  for (const std::uint32_t id : {5U, slot_count + 5}) {
    ASSERT_TRUE(set->insert(id, view_number(1)));
    set->replace(id, view_number(2));
    EXPECT_EQ(set->find(id), view_number(2));
    EXPECT_EQ(set->remove(id), view_number(2));
    EXPECT_EQ(set->find(id), nullptr);
    EXPECT_EQ(set->remove(id), nullptr);
  }
  EXPECT_TRUE(taken_from(*set).empty());
}

TEST(view_set, is_empty_after_all_was_taken_and_serves_again) {
  const auto set = made_set();
  for (int round = 0; round < 3; ++round) {
    contents expected;
    for (std::uint32_t id = 1; id < 3 * slot_count; id += 911) {
      ASSERT_TRUE(set->insert(id, view_number(id)));
      expected[id] = view_number(id);
    }
    EXPECT_EQ(taken_from(*set), expected);
    EXPECT_EQ(set->size(), 0u);
    for (const auto& [id, view] : expected) EXPECT_EQ(set->find(id), nullptr);
    EXPECT_TRUE(taken_from(*set).empty());
  }
}

TEST(view_set, gives_a_view_once_that_was_removed_and_inserted_again) {
  const auto set = made_set();
  ASSERT_TRUE(set->insert(1, view_number(1)));
  ASSERT_TRUE(set->insert(2, view_number(2)));
  EXPECT_EQ(set->remove(1), view_number(1));  // not the last, so its place in the log goes stale
  ASSERT_TRUE(set->insert(1, view_number(3)));
  EXPECT_EQ(taken_from(*set), (contents{{1, view_number(3)}, {2, view_number(2)}}));
}

TEST(view_set, keeps_no_trace_of_reducers_made_and_ended_in_turn) {
  const auto set = made_set();
  ASSERT_TRUE(set->insert(1, view_number(1)));
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(set->insert(2, view_number(2)));
    ASSERT_TRUE(set->insert(3, view_number(3)));
    EXPECT_EQ(set->remove(3), view_number(3));
    EXPECT_EQ(set->remove(2), view_number(2));
  }
  EXPECT_EQ(set->size(), 1u);
}

/// Each removal is of a view that is not the last inserted, so that the log only grows until it is cleaned.
TEST(view_set, has_a_log_that_never_overflows) {
  constexpr std::uint32_t log_capacity = 2 * slot_count;
  const auto set = made_set();
  ASSERT_TRUE(set->insert(1, view_number(1)));
  const auto id_of = [](std::uint32_t i) { return 2 + i % 1000; };
  ASSERT_TRUE(set->insert(id_of(0), view_number(0)));
  for (std::uint32_t i = 1; i < 5 * log_capacity; ++i) {
    ASSERT_TRUE(set->insert(id_of(i), view_number(i)));
    ASSERT_LE(set->size(), log_capacity);
    ASSERT_EQ(set->remove(id_of(i - 1)), view_number(i - 1));
  }
  const std::uint32_t last = 5 * log_capacity - 1;
  EXPECT_EQ(taken_from(*set), (contents{{1, view_number(1)}, {id_of(last), view_number(last)}}));
}

TEST(view_set, loses_nothing_when_the_log_is_cleaned_with_every_slot_used) {
  const auto set = made_set();
  contents expected;
  for (std::uint32_t id = 1; id < slot_count; ++id) {
    ASSERT_TRUE(set->insert(id, view_number(id)));
    expected[id] = view_number(id);
  }
  for (std::uint32_t round = 1; round < 4; ++round) {
    for (std::uint32_t id = 1; id < slot_count; ++id) {
      ASSERT_EQ(set->remove(id), expected[id]);
      expected[id] = view_number(id + std::uint64_t{round} * slot_count);
      ASSERT_TRUE(set->insert(id, expected[id]));
    }
  }
  EXPECT_EQ(taken_from(*set), expected);
}

/// A view that was logged twice, one with a stale place, and those of the map.
TEST(view_set, loses_the_views_that_are_to_leave_and_no_other) {
  const auto set = made_set();
  contents expected;
  for (std::uint32_t id = 1; id < 100; ++id) ASSERT_TRUE(set->insert(id, view_number(id)));
  EXPECT_EQ(set->remove(4), view_number(4));
  EXPECT_EQ(set->remove(5), view_number(5));
  ASSERT_TRUE(set->insert(5, view_number(5)));
  for (std::uint32_t id = slot_count; id < slot_count + 100; ++id) {
    ASSERT_TRUE(set->insert(id, view_number(id)));
  }
  contents left;
  set->remove_if([&left](std::uint32_t id, void* view) {
    EXPECT_TRUE(id % 3 != 0 || left.emplace(id, view).second);
    return id % 3 == 0;
  });
  const auto check = [&](std::uint32_t id) {
    EXPECT_EQ(set->find(id), id % 3 == 0 ? nullptr : view_number(id));
    EXPECT_EQ(left.erase(id), id % 3 == 0 ? 1u : 0u);
    if (id % 3 != 0) expected[id] = view_number(id);
  };
  for (std::uint32_t id = 1; id < 100; ++id) {
    if (id != 4) check(id);
  }
  for (std::uint32_t id = slot_count; id < slot_count + 100; ++id) check(id);
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(taken_from(*set), expected);
}

TEST(view_set, agrees_with_a_map_under_random_operations) {
  std::mt19937 random(20);
  const auto set = made_set();
  contents expected;
  for (int i = 0; i < 400000; ++i) {
    const std::uint32_t id =
        below(random, 2) == 0 ? 1 + below(random, 50) : slot_count - 20 + below(random, 40);
    if (expected.count(id) == 0) {
      expected[id] = view_number(static_cast<std::uint64_t>(i));
      ASSERT_TRUE(set->insert(id, expected[id]));
    } else if (below(random, 3) == 0) {
      expected[id] = view_number(static_cast<std::uint64_t>(i));
      set->replace(id, expected[id]);
    } else {
      ASSERT_EQ(set->remove(id), expected[id]);
      expected.erase(id);
    }
    const std::uint32_t looked_for = slot_count - 20 + below(random, 40);
    const auto known = expected.find(looked_for);
    ASSERT_EQ(set->find(looked_for), known == expected.end() ? nullptr : known->second);
  }
  EXPECT_EQ(taken_from(*set), expected);
}

void insert(view_map& map, std::uint32_t id, void* view) {
  ASSERT_TRUE(map.reserve());
  map.put(id, view);
}

TEST(view_map, agrees_with_an_unordered_map_under_random_operations) {
  for (const std::uint32_t range : {20U, 300U, 1U << 26}) {
    std::mt19937 random(range);
    owned_map tested;
    std::unordered_map<std::uint32_t, void*> expected;
    std::vector<std::uint32_t> used;
    for (int i = 0; i < 100000; ++i) {
      // Of a large range, numbers that were used before come back half of the time.
      const std::uint32_t id = used.empty() || below(random, 2) == 0
                                   ? 1 + below(random, range)
                                   : used[below(random, static_cast<std::uint32_t>(used.size()))];
      if (below(random, 5) < 3) {
        expected[id] = view_number(static_cast<std::uint64_t>(i));
        insert(tested.map, id, expected[id]);
        used.push_back(id);
      } else {
        const auto known = expected.find(id);
        ASSERT_EQ(tested.map.remove(id), known == expected.end() ? nullptr : known->second);
        expected.erase(id);
      }
      ASSERT_EQ(tested.map.size(), expected.size());
    }
    for (const auto& [id, view] : expected) ASSERT_EQ(tested.map.find(id), view);
    const contents taken = taken_from(tested.map);
    EXPECT_EQ(taken, contents(expected.begin(), expected.end()));
    EXPECT_EQ(tested.map.size(), 0u);
  }
}

/// Numbers that share their first place in a table of 16, the last place, so that their cluster goes round its end.
std::vector<std::uint32_t> colliding_ids(std::size_t count) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 1; ids.size() < count; ++id) {
    if ((id * std::uint64_t{0x9e3779b97f4a7c15U} >> 32 & 15) == 15) ids.push_back(id);
  }
  return ids;
}

TEST(view_map, removes_from_clusters_in_any_order) {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint32_t> ids = colliding_ids(5);
    for (std::uint32_t id = 1; id <= 3; ++id) ids.push_back(1000 + below(random, 1000));
    std::shuffle(ids.begin(), ids.end(), random);
    contents expected;
    owned_map tested;
    for (const std::uint32_t id : ids) {
      insert(tested.map, id, view_number(id));
      expected[id] = view_number(id);
    }
    std::shuffle(ids.begin(), ids.end(), random);
    for (const std::uint32_t id : ids) {
      ASSERT_EQ(tested.map.remove(id), expected.count(id) != 0 ? view_number(id) : nullptr);
      expected.erase(id);
      for (const auto& [kept, view] : expected) ASSERT_EQ(tested.map.find(kept), view);
    }
    ASSERT_EQ(tested.map.size(), 0u);
  }
}

TEST(view_map, loses_the_views_that_are_to_leave_and_no_other) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    owned_map tested;
    contents expected;
    for (const std::uint32_t id : colliding_ids(7)) {
      insert(tested.map, id, view_number(id));
      if (below(random, 2) == 0) expected[id] = view_number(id);
    }
    contents asked;
    tested.map.remove_if([&](std::uint32_t id, void* view) {
      asked[id] = view;
      return expected.count(id) == 0;
    });
    ASSERT_EQ(asked.size(), 7u);
    for (const auto& [id, view] : asked) {
      ASSERT_EQ(tested.map.find(id), expected.count(id) != 0 ? view : nullptr);
    }
    ASSERT_EQ(taken_from(tested.map), expected);
  }
}

TEST(view_map, finds_nothing_while_it_is_empty) {
  owned_map tested;
  EXPECT_EQ(tested.map.find(1), nullptr);
  EXPECT_EQ(tested.map.remove(1), nullptr);
  insert(tested.map, 1, view_number(1));
  EXPECT_EQ(tested.map.remove(1), view_number(1));
  EXPECT_EQ(tested.map.find(1), nullptr);
  EXPECT_TRUE(taken_from(tested.map).empty());
}

}  // namespace
