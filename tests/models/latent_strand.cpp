// The strand that forks: the fork's look, the slow push, the promoted return and the pop as they are, or as the functions
// named have them.

#include "models/latent_strand.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/tags.hpp"
#include "strand/strand.hpp"

extern "C" int nopal_promote_before_push(nopal::internal::worker* self,
                                         const nopal::internal::arch::registers* at) noexcept;

namespace explore {

using nopal::internal::worker;
namespace deque = nopal::internal::deque;

void latent_model::own() {
  for (const char what : with_.owner) {
    instruction();
    if (what == '|') {
      begin_anew();
    } else if (what == 'z') {
      futex_wait(&never_, 1, true);
    } else if (lost_) {
      continue;
    } else if (what == 'r') {
      leave();
    } else if (what == 'k') {
      copy();
    } else if (what == 'o') {
      nopal::internal::promote_own();
    } else if (what == 'u') {
      calls_.call(call_kind::unknown, nullptr);
    } else if (what == 'x') {
      lose_strand();
    } else if (what == 'l') {
      lock(&never_);
    } else {
      fork(what == 'f'   ? call_kind::latent
           : what == 'i' ? call_kind::in_place
           : what == 'g' ? call_kind::copying
                         : call_kind::eager);
    }
    check_order();
  }
  spot_ = spot::out_of_strand;
}

/// As fork_latently, and nopal_enter_fork.
void latent_model::fork(call_kind kind) {
  nopal_frame* const frame = &frames_[forks_++];
  frame->frame_pointer = calls_.frame_pointer();
  if (kind == call_kind::copying) {
    __atomic_store_n(&frame->resume_address, nullptr, __ATOMIC_RELAXED);
  }
  if (kind != call_kind::eager && NOPAL_LESS_THAN(-1, &workers[0].deque.limit) == 0) {
    spot_ = spot::before_call;
    instruction();
    calls_.call(kind, frame);
    spot_ = spot::in_code;
    return;
  }
  frame->call_stack_pointer = calls_.return_slot();
  calls_.call(call_kind::eager, frame);
  plain_write(&frame->resume_address, sizeof(void*));
  store(&frame->resume_address, calls_.continuation(calls_.calls() - 1), plain_order);
  push(frame);
}

/// As nopal_push, and nopal_push_slow.
void latent_model::push(nopal_frame* frame) {
  worker* const self = &workers[0];
  if (NOPAL_LESS_THAN(self->deque.bottom, &self->deque.limit)) {
    fail("a push is fast where forks may be latent");
  }
  const nopal::internal::arch::registers at = calls_.registers(spot::in_code);
  spot_ = spot::out_of_strand;
  int rest = nopal_promote_before_push(self, &at);
  rest = rest == nopal::internal::nothing_left ? nopal_push_and_publish(frame, self) : rest;
  if (rest != nopal::internal::nothing_left) {
    require(nopal_push_slow_path(frame, static_cast<nopal::internal::push_remainder>(rest)) == 0,
            "a push failed");
  }
  spot_ = spot::in_code;
}

/// The end of a child's copying, as set_copied has it.
void latent_model::copy() {
  nopal_frame* const frame = calls_.frame(calls_.calls() - 1);
  // An eager fork has its arguments copied before its push.
  if (calls_.kind(calls_.calls() - 1) == call_kind::copying) {
    require(arguments_[number_of(frame)].read() == 1, "arguments were gone before they were copied");
    __atomic_store_n(&frame->resume_address, static_cast<void*>(memory_), __ATOMIC_RELAXED);
  }
}

/// The end of the youngest call's function.
void latent_model::leave() {
  const int call = calls_.calls() - 1;
  const call_kind kind = calls_.kind(call);
  const int fork = kind == call_kind::unknown ? 0 : number_of(calls_.frame(call));
  if (kind == call_kind::unknown) {
    calls_.leave();
  } else if (calls_.is_latent(call)) {
    spot_ = spot::after_latent;
    instruction();
    calls_.leave();
    spot_ = spot::in_code;
    ++runs_[fork];
  } else {
    if (calls_.is_promoted(call)) {
      spot_ = spot::after_promoted;
      instruction();
      calls_.end_promoted();
    }
    take_back(fork);
  }
}

/// As nopal_end_promoted, and the end of an eager child.
void latent_model::take_back(int fork) {
  spot_ = spot::in_end;
  const bool mine = nopal_pop() != 0;
  if (!mine) {
    spot_ = spot::out_of_strand;
    lose_strand();
    return;
  }
  const nopal_deque& own = workers[0].deque;
  require(nopal::internal::untagged(own.owner_slots[own.bottom]) == &frames_[fork],
          "a pop took another's fork back");
  ++runs_[fork];
  calls_.leave();
  spot_ = spot::in_code;
}

/// As nopal_finish_child and find_work: what is older goes on with the thief.
void latent_model::lose_strand() {
  lost_ = true;
  for (int i = 0; i < calls_.calls(); ++i) {
    if (is_latent(i)) {
      away_[number_of(calls_.frame(i))] = true;
    }
  }
  nopal::internal::strand::have_none(&workers[0]);
  deque::reset(workers[0].deque);
}

/// A region of a root is joined, and the next one begins; another strand of a worker of the pool.
void latent_model::begin_anew() {
  if (!lost_) {
    require(calls_.calls() == 0, "the model's function joins before it has returned");
    return;
  }
  for (int i = 0; i < calls_.calls() && with_.root; ++i) {
    if (calls_.kind(i) != call_kind::unknown && !away_[number_of(calls_.frame(i))]) {
      lock(&not_over_[number_of(calls_.frame(i))]);
    }
  }
  calls_.clear();
  lost_ = false;
  nopal::internal::strand::run_on(&workers[0], &stacks[0]);
  if (with_.root) {
    deque::poison(workers[0].deque);
  }
  spot_ = spot::in_code;
}

/// Of the owner: entries are in serial order, and what is latent and may be promoted is younger.
void latent_model::check_order() {
  if (lost_) {
    return;
  }
  const worker& self = workers[0];
  const nopal_deque& own = self.deque;
  int before = -1;
  for (std::int32_t i = self.first_entry; i < own.bottom; ++i) {
    const nopal_frame* const entry = nopal::internal::untagged(own.owner_slots[i]);
    int call = before + 1;
    while (call < calls_.calls() && calls_.frame(call) != entry) {
      require(!is_latent(call) || self.buries_latent || is_below_promoted(call) ||
                  (self.left_latent && !has_copied(call)),
              "a latent fork is older than an entry");
      ++call;
    }
    require(call < calls_.calls(), "the entries are not in serial order");
    before = call;
  }
}

/// A child that copies its arguments has done so.
bool latent_model::has_copied(int call) const {
  return calls_.kind(call) == call_kind::copying && calls_.frame(call)->resume_address != nullptr;
}

/// A child copied its arguments when younger forks were promoted: it cannot be had before these are over.
bool latent_model::is_below_promoted(int call) const {
  bool below = false;
  for (int i = call + 1; i < calls_.calls(); ++i) {
    below = below || calls_.is_promoted(i);
  }
  return below && calls_.kind(call) == call_kind::copying && !has_copied(call);
}

}  // namespace explore
