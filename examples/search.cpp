// A reducer: what strands find in a tree comes out in the order of the serial search.
#include <nopal/nopal.hpp>

#include <cstdio>
#include <memory>

struct node {
  int key = 0;
  std::unique_ptr<node> left, right;
};

bool matches(const node* n) { return n->key % 7 == 3; }

// snippet: search
nopal::reducer<nopal::op_vector_append<int>> found;

void search(const node* n) {
  if (n == nullptr) return;
  nopal::scope s;
  s.fork(search, n->left.get());
  if (matches(n)) found->push_back(n->key);  // in the order of the serial program
  search(n->right.get());
  s.join();
}
// end snippet

std::unique_ptr<node> tree_of(int first, int last) {
  if (first == last) return nullptr;
  const int middle = first + (last - first) / 2;
  auto root = std::make_unique<node>();
  root->key = middle;
  root->left = tree_of(first, middle);
  root->right = tree_of(middle + 1, last);
  return root;
}

int main() {
  const auto root = tree_of(0, 1'000'000);
  search(root.get());
  int expected = 3;
  for (const int key : found.value()) {
    if (key != expected) return 1;
    expected += 7;
  }
  std::printf("found %zu keys in serial order on %d workers\n", found->size(), nopal::workers());
}
