// Names of files and functions are bytes; what is written for others is to be UTF-8.
#ifndef NOPAL_TOOLS_UTF8_HPP
#define NOPAL_TOOLS_UTF8_HPP

#include <string>

#include <nlohmann/json.hpp>

namespace tool {

/// With U+FFFD in place of what is no text.
inline std::string valid_utf8(const std::string& bytes) {
  using nlohmann::json;
  return json::parse(json(bytes).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

}  // namespace tool

#endif
