#include "peers.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "child_process.hpp"
#include "command_line.hpp"

namespace tool {
namespace {

namespace fs = std::filesystem;

peer describe(const std::string& path, const interrupt_watch& watch) {
  const std::string output = output_of(path, {"describe"}, watch, {std::chrono::seconds(20), [] {}});
  const auto text = nlohmann::json::parse(output);
  peer described;
  described.path = path;
  text.at("name").get_to(described.name);
  text.at("title").get_to(described.title);
  text.at("version").get_to(described.version);
  text.at("idiom").get_to(described.idiom);
  text.at("compiler").get_to(described.compiler);
  text.at("programs").get_to(described.programs);
  described.is_variant = text.value("is_variant", false);
  return described;
}

std::string names_of(const std::vector<peer>& peers) {
  std::string names;
  for (const peer& each : peers) names += (names.empty() ? "" : ", ") + each.name;
  return names;
}

std::string beside_this_program(const char* name) {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path() / name;
}

}  // namespace

bool peer::has(std::string_view program) const {
  return std::find(programs.begin(), programs.end(), program) != programs.end();
}

std::string usual_peer_directory() { return beside_this_program("peers"); }
std::string usual_variant_directory() { return beside_this_program("variants"); }
std::string usual_reducer_directory() { return beside_this_program("reducers"); }

std::vector<peer> find_peers(const std::string& directory, const interrupt_watch& watch) {
  std::vector<peer> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, none)) {
    if (!entry.is_regular_file() || access(entry.path().c_str(), X_OK) != 0) continue;
    try {
      found.push_back(describe(entry.path(), watch));
    } catch (const interrupted&) {
      throw;
    } catch (const std::exception& e) {
      fmt::print(stderr, "nopal: peer {} left out: it {}\n", entry.path().filename().string(),
                 one_line(e.what()));
    }
  }
  std::sort(found.begin(), found.end(), [](const peer& a, const peer& b) { return a.name < b.name; });
  return found;
}

std::vector<peer> choose_peers(const std::vector<peer>& found, std::string_view list,
                               const std::string& directory, peer_words words) {
  if (list == "none") return {};
  if (list == "all") return found;
  std::vector<peer> chosen;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    const auto at = std::find_if(found.begin(), found.end(), [&](const peer& p) { return p.name == name; });
    if (at == found.end()) {
      throw usage_error(fmt::format(
          "{}: no {} '{}'; in {} there are: {}; accepted too: all, none", words.option, words.one, name,
          directory,
          found.empty() ? fmt::format("none, until `./dev bench {}=all` builds them", words.option)
                        : names_of(found)));
    }
    if (std::none_of(chosen.begin(), chosen.end(), [&](const peer& p) { return p.name == name; }))
      chosen.push_back(*at);
  }
  return chosen;
}

}  // namespace tool
