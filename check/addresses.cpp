#include "addresses.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
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

backtrace_state* state() {
  static backtrace_state* const made = backtrace_create_state(nullptr, 1, drop_error, nullptr);
  return made;
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

void visit_lines(address instruction, int (*visit)(void*, address, const char*, int, const char*),
                 void* data) {
#ifdef NOPAL_CHECK_BACKTRACE
  passing on{visit, data, false};
  backtrace_pcinfo(state(), instruction, pass, drop_error, &on);
  // It does not know all functions of programs that have several copies of one.
  if (on.has_found || !is_in_program(instruction)) return;
#endif
  ask_command(instruction, visit, data);
}

#ifdef NOPAL_CHECK_BACKTRACE

void visit_symbol(address where, void (*visit)(void*, address, const char*, address, std::size_t),
                  void* data) {
  backtrace_syminfo(state(), where, visit, drop_error, data);
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
