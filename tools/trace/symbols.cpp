#include "trace/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace tool::tracing {
namespace {

std::string bytes_of_program(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The parts of a table in the file; none if they do not lie in it.
template <class Part>
std::vector<Part> table(const std::string& file, std::uint64_t offset, std::uint64_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(Part)) return {};
  std::vector<Part> parts(count);
  if (count != 0) std::memcpy(parts.data(), file.data() + offset, count * sizeof(Part));
  return parts;
}

std::string text_at(const std::string& file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  return {file.data() + offset, strnlen(file.data() + offset, file.size() - offset)};
}

/// "ns::f<int>" of the symbol of `ns::f<int>(long)`.
std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 && text != nullptr ? text.get() : symbol;
  if (const std::size_t suffix = name.find(" [clone"); suffix != std::string::npos) name.resize(suffix);
  // The last brackets are those of the parameters; others may be of a lambda's, or of an operator.
  std::size_t at = name.rfind(')');
  for (int depth = 0; at != std::string::npos; --at) {
    depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    if (depth == 0) {
      name.resize(at);
      break;
    }
    if (at == 0) break;
  }
  constexpr std::size_t most = 120;
  if (name.size() > most) name = name.substr(0, most) + "...";
  return name;
}

}  // namespace

symbols::symbols(const std::string& program, std::uint64_t program_headers) {
  const std::string file = bytes_of_program(program);
  const auto header = table<Elf64_Ehdr>(file, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64) {
    return;
  }
  for (const Elf64_Phdr& each : table<Elf64_Phdr>(file, header[0].e_phoff, header[0].e_phnum)) {
    if (each.p_type == PT_PHDR && header[0].e_type == ET_DYN) moved_by_ = program_headers - each.p_vaddr;
  }
  const auto sections = table<Elf64_Shdr>(file, header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& each : sections) {
    if ((each.sh_type != SHT_SYMTAB && each.sh_type != SHT_DYNSYM) || each.sh_link >= sections.size())
      continue;
    const std::uint64_t names = sections[each.sh_link].sh_offset;
    for (const Elf64_Sym& symbol : table<Elf64_Sym>(file, each.sh_offset, each.sh_size / sizeof(Elf64_Sym))) {
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size != 0) {
        functions_.insert(
            {symbol.st_value, {symbol.st_value + symbol.st_size, text_at(file, names + symbol.st_name)}});
      }
    }
  }
}

std::string symbols::name_of(std::uint64_t address) const {
  const std::uint64_t in_file = address - moved_by_;
  auto at = functions_.upper_bound(in_file);
  if (at == functions_.begin()) return {};
  --at;
  return in_file < at->second.end ? readable(at->second.name) : std::string();
}

}  // namespace tool::tracing
