// Libraries that the program closes: the system gives their addresses again, to data that is new and to code of other
// names.
#include <cstddef>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

#include "copies.hpp"
#include "next.hpp"
#include "races.hpp"
#include "shadow.hpp"
#include "sites.hpp"
#include "strands.hpp"
#include "symbols.hpp"

using namespace nopal_check;

namespace {

struct library {
  std::string file;
  address begin;
  std::size_t bytes;
};

int note_library(dl_phdr_info* one, std::size_t, void* to) {
  address begin = ~address{0};
  address end = 0;
  for (int i = 0; i < one->dlpi_phnum; ++i) {
    const auto& part = one->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const address from = one->dlpi_addr + part.p_vaddr;
    if (from < begin) begin = from;
    if (from + part.p_memsz > end) end = from + part.p_memsz;
  }
  if (begin < end) static_cast<std::vector<library>*>(to)->push_back({one->dlpi_name, begin, end - begin});
  return 0;
}

std::vector<library> loaded_libraries() {
  std::vector<library> all;
  dl_iterate_phdr(note_library, &all);
  return all;
}

bool is_among(const std::vector<library>& all, const library& one) {
  for (const library& each : all) {
    if (each.begin == one.begin && each.file == one.file) return true;
  }
  return false;
}

/// Names can be read only while the library is there.
void keep_name(void*, address at) noexcept {
  if (at != 0 && !is_in_program(at)) frames_at(at);
}

void forget_library(const library& gone) {
  clear_mapping(gone.begin, gone.bytes);
  // Addresses have 47 bits: what is moved by different steps stays apart.
  constexpr address least_step = address{1} << 47;
  constexpr address most = (address{1} << 16) - 1;
  static address closed = 0;
  if (closed != most) ++closed;
  const address step = closed * least_step;
  move_frames(gone.begin, gone.bytes, step, gone.file.c_str());
  if (!move_code(gone.begin, gone.bytes, step)) return;
  forget_fork_sites();
  forget_pairs_of_code();
}

}  // namespace

extern "C" int dlclose(void* handle) noexcept {
  if (!notes_memory()) return NEXT(dlclose)(handle);
  std::vector<library>* before = nullptr;
  {
    const at_work now;
    before = new std::vector<library>(loaded_libraries());
    visit_code(keep_name, nullptr);
  }
  const int result = NEXT(dlclose)(handle);
  const at_work now;
  const std::vector<library> after = loaded_libraries();
  for (const library& each : *before) {
    if (!is_among(after, each)) forget_library(each);
  }
  delete before;
  return result;
}
