#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>

#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "doctor/kernel_files.hpp"
#include "format.hpp"
#include "os/os.hpp"

namespace tool::doctor {
namespace {

namespace os = nopal::internal::os;

constexpr std::size_t stack_bytes = std::size_t{1} << 20;  // the default; NOPAL_STACK_SIZE changes it

// A chunk of stack memory for an experiment.
class trial_memory {
public:
  explicit trial_memory(std::size_t bytes) : bytes_(bytes), base_(os::map_stack_memory(bytes)) {}
  trial_memory(trial_memory&& from) noexcept
      : bytes_(from.bytes_), base_(std::exchange(from.base_, nullptr)) {}
  trial_memory& operator=(trial_memory&&) = delete;
  ~trial_memory() {
    if (base_ != nullptr) os::unmap(base_, bytes_);
  }
  [[nodiscard]] void* base() const { return base_; }

private:
  std::size_t bytes_;
  void* base_;
};

bool advice_works(int advice) {
  const trial_memory page(os::page_size());
  return page.base() != nullptr && madvise(page.base(), os::page_size(), advice) == 0;
}

finding give_back_finding(const char* name, int advice, const char* lack) {
  const bool works = advice_works(advice);
  finding found{name, works ? "available" : "missing", works, verdict::ok, {}};
  if (!works) judge(found, verdict::note, lack);
  return found;
}

finding limit_finding(const char* name, decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  finding found{name, "unknown", nullptr, verdict::ok, {}};
  if (getrlimit(resource, &limit) != 0) return found;
  const bool limited = limit.rlim_cur != RLIM_INFINITY;
  found.value = limited ? format_bytes(limit.rlim_cur) : "unlimited";
  if (limited) found.data = static_cast<std::uint64_t>(limit.rlim_cur);
  return found;
}

finding address_space_finding() {
  finding found = limit_finding("RLIMIT_AS", RLIMIT_AS);
  if (!found.data.is_null()) {
    judge(found, verdict::note,
          fmt::format("every stack takes {} of it, touched or not: ulimit -v unlimited",
                      format_bytes(stack_bytes)));
  }
  return found;
}

// Stacks ask for small pages; whether they get them is seen by touching one.
finding huge_pages_finding() {
  constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
  finding found{"transparent huge pages", "not in this kernel", nullptr, verdict::ok, {}};
  const std::string mode = huge_page_mode();
  if (mode.empty()) return found;
  const trial_memory memory(2 * huge_page_bytes);
  if (memory.base() == nullptr) return found;
  static_cast<volatile char*>(memory.base())[huge_page_bytes] = 1;
  const std::size_t pages = os::resident_pages(memory.base(), 2 * huge_page_bytes);
  found.value = fmt::format("{}; a stack takes {} at a touch", mode, format_count(pages, "page"));
  found.data = {{"mode", mode}, {"pages_per_touch", pages}};
  if (pages > 1) {
    judge(
        found, verdict::note,
        "stacks take more memory than they use: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
  }
  return found;
}

// What a start maps: two stacks per worker, one to run on and one for what it steals.
finding trial_finding(int workers) {
  const int wanted = 2 * workers;
  std::vector<trial_memory> stacks;
  for (int i = 0; i < wanted; ++i) {
    trial_memory stack(stack_bytes);
    if (stack.base() == nullptr || !os::protect_none(stack.base(), os::page_size())) break;
    stacks.push_back(std::move(stack));
  }
  finding found{"stacks mapped on trial",
                format_count(stacks.size(), "stack") + " of " + format_bytes(stack_bytes),
                stacks.size(),
                verdict::ok,
                {}};
  if (std::cmp_less(stacks.size(), wanted)) {
    judge(
        found, verdict::problem,
        fmt::format("{} are needed for {}: raise ulimit -v or vm.max_map_count, or lower NOPAL_STACK_SIZE or "
                    "NOPAL_WORKERS",
                    wanted, format_count(static_cast<std::uint64_t>(workers), "worker")));
  }
  return found;
}

}  // namespace

section check_memory(int workers) {
  return {"Memory",
          {{"page size", format_bytes(os::page_size()), os::page_size(), verdict::ok, {}},
           give_back_finding("MADV_DONTNEED", MADV_DONTNEED, "unused stack pages cannot be given back"),
           give_back_finding("MADV_FREE", MADV_FREE,
                             "MADV_DONTNEED stands in; touching a page again costs a fault"),
           huge_pages_finding(),
           overcommit_finding(),
           limit_finding("RLIMIT_STACK", RLIMIT_STACK),
           address_space_finding(),
           mapping_count_finding(workers),
           trial_finding(workers)}};
}

}  // namespace tool::doctor
