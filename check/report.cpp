#include "report.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "heap.hpp"
#include "start.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

const char* name_of(const race& one, how kind) {
  if (one.bytes == 0) return kind == how::read ? "update" : "look at the value";
  return kind == how::read ? "read" : "write";
}

std::string count_of(std::size_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

void add_frames(std::string& text, const char* begin, const std::vector<source_frame>& frames) {
  constexpr std::size_t most = 24;
  std::size_t shown = 0;
  bool has_own = false;
  for (const source_frame& each : frames) has_own |= !each.is_ours;
  for (const source_frame& each : frames) {
    if (each.is_ours && has_own) continue;
    if (each.file.empty() && each.function.empty()) continue;
    if (shown++ == most) break;
    text += shown == 1 ? begin : "      called by ";
    text += each.function.empty() ? "a function" : each.function;
    if (!each.file.empty()) text += ", " + text_of_place(each);
    text += "\n";
    if (each.function == "main") break;  // what the C library does around it says nothing
  }
}

/// The function whose frame has a stack variable. `now` is where the running strand is.
std::string text_of_stack(address where, const std::vector<source_frame>& now) {
  const call_frame* owner = self.calls;
  while (owner > self.outermost + 1 && (owner - 1)->stack <= where) --owner;
  for (const source_frame& each : owner < self.calls ? frames_at((owner + 1)->caller) : now) {
    if (!each.is_ours && !each.function.empty()) return "a variable of " + each.function;
  }
  return "a variable on the stack";
}

std::string short_name(const race& one, const std::vector<source_frame>& now) {
  if (one.bytes == 0) return " of a reducer";
  const std::string what = " of " + count_of(one.bytes);
  if (one.begin >= self.stack_begin && one.begin < self.stack_end)
    return what + " of " + text_of_stack(one.begin, now);
  if (const heap_block block = block_with(one.begin); block.bytes != 0) {
    return what + " in a block of the heap";
  }
  if (const global_variable variable = variable_at(one.begin); !variable.name.empty()) {
    return what + " of '" + variable.name + "'";
  }
  return what;
}

void add_memory(std::string& text, address where) {
  if (const heap_block block = block_with(where); block.bytes != 0) {
    text +=
        "    byte " + std::to_string(where - block.begin) + " of a block of " + count_of(block.bytes) + "\n";
    add_frames(text, "      allocated by ", frames_of(sites[block.site]));
  } else if (const global_variable variable = variable_at(where); !variable.name.empty()) {
    text += "    byte " + std::to_string(where - variable.begin) + " of '" + variable.name + "', which has " +
            count_of(variable.bytes) + "\n";
  }
}

}  // namespace

std::string text_of_race(const race& one, const std::vector<source_frame>& earlier,
                         const std::vector<source_frame>& now, const std::vector<source_frame>& fork) {
  const char* const first = name_of(one, one.earlier_kind);
  const char* const second = name_of(one, one.kind);
  std::string text = std::string("nopal: race: ") + first + " at " + text_of_place(place_in(earlier)) +
                     " and " + second + " at " + text_of_place(place_in(now)) + short_name(one, now) + "\n";
  add_frames(text, (std::string("    ") + first + " by ").c_str(), earlier);
  add_frames(text, (std::string("    ") + second + " by ").c_str(), now);
  text += "    parallel by the fork at " + text_of_place(place_in(fork)) + "\n";
  if (one.bytes != 0) add_memory(text, one.begin);
  return text;
}

namespace {

/// Once, for what follows is not there either.
void say_that_the_log_lacks_it(int error) noexcept {
  static bool is_said = false;
  if (is_said || !is_logged() || report_file() < 0) return;
  is_said = true;
  dprintf(STDERR_FILENO, "nopal: NOPAL_CHECK: log='%s' cannot be written: %s\n", log_name(),
          std::strerror(error));
}

}  // namespace

void write_report(std::string_view text) noexcept {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(report_file(), text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return say_that_the_log_lacks_it(errno);
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace nopal_check
