#include "symbols.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <unordered_map>

#include "addresses.hpp"
#include "copies.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

std::string demangled(const char* name) {
  if (name == nullptr) return "";
  if (name[0] != '_' || name[1] != 'Z') return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  // Clang has parts of a variable, as "_ZL5boxes.0".
  const char* const part = std::strchr(name, '.');
  if (text == nullptr && part != nullptr)
    text = abi::__cxa_demangle(std::string(name, part).c_str(), nullptr, nullptr, &status);
  std::string result = text != nullptr ? text : name;
  std::free(text);
  return result;
}

/// Without the folder that the program runs in.
std::string shortened(const char* file) {
  if (file == nullptr) return "";
  static const std::string here = [] {
    char* const folder = getcwd(nullptr, 0);
    std::string text = folder != nullptr ? folder : "";
    std::free(folder);
    return text + "/";
  }();
  // Builds in a folder beside the sources name them by way of it.
  const std::string normal = std::filesystem::path(file).lexically_normal().string();
  const std::string_view path = normal;
  if (here.size() > 1 && path.starts_with(here)) return std::string(path.substr(here.size()));
  return std::string(path.starts_with("./") ? path.substr(2) : path);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// "std::copy" of "int* std::copy<int*>(int*)".
std::string_view name_in(std::string_view function) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < function.size(); ++at) {
    const char c = function[at];
    if (depth == 0 && c == '(' && at != begin) break;
    if (depth == 0 && c == ' ') begin = at + 1;
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
  }
  return function.substr(begin);
}

/// Of the C++ library, by the name alone. Nopal's templates may have the user's functions inlined.
bool is_named_as_library(std::string_view function) {
  const std::string_view name = name_in(function);
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") || name.starts_with("operator ");
}

/// Where functions are not the program's, nor of a plug-in of its own, also if nothing is known of their files.
bool is_of_system(std::string_view object) {
  const std::string_view name = object.substr(object.rfind('/') + 1);
  return object.starts_with("/usr/lib") || object.starts_with("/lib") || name.starts_with("libnopal") ||
         name.starts_with("libstdc++.") || name.starts_with("libc++") || name.starts_with("libgcc_s.");
}

/// Frames that a user did not write. Where a program has several copies of a function, its file may be
/// given wrongly: names count, too.
bool is_ours(std::string_view file, std::string_view function) {
  return has(file, "include/nopal/") || has(file, "/usr/include/") || has(file, "/usr/lib/") ||
         has(file, "/c++/v1/") || function.starts_with("nopal_fork_") ||
         name_in(function).starts_with("nopal::");
}

int add_frame(void* frames, address, const char* file, int line, const char* function) {
  source_frame made{demangled(function), shortened(file), line, false};
  made.is_ours = file == nullptr || is_ours(file, made.function) || line == 0;
  static_cast<std::vector<source_frame>*>(frames)->push_back(std::move(made));
  return 0;
}

/// Compilers give no line to some instructions that they moved: then that of one beside it.
std::vector<source_frame> frames_near(address instruction) {
  constexpr address farthest = 64;
  std::vector<source_frame> frames;
  visit_lines(instruction, add_frame, &frames);
  if (frames.empty() || frames[0].file.empty() || frames[0].line != 0) return frames;
  // First where the same inlined function goes on, then anywhere in the function.
  for (const bool is_strict : {true, false}) {
    for (address distance = 1; distance != farthest; ++distance) {
      for (const address beside : {instruction + distance, instruction - distance}) {
        std::vector<source_frame> others;
        visit_lines(beside, add_frame, &others);
        if (others.empty() || others[0].line == 0) continue;
        if (is_strict ? others.size() == frames.size() && others[0].function == frames[0].function
                      : others.back().function == frames.back().function) {
          return others;
        }
      }
    }
  }
  return frames;
}

std::string text_of_offset(address offset) {
  char text[32];
  std::snprintf(text, sizeof text, "+%#lx", offset);
  return text;
}

