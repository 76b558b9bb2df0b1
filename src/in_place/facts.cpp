// What programs ask the library about itself and the machine, its exceptions, and what it tells tools: nothing.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "in_place/both.hpp"

namespace tbb::detail::r1 {

const char* bad_last_alloc::what() const noexcept {
  return "bad allocation in previous or concurrent attempt";
}
const char* user_abort::what() const noexcept { return "User-initiated abort has terminated this operation"; }
const char* missing_wait::what() const noexcept {
  return "wait() was not called on the structured_task_group";
}

void throw_exception(d0::exception_id which) {
  ours::nopal_detail::end_if_asked();
  switch (which) {
  case d0::exception_id::bad_alloc: throw std::bad_alloc();
  case d0::exception_id::bad_last_alloc: throw bad_last_alloc();
  case d0::exception_id::user_abort: throw user_abort();
  case d0::exception_id::nonpositive_step: throw std::invalid_argument("Step must be positive");
  case d0::exception_id::out_of_range: throw std::out_of_range("Index out of requested size range");
  case d0::exception_id::reservation_length_error:
    throw std::length_error("Attempt to exceed implementation defined length limits");
  case d0::exception_id::missing_wait: throw missing_wait();
  case d0::exception_id::invalid_load_factor: throw std::out_of_range("Invalid hash load factor");
  case d0::exception_id::invalid_key: throw std::out_of_range("invalid key");
  case d0::exception_id::bad_tagged_msg_cast: throw std::runtime_error("Illegal tagged_msg cast");
  case d0::exception_id::unsafe_wait: throw unsafe_wait("Unsafe to wait further");
  default: std::abort();
  }
}

namespace {

void end_with_line(const char* location, int line, const char* expression, const char* comment) {
  std::fprintf(stderr, "nopal: assertion of oneTBB's headers failed: %s, line %d: %s%s%s\n", location, line,
               expression, comment != nullptr ? ": " : "", comment != nullptr ? comment : "");
  std::fflush(stderr);
  std::abort();
}

std::atomic<assertion_handler_type> handler_of_assertions{end_with_line};

}  // namespace

// Release pairs with the acquire of who calls it: what the handler reads was written before it was set.
assertion_handler_type set_assertion_handler(assertion_handler_type handler) noexcept {
  return handler_of_assertions.exchange(handler != nullptr ? handler : end_with_line,
                                        std::memory_order_acq_rel);
}
assertion_handler_type get_assertion_handler() noexcept {
  return handler_of_assertions.load(std::memory_order_acquire);
}
void assertion_failure(const char* location, int line, const char* expression, const char* comment) {
  get_assertion_handler()(location, line, expression, comment);
}

unsigned numa_node_count() { return static_cast<unsigned>(ours::info::numa_nodes().size()); }
void fill_numa_indices(int* indices) {
  for (const int node : ours::info::numa_nodes()) {
    *indices++ = node;
  }
}
int numa_default_concurrency(int node) { return ours::info::default_concurrency(node); }
unsigned core_type_count(std::intptr_t) { return 1; }
void fill_core_type_indices(int* indices, std::intptr_t) { *indices = 0; }
int constraints_default_concurrency(const d1::constraints& of, std::intptr_t) {
  return ours::info::default_concurrency(of.numa_id);
}
int constraints_threads_per_core(const d1::constraints&, std::intptr_t) { return -1; }

void call_itt_notify(int, void*) {}
void create_itt_sync(void*, const tchar*, const tchar*) {}
void itt_make_task_group(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                         string_resource_index) {}
void itt_task_begin(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                    string_resource_index) {}
void itt_task_end(d1::itt_domain_enum) {}
void itt_set_sync_name(void*, const tchar*) {}
void itt_metadata_str_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index,
                          const char*) {}
void itt_metadata_ptr_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index, void*) {}
void itt_relation_add(d1::itt_domain_enum, void*, unsigned long long, itt_relation, void*,
                      unsigned long long) {}
void itt_region_begin(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                      string_resource_index) {}
void itt_region_end(d1::itt_domain_enum, void*, unsigned long long) {}

}  // namespace tbb::detail::r1

// Of the newest oneTBB whose entry points are here, whatever headers this is built with.
extern "C" const char* TBB_runtime_version() { return "2023.2.0"; }
extern "C" int TBB_runtime_interface_version() { return 12200; }
