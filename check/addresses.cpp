#include "addresses.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <sys/stat.h>
#ifdef NOPAL_CHECK_BACKTRACE
#include <backtrace.h>
#endif

#include "copies.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

/// An address in a file of a program or library.
struct in_file {
  const char* file;
  address offset;
};

in_file locate(address where) {
  Dl_info known{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(where), &known, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
    return {nullptr, 0};
  }
  const bool is_program = map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0';
  return {is_program ? "/proc/self/exe" : known.dli_fname, where - (map != nullptr ? map->l_addr : 0)};
}

void ask_command(address instruction, int (*visit)(void*, address, const char*, int, const char*),
                 void* data) {
  const in_file at = locate(instruction);
  if (at.file == nullptr) return;
  char path[4096];
  if (realpath(at.file, path) == nullptr) return;
  std::string command = "addr2line -f -i -e '" + std::string(path) + "' 0x";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%lx 2>/dev/null", at.offset);
  std::FILE* const lines = popen((command + digits).c_str(), "r");
  if (lines == nullptr) return;
  char function[4096];
  char place[4096];
  while (std::fgets(function, sizeof function, lines) != nullptr &&
         std::fgets(place, sizeof place, lines) != nullptr) {
    function[std::strcspn(function, "\n")] = '\0';
    char* const colon = std::strrchr(place, ':');
    if (colon == nullptr) continue;
    *colon = '\0';
    const bool is_known = std::strcmp(place, "??") != 0;
    if (!is_known) continue;
    visit(data, instruction, place, std::atoi(colon + 1), function);
  }
  pclose(lines);
}

#ifdef NOPAL_CHECK_BACKTRACE

void drop_error(void*, const char*, int) {}

/// Grows whenever the program opens or closes a library.
unsigned long long library_changes() noexcept {
  unsigned long long changes = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = first->dlpi_adds + first->dlpi_subs;
        return 1;
      },
      &changes);
  return changes;
}

/// The first object is the program itself.
bool is_of_program(address where) noexcept {
  struct range {
    address begin, end;
  };
  static const range program = [] {
    range all{~address{0}, 0};
    dl_iterate_phdr(
        [](dl_phdr_info* first, std::size_t, void* to) {
          range& whole = *static_cast<range*>(to);
          for (int i = 0; i < first->dlpi_phnum; ++i) {
            const auto& part = first->dlpi_phdr[i];
            if (part.p_type != PT_LOAD) continue;
            const address begin = first->dlpi_addr + part.p_vaddr;
            if (begin < whole.begin) whole.begin = begin;
            if (begin + part.p_memsz > whole.end) whole.end = begin + part.p_memsz;
          }
          return 1;
        },
        &all);
    return all;
  }();
  return where >= program.begin && where < program.end;
}

/// A state knows the libraries that there were at its first use, and its memory is never given back. That of libraries
/// reads the C library in place of the program, which has much to read.
backtrace_state* state_for(address where) {
  if (is_of_program(where)) {
    static backtrace_state* const program = backtrace_create_state(nullptr, 1, drop_error, nullptr);
    return program;
  }
  static backtrace_state* libraries = nullptr;
  static unsigned long long made_after = 0;
  const unsigned long long changes = library_changes();
  if (libraries == nullptr || changes != made_after) {
    libraries =
        backtrace_create_state(locate(reinterpret_cast<address>(&std::exit)).file, 1, drop_error, nullptr);
    made_after = changes;
  }
  return libraries;
}

/// Passes frames on, and says whether there was one.
struct passing {
  int (*visit)(void*, address, const char*, int, const char*);
  void* data;
  bool has_found;
};

int pass(void* data, address instruction, const char* file, int line, const char* function) {
  passing& on = *static_cast<passing*>(data);
  if (file == nullptr && function == nullptr) return 0;
  on.has_found = true;
  return on.visit(on.data, instruction, file, line, function);
}

#endif

}  // namespace

std::string place_in_library(address where) {
  const in_file at = locate(where);
  struct stat about{};
  if (at.file == nullptr || stat(at.file, &about) != 0) return "";
  char text[96];
  std::snprintf(text, sizeof text, "%lx %lx %lx.%lx %lx", static_cast<long>(about.st_dev),
                static_cast<long>(about.st_ino), about.st_mtim.tv_sec, about.st_mtim.tv_nsec, at.offset);
  return text;
}

void visit_lines(address instruction, int (*visit)(void*, address, const char*, int, const char*),
                 void* data) {
#ifdef NOPAL_CHECK_BACKTRACE
  passing on{visit, data, false};
  backtrace_pcinfo(state_for(instruction), instruction, pass, drop_error, &on);
  // It does not know all functions of programs that have several copies of one.
  if (on.has_found || !is_in_program(instruction)) return;
#endif
  ask_command(instruction, visit, data);
}

#ifdef NOPAL_CHECK_BACKTRACE

void visit_symbol(address where, void (*visit)(void*, address, const char*, address, std::size_t),
                  void* data) {
  backtrace_syminfo(state_for(where), where, visit, drop_error, data);
}

#else

void visit_symbol(address where, void (*visit)(void*, address, const char*, address, std::size_t),
                  void* data) {
  Dl_info known{};
  ElfW(Sym)* symbol = nullptr;
  if (dladdr1(reinterpret_cast<void*>(where), &known, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) ==
          0 ||
      known.dli_sname == nullptr || symbol == nullptr) {
    return;
  }
  visit(data, where, known.dli_sname, reinterpret_cast<address>(known.dli_saddr), symbol->st_size);
}

#endif

}  // namespace nopal_check