/// What is known without debug information: a place such as "./program+0x1234".
void name_by_object(source_frame& frame, address returned_to) {
  Dl_info known{};
  if (dladdr(reinterpret_cast<void*>(returned_to - 1), &known) == 0 || known.dli_fname == nullptr) return;
  if (frame.function.empty()) frame.function = demangled(known.dli_sname);
  const std::string place =
      known.dli_fname + text_of_offset(returned_to - reinterpret_cast<address>(known.dli_fbase));
  frame.is_ours = (!is_in_program(returned_to - 1) && is_of_system(known.dli_fname)) ||
                  is_named_as_library(frame.function);
  if (frame.function.empty()) {
    frame.function = place;
  } else if (!frame.is_ours) {
    frame.file = place;
    frame.line = no_line;
  }
}

/// Without what was found before.
std::vector<source_frame> read_frames_at(address returned_to) {
  std::vector<source_frame> frames = frames_near(returned_to - 1);
  if (frames.empty()) frames.push_back({"", "", 0, true});
  if (frames[0].file.empty()) name_by_object(frames[0], returned_to);
  return frames;
}

using frames_by_address = std::unordered_map<address, std::vector<source_frame>>;

frames_by_address& known_frames() {
  static auto& known = *new frames_by_address;  // there at the very end
  return known;
}

/// A library that is opened again is not read again.
std::vector<source_frame> frames_in_library(address returned_to) {
  static auto& known = *new std::unordered_map<std::string, std::vector<source_frame>>;
  const std::string place = place_in_library(returned_to);
  if (place.empty()) return read_frames_at(returned_to);
  const auto [at, is_new] = known.try_emplace(place);
  if (is_new) at->second = read_frames_at(returned_to);
  return at->second;
}

}  // namespace

const std::vector<source_frame>& frames_at(address returned_to) {
  const auto [at, is_new] = known_frames().try_emplace(returned_to);
  if (is_new)
    at->second = is_in_program(returned_to) ? read_frames_at(returned_to) : frames_in_library(returned_to);
  return at->second;
}

void move_frames(address begin, std::size_t bytes, address step, const char* library) {
  frames_by_address moved;
  std::erase_if(known_frames(), [&](auto& each) {
    if (each.first - begin >= bytes) return false;
    moved[each.first + step] = std::move(each.second);
    return true;
  });
  for (auto& [at, frames] : moved) known_frames().insert_or_assign(at, std::move(frames));
  // Code that first ran when the library ended has no names any more.
  struct unnamed {
    address begin;
    std::size_t bytes;
    address step;
    const char* library;
  } gone{begin, bytes, step, library};
  visit_code(
      [](void* data, address at) {
        const auto& all = *static_cast<const unnamed*>(data);
        if (at - all.begin >= all.bytes) return;
        const auto [named, is_new] = known_frames().try_emplace(at + all.step);
        if (is_new) named->second = {{all.library + text_of_offset(at - all.begin), "", 0, false}};
      },
      &gone);
}

std::vector<source_frame> frames_of(const site& where, bool until_own) {
  std::vector<source_frame> all = frames_at(where.at);
  if (where.calls == nullptr) return all;
  const auto is_own = [](const source_frame& frame) { return !frame.is_ours; };
  for (std::uint32_t i = 0; i < where.calls->count; ++i) {
    if (where.calls->callers[i] == 0) continue;
    if (until_own && std::any_of(all.begin(), all.end(), is_own)) break;
    const std::vector<source_frame>& caller = frames_at(where.calls->callers[i]);
    all.insert(all.end(), caller.begin(), caller.end());
  }
  return all;
}

const source_frame& place_in(const std::vector<source_frame>& frames) {
  for (const source_frame& each : frames) {
    if (!each.is_ours) return each;
  }
  for (const source_frame& each : frames) {
    if (!each.file.empty()) return each;
  }
  return frames.front();
}

std::string text_of_place(const source_frame& frame) {
  if (frame.line == no_line) return frame.file;
  if (!frame.file.empty()) return frame.file + ":" + std::to_string(frame.line);
  return frame.function.empty() ? "an unknown place" : frame.function;
}

global_variable variable_at(address where) {
  global_variable found{};
  visit_symbol(
      where,
      [](void* to, address, const char* name, address begin, std::size_t bytes) {
        if (name == nullptr) return;
        *static_cast<global_variable*>(to) = {demangled(name), begin, bytes};
      },
      &found);
  if (found.bytes == 0 || where - found.begin >= found.bytes) return {};
  return found;
}

}  // namespace nopal_check
