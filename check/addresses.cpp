#include "addresses.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <sys/stat.h>
#include <vector>
#ifdef NOPAL_CHECK_BACKTRACE
#include <backtrace.h>
#endif

#include "copies.hpp"
#include "next.hpp"

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

/// One word of a shell, whatever is in it.
std::string quoted(const char* text) {
  std::string result = "'";
  for (; *text != '\0'; ++text) *text == '\'' ? result.append("'\\''") : result.append(1, *text);
  return result + "'";
}

void ask_command(address instruction, int (*visit)(void*, address, const char*, int, const char*),
                 void* data) {
  const in_file at = locate(instruction);
  if (at.file == nullptr) return;
  char path[4096];
  if (realpath(at.file, path) == nullptr) return;
  std::string command = "addr2line -f -i -e " + quoted(path) + " 0x";
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

/// How many libraries the program has closed.
unsigned long long closed_libraries() noexcept {
  unsigned long long closed = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = first->dlpi_subs;
        return 1;
      },
      &closed);
  return closed;
}

bool contains(const dl_phdr_info& object, address where) noexcept {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    const address begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && where >= begin && where < begin + part.p_memsz) return true;
  }
  return false;
}

/// In which object libbacktrace looks now; 0: in none. It would read what there is of all that are loaded, of the C library
/// above all, for one address.
thread_local address looked_up = 0;

class looking {
public:
  explicit looking(address where) noexcept { looked_up = where; }
  looking(const looking&) = delete;
  looking& operator=(const looking&) = delete;
  ~looking() { looked_up = 0; }
};

/// What a state has read stays, and its memory is never given back. Where libraries were closed others may have their
/// addresses.
backtrace_state* state_for(address where) {
  struct known {
    address base;
    backtrace_state* state;
  };
  static std::vector<known>& all = *new std::vector<known>;
  static unsigned long long known_since = 0;
  if (const unsigned long long closed = closed_libraries(); closed != known_since) {
    all.clear();
    known_since = closed;
  }
  const in_file at = locate(where);
  const address base = where - at.offset;
  for (const known& each : all) {
    if (each.base == base) return each.state;
  }
  all.push_back({base, backtrace_create_state(at.file, 1, drop_error, nullptr)});
  return all.back().state;
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
  const looking in(instruction);
  backtrace_pcinfo(state_for(instruction), instruction, pass, drop_error, &on);
  // It does not know all functions of programs that have several copies of one.
  if (on.has_found || !is_in_program(instruction)) return;
#endif
  ask_command(instruction, visit, data);
}

#ifdef NOPAL_CHECK_BACKTRACE

void visit_symbol(address where, void (*visit)(void*, address, const char*, address, std::size_t),
                  void* data) {
  const looking in(where);
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

#ifdef NOPAL_CHECK_BACKTRACE

/// The checker's own, and what is linked with it: libraries have the C library's.
extern "C" [[gnu::visibility("hidden")]] int dl_iterate_phdr(int (*visit)(dl_phdr_info*, std::size_t, void*),
                                                             void* data) {
  struct visitor {
    int (*visit)(dl_phdr_info*, std::size_t, void*);
    void* data;
  };
  visitor only{visit, data};
  if (nopal_check::looked_up == 0) return NEXT(dl_iterate_phdr)(visit, data);
  return NEXT(dl_iterate_phdr)(
      [](dl_phdr_info* object, std::size_t size, void* to) {
        const visitor& of = *static_cast<visitor*>(to);
        return nopal_check::contains(*object, nopal_check::looked_up) ? of.visit(object, size, of.data) : 0;
      },
      &only);
}

#endif
