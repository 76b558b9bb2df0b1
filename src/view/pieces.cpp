#include "view/pieces.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace view {

namespace {

class locked_shard {
public:
  explicit locked_shard(pthread_mutex_t& lock) noexcept : lock_(lock) { pthread_mutex_lock(&lock_); }
  ~locked_shard() { pthread_mutex_unlock(&lock_); }
  locked_shard(const locked_shard&) = delete;
  locked_shard& operator=(const locked_shard&) = delete;

private:
  pthread_mutex_t& lock_;
};

/// The thread's first strand before all, then as the steals went.
bool earlier(const piece* a, const piece* b) { return a->is_base || (!b->is_base && a->last < b->last); }

}  // namespace

piece* piece_table::add(piece* one) noexcept {
  shard& own = shard_of(one->scope);
  const locked_shard guard(own.lock);
  for (piece** link = &own.first; *link != nullptr; link = &(*link)->next) {
    piece* const other = *link;
    if (other->scope == one->scope && (other->last == one->before || other->before == one->last)) {
      *link = other->next;
      return other;
    }
  }
  one->next = own.first;
  own.first = one;
  return nullptr;
}

piece* piece_table::take(const nopal_frame* scope) noexcept {
  shard& own = shard_of(scope);
  piece* taken = nullptr;
  const locked_shard guard(own.lock);
  for (piece** link = &own.first; *link != nullptr;) {
    piece* const one = *link;
    if (one->scope != scope) {
      link = &one->next;
      continue;
    }
    *link = one->next;
    piece** place = &taken;
    while (*place != nullptr && earlier(*place, one)) {
      place = &(*place)->next;
    }
    one->next = *place;
    *place = one;
  }
  return taken;
}

void piece_table::lock_all() noexcept {
  for (shard& one : shards_) {
    pthread_mutex_lock(&one.lock);
  }
}

void piece_table::unlock_all() noexcept {
  for (shard& one : shards_) {
    pthread_mutex_unlock(&one.lock);
  }
}

}  // namespace view
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
