#include "measure/fresh_stack.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>
#include <vector>

namespace measure {
namespace {

constexpr std::size_t stack_size_bytes = std::size_t{256} << 20;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Untouched memory for a stack, a guard page below it.
class stack_mapping {
public:
  stack_mapping() : page_bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    base_ = mmap(nullptr, size_bytes(), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base_ == MAP_FAILED) fail("no memory for a stack");
    // A huge page would count as hundreds of touched ones. Kernels without them refuse, rightly.
    madvise(base_, size_bytes(), MADV_NOHUGEPAGE);
    if (mprotect(base_, page_bytes_, PROT_NONE) != 0) {
      munmap(base_, size_bytes());
      fail("no guard page for a stack");
    }
  }
  stack_mapping(const stack_mapping&) = delete;
  stack_mapping& operator=(const stack_mapping&) = delete;
  ~stack_mapping() { munmap(base_, size_bytes()); }

  [[nodiscard]] void* usable() const { return static_cast<char*>(base_) + page_bytes_; }
  [[nodiscard]] std::size_t usable_bytes() const { return stack_size_bytes; }

  [[nodiscard]] std::size_t resident_pages() const {
    std::vector<unsigned char> resident(usable_bytes() / page_bytes_);
    if (mincore(usable(), usable_bytes(), resident.data()) != 0) fail("mincore");
    return static_cast<std::size_t>(std::count_if(resident.begin(), resident.end(),
                                                  [](unsigned char flags) { return (flags & 1) != 0; }));
  }

private:
  [[nodiscard]] std::size_t size_bytes() const { return stack_size_bytes + page_bytes_; }

  std::size_t page_bytes_;
  void* base_ = nullptr;
};

/// What the new stack's first function needs: makecontext passes only ints.
struct call {
  const std::function<void()>* function;
  std::exception_ptr thrown;
};
thread_local call* this_thread_call = nullptr;

// No exception may leave a stack that has no caller.
void run_call() {
  call& current = *this_thread_call;
  try {
    (*current.function)();
  } catch (...) {
    current.thrown = std::current_exception();
  }
}

}  // namespace

std::size_t pages_touched_by(const std::function<void()>& f) {
  const stack_mapping stack;
  call current{&f, nullptr};
  this_thread_call = &current;
  ucontext_t caller;
  ucontext_t callee;
  if (getcontext(&callee) != 0) fail("getcontext");
  callee.uc_stack.ss_sp = stack.usable();
  callee.uc_stack.ss_size = stack.usable_bytes();
  callee.uc_link = &caller;
  makecontext(&callee, run_call, 0);
  const int switched = swapcontext(&caller, &callee);
  this_thread_call = nullptr;
  if (switched != 0) fail("swapcontext");
  if (current.thrown) std::rethrow_exception(current.thrown);
  return stack.resident_pages();
}

}  // namespace measure
