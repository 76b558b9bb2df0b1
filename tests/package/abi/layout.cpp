// Prints what the headers lay out in their users' code and the library reads or writes: sizes, alignments, offsets, numbers.
// A member that no line names still shows, unless it fits into padding: the size changes, or what follows moves.
#include <nopal/detail/fibril_frame.h>
#include <nopal/detail/task.h>
#include <nopal/nopal.h>

#include <nopal/nopal.hpp>
#include <nopal/reducer.hpp>

#include <cstddef>
#include <cstdio>

namespace {

template <class T>
void type(const char* name) {
  std::printf("%s: size %zu, alignment %zu\n", name, sizeof(T), alignof(T));
}

void member(const char* structure, const char* name, std::size_t offset, std::size_t size) {
  std::printf("%s.%s: offset %zu, size %zu\n", structure, name, offset, size);
}

void number(const char* name, long long value) { std::printf("%s: %lld\n", name, value); }

#define TYPE(...) type<__VA_ARGS__>(#__VA_ARGS__)
#define MEMBER(structure, name)                                                                              \
  member(#structure, #name, offsetof(structure, name), sizeof(static_cast<structure*>(nullptr)->name))
#define NUMBER(name) number(#name, static_cast<long long>(name))

void print_frames() {
  TYPE(nopal_frame);
  MEMBER(nopal_frame, resume_address);
  MEMBER(nopal_frame, call_stack_pointer);
  MEMBER(nopal_frame, frame_pointer);
  MEMBER(nopal_frame, callee_saved);
  MEMBER(nopal_frame, steals);
  MEMBER(nopal_frame, unfinished);
  MEMBER(nopal_frame, home);
  MEMBER(nopal_frame, home_stack_pointer);
  MEMBER(nopal_frame, caught);
  MEMBER(nopal_frame, uncaught);
  MEMBER(nopal_frame, uncaught_at_fork);
  MEMBER(nopal_frame, float_control);
  MEMBER(nopal_frame, x87_control);
  MEMBER(nopal_frame, last_ticket);
  MEMBER(nopal_frame, home_ticket);
  TYPE(nopal_scope);
  MEMBER(nopal_scope, frame);
  TYPE(nopal::scope);
  TYPE(nopal_fibril);
  MEMBER(nopal_fibril, frame);
  MEMBER(nopal_fibril, child);
  MEMBER(nopal_fibril, out);
}

void print_tasks() {
  TYPE(nopal_task_group);
  TYPE(nopal_task);
  TYPE(nopal_task_lot);
  TYPE(nopal_arena);
}

void print_deque() {
  TYPE(nopal_deque);
  MEMBER(nopal_deque, bottom);
  MEMBER(nopal_deque, limit);
  MEMBER(nopal_deque, owner_slots);
  MEMBER(nopal_deque, slots_memory);
  MEMBER(nopal_deque, top);
  MEMBER(nopal_deque, split);
  MEMBER(nopal_deque, version_and_raising);
  MEMBER(nopal_deque, strand);
  MEMBER(nopal_deque, public_slots);
  MEMBER(nopal_deque, setting);
  NUMBER(nopal_poisoned_limit);
  NUMBER(nopal_latent_limit);
  TYPE(nopal_strand);
  MEMBER(nopal_strand, stack);
  MEMBER(nopal_strand, origin_frame_pointer);
  MEMBER(nopal_strand, origin_scope);
  MEMBER(nopal_strand, origin_to_home);
  MEMBER(nopal_strand, latest_ticket);
  MEMBER(nopal_strand, first_ticket);
  TYPE(nopal_strand_setting);
  MEMBER(nopal_strand_setting, root);
  MEMBER(nopal_strand_setting, float_control);
  MEMBER(nopal_strand_setting, x87_control);
  MEMBER(nopal_strand_setting, uncaught);
}

void print_reducers() {
  TYPE(nopal_hyperobject);
  MEMBER(nopal_hyperobject, slot);
  MEMBER(nopal_hyperobject, id);
  TYPE(nopal_view_functions);
  MEMBER(nopal_view_functions, create);
  MEMBER(nopal_view_functions, reduce);
  MEMBER(nopal_view_functions, destroy);
  MEMBER(nopal_view_functions, identity);
  TYPE(nopal_reducer);
  MEMBER(nopal_reducer, known);
  MEMBER(nopal_reducer, monoid);
  TYPE(nopal_monoid);
  MEMBER(nopal_monoid, size);
  MEMBER(nopal_monoid, alignment);
  MEMBER(nopal_monoid, identity);
  MEMBER(nopal_monoid, reduce);
  MEMBER(nopal_monoid, destroy);
  MEMBER(nopal_monoid, context);
  TYPE(nopal::reducer<nopal::op_add<long>>);
  TYPE(nopal::reducer<nopal::op_vector_append<int>>);
  TYPE(nopal::holder<double>);
}

void print_c_runtime() {
  TYPE(nopal_configuration);
  MEMBER(nopal_configuration, workers);
  MEMBER(nopal_configuration, stack_size);
  MEMBER(nopal_configuration, reclaim);
  MEMBER(nopal_configuration, pin);
  MEMBER(nopal_configuration, reclaim_with);
  MEMBER(nopal_configuration, on_bad_setting);
  NUMBER(nopal_bad_setting_default);
  NUMBER(nopal_bad_setting_exit);
  NUMBER(nopal_bad_setting_refuse);
  NUMBER(nopal_bad_setting_use_default);
  NUMBER(nopal_reclaim_default);
  NUMBER(nopal_reclaim_lazy);
  NUMBER(nopal_reclaim_eager);
  NUMBER(nopal_reclaim_never);
  NUMBER(nopal_reclaim_with_default);
  NUMBER(nopal_reclaim_with_dontneed);
  NUMBER(nopal_reclaim_with_free);
  NUMBER(nopal_pin_no);
  NUMBER(nopal_pin_default);
  NUMBER(nopal_pin_yes);
  TYPE(nopal_worker_statistics);
  MEMBER(nopal_worker_statistics, steals);
  MEMBER(nopal_worker_statistics, failed_steals);
  MEMBER(nopal_worker_statistics, suspensions);
  MEMBER(nopal_worker_statistics, resumptions);
  MEMBER(nopal_worker_statistics, publishes);
  MEMBER(nopal_worker_statistics, forced_publishes);
  MEMBER(nopal_worker_statistics, parks);
  MEMBER(nopal_worker_statistics, wakes);
  MEMBER(nopal_worker_statistics, stacks_taken);
  MEMBER(nopal_worker_statistics, stacks_returned);
  MEMBER(nopal_worker_statistics, pages_reclaimed);
  MEMBER(nopal_worker_statistics, promotions);
  MEMBER(nopal_worker_statistics, signals_sent);
  MEMBER(nopal_worker_statistics, walks_cut_short);
  TYPE(nopal_statistics);
  MEMBER(nopal_statistics, workers);
  MEMBER(nopal_statistics, total);
  MEMBER(nopal_statistics, joins_with_children);
  MEMBER(nopal_statistics, stacks_in_use);
  MEMBER(nopal_statistics, stacks_peak);
  MEMBER(nopal_statistics, stacks_mapped);
  MEMBER(nopal_statistics, stack_pages_in_use);
  MEMBER(nopal_statistics, stack_pages_peak);
  MEMBER(nopal_statistics, view_sets_in_use);
  MEMBER(nopal_statistics, view_sets_peak);
}

void print_cpp_runtime() {
  TYPE(nopal::configuration);
  MEMBER(nopal::configuration, workers);
  MEMBER(nopal::configuration, stack_size);
  MEMBER(nopal::configuration, reclaim);
  MEMBER(nopal::configuration, pin);
  MEMBER(nopal::configuration, reclaim_with);
  MEMBER(nopal::configuration, on_bad_setting);
  NUMBER(nopal::bad_setting::exit);
  NUMBER(nopal::bad_setting::refuse);
  NUMBER(nopal::bad_setting::use_default);
  NUMBER(nopal::reclaim::lazy);
  NUMBER(nopal::reclaim::eager);
  NUMBER(nopal::reclaim::never);
  NUMBER(nopal::reclaim_call::dontneed);
  NUMBER(nopal::reclaim_call::free);
  TYPE(nopal::worker_statistics);
  MEMBER(nopal::worker_statistics, steals);
  MEMBER(nopal::worker_statistics, failed_steals);
  MEMBER(nopal::worker_statistics, suspensions);
  MEMBER(nopal::worker_statistics, resumptions);
  MEMBER(nopal::worker_statistics, publishes);
  MEMBER(nopal::worker_statistics, forced_publishes);
  MEMBER(nopal::worker_statistics, parks);
  MEMBER(nopal::worker_statistics, wakes);
  MEMBER(nopal::worker_statistics, stacks_taken);
  MEMBER(nopal::worker_statistics, stacks_returned);
  MEMBER(nopal::worker_statistics, pages_reclaimed);
  MEMBER(nopal::worker_statistics, promotions);
  MEMBER(nopal::worker_statistics, signals_sent);
  MEMBER(nopal::worker_statistics, walks_cut_short);
  TYPE(nopal::statistics);
  MEMBER(nopal::statistics, workers);
  MEMBER(nopal::statistics, total);
  MEMBER(nopal::statistics, per_worker);
  MEMBER(nopal::statistics, joins_with_children);
  MEMBER(nopal::statistics, stacks_in_use);
  MEMBER(nopal::statistics, stacks_peak);
  MEMBER(nopal::statistics, stacks_mapped);
  MEMBER(nopal::statistics, stack_pages_in_use);
  MEMBER(nopal::statistics, stack_pages_peak);
  MEMBER(nopal::statistics, view_sets_in_use);
  MEMBER(nopal::statistics, view_sets_peak);
  TYPE(nopal::error);
}

}  // namespace

int main() {
  NUMBER(NOPAL_ABI);
  print_frames();
  print_tasks();
  print_deque();
  print_reducers();
  print_c_runtime();
  print_cpp_runtime();
}
