// Scopes that can be stopped, and inlets.
// clang-format off
#include <memory>
#include <stop_token>
#include <vector>

#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>
#include <nopal/waiting.hpp>

#include "corpus.hpp"

namespace {

int square(int x) { return x * x; }

}  // namespace

CASE(inlets_share) {
  int sum = 0;
  nopal::cancel_scope s;
  for (int i = 0; i < 4; ++i) s.fork_inlet([&sum](int x) { sum += x; }, square, i);
  s.join();
  use(sum);
}
CASE(inlets_share_in_order) {
  std::vector<int> all;
  nopal::cancel_scope s{nopal::on_stop::skip, nopal::inlet_order::serial};
  for (int i = 0; i < 4; ++i) s.fork_inlet([&all](int x) { all.push_back(x); }, square, i);
  s.join();
  use(all.size());
}
CASE(inlet_and_continuation) {
  int sum = 0;
  nopal::cancel_scope s;
  s.fork_inlet([&sum](int x) { sum += x; }, square, 1);  // race: A
  use(sum);  // with: A
  s.join();
}
CASE(inlet_and_child) {
  int sum = 0;
  nopal::cancel_scope s;
  s.fork_inlet([&sum](int x) { sum += x; }, square, 1);  // race: A
  s.fork([&sum] { use(sum); });  // with: A
  s.join();
}
CASE(children_with_inlets) {
  int shared = 0;
  nopal::cancel_scope s;
  s.fork_inlet([](int x) { use(x); }, [&shared] { return ++shared; });  // race: A
  s.fork_inlet([](int x) { use(x); }, [&shared] { return ++shared; });  // with: A
  s.join();
}
CASE(inlets_of_two_scopes) {
  int sum = 0;
  nopal::cancel_scope s;
  nopal::cancel_scope other;
  s.fork_inlet([&sum](int x) { sum += x; }, square, 1);  // race: A
  other.fork_inlet([&sum](int x) { sum += x; }, square, 2);  // with: A
  other.join();
  s.join();
}
CASE(stopped_scope_joined) {
  int result = 0;
  nopal::cancel_scope s;
  s.fork_into(result, square, 3);
  s.fork([&s] { s.request_stop(); });
  s.join();
  use(result);
}
CASE(stopped_scope_not_joined) {
  int result = 0;
  nopal::cancel_scope s;
  s.fork_into(result, square, 3);  // race: A
  s.request_stop();
  use(result);  // with: A
  s.join();
}
CASE(scopes_of_siblings) {
  nopal::scope all;
  for (int i = 0; i < 3; ++i) {
    all.fork([] {
      nopal::cancel_scope s{nopal::on_stop::unwind};
      int own = 0;
      s.fork([&s, &own] { own = 1; s.request_stop(); nopal::poll(); });
      s.join();
      use(own + nopal::shield([] { return nopal::stop_requested() ? 1 : 0; }));
    });
  }
  all.join();
}
CASE(races_of_siblings) {
  nopal::scope all;
  for (int i = 0; i < 3; ++i) {
    all.fork([] { use(nopal::parallel_race([] { return 1; }, [] { return 2; })); });
  }
  all.join();
}
CASE(tokens_of_siblings) {
  nopal::cancel_scope around;
  nopal::scope all;
  for (int i = 0; i < 2; ++i) {
    all.fork([] {
      nopal::cancel_scope s;
      const std::stop_token token = s.token();
      s.request_stop();
      use(token.stop_requested());
    });
  }
  all.join();
}
CASE(best_of_siblings) {
  nopal::scope all;
  for (int i = 0; i < 2; ++i) {
    all.fork([] {
      const auto two = [](int of) { return of < 20 ? std::vector<int>{2 * of, 2 * of + 1} : std::vector<int>{}; };
      use(*nopal::parallel_find_best(1, two, [](int of) { return of; }, [](int) { return 0; }));
    });
  }
  all.join();
}
CASE(inlets_keep_what_the_first_made) {
  std::unique_ptr<int> first;
  nopal::cancel_scope s;
  for (int i = 0; i < 4; ++i) {
    s.fork_inlet([&first](std::unique_ptr<int>&& made) { use(*(first ? first : (first = std::move(made)))); },
                 [i] { return std::make_unique<int>(i); });
  }
  s.join();
}
CASE(inlets_keep_what_children_made) {
  std::unique_ptr<std::vector<int>> best;
  nopal::cancel_scope s;
  for (int i = 0; i < 4; ++i) {
    s.fork_inlet(
        [&best](std::unique_ptr<std::vector<int>>&& made) {
          if (!best || (*made)[0] > (*best)[0]) best = std::move(made);
        },
        [i] { return std::make_unique<std::vector<int>>(3, i); });
  }
  s.join();
  use((*best)[0]);
}
